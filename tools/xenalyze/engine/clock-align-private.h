/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for the offsets of clocks: its steps are in clock-align.c, changes
 * on pcpus with a known offset in clock-known.c, limits in clock-bounds.c.
 */
#ifndef XENALYZE_ENGINE_CLOCK_ALIGN_PRIVATE_H
#define XENALYZE_ENGINE_CLOCK_ALIGN_PRIVATE_H

#include "xenalyze/engine/clock-align.h"

#define CLOCK_MAX_TIME (INT64_C(1) << 46)   /* cycles; more is damage */
#define CLOCK_PEAK_LATENCIES 5  /* width of the shortest times of wake-ups */

/* A limit of the offset of a pcpu, by the offset of another. */
struct clock_bound
{
    unsigned int other;
    bool is_upper;
    int64_t at;                 /* relative to the other's offset */
};

/* A limit of an offset. */
struct clock_end
{
    int64_t at;
    bool is_upper;
};

struct aligner
{
    const struct clock_align_options *options;
    int64_t *offsets;           /* by pcpu */
    bool *is_known;             /* by pcpu: the offset is */

    struct clock_event *events; /* by pcpu, then by vcpu and time */
    size_t *begins;             /* by pcpu, and the end of the last one */
    struct clock_event *known;  /* of known pcpus, by vcpu and corrected time */
    struct clock_event *merged; /* room for the next `known` */
    size_t nr_known;

    uint64_t *shared;           /* by pcpu: changes that known ones may cause */
    struct clock_end *samples;  /* limits of the offset of one pcpu, of which
                                   only some are true */
    size_t nr_samples;

    struct clock_bound *bounds; /* by pcpu */
    size_t *bounds_begin;       /* by pcpu, and the end of the last one */
    struct clock_end *ends;     /* of one pcpu */
    int64_t *moves;             /* by pcpu, since the bounds were found */
};

/* --- changes -------------------------------------------------------------- */

static inline bool clock_is_far(const struct clock_event *x,
                                const struct clock_event *y)
{
    int64_t time = (int64_t)(x->time - y->time);

    return time > CLOCK_MAX_TIME || time < -CLOCK_MAX_TIME;
}

/* Woken, or taken off a pcpu. */
static inline bool clock_is_ready(const struct clock_event *e)
{
    return e->new == STATE_RUNNABLE;
}

static inline bool clock_is_run(const struct clock_event *e)
{
    return e->new == STATE_RUNNING && e->old == STATE_RUNNABLE;
}

/* With the offset for y's clock, by vcpu first. */
static inline bool clock_is_earlier(const struct clock_event *x,
                                    const struct clock_event *y,
                                    int64_t offset)
{
    if ( x->vcpu != y->vcpu )
        return x->vcpu < y->vcpu;
    return (int64_t)(x->time - y->time) <= offset;
}

/* --- clock-known.c -------------------------------------------------------- */

/* Make the begins of groups from the sizes, which are in begins[1] and on. */
void clock_sum_sizes(size_t *begins, unsigned int nr);

/* The groups are filled, and each begin has become the end. */
void clock_restore_begins(size_t *begins, unsigned int nr);

/* Copy the events, which are sorted by vcpu and time, pcpu by pcpu. */
void clock_group_events(struct aligner *a, const struct clock_probe *p);

/* The first known event from `at` on of the vcpu, or of one behind it. */
size_t clock_skip_to_vcpu(const struct aligner *a, size_t at, uint32_t vcpu);

/*
 * How well the events of a pcpu fit between those of others: the number of
 * neighbours with the same state between them, less the number of others.  Fast
 * wake-ups count twice: if changes are all displaced by a period of the vcpu,
 * they fit, too, but wake-ups are slow.
 */
int64_t clock_rate_offset(const struct aligner *a, unsigned int pcpu,
                          int64_t offset);

/* Merge the pcpu's events with the known ones, and remove them again. */
void clock_add_pcpu(struct aligner *a, unsigned int pcpu, int64_t offset);
void clock_remove_pcpu(struct aligner *a, unsigned int pcpu);

/* --- clock-bounds.c ------------------------------------------------------- */

/* Offsets between two limits. */
struct clock_range
{
    bool has_low, has_high;
    int64_t low, high;
};

void clock_sort_ends(struct clock_end *ends, size_t nr);

/* The range that breaks the fewest sorted limits, the nearest to 0 of those. */
struct clock_range clock_find_range(const struct clock_end *ends, size_t nr);

/* Move each known pcpu to where its bounds are, several times. */
void clock_keep_bounds(struct aligner *a);

#endif /* XENALYZE_ENGINE_CLOCK_ALIGN_PRIVATE_H */
