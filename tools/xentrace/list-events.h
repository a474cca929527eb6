/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command "list": the classes and events that -e and --snapshot-on accept.
 */
#ifndef XENTRACE_LIST_EVENTS_H
#define XENTRACE_LIST_EVENTS_H

#include <stdio.h>

#include "common/err.h"

/*
 * A line for each class and event: name, number for -e, description.  `pattern`
 * is a list of items as for -e, where names of events may have wildcards; NULL:
 * everything.  -EINVAL if an item selects nothing, -errno if `out` fails.
 */
int list_events(const char *pattern, FILE *out, struct err *e);

#endif /* XENTRACE_LIST_EVENTS_H */
