/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event classes and subclasses by name: "hvm", "hvm:handler".  What a user
 * types after -e and what a report calls a group of events are the same
 * words, from the `class` lines of events/.
 */
#ifndef LIBXENTRACE_CLASS_H
#define LIBXENTRACE_CLASS_H

#include <stddef.h>
#include <stdint.h>

struct xt_class
{
    const char *name;   /* "hvm" or "hvm:handler" */
    uint32_t mask;      /* as Xen's event mask wants it */
    const char *text;   /* what it is, for help */
};

/* The row of this name, `length` bytes of it, or NULL; "all" is one, too. */
const struct xt_class *xt_class_by_name(const char *name, size_t length);

/* The class (never a subclass) that an event belongs to, or NULL. */
const struct xt_class *xt_class_of(uint32_t event);

#endif /* LIBXENTRACE_CLASS_H */
