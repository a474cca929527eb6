/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One record, as a view of its bytes.  Only the header and the time stamp are
 * copied; the payload stays in place, and a view is valid as long as the bytes
 * are.  <public/trace.h> has a drawing of the layout.
 *
 * Numbers are in the byte order of the traced machine, which must be the byte
 * order of this machine: neither a ring nor a file names its byte order.  A
 * record need not be aligned: behind damage, a file continues at any byte.
 *
 * Decoding is the inner loop of all reading, so it is inline, and has one error
 * return.
 */
#ifndef LIBXENTRACE_RECORD_H
#define LIBXENTRACE_RECORD_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <public/trace.h>

#define XT_RECORD_MAX_WORDS TRACE_EXTRA_MAX
#define XT_RECORD_MAX_BYTES (4u + 8u + 4u * XT_RECORD_MAX_WORDS)

struct xt_record
{
    uint32_t event;     /* 28 bits: class, subclass, minor */
    uint8_t words;      /* payload words, 0..7 */
    bool has_tsc;
    uint64_t tsc;       /* 0 without has_tsc */
    const unsigned char *payload;
};

static inline uint32_t xt_load32(const unsigned char *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* Xen stores the low word first, in either byte order. */
static inline uint64_t xt_load64(const unsigned char *at)
{
    return xt_load32(at) | (uint64_t)xt_load32(at + 4) << 32;
}

/* Size in bytes of the record with this header word, 4..40. */
static inline size_t xt_record_size(uint32_t header)
{
    return 4 + (header & TRC_HD_CYCLE_FLAG ? 8 : 0) + 4 * TRC_HD_EXTRA(header);
}

/*
 * View a record that is known to be complete.  Returns its size.  The payload
 * is borrowed.
 */
static inline size_t xt_record_view(struct xt_record *r,
                                    const unsigned char *at)
{
    uint32_t header = xt_load32(at);

    r->event = TRC_HD_TO_EVENT(header);
    r->words = TRC_HD_EXTRA(header);
    r->has_tsc = header & TRC_HD_CYCLE_FLAG;
    r->tsc = r->has_tsc ? xt_load64(at + 4) : 0;
    r->payload = at + 4 + (r->has_tsc ? 8 : 0);
    return r->payload + 4 * r->words - at;
}

/*
 * View the record at `at`, without reading at or behind `end`.  Returns the
 * record's size in bytes, or 0 if the record does not end by then; *r is then
 * undefined.
 */
static inline size_t xt_record_decode(struct xt_record *r,
                                      const unsigned char *at,
                                      const unsigned char *end)
{
    size_t left = end - at;

    assert(at <= end);
    if ( left < 4 || left < xt_record_size(xt_load32(at)) )
        return 0;
    return xt_record_view(r, at);
}

/*
 * True if the record has a valid time stamp.  The time stamp of a filler record
 * is stale data from the ring.
 */
static inline bool xt_record_is_timed(const struct xt_record *r)
{
    return r->has_tsc && r->event != TRC_TRACE_WRAP_BUFFER;
}

/*
 * Word i of the payload; 0 if the record has fewer words.  A caller may compute
 * i from the payload, which changes if the file is truncated meanwhile.
 */
static inline uint32_t xt_record_word(const struct xt_record *r, unsigned int i)
{
    return i < r->words ? xt_load32(r->payload + 4 * i) : 0;
}

/* Is the class neither GEN, the lowest, nor all classes together? */
static inline bool xt_event_is_of_xen(uint32_t event)
{
    const uint32_t first = 2u << TRC_CLS_SHIFT;

    return event - first < TRC_ALL - first;
}

/*
 * Can a ring contain this record?  Any bits decode as some record, so damage
 * shows as a record that Xen never writes: an event without a class (as in a
 * run of zeroes) or of all classes (as in a run of ones), a window header among
 * the records, a LOST_RECORDS of the wrong shape.  Unknown ids are possible.
 */
static inline bool xt_record_is_possible(const struct xt_record *r)
{
    if ( xt_event_is_of_xen(r->event) )
        return true;
    if ( r->event == TRC_LOST_RECORDS )
        return r->has_tsc && r->words == 4;
    return r->event >> TRC_CLS_SHIFT && r->event < TRC_ALL &&
           r->event != TRC_TRACE_CPU_CHANGE;
}

#endif /* LIBXENTRACE_RECORD_H */
