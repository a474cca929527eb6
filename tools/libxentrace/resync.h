/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What window.c asks when something is not as it should be: how far can the
 * records be believed, and where does the next window begin?
 *
 * All of these set w->next, and tell w->damage of what is skipped.  If they
 * leave w->need_more, their answer means nothing.
 */
#ifndef LIBXENTRACE_RESYNC_H
#define LIBXENTRACE_RESYNC_H

#include <stdbool.h>
#include <stddef.h>

#include "libxentrace/window.h"

/*
 * The window whose header stands at `at` claims to reach to `end`, where no
 * header is.  Where do its records stop?
 */
size_t xt_resync_find_end(struct xt_windows *w, size_t at, size_t end);

/*
 * There is no header at w->next: go to the next one.  Where more of the input
 * is needed to find it, this goes as far as it can; w->need_more then means
 * that this was not a byte.
 */
void xt_resync_skip_damage(struct xt_windows *w);

/*
 * There is a header at `at`, and at the end that it claims another one, or
 * the input's.  False: its seal proves that the size is wrong.
 */
bool xt_resync_check_window(struct xt_windows *w, size_t at,
                            const struct xt_header *h);

/*
 * Begin in the middle: go to the first window at or behind `from` and before
 * `limit` that something speaks for.  w->next is `limit`: there is none.
 */
void xt_resync_find_first(struct xt_windows *w, size_t from, size_t limit);

#endif /* LIBXENTRACE_RESYNC_H */
