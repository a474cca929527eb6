/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included by generated code of the back ends log, syslog and ftrace. */
#ifndef USERTRACE_QEMU_TEXT_H
#define USERTRACE_QEMU_TEXT_H

#include "control.h"
#include "usertrace/text.h"

#endif /* USERTRACE_QEMU_TEXT_H */
