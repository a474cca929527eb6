/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the trace in the order of time.  A checkpoint is between two
 * batches with different times, so that a seek to its time continues exactly
 * behind the records that it has.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/output-file.h"
#include "libxentrace/internal.h"
#include "libxentrace/meta-event.h"
#include "xenalyze/convert/early-damage.h"
#include "xenalyze/convert/early-save.h"
#include "xenalyze/convert/time-index.h"

/*
 * Bytes of the trace between two checkpoints: they are read in about 5 ms.
 * With many vcpus a checkpoint is large, and the index stays a hundredth of the
 * trace.
 */
#define LEAST_DISTANCE (4u << 20)
#define TIMES_SIZE 100u

struct growing
{
    char *bytes;
    size_t size;
    FILE *out;
};

struct index_writer
{
    const struct index_options *o;
    struct index_counts *counts;
    struct early_records early;
    struct early_damage damage;
    FILE *out;
    uint64_t size;              /* bytes written */
    struct index_header header;
    struct growing checkpoints, metadata, records;
    bool has_seals;             /* in the metadata: one seal stands for all */
    uint64_t next;              /* position of the next checkpoint, at least */
    uint64_t time;              /* the last record's */
};

/* --- memory --------------------------------------------------------------- */

static int growing_init(struct growing *g)
{
    *g = (struct growing){ .bytes = NULL };
    g->out = open_memstream(&g->bytes, &g->size);
    return g->out ? 0 : -ENOMEM;
}

/* Make all bytes visible. */
static int growing_flush(struct growing *g)
{
    assert(g->out);
    return fflush(g->out) || ferror(g->out) ? -ENOMEM : 0;
}

static void growing_fini(struct growing *g)
{
    if ( g->out )
        fclose(g->out);
    free(g->bytes);
    *g = (struct growing){ .bytes = NULL };
}

/* --- the file ------------------------------------------------------------- */

static int write_index_bytes(struct index_writer *w, const void *bytes,
                             size_t size)
{
    errno = 0;
    if ( size && fwrite(bytes, 1, size, w->out) != size )
        return errno ? -errno : -EIO;
    w->size += size;
    return 0;
}

/* Write the early records, and remember where. */
static int add_checkpoint(struct index_writer *w, uint64_t time,
                          uint64_t position)
{
    struct index_checkpoint c = {
        .time = time, .position = position, .at = w->size,
    };
    struct growing state;
    int rc = growing_init(&state);

    if ( !rc )
    {
        early_save(&w->early, state.out);
        rc = growing_flush(&state);
    }
    if ( !rc )
    {
        c.size = state.size;
        c.crc = xt_crc32c(0, state.bytes, state.size);
        c.nr_metadata = w->header.nr_metadata;
        fwrite(&c, sizeof(c), 1, w->checkpoints.out);
        rc = write_index_bytes(w, state.bytes, state.size);
        w->counts->checkpoints++;
        w->next = c.position + (c.size > LEAST_DISTANCE / TIMES_SIZE
                                ? (uint64_t)c.size * TIMES_SIZE
                                : LEAST_DISTANCE);
    }
    growing_fini(&state);
    return rc;
}

static int write_index_table(struct index_writer *w, struct growing *table)
{
    struct index_header *h = &w->header;
    int rc = growing_flush(table);

    assert(h->tables);
    if ( rc )
        return rc;
    h->tables_crc = xt_crc32c(h->tables_crc, table->bytes, table->size);
    return write_index_bytes(w, table->bytes, table->size);
}

static int write_damages(struct index_writer *w)
{
    const struct xt_pcpu_damages *d = w->o->damages;
    struct index_header *h = &w->header;
    size_t size = d ? d->nr * sizeof(*d->items) : 0;
    int rc;

    if ( !d )
        return 0;
    h->flags |= INDEX_IS_DAMAGED;
    h->nr_damages = d->nr;
    h->tables_crc = xt_crc32c(h->tables_crc, &d->of_windows,
                              sizeof(d->of_windows));
    h->tables_crc = xt_crc32c(h->tables_crc, d->items, size);
    rc = write_index_bytes(w, &d->of_windows, sizeof(d->of_windows));
    return rc ? rc : write_index_bytes(w, d->items, size);
}

