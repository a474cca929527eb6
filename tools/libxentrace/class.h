/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event classes and subclasses by name: "hvm", "hvm:handler".  The option -e
 * and the groups of reports use the same names, from the `class` lines of
 * events/.
 */
#ifndef LIBXENTRACE_CLASS_H
#define LIBXENTRACE_CLASS_H

#include <stddef.h>
#include <stdint.h>

struct xt_class
{
    const char *name;   /* "hvm" or "hvm:handler" */
    uint32_t mask;      /* for Xen's event mask */
    const char *text;   /* description, for help */
};

/*
 * Find a class by its name of `length` bytes, or NULL.  "all" is a name, too.
 */
const struct xt_class *xt_class_by_name(const char *name, size_t length);

/* The class (never a subclass) of an event, or NULL. */
const struct xt_class *xt_class_of(uint32_t event);

#endif /* LIBXENTRACE_CLASS_H */
