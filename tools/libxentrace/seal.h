/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The seal of a window: its first record, with a checksum over the whole window
 * and the number of the window in the capture.
 *
 *   +------------+-----+-------+------------+-----+--------+------------+
 *   | 0x2001f003 | cpu | bytes | 0x2001f080 | crc | number | records ...
 *   +------------+-----+-------+------------+-----+--------+------------+
 *   0                          12                          24           end
 *    \_____________________________ CRC-32C, crc taken as 0 ____________/
 *
 * Any change in a sealed window is detected: the checksum includes the window's
 * header; and if one bit of the seal's header flips, the checksum still matches
 * with the bit restored, which shows that the window was sealed.
 *
 * Windows of stock xentrace have no seal, and a file may have both kinds.
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
 * Compare the checksum of a window with its seal.  The window's cpu and size
 * come from *w, not from the header in memory.
 */
enum xt_seal xt_seal_check(const struct xt_window *w);

/*
 * Are the records of this window credible?  If not, all its bytes are noted as
 * damage.  A window that is cut by the end of the input is credible.
 */
bool xt_window_verify(const struct xt_window *w, struct xt_damage *damage);

/* Get the number in the seal, which may be damaged.  False without a seal. */
bool xt_seal_number(const unsigned char *records, size_t size,
                    uint32_t *number);

/* The checksum of a window with a seal. */
uint32_t xt_seal_sum(const unsigned char *records);

/*
 * Seal a complete frame.  Its spans are read: a change before they are written
 * breaks the seal.
 */
void xt_frame_seal(struct xt_frame *f, uint32_t number);

#endif /* LIBXENTRACE_SEAL_H */
