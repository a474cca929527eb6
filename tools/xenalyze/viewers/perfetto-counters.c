/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters, each a track of the file:
 *
 *     waiting vcpus
 *     vcpus of run queue 0
 *     average load of run queue 0
 *
 * Names begin with the host if there are several.
 */
#include <assert.h>
#include <stdio.h>

#include "xenalyze/viewers/perfetto.h"

/* `first_pcpu` is the number of a host here. */
#define WAITING_TRACK(host) (SHORT_COUNTERS + (host))
#define QUEUE_TRACK(host, queue, kind) \
    (SHORT_QUEUES + (((uint64_t)(host) * ACTIVITY_QUEUES + (queue)) * 2 + \
                     (kind)))

enum queue_track { QUEUE_NR, QUEUE_AVERAGE };

#define TRACK_COUNTER 8u        /* field of a track; its unit: a count */
#define COUNTER_UNIT 3u
#define UNIT_COUNT 2u
#define COUNTER_VALUE 30u       /* fields of an event */
#define COUNTER_DOUBLE 44u

static void add_counter_track(struct perfetto *x, uint64_t id, const char *name)
{
    size_t packet = perfetto_begin_packet(x, 0), track, counter;
    char label[ACTIVITY_LABEL_MAX];
    int length = activity_put_host(x->options, label);

    snprintf(label + length, sizeof(label) - length, "%s", name);
    track = protobuf_begin(&x->out, PACKET_TRACK);
    protobuf_add_number(&x->out, 1, id);
    protobuf_add_text(&x->out, 2, label);
    counter = protobuf_begin(&x->out, TRACK_COUNTER);
    protobuf_add_number(&x->out, COUNTER_UNIT, UNIT_COUNT);
    protobuf_end(&x->out, counter);
    protobuf_end(&x->out, track);
    protobuf_end(&x->out, packet);
}

/* Begin a value, which the caller adds. */
struct counter { size_t packet, event; };

static struct counter begin_counter(struct perfetto *x, uint64_t id,
                                    uint64_t time)
{
    struct counter c = { .packet = perfetto_begin_event(x, time) };

    perfetto_need_notes(x);
    c.event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, COUNTER);
    protobuf_add_number(&x->out, 11, id);
    return c;
}

static void end_counter(struct perfetto *x, const struct counter *c)
{
    assert(c->packet < c->event);
    protobuf_end(&x->out, c->event);
    protobuf_end(&x->out, c->packet);
}

static void add_count(struct perfetto *x, uint64_t id, uint64_t time,
                      uint64_t value)
{
    struct counter c = begin_counter(x, id, time);

    protobuf_add_number(&x->out, COUNTER_VALUE, value);
    end_counter(x, &c);
}

void perfetto_waiting(void *state, const struct activity_waiting *a)
{
    struct perfetto *x = state;
    uint64_t id = WAITING_TRACK(x->options->first_pcpu);

    if ( x->waiting_track != id )
        add_counter_track(x, id, "waiting vcpus");
    x->waiting_track = id;
    add_count(x, id, a->time, a->nr);
}

void perfetto_queue(void *state, const struct activity_queue *a)
{
    struct perfetto *x = state;
    uint32_t host = x->options->first_pcpu;
    uint64_t nr = QUEUE_TRACK(host, a->queue, QUEUE_NR);
    uint64_t average = QUEUE_TRACK(host, a->queue, QUEUE_AVERAGE);
    char name[40];
    struct counter c;

    assert(a->queue < ACTIVITY_QUEUES);
    if ( a->is_first )
    {
        snprintf(name, sizeof(name), "vcpus of run queue %u", a->queue);
        add_counter_track(x, nr, name);
        snprintf(name, sizeof(name), "average load of run queue %u", a->queue);
        add_counter_track(x, average, name);
    }
    if ( a->has_nr )
        add_count(x, nr, a->time, a->nr);
    if ( !a->has_average )
        return;
    c = begin_counter(x, average, a->time);
    protobuf_add_double(&x->out, COUNTER_DOUBLE, a->average / 100.0);
    end_counter(x, &c);
}
