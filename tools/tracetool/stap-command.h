/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command `tracetool stap`: SystemTap with the tapsets of a program, as
 * QEMU's qemu-trace-stap.
 */
#ifndef TRACETOOL_STAP_COMMAND_H
#define TRACETOOL_STAP_COMMAND_H

/* argv[0] is the name of the command.  Returns the exit code. */
int stap_command_run(int argc, char **argv);

#endif /* TRACETOOL_STAP_COMMAND_H */
