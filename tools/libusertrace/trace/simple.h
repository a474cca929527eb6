/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a trace point of the simple back end.  A record is written in
 * place, in the thread's own ring:
 *
 *     at = usertrace_simple_begin(&record, id, bytes of all arguments);
 *     if ( !at )
 *         return;                  -- no room: counted; or no file is open
 *     at = usertrace_simple_word(at, x);
 *     at = usertrace_simple_string(at, s, length);
 *     usertrace_simple_end(&record, at);
 *
 * The code in between must not fail, return or trace.  No function here waits,
 * takes a lock or allocates memory; a signal handler may trace at any point.
 */
#ifndef TRACE_SIMPLE_H
#define TRACE_SIMPLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define USERTRACE_MAX_STRING 512u

/* The first fields of a ring: positions, which only grow. */
struct usertrace_ring
{
    uint64_t reserved;          /* end of reserved records */
    uint64_t limit;             /* up to here without the slow path */
    uint64_t head;              /* end of complete records */
};

struct usertrace_record
{
    struct usertrace_ring *ring;
    uint64_t at;
};

char *usertrace_simple_begin(struct usertrace_record *record, uint32_t id,
                             uint32_t bytes);
void usertrace_simple_publish(struct usertrace_ring *ring);

/*
 * The outermost writer began where the ring was complete, and publishes the
 * events of signal handlers, too, including handlers during this function.
 * The release pairs with the acquire in event-drain.c, snapshot_heads().
 */
static inline void usertrace_simple_end(struct usertrace_record *record,
                                        const char *at)
{
    struct usertrace_ring *ring = record->ring;
    uint64_t reserved;

    (void)at;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if ( __atomic_load_n(&ring->head, __ATOMIC_RELAXED) != record->at )
        return;
    reserved = __atomic_load_n(&ring->reserved, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->head, reserved, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if ( __builtin_expect(__atomic_load_n(&ring->reserved, __ATOMIC_RELAXED) !=
                          reserved, 0) )
        usertrace_simple_publish(ring);
}

/* NULL counts as "". */
static inline uint32_t usertrace_simple_length(const char *text)
{
    return text ? strnlen(text, USERTRACE_MAX_STRING) : 0;
}

static inline char *usertrace_simple_word(char *at, uint64_t value)
{
    memcpy(at, &value, sizeof(value));
    return at + sizeof(value);
}

static inline char *usertrace_simple_string(char *at, const char *text,
                                            uint32_t length)
{
    memcpy(at, &length, sizeof(length));
    if ( length )
        memcpy(at + sizeof(length), text, length);
    return at + sizeof(length) + length;
}

#ifdef __cplusplus
}
#endif

#endif /* TRACE_SIMPLE_H */
