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

/* One line: "/tmp/trace.bin: 1.1 MiB, 4711 events, 0 lost". */
void capture_summary_format(const struct collect *c, const struct writer *w,
                            const char *output, char *text, size_t size);

#endif /* XENTRACE_CAPTURE_SUMMARY_H */
