/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in hex, as stock's xenalyze has them: event, words, time stamp, the
 * payload word by word; and behind a | the first 8 words of its bytes as they
 * are.  What is behind the record there is not its own.
 */
#ifndef XENALYZE_REPORT_RAW_H
#define XENALYZE_REPORT_RAW_H

#include <stdint.h>

#include "libxentrace/record.h"
#include "libxentrace/window.h"

/* Bytes that a line of either kind touches, at most. */
#define RAW_MAX 320u

/* A record that was read, `size` bytes of which can be seen at `at`. */
char *raw_read_line(char *p, unsigned int cpu, uint64_t offset,
                    const unsigned char *at, size_t size);

/* A record that is being processed, in the order of time. */
char *raw_process_line(char *p, const struct xt_record *r);

#endif /* XENALYZE_REPORT_RAW_H */
