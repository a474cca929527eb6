/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's trace/simple.h: control of the trace file is in control.h. */
#ifndef USERTRACE_QEMU_SIMPLE_H
#define USERTRACE_QEMU_SIMPLE_H

#include "control.h"
#include "usertrace/simple.h"

#endif /* USERTRACE_QEMU_SIMPLE_H */
