/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in hex, as stock's xenalyze has them: event, words, time stamp, the
 * payload word by word; and behind a | the bytes of the record as they are, of
 * which stock shows 8 words whether the record has them or not.
 */
#ifndef XENALYZE_LINES_RAW_H
#define XENALYZE_LINES_RAW_H

#include <stdint.h>

#include "libxentrace/libxentrace.h"
#include "xenalyze/lines/pipeline.h"

/* Bytes that a line of either kind touches, at most. */
#define RAW_MAX 320u

/* A record that is being processed, in the order of time. */
char *raw_process_line(char *p, const struct xt_record *r);

/*
 * Each record that was read (--dump-raw-reads), by one thread only, since a
 * copy does not know where it was; the state is nothing.
 */
const struct line_style *raw_read_style(void);

#endif /* XENALYZE_LINES_RAW_H */
