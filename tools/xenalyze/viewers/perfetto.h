/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the format "perfetto", and packets for its parts; private header of
 * viewers/.
 */
#ifndef XENALYZE_VIEWERS_PERFETTO_H
#define XENALYZE_VIEWERS_PERFETTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/perfetto-samples.h"
#include "xenalyze/viewers/protobuf.h"

#define MAX_CPU 4096u
#define MAX_FTRACE_CPU 1024u

/* Fields of TracePacket. */
enum
{
    PACKET_FTRACE = 1, PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13,
    PACKET_TRACK = 60, PACKET_FIRST = 87, PACKET_STATE = 117,
    PACKET_FREQUENCY = 118, PACKET_TREE = 122, PACKET_ATTRIBUTES = 126,
    PACKET_SAMPLE = 135,
};

enum { FLAG_CLEARED = 1, FLAG_INTERNED = 2 };

/* States of a generic kernel's task. */
enum { TASK_RUNNABLE = 2, TASK_RUNNING, TASK_SLEEPING, TASK_STOPPED = 6 };

enum { REALTIME_CLOCK = 1, MONOTONIC_CLOCK = 3, BOOTTIME_CLOCK = 6 };

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

/* Fields of DebugAnnotation. */
enum
{
    NOTE_NAME = 1, NOTE_BOOL = 2, NOTE_UINT = 3, NOTE_POINTER = 7,
    NOTE_STRING = 17, NOTE_TEXT = 6,
};

/* Interned names of annotations, and of the category. */
enum note
{
    NOTE_RIP = 1, NOTE_HANDLER, NOTE_REASON, NOTE_NESTED, NOTE_PCPU,
    NOTE_LOST, NOTE_ARGS, NOTE_PIECES, NOTE_PIECES_NS, NOTE_DETAIL, NOTES
};

#define CATEGORY_EXIT 1u
#define CATEGORY_PV 2u
#define CATEGORY_PROGRAM 3u
#define CATEGORY_WAIT 4u
#define NAME_CALLS (EXIT_CAUSES + 1)    /* names of calls, above exits */
#define NAME_BLOCKS (NAME_CALLS + ACTIVITY_CALLS)       /* above calls */
#define SEQUENCE 1u
#define SAMPLES_SEQUENCE 2u

/* Kinds of tracks, the upper bits of their numbers. */
enum track
{
    TRACK_DOMAIN = 1, TRACK_VCPU, TRACK_GROUP, TRACK_LOSS, TRACK_IRQ,
    TRACK_SLEEP, TRACK_PATH, TRACK_PROGRAMS, TRACK_PROGRAM, TRACK_WAITS,
    TRACK_KINDS
};

#define TRACK(kind, number) ((uint64_t)(kind) << 40 | (number))

/*
 * Short numbers of tracks, below those of TRACK(), for kinds with many events.
 */
#define SHORT_COUNTERS UINT64_C(1)
#define SHORT_BLOCKS (UINT64_C(1) << 20)
#define SHORT_QUEUES (UINT64_C(1) << 32)

#define MAX_DETAILS 32u         /* names of details: literals, few */

struct perfetto
{
    struct protobuf out;
    const struct viewer_options *options;
    bool has_sequence;          /* its first packet is written */
    bool has_notes;             /* names of annotations are defined */
    bool has_name[EXIT_CAUSES];
    bool has_handler[UINT8_MAX + 1];
    bool has_call[ACTIVITY_CALLS];
    bool has_block[ACTIVITY_BLOCKS];
    const char *details[MAX_DETAILS];
    bool has_group, has_path;
    uint64_t waiting_track;     /* counter of the current host; 0: none */
    struct perfetto_samples samples;
    uint64_t arrows;            /* number of the last arrow */
    uint64_t has_track[TRACK_KINDS][MAX_CPU / 64];
};

/* A packet, and a packet of the sequence, which may use interned names. */
size_t perfetto_begin_packet(struct perfetto *x, uint64_t time);
size_t perfetto_begin_event(struct perfetto *x, uint64_t time);

void perfetto_add_track(struct perfetto *x, uint64_t time, uint64_t id,
                        const char *name, uint64_t parent);

/* The track of a pcpu, a row of the group "Xen pcpus". */
uint64_t perfetto_get_track(struct perfetto *x, enum track kind, uint32_t pcpu);

/* In the interned data of a packet. */
void perfetto_define_name(struct perfetto *x, unsigned int field,
                          unsigned int number, const char *name);
void perfetto_define_notes(struct perfetto *x);

/*
 * In the packet of an event: define its name, unless *has, and the names of
 * annotations, if it is the first to need these.
 */
void perfetto_define_event(struct perfetto *x, bool *has, unsigned int number,
                           const char *name);

/* In a packet of the sequence without further names. */
void perfetto_need_notes(struct perfetto *x);

/* An annotation in an event. */
void perfetto_add_note(struct perfetto *x, unsigned int name,
                       unsigned int field, uint64_t value);

void perfetto_end_slice(struct perfetto *x, uint64_t track, uint64_t time);

/* A slice with a name of its own; `lost`: number of records, or 0. */
void perfetto_add_slice(struct perfetto *x, uint64_t track, uint64_t from,
                        uint64_t to, const char *text, uint64_t lost);

/* Blocked times, in perfetto-blocks.c. */
void perfetto_block(void *state, const struct activity_block *a);

/* Counters, in perfetto-counters.c. */
void perfetto_waiting(void *state, const struct activity_waiting *a);
void perfetto_queue(void *state, const struct activity_queue *a);

/* The longest waits, in perfetto-waits.c. */
void perfetto_wait(void *state, const struct activity_wait *a);

#endif /* XENALYZE_VIEWERS_PERFETTO_H */
