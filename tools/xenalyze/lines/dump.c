/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --dump-all: reading.  dump_read() runs in the order of time: it tracks the
 * current vcpu of each pcpu (who-runs.h) and records the changes as notes in
 * the chunk.  dump-format.c replays the notes on any thread.
 */
#include "xenalyze/lines/dump-private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/lines/record-filter.h"

/* Target size of a chunk's text in bytes: the text should stay in the cache. */
#define TEXT_TARGET (768u * 1024)
#define TYPICAL_LINE 100u
#define MIN_ITEMS 64u

/* --- reading -------------------------------------------------------------- */

/* Give a column to each pcpu that the first pass of the collector has. */
static int add_first_columns(struct dump *d)
{
    d->begun = true;
    for ( unsigned int cpu = 0; cpu < XT_MAX_CPUS; cpu++ )
        if ( xt_trace_starts_with(d->trace, cpu) &&
             who_runs_show_pcpu(&d->runs, cpu) )
            return -ENOMEM;
    d->has_numbers = d->options.numbers &&
                     (d->options.cpus > DUMP_MAX_SIGNS ||
                      d->runs.nr_cpus > DUMP_MAX_SIGNS);
    return 0;
}

static void dump_begin_segment(struct dump *d, const struct xt_batch *b)
{
    assert(b->nr);
    who_runs_reset(&d->runs);
    d->start = d->options.source->start;
    d->segment = b->segment;
}

/* The longer the lines are, the fewer of them go into a chunk. */
static size_t choose_max_items(unsigned int column_width)
{
    size_t most = TEXT_TARGET / (column_width + TYPICAL_LINE);

    return most > CHUNK_ITEMS ? CHUNK_ITEMS
                              : most < MIN_ITEMS ? MIN_ITEMS : most;
}

static int open_chunk(struct dump *d, struct chunk *c,
                      const struct xt_batch *b)
{
    assert(!c->nr && !c->nr_notes);
    c->fresh = d->start && b->segment != d->segment;
    if ( !d->start || c->fresh )
        dump_begin_segment(d, b);
    c->start = d->start;
    c->column_width = d->has_numbers ? PCPU_NUMBER_WIDTH : d->runs.nr_cpus;
    c->most = choose_max_items(c->column_width);
    if ( chunk_set_cpus(c, d->runs.nr_cpus) )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < d->runs.nr_cpus; cpu++ )
        c->columns[cpu] = d->runs.pcpus[cpu].column;
    return 0;
}

/* Make sure that this pcpu has a column: 1 if it is new, else 0; -ENOMEM. */
static int ensure_column(struct dump *d, unsigned int cpu)
{
    if ( cpu < d->runs.nr_cpus )
        return 0;
    return who_runs_add_pcpus(&d->runs, cpu + 1) ? -ENOMEM : 1;
}

static bool record_is_wanted(const struct dump *d, unsigned int cpu,
                             const struct xt_record *r)
{
    const struct filter *f = d->options.filter;

    return !f || filter_wants(f, d->catalogue, cpu,
                              d->runs.pcpus[cpu].column.vcpu, r);
}

static int apply_record(struct dump *d, struct chunk *c,
                        const struct xt_batch *b, const struct xt_item *item)
{
    unsigned int cpu = xt_item_cpu(item);
    struct xt_record r;
    bool shown;

    xt_batch_record(b, item, &r);
    shown = record_is_wanted(d, cpu, &r);
    if ( !d->options.filter )
        c->nr++;
    else if ( shown )
        chunk_add(c, b, item);
    return who_runs_apply_slow(&d->runs, c, shown, cpu, item->time, &r);
}

/*
 * Read one record.  1: the record needs a new column and so a new chunk, since
 * all lines of a chunk have the same columns.
 */
static int dump_read_slow(struct dump *d, struct chunk *c,
                          const struct xt_batch *b, size_t at)
{
    int rc = ensure_column(d, xt_item_cpu(&b->items[at]));

    if ( rc > 0 && c->nr )
        return 1;
    if ( rc > 0 )
        rc = open_chunk(d, c, b);
    return rc ? rc : apply_record(d, c, b, &b->items[at]);
}

static ssize_t dump_read(void *state, struct chunk *c,
                         const struct xt_batch *b, size_t at)
{
    struct dump *d = state;
    size_t i = at, last;
    int rc = 0;

    if ( (!d->begun && add_first_columns(d)) || open_chunk(d, c, b) )
        return -ENOMEM;
    assert(c->most >= MIN_ITEMS && c->most <= CHUNK_ITEMS);
    while ( i < b->nr && c->nr < c->most && chunk_has_notes(c) )
    {
        last = b->nr - i > c->most - c->nr ? i + (c->most - c->nr) : b->nr;
        if ( !d->options.filter )
            i = who_runs_apply_fast(&d->runs, c, b, i, last);
        if ( i == last )
            break;
        rc = dump_read_slow(d, c, b, i);
        if ( rc )
            break;
        i++;
    }
    if ( !d->options.filter )
        chunk_add_counted(c, b, at);
    return rc < 0 ? rc : (ssize_t)(i - at);
}

/* --- the warm-up before the span of time ---------------------------------- */

static int dump_warmup_feed(void *state, const struct xt_batch *b)
{
    struct dump *d = state;
    struct xt_record r;

    if ( !d->begun && add_first_columns(d) )
        return -ENOMEM;
    if ( !d->start || b->segment != d->segment )
        dump_begin_segment(d, b);
    for ( size_t i = 0; i < b->nr; i++ )
    {
        unsigned int cpu = xt_item_cpu(&b->items[i]);

        xt_batch_record(b, &b->items[i], &r);
        if ( ensure_column(d, cpu) < 0 ||
             who_runs_apply_slow(&d->runs, NULL, false, cpu, b->items[i].time,
                                 &r) )
            return -ENOMEM;
    }
    return 0;
}

static bool dump_warmup_is_ready(const void *state)
{
    const struct dump *d = state;

    return d->start && who_runs_is_complete(&d->runs);
}

static void dump_warmup_reset(void *state)
{
    struct dump *d = state;

    who_runs_reset(&d->runs);
    d->start = 0;
}

const struct warmup *dump_warmup(void)
{
    static const struct warmup warmup = {
        .feed = dump_warmup_feed, .is_ready = dump_warmup_is_ready,
        .reset = dump_warmup_reset,
    };

    return &warmup;
}

/* --- the door ------------------------------------------------------------- */

static const struct line_style style = {
    .read = dump_read, .format = dump_format,
    .takes_programs = TAKES_PROGRAMS_IN_SECONDS,
};

const struct line_style *dump_style(void)
{
    return &style;
}

int dump_new(struct dump **out, const struct xt_trace *trace,
             const struct xt_catalogue *catalogue,
             const struct dump_options *options)
{
    struct dump *d = fault_calloc(1, sizeof(*d));
    int rc = d ? line_programs_init(&d->programs, catalogue) : -ENOMEM;

    assert(options->source && (options->text || options->raw));
    *out = NULL;
    if ( rc )
    {
        free(d);
        return rc;
    }
    line_programs_set_code(&d->programs);
    d->trace = trace;
    d->catalogue = catalogue;
    d->options = *options;
    rc = who_runs_init(&d->runs);
    if ( rc )
    {
        dump_free(d);
        return rc;
    }
    d->runs.show_power = options->show_power;
    *out = d;
    return 0;
}

void dump_free(struct dump *d)
{
    if ( !d )
        return;
    who_runs_fini(&d->runs);
    line_programs_fini(&d->programs);
    free(d);
}
