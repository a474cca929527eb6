/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as lines by a file of rules, as Xen's xentrace_format prints them.
 * formats(5) describes the rules:
 *
 *     # a comment
 *     0x00028004  CPU%(cpu)d  %(tsc)d (+%(reltsc)8d)  wake [ d%(1)dv%(2)d ]
 *
 * Each rule is compiled once, when the file is read; an invalid rule is an
 * error with its line number.  The file is not trusted: its conversions are
 * checked, and a field takes no more than FORMATS_FIELD_MAX bytes of a line.
 */
#ifndef XENALYZE_LINES_FORMATS_H
#define XENALYZE_LINES_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "xenalyze/lines/pipeline.h"

struct formats;
struct warmup;

/* Widths and precisions are at most 200. */
#define FORMATS_FIELD_MAX 512u

/* The rules of a text, or of a file.  0 or -errno, and *e has the line. */
int formats_new(struct formats **f, const char *text, size_t size,
                const char *name, struct err *e);
int formats_read(struct formats **f, const char *path, struct err *e);
void formats_free(struct formats *f);   /* NULL is fine */

/* Show time stamps in seconds, at this clock rate; 0: in cycles. */
void formats_set_mhz(struct formats *f, uint64_t mhz);

/* True if the text may be rules instead of a trace: all of it is text, and its
   first line that is neither empty nor a comment is a rule. */
bool formats_suspected(const char *text, size_t size);

/* The style, and the warm-up of its record filter: both on a struct formats. */
const struct line_style *formats_style(void);
const struct warmup *formats_warmup(void);

/* --- between formats.c and formats-rules.c -------------------------------- */

enum formats_field
{
    FORMATS_CPU, FORMATS_TSC, FORMATS_EVENT, FORMATS_RELTSC,
    FORMATS_1, FORMATS_7 = FORMATS_1 + 6,
    FORMATS_FIELDS, FORMATS_LITERAL = FORMATS_FIELDS,
};

/* The most frequent conversions have a fast path each. */
enum formats_kind
{
    FORMATS_TEXT_ONLY,          /* no field */
    FORMATS_HEX_EIGHT,          /* %(1)08x of any payload word */
    FORMATS_NUMBER,             /* %(1)d or %(1)8d of any field */
    FORMATS_START,              /* FORMATS_START_TEXT */
    FORMATS_SLOW,               /* all other conversions */
};

/* Almost all rules begin so. */
#define FORMATS_START_TEXT "CPU%(cpu)d  %(tsc)d (+%(reltsc)8d)"
#define FORMATS_START_WIDTH 8u

#define FORMATS_COPY 16u        /* literals are copied in pieces of this size */

/* A literal text and the field that follows, if any. */
struct formats_step
{
    const char *text;           /* readable for FORMATS_COPY bytes more */
    const char *conversion;     /* the field's, for printf */
    uint32_t length;            /* of the text */
    uint8_t kind;
    uint8_t field;
    char type;                  /* d x X o f e E g G s c, as in Python */
    bool plain;                 /* no flag except 0, no precision */
    bool zero;
    uint8_t width;
};

struct formats_rule
{
    uint32_t id;
    bool used;                  /* this slot of the hash table has a rule */
    const struct formats_step *steps;
    uint32_t nr_steps;
    uint32_t longest;
};

/* The rule of an event; else the rule of id 0, or NULL. */
const struct formats_rule *formats_find_rule(const struct formats *f,
                                             uint32_t id);

#endif /* XENALYZE_LINES_FORMATS_H */
