/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last words to the user: how much was taken, what was lost where, and
 * how near to losing the rings were.
 */
#ifndef XENTRACE_CAPTURE_SUMMARY_H
#define XENTRACE_CAPTURE_SUMMARY_H

#include "xentrace/collect.h"

void capture_summary_print(const struct collect *c, const struct writer *w,
                           const struct log *log);

#endif /* XENTRACE_CAPTURE_SUMMARY_H */
