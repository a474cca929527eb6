/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace point: an event of `bytes` without defined contents.  This file is
 * compiled like the ring, so the inline functions of trace/simple.h are
 * explored, too.
 */
#include "tests/interleave/point.h"

#include "libusertrace/trace/simple.h"

void trace_point(uint32_t id, uint32_t bytes)
{
    struct usertrace_record record;
    char *at = usertrace_simple_begin(&record, id, bytes);

    if ( at )
        usertrace_simple_end(&record, at);
}
