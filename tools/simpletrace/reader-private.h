/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files that read traces.
 */
#ifndef SIMPLETRACE_READER_PRIVATE_H
#define SIMPLETRACE_READER_PRIVATE_H

#include "simpletrace/trace-reader.h"

#define ST_MAX_IDS (1u << 20)   /* QEMU has some thousand */

void st_reader_report_damage(struct st_reader *r, uint64_t offset,
                             uint64_t bytes);

/* Version 0; as st_reader_next(). */
int st_reader_next_v0(struct st_reader *r, struct st_record *record,
                      struct err *e);

/* Ids are positions in the files of events. */
int st_reader_number_ids(struct st_reader *r, bool also_disabled,
                         struct err *e);

/* A mapping of `size` bytes is at hand: 1: taken; 0: it is none; -ENOMEM. */
int st_reader_take_mapping(struct st_reader *r, size_t size, struct err *e);

/* A name for an id that nobody announced; NULL: no memory. */
struct st_event *st_reader_add_unknown(struct st_reader *r, uint64_t id);

#endif /* SIMPLETRACE_READER_PRIVATE_H */
