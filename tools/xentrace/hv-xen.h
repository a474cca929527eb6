/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the back end for Xen that only tests call.
 */
#ifndef XENTRACE_HV_XEN_H
#define XENTRACE_HV_XEN_H

#include "common/err.h"

/* Does the system with its files below `root` look like a dom0? */
int xen_probe_below(const char *root, struct err *e);

#endif /* XENTRACE_HV_XEN_H */
