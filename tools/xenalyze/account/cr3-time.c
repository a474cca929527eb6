/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads of CR3 are buffered in an array per vcpu until the running state ends;
 * then the loads split the running time into pieces.
 */
#include "xenalyze/account/cr3-time.h"

#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"

struct cr3_load
{
    uint64_t time, frame;
};

struct cr3_vcpu
{
    bool known;
    uint64_t first_frame;       /* in CR3 before loads[0] */
    struct cr3_load *loads;
    size_t nr, room;
};

void cr3_fini(struct cr3 *c)
{
    for ( uint32_t i = 0; i < c->nr_vcpus; i++ )
        free(c->vcpus[i].loads);
    free(c->vcpus);
    c->vcpus = NULL;
    c->nr_vcpus = 0;
}

static struct cr3_vcpu *get_cr3_vcpu(struct cr3 *c, uint32_t index)
{
    if ( grow_to_index(&c->vcpus, &c->nr_vcpus, index, sizeof(*c->vcpus)) )
        return &c->vcpus[index];
    c->failed = true;
    return NULL;
}

void cr3_note_load(struct cr3 *c, const struct fact_cr3 *f)
{
    struct cr3_vcpu *v = get_cr3_vcpu(c, f->vcpu->index);
    size_t room = v && v->room ? 2 * v->room : 8;
    struct cr3_load *larger;

    debug_assert(!v || v->nr <= v->room);
    if ( v && v->nr == v->room )
    {
        larger = fault_realloc(v->loads, room * sizeof(*larger));
        if ( larger )
        {
            v->loads = larger;
            v->room = room;
        }
        c->failed |= !larger;
    }
    if ( v && v->nr < v->room )
        v->loads[v->nr++] = (struct cr3_load){ f->time,
                                              fact_cr3_frame(f->value) };
}

static void emit_running_time(struct cr3 *c, const struct fact_runstate *f,
                              bool known, uint64_t frame, uint64_t from,
                              uint64_t to)
{
    debug_assert(c->add_time);
    if ( known && from < to && f->state == STATE_RUNNING )
        c->add_time(c->owner, f->vcpu, frame, from, to);
}

void cr3_note_runstate(struct cr3 *c, const struct fact_runstate *f)
{
    struct cr3_vcpu *v = get_cr3_vcpu(c, f->vcpu->index);
    uint64_t from = f->from;

    debug_assert(f->state < STATES);
    if ( !v )
        return;
    for ( size_t i = 0; i < v->nr; i++ )
    {
        uint64_t time = v->loads[i].time;

        time = time < from ? from : time > f->to ? f->to : time;
        emit_running_time(c, f, v->known, v->first_frame, from, time);
        v->known = true;
        v->first_frame = v->loads[i].frame;
        from = time;
    }
    emit_running_time(c, f, v->known, v->first_frame, from, f->to);
    v->nr = 0;
}

uint64_t cr3_current_frame(const struct cr3 *c, const struct vcpu *v)
{
    const struct cr3_vcpu *own = v->index < c->nr_vcpus ? &c->vcpus[v->index]
                                                        : NULL;

    if ( own && own->nr )
        return own->loads[own->nr - 1].frame;
    return own && own->known ? own->first_frame : CR3_UNKNOWN;
}
