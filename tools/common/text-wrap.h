/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Long lines, such as lists in the tables of a report, in rows of at most
 * TEXT_COLUMNS bytes, the width of a terminal:
 *
 *      web1/0       waited 322.3 ms; render/0 28.7% (92.6 ms in 265),
 *         render/3 25.2% (81.2 ms in 253), and 2 more 46.1% (148.5 ms)
 *
 * A row breaks between items of the list only.  An item that is longer than a
 * row has a row of its own.
 */
#ifndef COMMON_TEXT_WRAP_H
#define COMMON_TEXT_WRAP_H

#include <stdio.h>

#define TEXT_COLUMNS 80u
#define TEXT_INDENT 4u          /* blanks before all rows but the first */
#define TEXT_ITEM_MAX 160u      /* bytes in the buffer; longer items are cut */

struct text_wrap
{
    FILE *out;
    unsigned int column;        /* bytes in the row so far */
};

static inline struct text_wrap text_wrap_begin(FILE *out)
{
    return (struct text_wrap){ .out = out };
}

/*
 * Add an item behind `mark`, the punctuation that ends the item before: "", ","
 * or ";".  Items are separated by blanks; a row begins with a blank.
 */
void text_wrap_add(struct text_wrap *w, const char *mark, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

void text_wrap_end(struct text_wrap *w);

#endif /* COMMON_TEXT_WRAP_H */
