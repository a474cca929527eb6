/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walk from header to header, which sees every record of a capture.  Each
 * step waits for the size of the record before, so sizes are computed: a table
 * costs another load.  In a ring no record is split into two spans; in the
 * circular buffer of a queue records may be split.
 */
#include "xentrace/record-scan.h"

#include <assert.h>
#include <string.h>

#include "common/compiler.h"
#include "libxentrace/libxentrace.h"
#include "libxentrace/meta-event.h"
#include "libxentrace/readers.h"

/* LOST_RECORDS and WRAP_BUFFER are adjacent ids. */
static uint64_t is_event(uint32_t header)
{
    uint32_t event = TRC_HD_TO_EVENT(header);

    return (event - TRC_LOST_RECORDS > 1) & !xt_event_is_meta(event);
}

_Static_assert(TRC_TRACE_WRAP_BUFFER == TRC_LOST_RECORDS + 1, "is_event");

/* Copy the record at offset `done`, joining its parts if it is split. */
static size_t gather_record(const struct iovec *spans, int nr_spans,
                            size_t done, unsigned char *bytes)
{
    size_t got = 0;

    for ( int i = 0; i < nr_spans; i++ )
    {
        size_t size = spans[i].iov_len, part = XT_RECORD_MAX_BYTES - got;

        if ( done < size )
        {
            part = size - done < part ? size - done : part;
            memcpy(bytes + got, (char *)spans[i].iov_base + done, part);
            got += part;
            done = 0;
        }
        else
            done -= size;
    }
    assert(got <= XT_RECORD_MAX_BYTES);
    return got;
}

/* The number in the loss record at offset `done`; 0 if the record is cut. */
COLD
static uint64_t load_lost(const struct iovec *spans, int nr_spans, size_t done)
{
    unsigned char bytes[XT_RECORD_MAX_BYTES];
    size_t got = gather_record(spans, nr_spans, done, bytes);
    struct xt_record r;

    return xt_record_decode(&r, bytes, bytes + got)
           ? xt_field_load(&r, XT_AT(lost_records, lost)) : 0;
}

/* The records of a span from offset `done` on; returns their end. */
static size_t scan_span(struct scan_counts *c, const struct iovec *spans,
                        int nr_spans, int i, size_t done)
{
    const unsigned char *at = spans[i].iov_base;
    size_t size = spans[i].iov_len, before = i ? spans[0].iov_len : 0;
    uint64_t nr = 0;
    uint32_t header;

    assert(i < 2);
    while ( done < size && size - done >= sizeof(header) )
    {
        header = xt_load32(at + done);
        nr += is_event(header);
        if ( TRC_HD_TO_EVENT(header) == TRC_LOST_RECORDS )
            c->lost += load_lost(spans, nr_spans, before + done);
        done += xt_record_size(header);
    }
    c->events += nr;
    return done;
}

void scan_add(struct scan_counts *c, const struct iovec *spans, int nr_spans)
{
    size_t done = 0;

    for ( int i = 0; i < nr_spans; i++ )
    {
        done = scan_span(c, spans, nr_spans, i, done);
        /* A split record continues in the next span. */
        done = done > spans[i].iov_len ? done - spans[i].iov_len : 0;
    }
}

uint64_t scan_count_events(const struct iovec *spans, int nr_spans)
{
    struct scan_counts c = { .events = 0 };

    scan_add(&c, spans, nr_spans);
    return c.events;
}

bool scan_times(const struct iovec *spans, int nr_spans, struct scan_times *t)
{
    unsigned char bytes[XT_RECORD_MAX_BYTES];
    size_t done = 0, got, size;
    bool is_timed = false;
    struct xt_record r;

    while ( (got = gather_record(spans, nr_spans, done, bytes)) &&
            (size = xt_record_decode(&r, bytes, bytes + got)) )
    {
        if ( xt_record_is_timed(&r) )
        {
            t->first = is_timed ? t->first : r.tsc;
            t->last = r.tsc;
            is_timed = true;
        }
        done += size;
    }
    return is_timed;
}

size_t scan_fit(const struct iovec *span, size_t max_bytes)
{
    const unsigned char *at = span->iov_base;
    size_t fit = 0, size;

    if ( span->iov_len <= max_bytes )
        return span->iov_len;
    while ( max_bytes - fit >= sizeof(uint32_t) )
    {
        size = xt_record_size(xt_load32(at + fit));
        if ( size > max_bytes - fit )
            break;
        fit += size;
    }
    assert(fit <= max_bytes);
    return fit;
}
