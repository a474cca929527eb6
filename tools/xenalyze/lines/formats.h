/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records by rules of a user's: what Xen's xentrace_format does.  formats(5)
 * has the rules:
 *
 *     # a comment
 *     0x00028004  CPU%(cpu)d  %(tsc)d (+%(reltsc)8d)  wake [ d%(1)dv%(2)d ]
 *
 * A rule is compiled once.  One that cannot work is refused when the file is
 * read, with its line.  The file is a stranger's: nothing in it is run, and no
 * conversion can make a line longer than FORMATS_FIELD_MAX a field.
 */
#ifndef XENALYZE_LINES_FORMATS_H
#define XENALYZE_LINES_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "xenalyze/lines/pipeline.h"

struct formats;
struct sieve_early;

/* Widths and precisions are at most 200. */
#define FORMATS_FIELD_MAX 512u

/* The rules of a text, or of a file.  0 or -errno, and *e has the line. */
int formats_new(struct formats **f, const char *text, size_t size,
                const char *name, struct err *e);
int formats_read(struct formats **f, const char *path, struct err *e);
void formats_free(struct formats *f);   /* NULL is fine */

/* Time stamps are shown in seconds at so many MHz; 0: in cycles. */
void formats_set_mhz(struct formats *f, uint64_t mhz);

/* Could this be rules?  It is text, and its first line that says something is
 * one of a rule. */
bool formats_suspected(const char *text, size_t size);

/* For print_run and the sieve; the state is a struct formats. */
const struct print_style *formats_style(void);
const struct sieve_early *formats_early(void);

/* --- between formats.c and formats-rules.c -------------------------------- */

enum formats_field
{
    FORMATS_CPU, FORMATS_TSC, FORMATS_EVENT, FORMATS_RELTSC,
    FORMATS_1, FORMATS_7 = FORMATS_1 + 6,
    FORMATS_FIELDS, FORMATS_LITERAL = FORMATS_FIELDS,
};

/* How a field is written: as most are, or in some way. */
enum formats_kind
{
    FORMATS_TEXT_ONLY,          /* there is none */
    FORMATS_EIGHT,              /* %(1)08x, of a word */
    FORMATS_NUMBER,             /* %(cpu)d, of what is no word */
    FORMATS_RIGHT,              /* %(reltsc)8d, the same */
    FORMATS_ANYHOW,
};

/* A text, and behind it a field, or nothing. */
struct formats_step
{
    const char *text;           /* 16 bytes more may be read */
    const char *conversion;     /* of the field, for printf */
    uint32_t length;            /* of the text */
    uint8_t kind;
    uint8_t field;
    char type;                  /* d x X o f e E g G s c; as Python's */
    bool plain;                 /* no flag but 0, no precision */
    bool zero;
    uint8_t width;
};

struct formats_rule
{
    uint32_t id;
    bool used;                  /* in the table of rules, by hash */
    const struct formats_step *steps;
    uint32_t nr_steps;
    uint32_t longest;
};

/* The rule for an event, or the one for all others, or NULL. */
const struct formats_rule *formats_rule(const struct formats *f, uint32_t id);

#endif /* XENALYZE_LINES_FORMATS_H */
