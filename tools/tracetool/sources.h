/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event files in memory, for tt_parse().
 */
#ifndef TRACETOOL_SOURCES_H
#define TRACETOOL_SOURCES_H

#include "common/err.h"
#include "tracetool/parse.h"

/*
 * Read all files; "-" is standard input.  Call tt_sources_free(), even after an
 * error.
 */
int tt_sources_read(char *const *paths, size_t nr,
                    struct tt_source **sources, struct err *e);
void tt_sources_free(struct tt_source *sources, size_t nr);

#endif /* TRACETOOL_SOURCES_H */
