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
#ifndef XENALYZE_REPORT_DUMP_STATE_H
#define XENALYZE_REPORT_DUMP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/record.h"
#include "xenalyze/report/chunk.h"

struct dump_vcpu;

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

/* Does it matter what a record of this event says? */
static inline bool dump_state_cares(const struct dump_state *s,
                                    unsigned int cpu, uint32_t event)
{
    uint32_t kind = event & ~0xfffu;

    return kind == TRC_HVM_ENTRYEXIT || kind == TRC_HVM_HANDLER ||
           kind == TRC_SCHED_MIN || kind == TRC_SHADOW ||
           kind == TRC_HW_PM || event == TRC_LOST_RECORDS ||
           !s->pcpus[cpu].seen;
}

/*
 * What this record changes is noted in the chunk (NULL: nowhere), and what its
 * line needs, if it is shown: then it was just added.  The pcpu has a column.
 * 0 or -ENOMEM.
 */
int dump_state_see(struct dump_state *s, struct chunk *c, bool shown,
                   unsigned int cpu, uint64_t time, const struct xt_record *r);

#endif /* XENALYZE_REPORT_DUMP_STATE_H */
