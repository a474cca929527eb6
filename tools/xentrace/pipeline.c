/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two destinations with one interface: the memory buffer and the write thread.
 */
#include "xentrace/pipeline.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define RECORDS_MAX 64u     /* records in one metadata window */

/* A value of end_reason of events/11-meta. */
enum { END_SNAPSHOT = 7 };

static int open_sink(struct pipeline *p, const struct pipeline_plan *plan,
                     struct err *e)
{
    int rc;

    if ( p->to_memory )
    {
        rc = memory_buffer_open(&p->memory, plan->memory, plan->nr_cpus, e);
        if ( rc )
            return rc;
        p->memory.triggers = plan->triggers;
        p->sink = memory_buffer_sink(&p->memory);
        return 0;
    }
    rc = write_thread_open(&p->write_thread, p->writer, &plan->queue, e);
    if ( rc )
        return rc;
    p->thread_is_running = true;
    p->sink = write_thread_sink(&p->write_thread);
    return 0;
}

static void close_sink(struct pipeline *p)
{
    struct err ignored = ERR_INIT;

    if ( p->thread_is_running )
        write_thread_end(&p->write_thread, p->writer->plan->is_forced,
                         &ignored);
    p->thread_is_running = false;
    if ( p->to_memory )
        memory_buffer_close(&p->memory);
    else
        write_thread_close(&p->write_thread);
}

/*
 * Write the preface.  The older file is replaced here, when all else that a
 * capture needs is there.
 */
static int begin_file(struct pipeline *p, struct err *e)
{
    int rc = writer_begin(p->writer, p->cpu, p->metadata.bytes,
                          p->metadata.used, e);

    p->preface_bytes = p->metadata.used;
    if ( rc )
        close_sink(p);
    else if ( !p->plain )
        writer_renew(p->writer, metadata_copy, &p->metadata);
    return rc;
}

int pipeline_open(struct pipeline *p, const struct pipeline_plan *plan,
                  struct writer *w, struct hv *hv, const struct hv_info *info,
                  struct err *e)
{
    int rc = 0;

    assert(plan->cpu < plan->nr_cpus);
    assert(plan->memory || !plan->triggers);
    *p = (struct pipeline){
        .writer = w, .cpu = plan->cpu, .plain = w->plan->plain,
        .to_memory = plan->memory,
    };
    if ( !p->plain )
        rc = metadata_init(&p->metadata, hv, info, &plan->start, e);
    if ( !rc )
        rc = open_sink(p, plan, e);
    if ( !rc )
        rc = begin_file(p, e);
    if ( rc )
        metadata_fini(&p->metadata);
    return rc;
}

void pipeline_close(struct pipeline *p)
{
    assert(!p->thread_is_running);
    close_sink(p);
    metadata_fini(&p->metadata);
}

/* Encode nr records; returns the number of bytes. */
static size_t encode_records(const struct xt_meta *m, unsigned int nr, void *to)
{
    unsigned char *p = to;

    assert(nr && nr <= RECORDS_MAX);
    for ( unsigned int i = 0; i < nr; i++ )
        p += xt_meta_encode(&m[i], p);
    return p - (unsigned char *)to;
}

bool pipeline_put_records(struct pipeline *p, const struct xt_meta *m,
                          unsigned int nr)
{
    unsigned char bytes[RECORDS_MAX * XT_META_MAX_BYTES];
    struct iovec span = { bytes, 0 };
    bool is_complete = true;
    unsigned int part;

    for ( ; nr && !p->plain; m += part, nr -= part )
    {
        part = nr < RECORDS_MAX ? nr : RECORDS_MAX;
        span.iov_len = encode_records(m, part, bytes);
        is_complete &= p->sink.put(p->sink.arg, p->cpu, &span, 1) != 0;
    }
    return is_complete;
}

void pipeline_poll_metadata(struct pipeline *p, struct hv *hv)
{
    struct xt_meta *m;
    unsigned int nr;

    if ( p->plain )
        return;
    metadata_poll(&p->metadata, hv, &m, &nr);
    if ( !p->to_memory )
        pipeline_put_records(p, m, nr);
    free(m);
}

void pipeline_publish(struct pipeline *p)
{
    if ( !p->to_memory )
        write_thread_publish(&p->write_thread);
}

uint64_t pipeline_pending_bytes(const struct pipeline *p)
{
    return p->to_memory ? 0 : write_thread_pending_bytes(&p->write_thread);
}

int pipeline_fd(const struct pipeline *p)
{
    return p->to_memory ? -1 : p->write_thread.event_fd;
}

int pipeline_ack(struct pipeline *p, struct err *e)
{
    return p->to_memory ? 0 : write_thread_ack(&p->write_thread, e);
}

/* Write records to a file, in windows of their own. */
static int write_trailer(const struct pipeline *p, struct writer *w,
                         const struct xt_meta *m, unsigned int nr,
                         struct err *e)
{
    unsigned char bytes[RECORDS_MAX * XT_META_MAX_BYTES];
    struct iovec span = { bytes, 0 };
    unsigned int part;
    int rc = 0;

