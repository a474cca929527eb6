/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ids of metadata records, which are consecutive.  A header of its own:
 * record.h and meta.h are also compiled with stock's <public/trace.h>, which
 * has no such ids.
 */
#ifndef LIBXENTRACE_META_EVENT_H
#define LIBXENTRACE_META_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <public/trace.h>

#define XT_META_IDS 128u

/*
 * True for each record of the collector, the seal of a window and the records
 * of later versions included.
 */
static inline bool xt_event_is_meta(uint32_t event)
{
    return event - TRC_META_WINDOW < XT_META_IDS;
}

#endif /* LIBXENTRACE_META_EVENT_H */
