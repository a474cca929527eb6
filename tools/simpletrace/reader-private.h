/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions shared by the files of the reader.
 */
#ifndef SIMPLETRACE_READER_PRIVATE_H
#define SIMPLETRACE_READER_PRIVATE_H

#include "simpletrace/trace-reader.h"

#define ST_MAX_IDS (1u << 20)   /* QEMU has some thousand events */

void st_reader_report_damage(struct st_reader *r, uint64_t offset,
                             uint64_t bytes);

/* st_reader_next() of version 0. */
int st_reader_next_v0(struct st_reader *r, struct st_record *record,
                      struct err *e);

/* Take ids as positions in the files of events. */
int st_reader_number_ids(struct st_reader *r, bool also_disabled,
                         struct err *e);

/*
 * A followed trace continues in file `number` of process `pid`: count the files
 * between that were deleted.
 */
void st_reader_set_file_number(struct st_reader *r, uint64_t pid,
                               uint64_t number);

/* The same for a file without a number, when its records have been read. */
void st_reader_report_jump(struct st_reader *r);

/* Take the mappings up to the first event. 0 or -errno. */
int st_reader_take_mappings(struct st_reader *r, struct err *e);

/* Process a complete mapping of `size` bytes. 1 or -errno. */
int st_reader_take_mapping(struct st_reader *r, size_t size, struct err *e);

/* Invent a name for an id without a mapping; NULL: no memory. */
struct st_event *st_reader_add_unknown(struct st_reader *r, uint64_t id);

#endif /* SIMPLETRACE_READER_PRIVATE_H */