    for ( ; !rc && nr && !p->plain; m += part, nr -= part )
    {
        part = nr < RECORDS_MAX ? nr : RECORDS_MAX;
        span.iov_len = encode_records(m, part, bytes);
        rc = writer_window(w, p->cpu, &span, 1, e);
        if ( !rc )
            rc = writer_flush(w, true, e);
    }
    return rc;
}

/* The losses, and a meta_end record, which marks them as final. */
static int end_snapshot(const struct pipeline *p, struct writer *w,
                        const struct snapshot_plan *plan, struct err *e)
{
    int rc = write_trailer(p, w, plan->losses, plan->nr_losses, e);
    struct xt_meta end = {
        .event = TRC_META_END,
        .end = { .tsc = plan->tsc, .bytes = w->bytes, .windows = w->windows,
                 .reason = END_SNAPSHOT },
    };

    return rc ? rc : write_trailer(p, w, &end, 1, e);
}

#define TEXT_PARTS 42u      /* parts of a trigger's text or a comment */

struct text_records
{
    struct xt_meta m[TEXT_PARTS];
    unsigned int nr;
};

static void put_text_record(void *arg, const struct xt_meta *m)
{
    struct text_records *r = arg;

    if ( r->nr < TEXT_PARTS )
        r->m[r->nr++] = *m;
}

static int write_meta_text(const struct pipeline *p, struct writer *w,
                           uint16_t kind, const char *text, struct err *e)
{
    struct text_records r = { .nr = 0 };

    assert(strlen(text) <= TEXT_PARTS * XT_META_PART);
    metadata_put_text(put_text_record, &r, TRC_META_TEXT, kind, text);
    return write_trailer(p, w, r.m, r.nr, e);
}

static int fill_snapshot(struct pipeline *p, struct writer *w,
                         const struct snapshot_plan *s,
                         struct snapshot_file *file, struct err *e)
{
    int rc = writer_begin(w, p->cpu, p->metadata.bytes, p->metadata.used, e);

    if ( !rc && s->cause )
        rc = write_meta_text(p, w, METADATA_TEXT_TRIGGER, s->cause, e);
    if ( !rc && s->comment )
        rc = write_meta_text(p, w, METADATA_TEXT_COMMENT, s->comment, e);
    if ( !rc )
        rc = memory_buffer_write(&p->memory, s->since, w, &file->times, e);
    if ( !rc )
        rc = end_snapshot(p, w, s, e);
    return rc;
}

int pipeline_write_snapshot(struct pipeline *p, const struct snapshot_plan *s,
                            struct snapshot_file *file, struct err *e)
{
    struct writer_plan plan = *p->writer->plan;
    struct writer *w = fault_calloc(1, sizeof(*w));
    int rc = w ? 0 : -ENOMEM, closed;

    assert(p->to_memory);
    assert(s->nr > 0);
    plan.numbered = true;
    plan.first_behind = s->nr - 1;
    plan.keep = 0; /* the policy of snapshots removes files */
    if ( rc )
        return err_sys(e, rc, "cannot take a snapshot");
    rc = writer_open(w, &plan, e);
    if ( rc )
        goto out;
    rc = fill_snapshot(p, w, s, file, e);
    closed = writer_close(w, e);
    rc = rc ? rc : closed;
    memcpy(file->name, w->name, sizeof(file->name));
    file->bytes = w->bytes;
 out:
    free(w);
    return rc;
}

void pipeline_remove_snapshot(const struct pipeline *p, unsigned int nr)
{
    assert(p->to_memory);
    writer_remove(p->writer->plan, nr);
}

/* With -M, write the metadata that was not known when the file was opened. */
static int write_new_metadata(struct pipeline *p, struct err *e)
{
    const struct metadata *m = &p->metadata;
    struct iovec span = { m->bytes + p->preface_bytes,
                          m->used - p->preface_bytes };

    assert(p->preface_bytes <= m->used);
    return span.iov_len ? writer_window(p->writer, p->cpu, &span, 1, e) : 0;
}

int pipeline_end(struct pipeline *p, bool (*is_forced)(void), struct err *e)
{
    int rc;

    assert(p->to_memory || p->thread_is_running);
    if ( p->to_memory )
    {
        rc = write_new_metadata(p, e);
        return rc ? rc : memory_buffer_write(&p->memory, 0, p->writer, NULL, e);
    }
    p->thread_is_running = false;
    return write_thread_end(&p->write_thread, is_forced, e);
}

void pipeline_count(const struct pipeline *p, struct scan_counts *counts,
                    unsigned int nr)
{
    uint64_t written = p->writer->nr_safe;

    assert(!p->thread_is_running);
    if ( !p->to_memory )
        write_thread_count(&p->write_thread, counts, nr);
    else
        /* New metadata is a window in front of those of the buffer. */
        memory_buffer_count(&p->memory,
                            written && p->metadata.used > p->preface_bytes
                            ? written - 1 : written, counts);
}

int pipeline_write_trailer(struct pipeline *p, const struct xt_meta *m,
                           unsigned int nr, struct err *e)
{
    assert(!p->thread_is_running);
    return write_trailer(p, p->writer, m, nr, e);
}