static int write_counts(struct index_writer *w, struct saved_counts *c)
{
    struct index_header *h = &w->header;
    struct growing section;
    bool is_saved;
    int rc;

    h->counts = w->size;
    if ( !c )
        return 0;
    rc = growing_init(&section);
    is_saved = !rc && !counts_save(c, section.out);
    rc = rc ? rc : growing_flush(&section);
    if ( !rc && is_saved )
    {
        h->counts_size = section.size;
        h->counts_crc = xt_crc32c(0, section.bytes, section.size);
        rc = write_index_bytes(w, section.bytes, section.size);
    }
    growing_fini(&section);
    assert(rc || w->size - h->counts == h->counts_size);
    return rc;
}

static int finish_file(struct index_writer *w, struct saved_counts *saved)
{
    struct index_header *h = &w->header;
    int rc = write_counts(w, saved);

    if ( w->counts->is_unusable )
    {
        h->flags |= INDEX_IS_UNUSABLE;
        w->counts->checkpoints = 0;
    }
    h->nr_checkpoints = w->counts->checkpoints;
    h->tables = w->size;
    if ( !rc && h->nr_checkpoints )
        rc = write_index_table(w, &w->checkpoints);
    rc = rc ? rc : write_damages(w);
    rc = rc ? rc : write_index_table(w, &w->metadata);
    rc = rc ? rc : write_index_table(w, &w->records);
    h->metadata_size = w->records.size;
    w->counts->size = w->size;
    h->crc = index_header_crc(h);
    if ( !rc && fseek(w->out, 0, SEEK_SET) )
        rc = -errno;
    return rc ? rc : write_index_bytes(w, h, sizeof(*h));
}

/* --- the pass ------------------------------------------------------------- */

static void add_index_metadata(struct index_writer *w,
                               const struct xt_item *item,
                               const struct xt_record *r, const void *bytes,
                               size_t size)
{
    const struct index_metadata m = {
        .time = item->time, .cpu = xt_item_cpu(item), .size = size,
    };

    assert(xt_event_is_meta(r->event));
    if ( r->event == TRC_META_WINDOW && w->has_seals )
        return;
    w->has_seals |= r->event == TRC_META_WINDOW;
    fwrite(&m, sizeof(m), 1, w->metadata.out);
    fwrite(bytes, 1, size, w->records.out);
    w->header.nr_metadata++;
}

static int pass_damaged(struct index_writer *w, const struct xt_batch *b,
                        const struct xt_item *item, const struct xt_record *r,
                        size_t size)
{
    unsigned int cpu = xt_item_cpu(item);
    const void *bytes = b->bytes + xt_item_offset(item);
    unsigned char room[XT_RECORD_MAX_BYTES];
    struct xt_record loss;
    size_t loss_size = 0;
    int rc = 0;

    if ( early_damage_ends_gap(&w->damage, cpu, xt_batch_offset(b, item)) )
        loss_size = early_damage_leave_gap(&w->damage, cpu, r, room);
    if ( loss_size )
    {
        xt_record_view(&loss, room);
        rc = early_pass(&w->early, cpu, item->time, &loss, room, loss_size);
    }
    if ( early_damage_ignores(&w->damage, &w->early, cpu, r) )
        return rc;
    bytes = early_damage_correct(item->time, r, bytes, size, room);
    return rc ? rc : early_pass(&w->early, cpu, item->time, r, bytes, size);
}

static int pass_batch(struct index_writer *w, const struct xt_batch *b)
{
    int rc = 0;

    assert(b->nr);
    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        const struct xt_item *item = &b->items[i];
        const void *bytes = b->bytes + xt_item_offset(item);
        struct xt_record r;
        size_t size = xt_batch_record(b, item, &r);

        if ( xt_event_is_meta(r.event) )
            add_index_metadata(w, item, &r, bytes, size);
        else if ( r.event != TRC_TRACE_WRAP_BUFFER )
            rc = w->damage.all
                 ? pass_damaged(w, b, item, &r, size)
                 : early_pass(&w->early, xt_item_cpu(item), item->time, &r,
                              bytes, size);
    }
    w->time = b->items[b->nr - 1].time;
    return rc;
}

/*
 * A span selects from each of several captures.  States behind damage depend on
 * the damage, unless it is known; a capture that ended abruptly is sound up to
 * its end.
 */
