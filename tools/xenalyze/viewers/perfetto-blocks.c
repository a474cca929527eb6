/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocked times with their reasons.
 *
 *     thread of a vcpu
 *       blocked times of web1/0     slices: "timer", "event from Domain-0"
 */
#include <assert.h>
#include <stdio.h>

#include "xenalyze/viewers/perfetto.h"
#include "xenalyze/viewers/viewer-text.h"

#define BLOCKS_TRACK(vcpu) (SHORT_BLOCKS + (vcpu)->number)

static void add_block_track(struct perfetto *x, const struct activity_vcpu *v)
{
    char name[ACTIVITY_LABEL_MAX + 20];

    snprintf(name, sizeof(name), "blocked times of %s", v->label);
    perfetto_add_track(x, v->first, BLOCKS_TRACK(v), name,
                       TRACK(TRACK_VCPU, v->tid));
}

void perfetto_block(void *state, const struct activity_block *a)
{
    struct perfetto *x = state;
    char name[VIEWER_TEXT_MAX];
    size_t packet, event;

    assert(a->from < a->to && a->number < ACTIVITY_BLOCKS);
    if ( a->is_first )
        add_block_track(x, a->vcpu);
    packet = perfetto_begin_event(x, a->from);
    perfetto_define_event(x, &x->has_block[a->number], NAME_BLOCKS + a->number,
                          a->name);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, SLICE_BEGIN);
    protobuf_add_number(&x->out, 11, BLOCKS_TRACK(a->vcpu));
    if ( a->number )
        protobuf_add_number(&x->out, 10, NAME_BLOCKS + a->number);
    else
        protobuf_add_text(&x->out, 23, viewer_clean_text(a->name, name));
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
    perfetto_end_slice(x, BLOCKS_TRACK(a->vcpu), a->to);
}
