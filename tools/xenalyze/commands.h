/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands: names for common combinations of options. */
#ifndef XENALYZE_COMMANDS_H
#define XENALYZE_COMMANDS_H

#include "common/opts.h"

#define XENALYZE_NR_COMMANDS 18u

extern const struct command xenalyze_commands[XENALYZE_NR_COMMANDS];

#endif /* XENALYZE_COMMANDS_H */
