/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages at the end of a capture: events written, records lost on each
 * pcpu, and how full the rings were.
 */
#ifndef XENTRACE_CAPTURE_SUMMARY_H
#define XENTRACE_CAPTURE_SUMMARY_H

#include "xentrace/collect.h"

void capture_summary_print(const struct collect *c, const struct writer *w,
                           const struct log *log);

#endif /* XENTRACE_CAPTURE_SUMMARY_H */
