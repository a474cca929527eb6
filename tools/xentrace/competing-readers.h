/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other processes that read Xen's rings.  A host has one set of rings, and each
 * record is read by one reader only.
 */
#ifndef XENTRACE_COMPETING_READERS_H
#define XENTRACE_COMPETING_READERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * List the running programs that are known to read the rings and that map the
 * same memory as `mapping` of this process does, with their process ids, as in
 * "xenbaked (77), xentrace (80)"; false: none was found.  A program that maps
 * no rings, such as `xentrace status`, is no reader.  NULL, memory of unknown
 * origin, and a process that cannot be examined: the name has to do.
 */
bool competing_readers_find(const void *mapping, char *names, size_t size);

#endif /* XENTRACE_COMPETING_READERS_H */
