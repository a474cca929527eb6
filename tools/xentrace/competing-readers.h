/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else reads Xen's rings?  There is one set of them, and what one reader
 * takes, no other one sees.
 */
#ifndef XENTRACE_COMPETING_READERS_H
#define XENTRACE_COMPETING_READERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Names and process ids of programs that are known to read rings and run now,
 * as "xenbaked (77), xentrace (80)"; false: there are none that we see.
 */
bool competing_readers_find(char *names, size_t size);

#endif /* XENTRACE_COMPETING_READERS_H */
