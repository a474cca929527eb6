/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of xentrace: record, flight, list.  A command stands for options
 * and has no code of its own behind the parser, except for "list".
 */
#ifndef XENTRACE_COMMANDS_H
#define XENTRACE_COMMANDS_H

#include "common/opts.h"

#define XENTRACE_NR_COMMANDS 3u

extern const struct command xentrace_commands[XENTRACE_NR_COMMANDS];

#endif /* XENTRACE_COMMANDS_H */
