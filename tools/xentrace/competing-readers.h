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
 * List the running programs that are known to read the rings, with their
 * process ids, as in "xenbaked (77), xentrace (80)"; false: none was found.
 */
bool competing_readers_find(char *names, size_t size);

#endif /* XENTRACE_COMPETING_READERS_H */
