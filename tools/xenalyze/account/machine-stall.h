/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times in which the whole machine stood still, as in a system management
 * interrupt of the firmware: several pcpus ran vcpus, none wrote a record, and
 * then all went on at once.
 *
 *      pcpu 0   |||  | || |                      |||| | |
 *      pcpu 1   | |||  | |                       ||| ||
 *      pcpu 2   || | ||  |                       | | |||
 *                         +---------------------+
 *
 * Silence alone is no proof, since a guest may compute without records.  So the
 * silence has to be 16 times longer than typical for so many busy pcpus: the
 * median of the gaps between the records of a busy pcpu in the last second or
 * two, weighted by time, divided by their number; at least 100 us; and
 * three quarters of the busy pcpus have to go on within 50 us.  A guest that
 * spins writes few records for some time, so a silence near another is no
 * stall: nearer than the shorter of the two is long.  Pcpus with lost records
 * do not count, so a loss is no stall.  A machine with one busy pcpu shows no
 * stalls.
 *
 * The end of a stall is exact.  Its begin is estimated: after the last record,
 * by half of the typical silence, weighted by time.
 *
 * Memory: for each vcpu a struct stall_vcpu, for each pcpu a struct stall_pcpu;
 * the MACHINE_STALLS longest stalls.
 */
#ifndef XENALYZE_ACCOUNT_MACHINE_STALL_H
#define XENALYZE_ACCOUNT_MACHINE_STALL_H

#include "xenalyze/account/period.h"
#include "xenalyze/account/stretch.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define MACHINE_STALLS 64u
#define SILENCE_CELLS 256u      /* four for each power of two */

struct machine_stall
{
    uint64_t from, to;          /* from: estimated */
    uint32_t pcpus;             /* ran vcpus */
};

struct stall_vcpu
{
    uint16_t domain, id;
    uint64_t lost, stalls;      /* while it was on a pcpu */
    struct stretch_search search;
};

struct stall_pcpu
{
    const struct vcpu *current; /* a guest's; NULL: idle, or unknown */
    uint64_t since;             /* `current` arrived */
    uint64_t reported;              /* end of the last gap */
    const struct vcpu *stopped; /* `current` when the silence began */
    const struct vcpu *held;    /* ... that of `candidate` */
    bool has_resumed;
};

struct machine_stalls
{
    struct stats_pool pool;
    struct xt_clock clock;
    struct stretch_scale scale;
    struct fact_span span;      /* the segment, or the selected span */
    struct stall_vcpu **vcpus;  /* by index; NULL: lost nothing */
    struct stall_pcpu *pcpus;
    uint32_t nr_vcpus, nr_pcpus;
    struct machine_stall longest[MACHINE_STALLS];       /* after closing: by
                                                           time */
    uint32_t nr_longest;
    struct stats lengths;       /* of all stalls */
    struct period period;

    /* State in the current segment. */
    uint32_t nr_busy;           /* pcpus with a current vcpu */
    uint64_t last;              /* the latest record; 0: none */
    bool is_silence;            /* `silence` may be a stall */
    struct machine_stall silence;
    uint32_t nr_resumed;
    struct machine_stall before;        /* the last long silence; to 0: none */
    bool is_near;               /* `silence` is near that before */
    struct machine_stall candidate;     /* a stall, if no silence is near ... */
    uint64_t confirm_at;        /* ... until then; UINT64_MAX: none */
    uint64_t weights[SILENCE_CELLS];    /* cycles of typical gaps of a busy
                                           pcpu, by length */
    uint64_t nr_typical, weight;        /* their number and sum */
    uint64_t next_typical;      /* their number at the next median */
    uint64_t limit;             /* a longer silence, times busy pcpus, may be a
                                   stall */
    uint64_t expected;          /* typical gap up to a random moment */
    uint64_t least, resume, memory;     /* 100 us, 50 us, 2 s in cycles */
    bool failed;
};

/* Requires a zeroed struct. */
void machine_stalls_init(struct machine_stalls *m);
void machine_stalls_fini(struct machine_stalls *m);

struct sink machine_stalls_sink(struct machine_stalls *m);

/* After the last fact: sort vcpus by domain and id, stalls by time. */
void machine_stalls_close(struct machine_stalls *m);

/* After closing; NULL: the vcpu lost no time. */
const struct stall_vcpu *machine_stalls_find(const struct machine_stalls *m,
                                             uint16_t domain, uint16_t id);

#endif /* XENALYZE_ACCOUNT_MACHINE_STALL_H */
