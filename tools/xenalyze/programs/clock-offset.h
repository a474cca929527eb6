/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offset of two clocks from causes: a device model has events while it
 * answers an access to an emulated device, so for the right offset most events
 * are in the span of an access.
 *
 *     access        [====]        [======]              [===]
 *     events      . .        . . .               . .         shifted by ...
 *                   . .        . . .               . .       ... the offset
 *
 * Each event and span allows an interval of offsets; the offset is in the
 * intersection of most intervals, and half of its width is the error.
 */
#ifndef XENALYZE_PROGRAMS_CLOCK_OFFSET_H
#define XENALYZE_PROGRAMS_CLOCK_OFFSET_H

#include <stddef.h>
#include <stdint.h>

#define CLOCK_OFFSET_SPANS 16384u       /* the first ones are used */
#define CLOCK_OFFSET_EVENTS 16384u

struct clock_span
{
    uint64_t from, to;          /* time stamps, from <= to */
};

struct clock_offset
{
    uint64_t cycles;            /* to be added to an event, modulo 2^64 */
    uint64_t error;             /* in cycles */
    size_t fitting;             /* events in a span */
};

/*
 * `events` are times in cycles of another origin.  Changes the spans.  0,
 * or -ENOMEM; without events or spans, no event fits.
 */
int clock_offset_find(const uint64_t *events, size_t nr_events,
                      struct clock_span *spans, size_t nr_spans,
                      struct clock_offset *offset);

#endif /* XENALYZE_PROGRAMS_CLOCK_OFFSET_H */
