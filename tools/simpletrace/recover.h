/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovers the trace of a killed process from its trace file and its rings.
 */
#ifndef SIMPLETRACE_RECOVER_H
#define SIMPLETRACE_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

struct st_recovered
{
    uint64_t events, lost;      /* found in the rings */
    uint64_t unread;            /* bytes of rings that are not events */
    uint64_t missing;           /* bytes missing from the trace file */
    bool is_alive;              /* the process still writes to the rings */
    bool is_removed;            /* the rings were removed */
};

/*
 * Write a complete trace to `out`, which appears when it is finished.  `name`
 * is FILE.rings or the trace FILE, which is not modified.  Removes the rings of
 * a dead process if nothing is missing in `out`.
 */
int st_recover_trace(const char *name, const char *out,
                     struct st_recovered *done, struct err *e);

/* Do the rings beside a trace hold more events or losses? */
bool st_recover_find_more(const char *trace, struct st_recovered *done);

#endif /* SIMPLETRACE_RECOVER_H */
