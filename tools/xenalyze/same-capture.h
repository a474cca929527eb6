/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are several files parts of one capture?  Boot id and start time tell, if the
 * files have these; otherwise all that a capture cannot change has to agree,
 * and no pcpu may have records of one time in two files.
 */
#ifndef XENALYZE_SAME_CAPTURE_H
#define XENALYZE_SAME_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "libxentrace/libxentrace.h"

/* What differs between parts of different captures; NULL: nothing known. */
const char *same_capture_find_difference(const struct xt_info *a,
                                         const struct xt_info *b);

/* True if metadata proves the answer of the function above. */
bool same_capture_is_proven(const struct xt_info *a, const struct xt_info *b);

/*
 * Read the time stamps of the files, in the order of the capture.  -EINVAL with
 * *e: a pcpu's records in a file are not all later than in the files before.
 */
int same_capture_check_times(const char *const *paths, size_t nr,
                             struct err *e);

#endif /* XENALYZE_SAME_CAPTURE_H */
