/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of programs, and the functions that the generated code
 * (rules-generate.c) calls.  Most steps are literal texts and DIRECT fields,
 * which every record of the event has and which lie in one word: the code for
 * these has the step's values as constants.  Other steps are calls with a
 * pointer to the step.
 */
#ifndef XENALYZE_LINES_RULES_CODE_H
#define XENALYZE_LINES_RULES_CODE_H

#include <string.h>

#include "common/num.h"
#include "xenalyze/lines/rules.h"

enum line_step_kind
{
    STEP_NOTHING, STEP_DIRECT, STEP_DIRECT_SIGNED, STEP_DIRECT_HEX,
    STEP_DIRECT_LONG, STEP_DIRECT_LONG_HEX, STEP_DIRECT_IF, STEP_DIRECT_IF_NOT,
    STEP_FUNCTION,
    /* Calls of line_put_slow(): */
    STEP_UNSIGNED, STEP_SIGNED, STEP_HEX, STEP_HEX_ZERO, STEP_HEX_RIGHT,
    STEP_NAME, STEP_US, STEP_PERCENT, STEP_WORDS, STEP_CATALOGUE,
    STEP_FUNCTION_OF,
    /* Calls of line_skip_steps(): */
    STEP_IF, STEP_IF_NOT,
};

/* The position of a field: `bits` bits of a word, from bit `shift` on. */
struct line_place
{
    uint8_t at;                 /* byte offset of the word in the payload */
    uint8_t shift, bits;
    bool in_id : 1;             /* the word is the event id */
    bool is_signed : 1;
    uint16_t end;               /* bits that the payload must have */
};

/* The names of a field's values; the first ones are prepared for copying. */
#define LINE_NAMES 8u

struct line_names
{
    const struct xt_sem *sem;
    struct line_word words[LINE_NAMES];
};

/* A literal text, and the field or condition that follows. */
struct line_step
{
    const char *text;
    uint8_t length;
    uint8_t kind;
    bool last;
    union
    {
        uint8_t width;
        uint8_t skip;           /* steps to skip if a condition is false */
    };
    uint32_t mask;              /* of a direct field */
    struct line_place place;
    union
    {
        const struct line_names *names;
        line_function *function;
        struct line_place second;       /* the exponent of a percentage */
        int32_t number;         /* that a condition compares with */
    };
};

/* Texts are copied in whole pieces of this size. */
#define LINE_PIECE 16u

/* The text of a step that is not direct, behind its literal. */
char *line_put_slow(char *p, const struct line_step *s,
                    const struct line_context *c);

/* The number of steps to skip behind a condition. */
unsigned int line_skip_steps(const struct line_step *s,
                             const struct xt_record *r);

static inline char *line_put_unsigned(const struct num_short *shorts, char *p,
                                      uint32_t value)
{
    return value < NUM_SHORTS ? num_short(p, &shorts[value])
                              : num_u64(p, value);
}

static inline char *line_put_signed(const struct num_short *shorts, char *p,
                                    int32_t value)
{
    return value < 0 ? num_i64(p, value)
                     : line_put_unsigned(shorts, p, value);
}

#endif /* XENALYZE_LINES_RULES_CODE_H */
