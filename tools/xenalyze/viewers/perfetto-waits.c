/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest waits in Perfetto.  Each has a flow:
 *
 *     waker        -- instant "wakes web1/0", in the track of the vcpu, or of
 *       |             the pcpu's interrupts
 *     waits        -- slice in the vcpu's track of waits, with its pieces
 *       |
 *     woken vcpu   -- instant "runs", where it runs
 *
 * The track of waits is a sibling of the vcpu's track, since an exit of the
 * vcpu may overlap a wait by the error of clocks.
 */
#include "xenalyze/viewers/perfetto.h"

#include <assert.h>

/* Fields of TrackEvent.  Perfetto names its arrows "flows". */
enum { EVENT_CATEGORY = 3, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23,
       EVENT_ARROW = 47, EVENT_LAST_ARROW = 48 };

static void begin_wait_event(struct perfetto *x, unsigned int type,
                             uint64_t track, const char *name)
{
    protobuf_add_number(&x->out, EVENT_TYPE, type);
    protobuf_add_number(&x->out, EVENT_TRACK, track);
    protobuf_add_number(&x->out, EVENT_CATEGORY, CATEGORY_WAIT);
    protobuf_add_text(&x->out, EVENT_NAME, name);
}

/* An instant of the flow. */
static void add_arrow_instant(struct perfetto *x, uint64_t track, uint64_t time,
                              const char *name, unsigned int field)
{
    size_t packet = perfetto_begin_event(x, time), event;

    assert(x->arrows && *name);
    perfetto_need_notes(x);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    begin_wait_event(x, INSTANT, track, name);
    protobuf_add_fixed64(&x->out, field, x->arrows);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}

static void add_wakeup(struct perfetto *x, const struct activity_wait *a)
{
    char name[ACTIVITY_LABEL_MAX + 8];
    uint64_t track;

    assert(a->is_wakeup && a->woken <= a->from);
    if ( !a->waker && a->waker_pcpu >= MAX_CPU )
        return;
    track = a->waker ? TRACK(TRACK_VCPU, a->waker->tid)
                     : perfetto_get_track(x, TRACK_IRQ, a->waker_pcpu);
    snprintf(name, sizeof(name), "wakes %s", a->vcpu->label);
    add_arrow_instant(x, track, a->woken, name, EVENT_ARROW);
}

static void begin_wait_slice(struct perfetto *x, const struct activity_wait *a,
                             uint64_t track)
{
    size_t packet = perfetto_begin_event(x, a->from), event;

    perfetto_need_notes(x);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    begin_wait_event(x, SLICE_BEGIN, track, "waits");
    protobuf_add_fixed64(&x->out, EVENT_ARROW, x->arrows);
    if ( a->is_complete )
        perfetto_add_note(x, NOTE_PCPU, NOTE_UINT,
                          activity_get_pcpu(x->options, a->pcpu));
    if ( a->nr_shorter )
    {
        perfetto_add_note(x, NOTE_PIECES, NOTE_UINT, a->nr_shorter);
        perfetto_add_note(x, NOTE_PIECES_NS, NOTE_UINT, a->shorter);
    }
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}

static void add_waits_track(struct perfetto *x, const struct activity_vcpu *v)
{
    char name[ACTIVITY_LABEL_MAX + 20];

    snprintf(name, sizeof(name), "longest waits of %s", v->label);
    perfetto_add_track(x, v->first, TRACK(TRACK_WAITS, v->tid), name,
                       TRACK(TRACK_VCPU, v->tid));
}

/* Events of one time are in the order of the flow. */
void perfetto_wait(void *state, const struct activity_wait *a)
{
    struct perfetto *x = state;
    uint64_t track = TRACK(TRACK_WAITS, a->vcpu->tid);

    assert(a->from < a->to);
    if ( a->is_first )
        add_waits_track(x, a->vcpu);
    x->arrows++;
    if ( a->is_wakeup )
        add_wakeup(x, a);
    begin_wait_slice(x, a, track);
    for ( unsigned int i = 0; i < a->nr_pieces; i++ )
        perfetto_add_slice(x, track, a->pieces[i].from, a->pieces[i].to,
                           a->pieces[i].name, 0);
    perfetto_end_slice(x, track, a->to);
    if ( a->is_complete )
        add_arrow_instant(x, TRACK(TRACK_VCPU, a->vcpu->tid), a->to, "runs",
                         EVENT_LAST_ARROW);
}
