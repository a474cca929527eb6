/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace points as in hypervisor code: written with the macros of the tested
 * <xen/trace.h>, compiled with the flags of trace.c, and in a separate
 * translation unit, like the rest of Xen.  So the measurement includes the test
 * at the call site, the payload on the stack, the call, and the record.
 *
 * Every loop hides its counter from the compiler in the same way, which
 * prevents unrolling and constant folding.
 */
#include <xen/sched.h>
#include <xen/time.h>
#include <xen/trace.h>

#include "tests/bench/calls.h"

#define LOOP(name, ...)                                                 \
    void name(unsigned int calls)                                       \
    {                                                                   \
        for ( unsigned int i = 0; i < calls; i++ )                      \
        {                                                               \
            __asm__ __volatile__ ( "" : "+r" (i) );                     \
            __VA_ARGS__;                                                \
        }                                                               \
    }

LOOP(calls_empty, {})
LOOP(calls_clock, (void)get_cycles())
LOOP(calls_0d, TRACE_0D(CALLS_EVENT))
LOOP(calls_1d, TRACE_1D(CALLS_EVENT, i))
LOOP(calls_3d, TRACE_3D(CALLS_EVENT, i, i + 1, i + 2))
LOOP(calls_5d, TRACE_5D(CALLS_EVENT, i, i + 1, i + 2, i + 3, i + 4))

LOOP(calls_untimed,
    {
        uint32_t words[] = { i, i + 1, i + 2 };

        trace_var(CALLS_EVENT, false, sizeof(words), words);
    })
