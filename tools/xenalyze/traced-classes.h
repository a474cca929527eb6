/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The classes of events that a trace has: an error message about an empty
 * report names the classes to capture, or the real reason.
 */
#ifndef XENALYZE_TRACED_CLASSES_H
#define XENALYZE_TRACED_CLASSES_H

#include <stddef.h>

#include "xenalyze/outputs.h"

/*
 * Copy the names of a list such as "sched:min,hvm" that are not in the event
 * mask of the capture; or without metadata, the classes without a record.  The
 * trace is read once; the whole list is copied if this fails.
 */
void traced_classes_list_missing(const struct run *run, const char *classes,
                                 char *text, size_t size);

#endif /* XENALYZE_TRACED_CLASSES_H */
