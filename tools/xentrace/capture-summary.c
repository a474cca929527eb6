/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Totals are always printed; a pcpu gets a line only after a loss or with -v,
 * because hosts have hundreds of pcpus.
 */
#include "xentrace/capture-summary.h"

#include <assert.h>
#include <inttypes.h>

#include "common/num.h"

static unsigned int peak_percent(const struct ring *r)
{
    assert(r->peak <= r->data_size);
    return r->data_size ? (100 * r->peak + r->data_size - 1) / r->data_size
                        : 0;
}

/*
 * Records that had no room in the ring.  Stock's Xen reports them in loss
 * records only, so those since the last record are not known.
 */
static uint64_t get_ring_losses(const struct collect *c, unsigned int cpu)
{
    return c->can_count ? c->lost[cpu].ring : c->lost[cpu].reported;
}

/* Sums over all pcpus. */
struct totals
{
    uint64_t events;        /* in the files */
    unsigned int pcpus;     /* with such events */
    uint64_t in_rings;      /* lost there */
    uint64_t lost, taken;
    uint64_t overwritten;   /* in the memory buffer */
};

static struct totals sum_pcpus(const struct collect *c)
{
    struct totals t = { .events = 0 };

    assert(c->rings.nr_cpus <= c->nr_cpus);
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        const struct collect_lost *l = &c->lost[cpu];

        t.events += l->written;
        t.pcpus += l->written > 0;
        t.in_rings += get_ring_losses(c, cpu);
        t.lost += get_ring_losses(c, cpu) + l->output;
        t.taken += l->taken;
        t.overwritten += l->memory;
    }
    return t;
}

static void print_totals(const struct collect *c, const struct totals *t,
                         const struct writer *w, const struct log *log)
{
    char size[NUM_HUMAN_MAX + 4];
    unsigned int peak = 0;

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        unsigned int percent = peak_percent(&c->rings.ring[cpu]);

        peak = percent > peak ? percent : peak;
    }
    *num_human_1024(size, w->bytes, "B") = '\0';
    log_info(log, "%" PRIu64 " event%s from %u pcpu%s, %s in %" PRIu64
             " window%s; rings were up to %u %% full", t->events,
             num_plural(t->events), t->pcpus, num_plural(t->pcpus), size,
             w->windows, num_plural(w->windows), peak);
}

/* Older events that made room for newer ones, as they were meant to. */
static void print_overwritten(const struct collect *c, uint64_t events,
                              const struct log *log)
{
    char size[NUM_HUMAN_MAX + 4];

    *num_human_1024(size, c->pipeline.memory.fifo.size, "B") = '\0';
    if ( events )
        log_info(log, "%" PRIu64 " older event%s overwritten in memory: "
                 "-M keeps the newest %s", events,
                 events == 1 ? " was" : "s were", size);
    if ( c->recorder )
        log_info(log, "older events that Xen overwrote in its rings are not "
                 "counted");
}

static void print_cpu(const struct collect *c, unsigned int cpu,
                      const struct log *log)
{
    const struct collect_lost *l = &c->lost[cpu];
    const struct ring *r = &c->rings.ring[cpu];
    uint64_t lost = get_ring_losses(c, cpu);

    log_debug(log, "pcpu %u: events written %" PRIu64 ", copied %" PRIu64
              "; bytes %" PRIu64 " in windows %" PRIu64 "; lost %" PRIu64
              ", overwritten in memory %" PRIu64 ", taken by another program %"
              PRIu64 "; ring up to %u %% full", cpu, l->written, r->records,
              r->bytes, r->windows, lost, l->memory, l->taken,
              peak_percent(r));
    if ( lost )
        log_warning(log, "pcpu %u lost %s%" PRIu64 " record%s", cpu,
                    c->can_count ? "" : "at least ", lost, num_plural(lost));
    if ( l->output )
        log_warning(log, "pcpu %u: %" PRIu64 " event%s could not be written",
                    cpu, l->output, num_plural(l->output));
}

