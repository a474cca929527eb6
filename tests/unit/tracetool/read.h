/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of the parser: a text, and its model or messages.
 */
#ifndef TESTS_UNIT_TRACETOOL_READ_H
#define TESTS_UNIT_TRACETOOL_READ_H

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/unit.h"
#include "tracetool/parse.h"

struct read
{
    struct arena arena;
    struct tt_model model;
    int rc;
    unsigned int errors;
    char said[4096];            /* messages, as LINE:COLUMN: text */
};

static inline void read_complain(void *ctx, const struct tt_place *at,
                                 const char *text)
{
    struct read *r = ctx;
    size_t used = strlen(r->said);

    r->errors++;
    snprintf(r->said + used, sizeof(r->said) - used, "%u:%u: %s\n", at->line,
             at->column, text);
}

/* The text is copied to an exact allocation, to detect overruns. */
static inline void read_bytes(struct read *r, const char *text, size_t length)
{
    char *copy = malloc(length + !length);
    struct tt_source source = { .name = "test", .text = copy,
                                .length = length };

    memset(r, 0, sizeof(*r));
    arena_init(&r->arena, 0);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, length);
    r->rc = tt_parse(&r->arena, &source, 1, &r->model, read_complain, r);
    free(copy);                 /* a model has no pointers into the text */
}

/* Check that the text is valid. */
static inline void read_well(struct read *r, const char *text)
{
    read_bytes(r, text, strlen(text));
    ck_assert_str_eq(r->said, "");
    ck_assert_int_eq(r->rc, 0);
}

/* Check that the text is invalid, and how the messages begin. */
static inline void read_badly(struct read *r, const char *text,
                              const char *begin)
{
    read_bytes(r, text, strlen(text));
    ck_assert_int_eq(r->rc, -22);
    if ( strncmp(r->said, begin, strlen(begin)) )
        ck_assert_str_eq(r->said, begin);
}

static inline void read_done(struct read *r)
{
    arena_fini(&r->arena);
}

#endif /* TESTS_UNIT_TRACETOOL_READ_H */
