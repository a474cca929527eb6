/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of 64 bits in the byte order of the machine.  One function for each
 * table of tables[] both saves and loads: each value is passed to a stream, and
 * replaced by the result.  A new table goes to the end, with another version of
 * the index.
 */
#include "xenalyze/convert/counts-save.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/meta-event.h"

struct counts_stream
{
    struct saved_counts *c;
    FILE *out;                  /* NULL: load */
    const unsigned char *at, *end;
    uint64_t trace_size;
    int rc;                     /* the first failure */
};

static void check_passed(struct counts_stream *s, bool is_valid)
{
    assert(s->c);
    if ( !s->rc && !is_valid )
        s->rc = -EINVAL;
}

static void pass_bytes(struct counts_stream *s, void *bytes, size_t size)
{
    if ( s->out )
    {
        fwrite(bytes, size, 1, s->out);
        return;
    }
    check_passed(s, (size_t)(s->end - s->at) >= size);
    if ( s->rc )
        return;
    memcpy(bytes, s->at, size);
    s->at += size;
}

/* Damaged numbers, such as one beyond `max`, become 0. */
static uint64_t pass_number(struct counts_stream *s, uint64_t n, uint64_t max)
{
    pass_bytes(s, &n, sizeof(n));
    check_passed(s, n <= max);
    return s->rc ? 0 : n;
}

/* Pass the number of rows.  Returns the rows to pass: new ones if loading. */
static void *pass_rows(struct counts_stream *s, void *rows, size_t *nr,
                       size_t max, size_t row_size)
{
    *nr = pass_number(s, *nr, max);
    if ( s->out )
        return rows;
    assert(!rows);
    rows = fault_calloc(*nr + 1, row_size);
    if ( !rows )
    {
        s->rc = s->rc ? s->rc : -ENOMEM;
        *nr = 0;
    }
    return rows;
}

/* --- the tables ----------------------------------------------------------- */

static void pass_count(struct counts_stream *s, struct xt_count *n)
{
    uint64_t *numbers[] = {
        &n->records, &n->windows, &n->losses, &n->wraps, &n->metas,
    };

    for ( size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++ )
        *numbers[i] = pass_number(s, *numbers[i], s->trace_size);
    n->lost = pass_number(s, n->lost, UINT64_MAX);
    n->tsc.known = pass_number(s, n->tsc.known, 1);
    n->tsc.first = pass_number(s, n->tsc.first, UINT64_MAX);
    n->tsc.last = pass_number(s, n->tsc.last, UINT64_MAX);
    check_passed(s, n->losses + n->wraps + n->metas <= n->records);
}

static void pass_totals(struct counts_stream *s)
{
    struct saved_counts *c = s->c;
    struct xt_losses *l = &c->counts.losses;

    c->counts.size = pass_number(s, c->counts.size, s->trace_size);
    c->captures = pass_number(s, c->captures, UINT32_MAX);
    c->cycles = pass_number(s, c->cycles, UINT64_MAX);
    c->metadata_leads = pass_number(s, c->metadata_leads, 1);
    l->unwritten = pass_number(s, l->unwritten, UINT64_MAX);
    l->taken = pass_number(s, l->taken, UINT64_MAX);
    l->dropped = pass_number(s, l->dropped, UINT64_MAX);
    pass_count(s, &c->counts.total);
    check_passed(s, c->counts.size == s->trace_size && c->captures &&
                 c->counts.total.records);
}

static void pass_pcpus(struct counts_stream *s)
{
    struct xt_counts *c = &s->c->counts;

    assert(c->total.records || s->rc);
    c->cpus = pass_rows(s, c->cpus, &c->nr_cpus, 2 * XT_MAX_CPUS,
                        sizeof(*c->cpus));
    for ( size_t i = 0; i < c->nr_cpus; i++ )
        pass_count(s, &c->cpus[i]);
}

/* The rows are sorted, and their sum is that of all records. */
static void pass_events(struct counts_stream *s)
{
    uint64_t left = s->c->counts.total.records;
    struct xt_event_counts *t = &s->c->counts.events;

    t->rows = pass_rows(s, t->rows, &t->used, XT_EVENT_COUNTS_MAX,
                        sizeof(*t->rows));
    t->nr_rows = s->out ? t->nr_rows : t->used;
    for ( size_t i = 0; i < t->used; i++ )
    {
        struct xt_event_count *r = &t->rows[i];

        r->event = pass_number(s, r->event, XT_EVENT_COUNTS_FREE - 1);
        r->times = pass_number(s, r->times, left);
        left -= r->times;
        check_passed(s, !i || r[-1].event < r->event);
    }
    t->others = pass_number(s, t->others, left);
    check_passed(s, t->used && t->others == left);
}

static void pass_damage(struct counts_stream *s)
{
    struct xt_damage *d = &s->c->counts.damage;

    for ( size_t i = 0; i < XT_DAMAGE_KINDS; i++ )
    {
        d->times[i] = pass_number(s, d->times[i], s->trace_size);
        d->bytes[i] = pass_number(s, d->bytes[i],
                                  d->times[i] ? s->trace_size : 0);
    }
    d->nr_first = pass_number(s, d->nr_first, XT_DAMAGE_PLACES);
    check_passed(s, d->nr_first <= xt_damage_times(d));
    for ( size_t i = 0; i < d->nr_first; i++ )
    {
        struct xt_damage_place *p = &d->first[i];

        p->kind = pass_number(s, p->kind, XT_DAMAGE_KINDS - 1);
        p->offset = pass_number(s, p->offset, s->trace_size);
        p->bytes = pass_number(s, p->bytes, s->trace_size);
    }
}

