/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovers the trace of a killed process from its trace file and its rings.
 */
#ifndef SIMPLETRACE_RECOVER_H
#define SIMPLETRACE_RECOVER_H

#include <stdint.h>

#include "common/err.h"

struct st_recovered
{
    uint64_t events, lost;      /* found in the rings */
    uint64_t unread;            /* bytes of rings that are not events */
    uint64_t missing;           /* bytes missing from the trace file */
};

/*
 * Write the complete trace of FILE.rings to `out`, which appears when it is
 * finished.  The rings and the trace file are not modified.
 */
int st_recover_trace(const char *rings, const char *out,
                     struct st_recovered *done, struct err *e);

#endif /* SIMPLETRACE_RECOVER_H */
