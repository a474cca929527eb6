/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storms: times in which a vcpu has far more VM exits with one reason, emulated
 * accesses to one address, or interrupts with one vector, than typical.
 *
 * The trace has up to STORM_WINDOWS windows of 10 ms; in a longer trace, two
 * neighbours become one window of twice the length, and so on.  A series has a
 * count for each window, and the rate of a window is the count per time that
 * the vcpu ran: a vcpu that only runs more has no storm.  The typical rate is
 * the median:
 *
 *      rate |              ##
 *           |              ###
 *           |              ###
 *           |  #  # ##  #  ### # # #     typical
 *           |_###########__####?##############_
 *                          +-+           ? records lost, __ vcpu did not run
 *
 * Windows in which the state of the vcpu is unknown have no rate, and end a
 * storm.  Windows in which the vcpu hardly ran have none either, but up to
 * STORM_BRIDGE of them may be inside of a storm.
 *
 * The same windows show phases of a vcpu: spans of time with one rate of all
 * exits, from one change of the rate to the next (exit-phase.c).
 *
 * Of each window of a series one exit is a sample, chosen by a hash of its
 * time: it stands for all exits of the window when the guest's address with
 * the most exits is sought.
 *
 * Memory: for each series a cell for each window with events; a vcpu has at
 * most STORM_DETAILS series for ports, pages of memory and vectors of exits,
 * or none, if the trace has more.  The STORMS_MAX worst storms, the first
 * PHASES_MAX phases.
 */
#ifndef XENALYZE_ACCOUNT_EXIT_STORM_H
#define XENALYZE_ACCOUNT_EXIT_STORM_H

#include "xenalyze/model/model.h"

#define STORM_WINDOWS 512u
#define STORM_WINDOW_NS 10000000u
#define STORM_DETAILS 128u      /* series of a vcpu with a detail */
#define STORMS_MAX 64u

#define STORM_TIMES 5u          /* a storm is so many times the typical rate */
#define STORM_EVENTS 50u        /* and has so many events in a window ... */
#define STORM_PER_SECOND 1000u  /* ... and in a second */
#define STORM_PERCENT 1u        /* least time of the exits */
#define STORM_TYPICAL 10u       /* windows that make a typical rate */
#define STORM_BRIDGE 3u

/* Kinds of series; the details of exits tell storms of one reason apart. */
enum storm_kind
{
    STORM_EXIT,                 /* detail: 0 */
    STORM_PORT,                 /* port */
    STORM_MEMORY,               /* address of the page */
    STORM_VECTOR,               /* the host's interrupt */
    STORM_INJECTION,            /* vector of the guest's interrupt; no exit */
    STORM_KINDS
};

/*
 * The guest's address (rip) with the most exits, as the samples tell.  A single
 * sample is no evidence.
 */
struct storm_place
{
    uint64_t rip;
    uint64_t exits, all;        /* for which samples stand */
    uint32_t samples;           /* with this address */
};

static inline bool storm_place_is_known(const struct storm_place *p)
{
    return p->samples > 1;
}

struct exit_storm
{
    uint16_t domain, vcpu;
    uint64_t key;               /* kind, cause and detail */
    uint64_t from, to;
    uint64_t events;
    uint64_t cycles;            /* in Xen, of the exits; injections: 0 */
    uint64_t running;           /* cycles that the vcpu ran meanwhile */
    uint64_t typical;           /* events per second of running */
    bool cut_before, cut_after; /* next to it, records are lost */
    struct storm_place place;   /* injections have none */
};

#define PHASES_MAX 1024u

struct exit_phase
{
    uint16_t domain, vcpu;
    uint64_t from, to;
    uint64_t exits;
    uint64_t cycles;            /* in Xen, of the exits */
    uint64_t running;           /* cycles that the vcpu ran meanwhile */
    unsigned int top;           /* the cause with the most exits ... */
    uint64_t top_exits;         /* ... their number ... */
    struct storm_place place;   /* ... and where in the guest */
};

struct storm_cell
{
    uint64_t window : 10, count : 54;
    uint64_t cycles;
    uint64_t sampled;           /* the hash of the sample's time, plus 1; 0:
                                   there is no sample */
    uint64_t rip;               /* the sample's */
};

/* Cells have rising windows of 2^shift times the shortest length. */
struct storm_series
{
    uint64_t key;
    struct storm_series *next;
    struct storm_cell *cells;
    uint16_t nr, room;
    uint8_t shift;
};

#define STORM_CACHE 8u

struct storm_vcpu
{
    uint16_t domain, id;
    uint16_t nr_details;
    bool is_folded;             /* too many details: causes only */
    struct storm_series running;        /* cycles; count: unknown time */
    struct storm_series *all;
    struct storm_series *cache[STORM_CACHE];    /* by hash; or NULL */
};

/* A window of the series in the search. */
struct storm_window
{
    uint64_t running, count, cycles;
    bool is_unknown;
};

/* A vcpu in all segments. */
struct storm_marks
{
    bool is_brief;              /* it ran too briefly to be searched ... */
    bool is_searched;           /* ... but not in this segment */
    bool is_folded;
};

struct exit_storms
{
    struct xt_clock clock;
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);  /* or NULL */
    const void *filter;

    /* Results, the worst first. */
    struct exit_storm storms[STORMS_MAX];
    uint32_t nr_storms;
    uint64_t all_storms;        /* kept or not */
    struct exit_phase *phases;  /* by vcpu and time; NULL: none */
    uint32_t nr_phases;
    uint64_t all_phases;        /* kept or not */
    uint64_t width;             /* windows of the last segment */
    uint64_t nr_windows;        /* all vcpus: with running time ... */
    uint64_t nr_unknown;        /* ... or unknown */
    uint64_t nr_folded;         /* vcpus with too many details */
    struct storm_marks *marks;  /* by index of the vcpu */
    uint32_t nr_marks;
    bool has_events;            /* some vcpu had an exit or an interrupt */
    uint64_t nr_brief;          /* vcpus that ran too briefly to be searched */

    /* State in the current segment. */
    struct arena arena;
    struct storm_vcpu **vcpus;  /* by index; NULL: no facts */
    uint32_t nr_vcpus;
    uint64_t first, shortest;   /* begin and width of the first window */
    uint64_t window, window_from;       /* the latest exit's */
    uint64_t detail;            /* the next exit's */
    bool has_detail;
    const struct vcpu *latest;  /* the latest exit's */
    struct storm_vcpu *latest_own;
    struct storm_window *search;        /* STORM_WINDOWS; or NULL */
    bool failed;
};

/* Requires a zeroed struct. */
void exit_storms_init(struct exit_storms *s);
void exit_storms_fini(struct exit_storms *s);

/* Count the time on these pcpus only; other facts are filtered before. */
void exit_storms_select_pcpus(struct exit_storms *s,
                              bool (*wants)(const void *filter,
                                            unsigned int pcpu),
                              const void *filter);

struct sink exit_storms_sink(struct exit_storms *s);

/* Parts of a key. */
enum storm_kind storm_get_kind(uint64_t key);
unsigned int storm_get_cause(uint64_t key);     /* not of injections */
uint64_t storm_get_detail(uint64_t key);

/* Events per second of time that the vcpu ran. */
uint64_t storm_per_second(const struct exit_storms *s,
                          const struct exit_storm *storm);

#endif /* XENALYZE_ACCOUNT_EXIT_STORM_H */
