/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of domains, read from xenstored.  This is a minimal client of
 * xenstored's socket, because libxenstore falls back to the kernel's device
 * when no daemon answers, and may block there for ever.  Here every operation
 * has a timeout of XEN_NAMES_SECONDS.
 */
#ifndef XENTRACE_XEN_NAMES_H
#define XENTRACE_XEN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XEN_NAMES_SOCKET "/var/run/xenstored/socket"
#define XEN_NAMES_SECONDS 2
#define XEN_NAMES_MAX 256u      /* a name with its 0 */

/* Returns a descriptor, or -1: no connection. */
int xen_names_open(const char *path);

/* False: the domain has no name; or the connection failed, and *fd is -1. */
bool xen_names_get(int *fd, uint16_t domain, char *name);

void xen_names_close(int fd);

#endif /* XENTRACE_XEN_NAMES_H */