static bool is_unusable(const struct index_writer *w, const struct xt_batch *b)
{
    const struct xt_damage *d = xt_trace_damage(w->o->trace);

    return b->segment ||
           (!w->o->damages && xt_damage_grade(d) > XT_GRADE_CUT);
}

/* Pcpus have their own windows, so positions of records do not always rise. */
static uint64_t find_position(const struct xt_batch *b)
{
    assert(b->nr);
    return xt_batch_offset(b, &b->items[0]);
}

static bool may_add_checkpoint(const struct index_writer *w,
                               const struct xt_batch *b)
{
    return find_position(b) >= w->next && b->items[0].time > w->time &&
           early_damage_may_begin(&w->damage, b->items[0].time, &w->early);
}

static int write_checkpoints(struct index_writer *w, struct err *e)
{
    const struct index_options *o = w->o;
    struct xt_batch b;
    int rc;

    while ( (rc = xt_trace_next_batch(o->trace, &b, e)) > 0 )
    {
        rc = 0;
        w->counts->is_unusable = is_unusable(w, &b);
        if ( w->counts->is_unusable )
            return 0;
        if ( may_add_checkpoint(w, &b) )
            rc = add_checkpoint(w, b.items[0].time, find_position(&b));
        rc = rc ? rc : pass_batch(w, &b);
        if ( rc )
            return rc;
        if ( o->progress )
            o->progress(o->progress_arg, w->time);
    }
    return rc;
}

static int begin_file(struct index_writer *w)
{
    struct index_header *h = &w->header;
    int fd = fault_open(w->o->path, O_RDONLY | O_CLOEXEC, 0), rc;

    index_header_init(h);
    h->flags = w->o->clocks_differ ? INDEX_CLOCKS_DIFFER : 0;
    w->next = LEAST_DISTANCE;
    rc = fd < 0 ? -errno
         : time_index_identify(fd, xt_trace_size(w->o->trace), &h->trace);
    if ( fd >= 0 )
        close(fd);
    return rc ? rc : write_index_bytes(w, h, sizeof(*h));
}

static int write_index(struct index_writer *w, const char *name, struct err *e)
{
    struct saved_counts *saved = NULL;
    struct err unread = ERR_INIT;
    int rc = early_init(&w->early);

    rc = rc ? rc : early_damage_init(&w->damage, w->o->damages, &w->early, 0);
    rc = rc ? rc : growing_init(&w->checkpoints);
    rc = rc ? rc : growing_init(&w->metadata);
    rc = rc ? rc : growing_init(&w->records);
    rc = rc ? rc : begin_file(w);
    rc = rc ? rc : write_checkpoints(w, &unread);
    rc = rc ? rc : w->o->get_counts(w->o->counts_arg, &saved, &unread);
    if ( *unread.text )
        return err_set(e, rc, "%s", unread.text);
    rc = rc ? rc : finish_file(w, saved);
    return rc ? err_sys(e, rc, "cannot write %s", name) : 0;
}

/* The index replaces a file, but none of another kind, and not the trace. */
static int check_target(const char *name, const char *path, struct err *e)
{
    struct stat st;

    assert(strlen(name) > strlen(path));
    if ( stat(name, &st) )
        return 0;
    if ( !S_ISREG(st.st_mode) )
        return err_set(e, -EINVAL, "cannot write %s: it is no regular file",
                       name);
    return output_file_replaces(path, &st)
           ? err_set(e, -EINVAL, "cannot write %s: it is the trace", name) : 0;
}

int time_index_write(const struct index_options *o, struct index_counts *counts,
                     struct err *e)
{
    struct index_writer w = { .o = o, .counts = counts };
    char *name = time_index_name(o->path);
    struct output_file file;
    int rc;

    *counts = (struct index_counts){ .clocks_differ = o->clocks_differ };
    rc = name ? check_target(name, o->path, e)
         : err_sys(e, -ENOMEM, "cannot index %s", o->path);
    rc = rc ? rc : output_file_open(&file, name, e);
    if ( !rc )
    {
        w.out = file.out;
        rc = write_index(&w, name, e);
        if ( rc )
            output_file_discard(&file);
        else
            rc = output_file_commit(&file, e);
    }
    early_fini(&w.early);
    early_damage_fini(&w.damage);
    growing_fini(&w.checkpoints);
    growing_fini(&w.metadata);
    growing_fini(&w.records);
    free(name);
    return rc;
}
