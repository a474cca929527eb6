/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a function instruction by instruction.
 *
 * The trap flag of x86 raises SIGTRAP after every instruction; the handler
 * calls each(), which plays an interrupt of the CPU.  each() runs at full speed
 * unless it steps a function itself: steps nest.
 */
#ifndef TESTS_STEP_STEPPER_H
#define TESTS_STEP_STEPPER_H

#include <stdbool.h>

/* Does this CPU have a working trap flag? */
bool stepper_works(void);

/*
 * Run fn(fn_arg), and each(arg, n) after the nth instruction, from 1 on; the
 * first and last few belong to the stepper itself.  When each() returns false
 * the rest runs at full speed.  Returns the number of stepped instructions.
 */
unsigned long step_function(void (*fn)(void *arg), void *fn_arg,
                            bool (*each)(void *arg, unsigned long n),
                            void *arg);

/* In each(): is the next instruction a barrier (XENSIM_MARK_BARRIERS)? */
bool stepper_is_at_barrier(void);

#endif /* TESTS_STEP_STEPPER_H */
