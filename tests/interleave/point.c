/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace point: an event of `bytes` with nothing in it that anybody reads.
 * It is compiled as the ring is, so that what is inline in trace/simple.h is
 * tried in all orders, too.
 */
#include "tests/interleave/point.h"

#include "libusertrace/trace/simple.h"

void point(uint32_t id, uint32_t bytes)
{
    struct usertrace_record record;
    char *at = usertrace_simple_begin(&record, id, bytes);

    if ( at )
        usertrace_simple_end(&record, at);
}
