/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace of a process that was killed: its file, and what was in its rings.
 */
#ifndef SIMPLETRACE_RECOVER_H
#define SIMPLETRACE_RECOVER_H

#include <stdint.h>

#include "common/err.h"

struct st_recovered
{
    uint64_t events, lost;      /* that the rings had */
    uint64_t unread;            /* bytes of rings that are no events */
    uint64_t missing;           /* bytes that the trace file should have had */
};

/*
 * FILE.rings to a whole trace, `out`, which appears when it is complete.  The
 * rings and the trace file stay as they are.
 */
int st_recover_trace(const char *rings, const char *out,
                     struct st_recovered *done, struct err *e);

#endif /* SIMPLETRACE_RECOVER_H */
