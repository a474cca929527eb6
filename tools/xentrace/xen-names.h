/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of domains, which xenstored keeps.  Through its socket, with its
 * few bytes of protocol: libxenstore turns to the kernel's device where no
 * daemon answers, and there waits for one, maybe forever.  Here nothing takes
 * longer than XEN_NAMES_SECONDS.
 */
#ifndef XENTRACE_XEN_NAMES_H
#define XENTRACE_XEN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XEN_NAMES_SOCKET "/var/run/xenstored/socket"
#define XEN_NAMES_SECONDS 2
#define XEN_NAMES_MAX 256u      /* a name, and a 0 */

/* A descriptor, or -1: nobody is there. */
int xen_names_open(const char *path);

/* False: it has none, or *fd, then -1, is no good any more. */
bool xen_names_get(int *fd, uint16_t domain, char *name);

void xen_names_close(int fd);

#endif /* XENTRACE_XEN_NAMES_H */
