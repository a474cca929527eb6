/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocked times with their reasons, and the number of waiting vcpus.
 *
 *     thread of a vcpu
 *       blocked times of web1/0     slices: "timer", "event from Domain-0"
 *     waiting vcpus                 a counter
 */
#include <assert.h>
#include <stdio.h>

#include "xenalyze/viewers/perfetto.h"
#include "xenalyze/viewers/viewer-text.h"

/*
 * Short numbers of tracks, below those of TRACK(): both kinds are in files with
 * many of these events.
 */
#define COUNTER_TRACK(host) ((uint64_t)(host) + 1)
#define BLOCKS_TRACK(vcpu) ((UINT64_C(1) << 20) + (vcpu)->number)

#define TRACK_COUNTER 8u        /* field of a track; its unit: a count */
#define COUNTER_UNIT 3u
#define UNIT_COUNT 2u
#define COUNTER_VALUE 30u       /* field of an event */

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

/* A counter per host. */
static void add_waiting_track(struct perfetto *x, uint64_t id)
{
    size_t packet = perfetto_begin_packet(x, 0), track, counter;
    char name[ACTIVITY_LABEL_MAX];
    int length = activity_put_host(x->options, name);

    snprintf(name + length, sizeof(name) - length, "waiting vcpus");
    track = protobuf_begin(&x->out, PACKET_TRACK);
    protobuf_add_number(&x->out, 1, id);
    protobuf_add_text(&x->out, 2, name);
    counter = protobuf_begin(&x->out, TRACK_COUNTER);
    protobuf_add_number(&x->out, COUNTER_UNIT, UNIT_COUNT);
    protobuf_end(&x->out, counter);
    protobuf_end(&x->out, track);
    protobuf_end(&x->out, packet);
}

void perfetto_waiting(void *state, const struct activity_waiting *a)
{
    struct perfetto *x = state;
    uint64_t id = COUNTER_TRACK(x->options->first_pcpu);
    size_t packet, event;

    if ( x->waiting_track != id )
        add_waiting_track(x, id);
    x->waiting_track = id;
    packet = perfetto_begin_event(x, a->time);
    perfetto_need_notes(x);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, COUNTER);
    protobuf_add_number(&x->out, 11, id);
    protobuf_add_number(&x->out, COUNTER_VALUE, a->nr);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}
