/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The seal of a window: a record that comes first in it, with a checksum over
 * all of it and the number that it has among the windows of a capture.
 *
 *   +------------+-----+-------+------------+-----+--------+------------+
 *   | 0x2001f003 | cpu | bytes | 0x2001f080 | crc | number | records ...
 *   +------------+-----+-------+------------+-----+--------+------------+
 *   0                          12                          24           end
 *    \_____________________________ CRC-32C, crc taken as 0 ____________/
 *
 * Nothing can change in a sealed window unnoticed: not its header, since what
 * the header says is summed up, too; and not the header of the seal, since a
 * window that would be whole with that one bit turned back was sealed.
 *
 * Windows of stock's xentrace have no seal, and one file may hold both.
 */
#ifndef LIBXENTRACE_SEAL_H
#define LIBXENTRACE_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/window.h"

/* The header word: meta_window of events/, two words, no time stamp. */
#define XT_SEAL_MAGIC (2u << TRACE_EXTRA_SHIFT | TRC_META_WINDOW)

enum xt_seal { XT_SEAL_NONE, XT_SEAL_GOOD, XT_SEAL_BROKEN };

/*
 * Sum it up.  What is held against the seal are the window's cpu and size as
 * the reader takes them, wherever it has them from.
 */
enum xt_seal xt_seal_check(const struct xt_window *w);

/*
 * May the records of this window be believed?  If not, *damage has been told
 * of all its bytes.  A window that the end of the input cuts is believed.
 */
bool xt_window_verify(const struct xt_window *w, struct xt_damage *damage);

/* The number in the seal; false: no seal.  What it says may be damaged. */
bool xt_seal_number(const unsigned char *records, size_t size,
                    uint32_t *number);

/*
 * Seal a frame that is otherwise ready.  Its spans are read: whatever changes
 * in them before they are written, breaks the seal.
 */
void xt_frame_seal(struct xt_frame *f, uint32_t number);

#endif /* LIBXENTRACE_SEAL_H */
