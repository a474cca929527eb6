/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of the text of --why: text-why.c, and text-why-losses.c, losses of time
 * that are no waits for a pcpu.
 */
#ifndef XENALYZE_TEXT_TEXT_WHY_PRIVATE_H
#define XENALYZE_TEXT_TEXT_WHY_PRIVATE_H

#include "xenalyze/text/text.h"

#define WHY_LEAST_PERCENT 0.5   /* less is not printed */
#define WHY_INDENT "                  "

/* --- text-why.c ----------------------------------------------------------- */

double why_share_of_time(const struct text_why *t, uint64_t cycles);
bool why_names_rival(const struct verdict_rule *rule);
const char *why_domain_text(const struct text_why *t, uint16_t domain,
                            char text[XT_LABEL_MAX]);
void why_print_range(const struct text_why *t, uint64_t from, uint64_t to);
void why_print_help(const struct text_why *t, const struct verdict_rule *rule);

/* --- text-why-losses.c ---------------------------------------------------- */

/* Is the verdict this loss, over the whole trace?  Then help is printed. */
bool why_helps_here(const struct text_why *t, enum verdict_loss loss);

bool why_has_device_time(const struct text_why *t);
void why_print_device_time(const struct text_why *t);
bool why_has_backend_time(const struct text_why *t);
void why_print_backend_time(const struct text_why *t);
#define WHY_BACKEND_LINES 6u

/* NULL: nothing to print. */
const struct co_stop_domain *why_find_co_stop(const struct text_why *t);
void why_print_co_stop(const struct text_why *t,
                       const struct co_stop_domain *d);

/* The lines that are to be printed; 0: none. */
unsigned int why_count_interrupt_lines(const struct text_why *t);
void why_print_lost_to_interrupts(const struct text_why *t);
unsigned int why_count_timer_lines(const struct text_why *t);
void why_print_late_timers(const struct text_why *t);
unsigned int why_count_stall_lines(const struct text_why *t);
void why_print_stalls(const struct text_why *t);

/* To `out`; false: there is no period. */
bool why_print_period(const struct text_why *t, FILE *out);

#define WHY_MAX_REASONS 3u
bool why_has_blocks(const struct text_why *t);
void why_print_blocks(const struct text_why *t, unsigned int most);

#endif /* XENALYZE_TEXT_TEXT_WHY_PRIVATE_H */
