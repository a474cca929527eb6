/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of --info.  Each line is a name, a colon or a column, and numbers
 * without thousands separators: scripts can parse the lines as well.
 */
#include "xenalyze/lines/file-info.h"

#include <assert.h>
#include <inttypes.h>

#include <public/trace.h>

#include "libxentrace/catalogue.h"
#include "xenalyze/lines/file-host.h"

static void print_collector_losses(const struct xt_losses *l, FILE *out)
{
    if ( l->unwritten )
        fprintf(out, "  unwritten: %" PRIu64 " events, which the collector "
                "could not write\n", l->unwritten);
    if ( l->dropped )
        fprintf(out, "  dropped: %" PRIu64 " events, which left the memory "
                "buffer (-M) for newer ones\n", l->dropped);
}

static void print_total(const struct xt_counts *c, const char *name,
                        FILE *out)
{
    const struct xt_count *t = &c->total;

    fprintf(out, "trace %s\n", name);
    fprintf(out, "  bytes:   %" PRIu64 " in %" PRIu64 " windows\n", c->size,
            t->windows);
    fprintf(out, "  records: %" PRIu64 ": %" PRIu64 " events, %" PRIu64
            " losses, %" PRIu64 " fillers, %" PRIu64 " metadata\n",
            t->records, xt_count_events(t), t->losses, t->wraps, t->metas);
    fprintf(out, "  lost:    %" PRIu64 " records\n", t->lost);
    print_collector_losses(&c->losses, out);
    if ( t->tsc.known )
        fprintf(out, "  time:    %" PRIu64 " cycles, %" PRIu64 " .. %" PRIu64
                "\n", t->tsc.last - t->tsc.first, t->tsc.first, t->tsc.last);
    else
        fprintf(out, "  time:    no record has a time stamp\n");
}

static void print_cpu(unsigned int cpu, const struct xt_count *n, FILE *out)
{
    fprintf(out, "%6u %12" PRIu64 " %12" PRIu64 " %10" PRIu64, cpu,
            n->records, xt_count_events(n), n->lost);
    if ( n->tsc.known )
        fprintf(out, "  %" PRIu64 " .. %" PRIu64 "\n", n->tsc.first,
                n->tsc.last);
    else
        fprintf(out, "  -\n");
}

static void print_cpus(const struct xt_counts *c, FILE *out)
{
    fprintf(out, "\n%6s %12s %12s %10s  %s\n", "pcpu", "records", "events",
            "lost", "first .. last time stamp");
    for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
        if ( c->cpus[cpu].windows || c->cpus[cpu].lost )
            print_cpu(cpu, &c->cpus[cpu], out);
}

/* The name of an event's class, or "unknown". */
static const char *class_name(uint32_t event)
{
    const struct xt_class *class = xt_class_of(event);

    return class ? class->name : "unknown";
}

/* The sum of a class.  Rows are sorted by id, so its rows are adjacent. */
static void print_class(const struct xt_event_counts *t, size_t first,
                        FILE *out)
{
    uint32_t class = t->rows[first].event >> TRC_CLS_SHIFT;
    uint64_t sum = 0;

    assert(first < t->used);
    for ( size_t i = first; i < t->used &&
                            t->rows[i].event >> TRC_CLS_SHIFT == class; i++ )
        sum += t->rows[i].times;
    fprintf(out, "%-8s %18" PRIu64 "\n",
            class_name(t->rows[first].event), sum);
}

static void print_event(const struct xt_event_count *row, FILE *out)
{
    const struct xt_event *e = xt_catalogue_by_id(row->event);

    fprintf(out, "  %08" PRIx32 " %16" PRIu64 "%s%s\n", row->event,
            row->times, e ? "  " : "", e ? e->name : "");
}

static void print_events(const struct xt_event_counts *t, FILE *out)
{
    uint32_t class = 0;

    fprintf(out, "\n%-8s %18s\n", "class", "records");
    for ( size_t i = 0; i < t->used; i++ )
    {
        assert(!i || t->rows[i - 1].event < t->rows[i].event);
        if ( t->rows[i].event >> TRC_CLS_SHIFT != class )
            print_class(t, i, out);
        class = t->rows[i].event >> TRC_CLS_SHIFT;
        print_event(&t->rows[i], out);
    }
    if ( t->others )
        fprintf(out, "%-8s %18" PRIu64 " of ids beyond the limit of the "
                "table\n", "others", t->others);
}

static void print_places(const struct xt_damage *d, FILE *out)
{
    assert(d->nr_first <= xt_damage_times(d));
    for ( size_t i = 0; i < d->nr_first; i++ )
        fprintf(out, "  at byte %" PRIu64 ": %s, %" PRIu64 " bytes skipped\n",
                d->first[i].offset, xt_damage_text(d->first[i].kind),
                d->first[i].bytes);
    if ( xt_damage_times(d) > d->nr_first )
        fprintf(out, "  and at %" PRIu64 " more places\n",
                xt_damage_times(d) - d->nr_first);
}

static void print_damage(const struct xt_damage *d, FILE *out)
{
    if ( xt_damage_grade(d) == XT_GRADE_NONE )
    {
        fprintf(out, "\ndamage: none\n");
        return;
    }
    fprintf(out, "\ndamage: %" PRIu64 " places, %" PRIu64
            " bytes skipped\n", xt_damage_times(d), xt_damage_bytes(d));
    print_places(d, out);
}

int file_info_print(const struct xt_counts *c, const struct file_texts *texts,
                    const struct xt_clock *clock, const char *name, FILE *out)
{
    int rc;

    print_total(c, name, out);
    file_texts_print(texts, clock, out);
    rc = file_host_print(&texts->host, out);
    file_host_print_tables(&texts->host, texts->names, out);
    print_cpus(c, out);
    print_events(&c->events, out);
    print_damage(&c->damage, out);
    return rc;
}
