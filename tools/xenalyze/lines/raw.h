/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in hex, in the format of stock's xenalyze: event, number of words,
 * time stamp, the words of the payload; and behind a | the first 8 words of the
 * encoded record.  Stock shows 8 words even of a shorter record; here the rest
 * is blank.
 */
#ifndef XENALYZE_LINES_RAW_H
#define XENALYZE_LINES_RAW_H

#include <stdint.h>

#include "libxentrace/libxentrace.h"
#include "xenalyze/lines/pipeline.h"

/* Bytes that a line of either kind writes, at most. */
#define RAW_MAX 320u

/* A line for --dump-raw-process.  Returns the end of the text. */
char *raw_put_processed(char *p, const struct xt_record *r);

/*
 * The style for --dump-raw-reads, without state.  A job has to have one thread:
 * the line shows the offset of the record in the file, and with several threads
 * the records of a stream are copies.
 */
const struct line_style *raw_read_style(void);

#endif /* XENALYZE_LINES_RAW_H */
