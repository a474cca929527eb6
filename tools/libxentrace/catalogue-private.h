/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the parts of the catalogue: the one that finds events, the one that
 * can write any text, and the one that writes most of them fast.
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
    KIND_EXIT,          /* a number, or the name of an exit if we know which */
    KIND_CHARS,         /* a number whose bytes are a text */
};

struct format_step
{
    const char *text;           /* KIND_TEXT, not the end of a string */
    const struct xt_sem *sem;
    uint16_t length;            /* of text */
    uint16_t need;              /* bytes that it may touch */
    uint8_t kind;
    uint8_t field;
    uint8_t bits;               /* of the field */
    uint8_t width, digits;      /* at least */
    bool plain;                 /* neither width, digits nor flags */
    bool left, zeroes, prefix, plus, upper;
    uint8_t group;
};

/* All of one event. */
struct xt_format
{
    const struct format_step *steps;
    unsigned int nr_steps;
};

#define NUMBER_MAX 24u          /* digits of 64 bits, in octal; a sign or 0x */
#define REST_MAX (8u + 9u * XT_RECORD_MAX_WORDS)

/* A place for each number of words that a record can have. */
#define PROGRAMS (XT_RECORD_MAX_WORDS + 1u)

/* Parse the pieces of all events into c->formats.  0 or -ENOMEM. */
int catalogue_parse_texts(struct xt_catalogue *c);

/* Make programs of the lines: c->programs.  0 or -ENOMEM. */
int catalogue_make_programs(struct xt_catalogue *c);

/* The words that a record has beyond those of its event. */
char *catalogue_put_rest(char *p, const struct xt_event *e,
                         const struct xt_record *r);

/* As xt_catalogue_text(), of one step or of all, without programs. */
char *catalogue_put_step(char *p, const struct xt_catalogue *c,
                         const struct xt_event *e, const struct format_step *s,
                         const struct xt_record *r);
char *catalogue_put_text(char *p, const struct xt_catalogue *c,
                         const struct xt_event *e, const struct xt_record *r);

#endif /* LIBXENTRACE_CATALOGUE_PRIVATE_H */
