/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counts of a capture are kept until its meta_end record, since a later
 * meta_lost record replaces an earlier one; then they are added to those of
 * earlier captures.  A file without meta_end is one of a series of files, or
 * its collector was killed: its last counts may include losses that later
 * records report, and are not used.
 */
#include "libxentrace/losses.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "libxentrace/meta.h"
#include "libxentrace/window.h"

/* Values of lost_why in events/11-meta. */
enum { WHY_RING, WHY_MEMORY, WHY_OUTPUT, WHY_REPORTED, WHY_TAKEN };

static int grow_losses(struct xt_losses *l, unsigned int nr)
{
    struct xt_pcpu_losses *cpus = fault_realloc(l->cpus, nr * sizeof(*cpus));

    assert(nr > l->nr_cpus && nr <= XT_MAX_CPUS);
    if ( !cpus )
        return -ENOMEM;
    for ( unsigned int i = l->nr_cpus; i < nr; i++ )
        cpus[i] = (struct xt_pcpu_losses){ .unreported = 0 };
    l->cpus = cpus;
    l->nr_cpus = nr;
    return 0;
}

static int set_latest(struct xt_losses *l, const struct xt_rec_meta_lost *m)
{
    struct xt_loss_counts *c;

    if ( m->cpu >= XT_MAX_CPUS )
        return 0;
    if ( m->cpu >= l->nr_cpus && grow_losses(l, m->cpu + 1) )
        return -ENOMEM;
    c = &l->cpus[m->cpu].latest;
    l->has_ring_counts |= m->why == WHY_RING;
    if ( m->why == WHY_RING )
        c->ring = m->lost;
    else if ( m->why == WHY_MEMORY )
        c->memory = m->lost;
    else if ( m->why == WHY_OUTPUT )
        c->output = m->lost;
    else if ( m->why == WHY_TAKEN )
        c->taken = m->lost;
    else if ( m->why == WHY_REPORTED )
    {
        c->reported = m->lost;
        c->has_reported = true;
    }
    return 0;
}

static void end_pcpu(struct xt_losses *l, struct xt_pcpu_losses *p)
{
    const struct xt_loss_counts *c = &p->latest;

    l->unwritten += c->output;
    l->taken += c->taken;
    l->dropped += c->memory;
    if ( c->has_reported )
    {
        p->reported += c->reported;
        p->unreported += c->ring > c->reported ? c->ring - c->reported : 0;
    }
    else
        p->assumed += c->ring;
    p->latest = (struct xt_loss_counts){ .ring = 0 };
}

int xt_losses_add(struct xt_losses *l, const struct xt_record *r)
{
    struct xt_meta m;

    if ( (r->event != TRC_META_LOST && r->event != TRC_META_END) ||
         !xt_meta_decode(&m, r) )
        return 0;
    if ( m.event == TRC_META_LOST )
        return set_latest(l, &m.lost);
    l->counted |= l->has_ring_counts;
    l->has_ring_counts = false;
    for ( unsigned int i = 0; i < l->nr_cpus; i++ )
        end_pcpu(l, &l->cpus[i]);
    return 0;
}

uint64_t xt_losses_get_unreported(const struct xt_losses *l, unsigned int cpu,
                                  uint64_t noted)
{
    const struct xt_pcpu_losses *p;

    if ( cpu >= l->nr_cpus )
        return 0;
    p = &l->cpus[cpu];
    noted = noted > p->reported ? noted - p->reported : 0;
    return p->unreported + (p->assumed > noted ? p->assumed - noted : 0);
}

void xt_losses_fini(struct xt_losses *l)
{
    free(l->cpus);
    *l = (struct xt_losses){ .cpus = NULL };
}
