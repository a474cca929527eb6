/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included by generated code, and by control.c. */
#ifndef USERTRACE_QEMU_USERTRACE_H
#define USERTRACE_QEMU_USERTRACE_H

#include "control.h"
#include "usertrace/usertrace.h"

#endif /* USERTRACE_QEMU_USERTRACE_H */
