/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of QEMU's human monitor, in several versions; the
 * implementation of usertrace_command().
 */
#ifndef LIBUSERTRACE_MONITOR_HMP_H
#define LIBUSERTRACE_MONITOR_HMP_H

#include "common/err.h"

enum mon_version
{
    MON_7_2 = 1,
    MON_0_14 = 2,               /* 0.13 to 1.1 */
};

int mon_command(const char *line, enum mon_version version, char **reply,
                struct err *e);

#endif /* LIBUSERTRACE_MONITOR_HMP_H */
