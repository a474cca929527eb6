/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arguments of a record as text in memory, for programs that show records
 * among others: in the format of the event, or as name=value, or as bytes.
 */
#ifndef SIMPLETRACE_RECORD_TEXT_H
#define SIMPLETRACE_RECORD_TEXT_H

#include "simpletrace/sink.h"

#define ST_RECORD_TEXT_MAX 2048u        /* bytes; a longer text is cut */

struct st_record_text
{
    struct st_print print;
    char text[ST_RECORD_TEXT_MAX + 4];  /* a cut text ends in "..." */
    size_t length;                      /* beyond the maximum: was cut */
};

/* 0 or -ENOMEM with *e; after a failure, nothing has to be freed. */
int st_record_text_init(struct st_record_text *t, struct err *e);
void st_record_text_fini(struct st_record_text *t);

/*
 * The text of the record, which ends with a NUL; valid until the next call.  No
 * byte of the text is a control character.
 */
const char *st_record_text(struct st_record_text *t,
                           const struct st_record *record);

#endif /* SIMPLETRACE_RECORD_TEXT_H */
