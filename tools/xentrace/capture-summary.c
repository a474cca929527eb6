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

static void print_totals(const struct collect *c, const struct writer *w,
                         const struct log *log)
{
    char size[NUM_HUMAN_MAX + 4];
    unsigned int pcpus = 0, peak = 0;
    uint64_t records = 0;

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        const struct ring *r = &c->rings.ring[cpu];

        records += r->records;
        pcpus += r->windows > 0;
        peak = peak_percent(r) > peak ? peak_percent(r) : peak;
    }
    *num_human_1024(size, w->bytes, "B") = '\0';
    log_info(log, "%" PRIu64 " events from %u pcpus, %s in %" PRIu64
             " windows; rings were up to %u %% full", records, pcpus, size,
             w->windows, peak);
}

static void print_cpu(const struct collect *c, unsigned int cpu,
                      const struct log *log)
{
    const struct collect_lost *l = &c->lost[cpu];
    const struct ring *r = &c->rings.ring[cpu];

    log_debug(log, "pcpu %u: %" PRIu64 " events, %" PRIu64 " bytes in %" PRIu64
              " windows, lost %" PRIu64 ", dropped %" PRIu64 ", taken by "
              "another program %" PRIu64 ", ring up to %u %% full", cpu,
              r->records, r->bytes, r->windows, l->ring, l->memory, l->taken,
              peak_percent(r));
    if ( l->ring )
        log_warning(log, "pcpu %u lost %" PRIu64 " records", cpu, l->ring);
    if ( l->output )
        log_warning(log, "pcpu %u: %" PRIu64 " events could not be written",
                    cpu, l->output);
}

/* Records that another reader took, or may have taken. */
static bool print_taken(const struct collect *c, const struct log *log)
{
    bool is_estimate = false, has_moved = false;
    uint64_t taken = 0;

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        const struct ring *r = &c->rings.ring[cpu];

        taken += c->lost[cpu].taken;
        is_estimate |= r->taken_is_estimate;
        has_moved |= r->cons_moves > 0;
    }
    if ( taken )
        log_warning(log, "%s%" PRIu64 " records are missing: another program "
                    "read them from the rings", is_estimate ? "about " : "",
                    taken);
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
        log_info(log, "%" PRIu64 " more triggers fired within %" PRIu64 " s of "
                 "a snapshot: not written (see --snapshot-every)",
                 p->nr_cooled, (p->every_ms + 999) / 1000);
    if ( p->nr_milder )
        log_info(log, "%" PRIu64 " triggers fired that were milder than the %u "
                 "snapshots kept: not written (see --keep)", p->nr_milder,
                 p->keep);
}

/* The number of the newest file, if files are numbered: "trace.bin.7". */
static void format_name(const struct writer *w, const char *output, char *text,
                        size_t size)
{
    if ( !*output )
        snprintf(text, size, "standard output");
    else if ( w->plan && w->plan->numbered )
        snprintf(text, size, "%s.%u, the last of %u files", output,
                 w->files + w->plan->first_behind, w->files);
    else
        snprintf(text, size, "%s", output);
}

void capture_summary_format(const struct collect *c, const struct writer *w,
                            const char *output, char *text, size_t size)
{
    char bytes[NUM_HUMAN_MAX + 4], name[PATH_MAX + 64];
    uint64_t events = 0, lost = 0, taken = 0;
    size_t used;

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        events += c->rings.ring[cpu].records;
        lost += c->lost[cpu].ring + c->lost[cpu].output;
        taken += c->lost[cpu].taken;
    }
    *num_human_1024(bytes, w->bytes, "B") = '\0';
    format_name(w, output, name, sizeof(name));
    used = snprintf(text, size, "%s: %s, %" PRIu64 " events, %" PRIu64 " lost",
                    name, bytes, events, lost);
    if ( taken && used < size )
        snprintf(text + used, size - used, ", %" PRIu64 " read by another "
                 "program", taken);
}

void capture_summary_print(const struct collect *c, const struct writer *w,
                           const struct log *log)
{
    uint64_t lost = 0, in_rings = 0, dropped = 0;
    bool is_shared;

    assert(c->pipeline_is_open);
    print_totals(c, w, log);
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        print_cpu(c, cpu, log);
        in_rings += c->lost[cpu].ring;
        lost += c->lost[cpu].ring + c->lost[cpu].output;
        dropped += c->lost[cpu].memory;
    }
    if ( in_rings )
        log_warning(log, "larger rings lose fewer records: see -S, "
                    "xentrace_setsize(8)");
    if ( dropped )
        log_info(log, "%" PRIu64 " older events dropped: the memory buffer "
                 "(-M) was full", dropped);
    is_shared = print_taken(c, log);
    print_suppressed(c, log);
    if ( c->can_count && !lost && !is_shared )
        log_info(log, "no record was lost");
}
