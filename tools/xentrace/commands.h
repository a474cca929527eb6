/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of xentrace.  "record" and "flight" only stand for options;
 * "status", "stop", "snapshot" and "mark" are requests to a running xentrace;
 * "list" prints the catalogue.
 */
#ifndef XENTRACE_COMMANDS_H
#define XENTRACE_COMMANDS_H

#include "common/opts.h"

#define XENTRACE_NR_COMMANDS 7u

extern const struct command xentrace_commands[XENTRACE_NR_COMMANDS];

#endif /* XENTRACE_COMMANDS_H */
