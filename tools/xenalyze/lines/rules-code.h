/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line's code (rules-generate.c) is made of, and calls.  Most of all
 * lines are texts, and fields that are surely there, in one word: all that the
 * steps say of these is in the code.  For what is rarer there is a call, which
 * gets the step.
 */
#ifndef XENALYZE_LINES_RULES_CODE_H
#define XENALYZE_LINES_RULES_CODE_H

#include <string.h>

#include "common/num.h"
#include "xenalyze/lines/rules.h"

enum line_step_kind
{
    STEP_NOTHING, STEP_SURE, STEP_SURE_SIGNED, STEP_SURE_HEX,
    STEP_SURE_LONG, STEP_SURE_LONG_HEX, STEP_SURE_IF, STEP_SURE_IF_NOT,
    STEP_FUNCTION,
    /* Called, by line_put_called(): */
    STEP_UNSIGNED, STEP_SIGNED, STEP_HEX, STEP_HEX_ZERO, STEP_HEX_RIGHT,
    STEP_NAME, STEP_US, STEP_PERCENT, STEP_WORDS, STEP_CATALOGUE,
    STEP_FUNCTION_OF,
    /* By line_skip(): */
    STEP_IF, STEP_IF_NOT,
};

/* Where a field is: `bits` of them from bit `shift` of a word on. */
struct line_place
{
    uint8_t at, shift, bits;    /* at: of the word, in bytes of payload */
    bool in_id : 1, is_signed : 1;
    uint16_t end;               /* bits of payload that there have to be */
};

/* Of the values of a field: those of small numbers are ready to be copied. */
#define LINE_NAMES 8u

struct line_names
{
    const struct xt_sem *sem;
    struct line_word words[LINE_NAMES];
};

/* A text, and then what is to be made of a field. */
struct line_step
{
    const char *text;
    uint8_t length;
    uint8_t kind;
    bool last;
    union
    {
        uint8_t width;
        uint8_t skip;           /* steps, if a condition does not hold */
    };
    uint32_t mask;              /* of what is surely in one word */
    struct line_place place;
    union
    {
        const struct line_names *names;
        line_function *function;
        struct line_place second;       /* the shift of a percentage */
        int32_t number;         /* of a condition */
    };
};

/* Texts are copied in so many bytes at least, and whole pieces of that. */
#define LINE_PIECE 16u

char *line_put_called(char *p, const struct line_step *s,
                      const struct line_context *c);

/* How many steps are not for this record. */
unsigned int line_skip(const struct line_step *s, const struct xt_record *r);

static inline char *line_put(const struct num_short *shorts, char *p,
                             uint32_t value)
{
    return value < NUM_SHORTS ? num_short(p, &shorts[value])
                              : num_u64(p, value);
}

static inline char *line_put_signed(const struct num_short *shorts, char *p,
                                    int32_t value)
{
    return value < 0 ? num_i64(p, value) : line_put(shorts, p, value);
}

#endif /* XENALYZE_LINES_RULES_CODE_H */