/* Records that another reader took, or may have taken. */
static bool print_taken(const struct collect *c, uint64_t taken,
                        const struct log *log)
{
    bool is_estimate = false, has_moved = false;

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        const struct ring *r = &c->rings.ring[cpu];

        is_estimate |= r->taken_is_estimate;
        has_moved |= r->cons_moves > 0;
    }
    if ( taken )
        log_warning(log, "%s%" PRIu64 " record%s missing: another program read "
                    "%s from the rings", is_estimate ? "about " : "", taken,
                    taken == 1 ? " is" : "s are", taken == 1 ? "it" : "them");
    else if ( has_moved )
        log_info(log, "another program read the same rings; no missing record "
                 "is known");
    return has_moved || c->shared;
}

/* Firings of triggers that are in no snapshot of their own. */
static void print_suppressed(const struct collect *c, const struct log *log)
{
    const struct snapshot_policy *p = &c->policy;

    if ( p->nr_cooled )
        log_info(log, "%" PRIu64 " more trigger%s fired within %" PRIu64 " s "
                 "of a snapshot: not written (see --snapshot-every)",
                 p->nr_cooled, num_plural(p->nr_cooled),
                 (p->every_ms + 999) / 1000);
    if ( p->nr_milder )
        log_info(log, "%" PRIu64 " trigger%s fired that %s milder than the %u "
                 "snapshot%s kept: not written (see --keep)", p->nr_milder,
                 num_plural(p->nr_milder), p->nr_milder == 1 ? "was" : "were",
                 p->keep, num_plural(p->keep));
}

/* True: older files of the series were removed, as --keep wants. */
static bool has_removed_files(const struct writer *w)
{
    return w->plan && w->plan->numbered && w->plan->keep &&
           w->files > w->plan->keep;
}

/* The number of the newest file, if files are numbered: "trace.bin.7". */
static void format_name(const struct writer *w, const char *output, char *text,
                        size_t size)
{
    if ( !*output )
        snprintf(text, size, "standard output");
    else if ( w->plan && w->plan->numbered )
        snprintf(text, size, "%s.%u, the last of %u file%s", output,
                 w->files + w->plan->first_behind, w->files,
                 num_plural(w->files));
    else
        snprintf(text, size, "%s", output);
}

void capture_summary_format(const struct collect *c, const struct writer *w,
                            const char *output, char *text, size_t size)
{
    char bytes[NUM_HUMAN_MAX + 4], name[PATH_MAX + 64], kept[64] = "";
    struct totals t = sum_pcpus(c);
    size_t used;

    *num_human_1024(bytes, w->bytes, "B") = '\0';
    format_name(w, output, name, sizeof(name));
    if ( has_removed_files(w) )
        snprintf(kept, sizeof(kept), " (--keep has kept %u of them)",
                 w->plan->keep);
    used = snprintf(text, size, "%s%s: %s, %" PRIu64 " event%s, %s%" PRIu64
                    " lost", name, kept, bytes, t.events, num_plural(t.events),
                    c->can_count ? "" : "at least ", t.lost);
    if ( t.overwritten && used < size )
        used += snprintf(text + used, size - used, ", %" PRIu64 " older "
                         "overwritten in memory", t.overwritten);
    if ( t.taken && used < size )
        snprintf(text + used, size - used, ", %" PRIu64 " read by another "
                 "program", t.taken);
}

void capture_summary_print(const struct collect *c, const struct writer *w,
                           const struct log *log)
{
    struct totals t = sum_pcpus(c);
    bool is_shared;

    assert(c->pipeline_is_open);
    print_totals(c, &t, w, log);
    if ( has_removed_files(w) )
        log_info(log, "--keep has kept the newest %u of %u files: these "
                 "numbers are those of all", w->plan->keep, w->files);
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
        print_cpu(c, cpu, log);
    if ( t.in_rings )
        log_warning(log, "larger rings lose fewer records: see -S, "
                    "xentrace_setsize(8)");
    print_overwritten(c, t.overwritten, log);
    is_shared = print_taken(c, t.taken, log);
    print_suppressed(c, log);
    if ( c->can_count && !t.lost && !is_shared )
        log_info(log, "no record was lost");
}
