/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface between the parts of the catalogue: catalogue.c finds events,
 * catalogue-text.c can write any text, and catalogue-program.c writes most
 * texts fast.
 */
#ifndef LIBXENTRACE_CATALOGUE_PRIVATE_H
#define LIBXENTRACE_CATALOGUE_PRIVATE_H

#include "libxentrace/catalogue.h"

enum kind
{
    KIND_TEXT,
    KIND_UNSIGNED,
    KIND_SIGNED,
    KIND_HEX,
    KIND_OCTAL,
    KIND_NAME,          /* %s of an enum */
    KIND_FLAGS,         /* %s of flags */
    KIND_EXIT,          /* a number, or the name of an exit if its table is
                           known */
    KIND_CHARS,         /* a number whose bytes are characters */
};

struct format_step
{
    const char *text;           /* KIND_TEXT, not NUL-terminated */
    const struct xt_sem *sem;
    uint16_t length;            /* length of `text` */
    uint16_t need;              /* bytes that it may write */
    uint8_t kind;
    uint8_t field;
    uint8_t bits;               /* width of the field */
    uint8_t width, digits;      /* minimums */
    bool plain;                 /* neither width, digits nor flags */
    bool left, zeroes, prefix, plus, upper;
    uint8_t group;
};

/* The parsed format of an event. */
struct xt_format
{
    const struct format_step *steps;
    unsigned int nr_steps;
};

#define NUMBER_MAX 24u          /* digits of 64 bits, in octal; a sign or 0x */
#define REST_MAX (8u + 9u * XT_RECORD_MAX_WORDS)

/* Programs of an event: one for each number of words. */
#define PROGRAMS (XT_RECORD_MAX_WORDS + 1u)

/* Parse the formats of all events into c->formats.  0 or -ENOMEM. */
int catalogue_parse_texts(struct xt_catalogue *c);

/* Compile the formats into c->programs.  0 or -ENOMEM. */
int catalogue_make_programs(struct xt_catalogue *c);

/* Write the words of a record that its event does not have. */
char *catalogue_put_rest(char *p, const struct xt_event *e,
                         const struct xt_record *r);

/* As xt_catalogue_text(), for one step or all steps, without programs. */
char *catalogue_put_step(char *p, const struct xt_catalogue *c,
                         const struct xt_event *e, const struct format_step *s,
                         const struct xt_record *r);
char *catalogue_put_text(char *p, const struct xt_catalogue *c,
                         const struct xt_event *e, const struct xt_record *r);

#endif /* LIBXENTRACE_CATALOGUE_PRIVATE_H */
