/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of the host's interrupts: time of handlers by interrupt, time that a
 * vcpu on the pcpu loses to handlers, and storms.
 *
 * A vcpu with VM exits loses the whole exit in which a handler was at work; any
 * other vcpu loses the time of the handler.  Handlers of a vcpu's own devices
 * count as well, since no record tells the owner of a device.
 *
 * A storm is a time in which a pcpu handles at least 50,000 interrupts per
 * second, for more than 10 ms:
 *
 *      |  . .  . |||||||||||||||||||||||||||||||| .  .    .
 *                +------------------------------+
 *
 * Memory: for each vcpu a struct load_vcpu, for each pcpu with interrupts
 * LOAD_RECENT times, for each interrupt a series; the LOAD_STORMS longest
 * storms.
 */
#ifndef XENALYZE_ACCOUNT_INTERRUPT_LOAD_H
#define XENALYZE_ACCOUNT_INTERRUPT_LOAD_H

#include "xenalyze/account/stretch.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define LOAD_RECENT 512u        /* interrupts in LOAD_RECENT_NS are a storm */
#define LOAD_RECENT_NS 10240000u
#define LOAD_STORMS 64u

/*
 * The interrupt with most of the time, if that is more than half (majority
 * vote): cycles of other interrupts count against the candidate.
 */
struct load_vote
{
    uint64_t cycles;
    uint32_t irq;               /* Xen's number */
};

struct load_vcpu
{
    uint16_t domain, id;
    bool is_hvm;                /* has VM exits */
    bool is_away;               /* not known to run, after a run */
    uint32_t resumed_pcpu;
    uint64_t resumed;           /* begin of the latest run; or 0 */
    uint64_t lost, interrupts;
    struct load_vote vote;
    struct stretch_search search;
    struct load_vote now, worst;        /* in stretches */
};

struct load_storm
{
    uint32_t pcpu;
    uint64_t from, to, interrupts;
    uint64_t cycles;            /* without the first handlers */
    struct load_vote vote;
};

struct load_pcpu
{
    uint64_t *recent;           /* times of interrupts, a ring; or NULL */
    uint64_t nr;
    bool is_storm;              /* now */
    struct load_storm storm;

    /* Handlers since the last VM entry. */
    const struct vcpu *vcpu;    /* interrupted by them; NULL: unknown */
    uint64_t from, to;          /* the last one */
    uint64_t nr_handlers;
    struct load_vote vote;
};

struct interrupt_load
{
    struct stats_pool pool;
    struct xt_clock clock;
    struct stretch_scale scale;
    uint64_t recent_cycles;     /* LOAD_RECENT_NS */
    struct load_vcpu **vcpus;   /* by index; NULL: no facts */
    struct load_pcpu *pcpus;
    uint32_t nr_vcpus, nr_pcpus;
    struct stats_map handlers;  /* cycles by interrupt */
    struct load_storm storms[LOAD_STORMS];      /* after closing: by time */
    uint32_t nr_storms;
    uint64_t all_storms;        /* kept or not */
    bool failed;
};

/* Requires a zeroed struct. */
void interrupt_load_init(struct interrupt_load *l);
void interrupt_load_fini(struct interrupt_load *l);

struct sink interrupt_load_sink(struct interrupt_load *l);

/* After the last fact: sort vcpus by domain and id, storms by time. */
void interrupt_load_close(struct interrupt_load *l);

/* Does the interrupt of the vote have clearly more time than all others? */
static inline bool load_vote_is_clear(const struct load_vote *v,
                                      uint64_t all_cycles)
{
    return v->cycles && v->cycles >= all_cycles / 10;
}

/* After closing; NULL: no facts about the vcpu. */
const struct load_vcpu *interrupt_load_find(const struct interrupt_load *l,
                                            uint16_t domain, uint16_t id);

#endif /* XENALYZE_ACCOUNT_INTERRUPT_LOAD_H */
