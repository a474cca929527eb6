/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a function instruction by instruction.
 *
 * The trap flag of x86 raises SIGTRAP behind every instruction; the handler
 * calls `each`, which stands for whatever interrupts a CPU there.  What it
 * calls runs at full speed, unless it steps something itself: steps nest.
 */
#ifndef TESTS_STEP_STEPPER_H
#define TESTS_STEP_STEPPER_H

#include <stdbool.h>

/* Is there a trap flag, and does it work here? */
bool stepper_works(void);

/*
 * Run fn(fn_arg), and each(arg, n) behind its nth instruction, from 1 on; its
 * first and last few are those of the stepper itself.  When `each` answers
 * false the rest runs at full speed.  Answers the number of instructions.
 */
unsigned long step(void (*fn)(void *arg), void *fn_arg,
                   bool (*each)(void *arg, unsigned long n), void *arg);

#endif /* TESTS_STEP_STEPPER_H */
