/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measured event of LTTng-UST: two integers, like a record of two words.
 * LTTng's headers include this file repeatedly with different macros, so the
 * include guard follows their convention.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/bench/lttng-event.h"

#if !defined(BENCH_LTTNG_EVENT_H) ||                                    \
    defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENT_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    bench, two,
    LTTNG_UST_TP_ARGS(unsigned int, a, unsigned int, b),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(unsigned int, a, a)
        lttng_ust_field_integer(unsigned int, b, b)))

#endif /* BENCH_LTTNG_EVENT_H */

#include <lttng/tracepoint-event.h>
