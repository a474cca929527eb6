/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slow path of window.c, for input with damage: how far are records
 * credible, and where does the next window begin?
 *
 * These functions set w->next, and note skipped bytes in w->damage.  If they
 * set w->need_more, their result is void.
 */
#ifndef LIBXENTRACE_RESYNC_H
#define LIBXENTRACE_RESYNC_H

#include <stdbool.h>
#include <stddef.h>

#include "libxentrace/window.h"

/* The expected number of a seal behind a window without one. */
#define XT_NO_SEAL (1ull << 32)

/*
 * The window at `at` claims to end at `end`, where no header is.  Returns the
 * end of its credible records.
 */
size_t xt_resync_find_end(struct xt_windows *w, size_t at, size_t end);

/*
 * There is no header at w->next: skip to the next one.  If finding it takes
 * more input, skip as far as possible; with w->need_more set, not a byte was
 * skipped.
 */
void xt_resync_skip_damage(struct xt_windows *w);

/*
 * The window at `at` ends where another header begins, or the input ends.
 * False if its seal proves that its size is wrong.
 */
bool xt_resync_check_window(struct xt_windows *w, size_t at,
                            const struct xt_header *h);

/*
 * Start in the middle of the input: set w->next to the first corroborated
 * window in [from, limit), or to `limit`.
 */
void xt_resync_find_first(struct xt_windows *w, size_t from, size_t limit);

#endif /* LIBXENTRACE_RESYNC_H */
