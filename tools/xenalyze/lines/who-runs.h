/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is on which pcpu, for the dump: the least that its lines need to know of
 * the records before them.  As stock has it, so that a line says the same: a
 * pcpu of which nothing is known yet is on "default domain" 32768; one whose
 * vcpu has left and whose next one has not come is d?v?.
 *
 * What a pcpu has lost is known when it is back, by the record that says so.
 * Then the vcpu that this names is on it; and any other that is not on a pcpu
 * may be in any state, so that the next thing said of it is believed.
 */
#ifndef XENALYZE_LINES_WHO_RUNS_H
#define XENALYZE_LINES_WHO_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/record.h"
#include "xenalyze/lines/chunk.h"

struct dump_vcpu
{
    uint32_t id;
    uint8_t state;
    bool has_cr3, has_rdtsc, mismatched;
    uint8_t was, claimed_from, claimed_to;      /* at the last mismatch */
    uint32_t seen;              /* losses when it last changed */
    uint32_t next;              /* of the same bucket; number + 1 */
    uint64_t left;              /* when it left the guest, or IN_GUEST */
    uint64_t cr3, rdtsc;
};

struct dump_pcpu
{
    struct face face;
    bool seen;                  /* there is a record of it, or soon will be */
    uint32_t vcpu;              /* number, + 1; 0: nobody */
};

struct dump_state
{
    struct dump_pcpu *pcpus;
    unsigned int nr_cpus;       /* with a column */
    unsigned int room_cpus;
    struct dump_vcpu *vcpus;
    uint32_t nr_vcpus, room_vcpus;
    uint32_t *buckets;          /* of vcpus, by id; number + 1 */
    uint32_t nr_buckets;
    uint32_t losses;            /* so far */
    bool show_power;            /* which C-state an idle pcpu is in */
};

int dump_state_init(struct dump_state *s);
void dump_state_fini(struct dump_state *s);

/* Forget everybody; columns stay. */
void dump_state_reset(struct dump_state *s);

/* There are so many pcpus at least, and this one shows.  0 or -ENOMEM. */
int dump_state_cpus(struct dump_state *s, unsigned int nr);
int dump_state_show(struct dump_state *s, unsigned int cpu);

/* Is it known, of each pcpu that shows, who is on it, or that nobody is? */
bool dump_state_knows(const struct dump_state *s);

/* Who is on this pcpu, if its records have told. */
static inline struct dump_vcpu *dump_state_on(struct dump_state *s,
                                              unsigned int cpu)
{
    uint32_t number = s->pcpus[cpu].vcpu;

    return number ? &s->vcpus[number - 1] : NULL;
}

/* When the guest was left, behind a record of this event. */
static inline uint64_t dump_state_left(uint64_t left, uint32_t event,
                                       uint64_t time)
{
    bool passes = (event & ~0xfffu) == TRC_HVM_ENTRYEXIT;
    bool enters = (event & ~TRC_HVM_NESTEDFLAG) == TRC_HVM_VMENTRY;

    left = passes ? time : left;
    return enters ? IN_GUEST : left;
}

/*
 * Does it change anything but that?  Seldom, and what comes next is hard to
 * guess: so there is but one thing to be guessed.
 */
static inline bool dump_state_changes(uint32_t event)
{
    uint32_t kind = event & ~0xfffu;

    return (kind == TRC_SCHED_MIN) | (kind == TRC_HW_PM) |
           (event == TRC_LOST_RECORDS) | (event == TRC_HVM_CR_WRITE64) |
           (event == TRC_HVM_RDTSC);
}

/*
 * What this record changes is noted in the chunk (NULL: nowhere), and what its
 * line needs, if it is shown: then it was just counted.  The pcpu has a column.
 * 0 or -ENOMEM.
 */
int dump_state_see(struct dump_state *s, struct chunk *c, bool shown,
                   unsigned int cpu, uint64_t time, const struct xt_record *r);

/*
 * The same for most records, as long as all are shown and it is known which
 * vcpu they are about.  They are counted into the chunk, of which b->items[at]
 * is the next one; up to `end` at most, for which there is room.  The place of
 * the first that is not like that.
 */
static inline size_t dump_state_see_most(struct dump_state *s,
                                         struct chunk *c,
                                         const struct xt_batch *b, size_t at,
                                         size_t end)
{
    uint64_t *left = c->left + c->nr;
    const size_t begin = at;

    for ( ; at < end; at++ )
    {
        const struct xt_item *item = &b->items[at];
        uint32_t event = xt_batch_event(b, item);
        struct dump_vcpu *v;

        if ( dump_state_changes(event) || xt_item_cpu(item) >= s->nr_cpus )
            break;
        v = dump_state_on(s, xt_item_cpu(item));
        if ( !v )
            break;
        *left++ = v->left;
        v->left = dump_state_left(v->left, event, item->time);
    }
    c->nr += at - begin;
    return at;
}

#endif /* XENALYZE_LINES_WHO_RUNS_H */
