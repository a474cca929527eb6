/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's control and simple back end, with the interface for usertrace.c.
 */
#ifndef BENCH_QEMU_SIMPLE_H
#define BENCH_QEMU_SIMPLE_H

#include "qemu/osdep.h"
#include "trace/control.h"
#include "trace/simple.h"

bool usertrace_has_backend(const char *name);
bool qemu_simple_is_on(void);

#endif /* BENCH_QEMU_SIMPLE_H */
