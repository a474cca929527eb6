/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions of printf: what they look like, and what they print.
 */
#ifndef TRACETOOL_CONVERSION_H
#define TRACETOOL_CONVERSION_H

#include "tracetool/ctype.h"

struct tt_conversion
{
    size_t at, length;          /* in the text */
    size_t number;              /* N of "%N$d", or 0 */
    size_t stars;               /* arguments for "%*.*d" before its own */
    char modifier[3];
    char letter;                /* NUL: it is cut off */
};

/*
 * The one that begins at text[where]; the text ends with a NUL.  "N$" is taken
 * out of it: the conversion as others want it begins at c->at.  `stars`: a '*'
 * is a width or precision, and no letter.
 */
void tt_conversion_read(struct tt_conversion *c, char *text, size_t where,
                        bool stars);

/* NULL, or why there can be none with this letter. */
const char *tt_conversion_refused(char letter);

/* Does it print this argument, which has this type? */
bool tt_conversion_fits(const struct tt_conversion *c,
                        const struct tt_event *event,
                        const struct tt_arg *arg, const struct tt_ctype *type);

#endif /* TRACETOOL_CONVERSION_H */
