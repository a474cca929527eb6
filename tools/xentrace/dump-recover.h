/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovery of records that dom0 had read before the crash, and that Xen had not
 * overwritten yet.  Their end is known, their begin is not: a record may be cut
 * anywhere.
 */
#ifndef XENTRACE_DUMP_RECOVER_H
#define XENTRACE_DUMP_RECOVER_H

#include <stddef.h>
#include <stdint.h>

#include "libxentrace/catalogue.h"

/*
 * The size of the longest sequence of plausible records at the end of these
 * bytes: known events, with time stamps that rise to at most `until`.  0 also
 * without memory.
 */
size_t dump_recover(const struct xt_catalogue *catalogue,
                    const unsigned char *bytes, size_t size, uint64_t until);

#endif /* XENTRACE_DUMP_RECOVER_H */
