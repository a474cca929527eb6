/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions of printf: their syntax, and the arguments that fit.
 */
#ifndef TRACETOOL_CONVERSION_H
#define TRACETOOL_CONVERSION_H

#include "tracetool/ctype.h"

struct tt_conversion
{
    size_t at, length;          /* offset in the text */
    size_t number;              /* N of "%N$d", or 0 */
    size_t stars;               /* arguments for "%*.*d" before its own */
    const char *flags;          /* in the text; nr_flags of "-+ #0'" */
    size_t nr_flags;
    bool has_precision;
    char modifier[3];
    char letter;                /* NUL: the text ends before it */
};

/*
 * Read the conversion at text[where]; the text ends with a NUL.  "N$" is
 * removed in place: the plain conversion begins at c->at.  `stars`: a '*' is a
 * width or precision instead of a letter.
 */
void tt_conversion_read(struct tt_conversion *c, char *text, size_t where,
                        bool stars);

/* The reason why a letter is not allowed; NULL: allowed. */
const char *tt_conversion_refused(char letter);

/*
 * The flag that the C compiler warns of, or '.' for the precision; NUL: none.
 */
char tt_conversion_odd_flag(const struct tt_conversion *c);

/* True if the conversion fits this argument of this type. */
bool tt_conversion_fits(const struct tt_conversion *c,
                        const struct tt_event *event,
                        const struct tt_arg *arg, const struct tt_ctype *type);

#endif /* TRACETOOL_CONVERSION_H */