static void check_metadata(struct counts_stream *s, size_t i)
{
    const struct saved_metadata *m = &s->c->metadata[i];
    struct xt_record r;

    check_passed(s, m->size && m->size <= sizeof(m->bytes) &&
                 m->begins_window <= 1 && (i || m->begins_window));
    check_passed(s, !s->rc &&
                 xt_record_decode(&r, m->bytes, m->bytes + m->size) ==
                 m->size && xt_event_is_meta(r.event));
}

static void pass_metadata(struct counts_stream *s)
{
    struct saved_counts *c = s->c;
    size_t nr = c->nr_metadata;

    c->metadata = pass_rows(s, c->metadata, &nr, SAVED_METADATA_MAX,
                            sizeof(*c->metadata));
    for ( size_t i = 0; i < nr && !s->rc; i++ )
    {
        pass_bytes(s, &c->metadata[i], sizeof(*c->metadata));
        check_metadata(s, i);
    }
    c->nr_metadata = nr;
}

static void (*const tables[])(struct counts_stream *s) = {
    pass_totals, pass_pcpus, pass_events, pass_damage, pass_metadata,
};

static void pass_tables(struct counts_stream *s)
{
    for ( size_t i = 0; !s->rc && i < sizeof(tables) / sizeof(tables[0]); i++ )
        tables[i](s);
    check_passed(s, s->at == s->end);
}

int counts_save(struct saved_counts *c, FILE *out)
{
    struct counts_stream s = {
        .c = c, .out = out, .trace_size = c->counts.size,
    };

    assert(out);
    pass_tables(&s);
    return s.rc;
}

/* One record behind the other, as in the trace. */
static int join_metadata(struct saved_counts *c)
{
    c->records = fault_malloc((size_t)c->nr_metadata * XT_RECORD_MAX_BYTES + 1);
    if ( !c->records )
        return -ENOMEM;
    assert(!c->records_size);
    for ( uint32_t i = 0; i < c->nr_metadata; i++ )
    {
        memcpy(c->records + c->records_size, c->metadata[i].bytes,
               c->metadata[i].size);
        c->records_size += c->metadata[i].size;
    }
    return 0;
}

int counts_load(struct saved_counts *c, const void *bytes, size_t size,
                uint64_t trace_size)
{
    struct counts_stream s = {
        .c = c, .at = bytes, .end = (const unsigned char *)bytes + size,
        .trace_size = trace_size,
    };

    *c = (struct saved_counts){ .captures = 0 };
    pass_tables(&s);
    if ( !s.rc )
        s.rc = join_metadata(c);
    if ( s.rc )
        saved_counts_fini(c);
    return s.rc;
}

/* --- counts --------------------------------------------------------------- */

int saved_counts_init(struct saved_counts *c)
{
    *c = (struct saved_counts){ .metadata_leads = true };
    return xt_counts_init(&c->counts);
}

void saved_counts_fini(struct saved_counts *c)
{
    xt_counts_fini(&c->counts);
    free(c->metadata);
    free(c->records);
    *c = (struct saved_counts){ .captures = 0 };
}

static int keep_metadata(struct saved_counts *c, const struct xt_window *w,
                         const unsigned char *at, size_t size, bool begins)
{
    struct saved_metadata *m;
    struct xt_record r;
    struct xt_meta meta;

    assert(size <= sizeof(m->bytes));
    if ( c->nr_metadata == SAVED_METADATA_MAX )
        return -E2BIG;
    if ( !grow_to_index(&c->metadata, &c->room, c->nr_metadata, sizeof(*m)) )
        return -ENOMEM;
    /* A visit searches the whole trace only behind such metadata. */
    if ( !c->nr_metadata )
        c->metadata_leads &= w->at < XT_INFO_BYTES &&
                             xt_record_view(&r, at) == size &&
                             xt_meta_decode(&meta, &r);
    m = &c->metadata[c->nr_metadata++];
    *m = (struct saved_metadata){ .size = size, .begins_window = begins };
    memcpy(m->bytes, at, size);
    return 0;
}

int saved_counts_add_window(void *counts, const struct xt_window *w,
                            uint64_t nr)
{
    const unsigned char *at = w->bytes, *end = at + w->size;
    struct saved_counts *c = counts;
    bool begins = true, leads = true;
    struct xt_record r;
    size_t size;
    int rc = 0;

    for ( ; !rc && nr && (size = xt_record_decode(&r, at, end)) &&
            xt_record_is_possible(&r); at += size )
    {
        bool is_meta = xt_event_is_meta(r.event);

        nr -= is_meta;
        leads &= is_meta;
        if ( !is_meta || r.event == TRC_META_WINDOW )
            continue;
        c->metadata_leads &= leads;
        rc = keep_metadata(c, w, at, size, begins);
        begins = false;
    }
    return rc;
}

int saved_counts_add_texts(const struct saved_counts *c, struct file_texts *t)
{
    const unsigned char *at = c->records;
    int rc = 0;

    assert(c->records || !c->nr_metadata);
    for ( uint32_t i = 0, nr; !rc && i < c->nr_metadata; i += nr )
    {
        struct xt_window w = { .bytes = at };

        for ( nr = 0; i + nr < c->nr_metadata &&
                      (!nr || !c->metadata[i + nr].begins_window); nr++ )
            w.size += c->metadata[i + nr].size;
        at += w.size;
        rc = file_texts_add_window(t, &w, nr);
    }
    return rc;
}
