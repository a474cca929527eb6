/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of formats and back ends: hand-made models, since only the way from
 * a model to text is tested.
 */
#ifndef TESTS_UNIT_TRACETOOL_WRITTEN_H
#define TESTS_UNIT_TRACETOOL_WRITTEN_H

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/unit.h"
#include "tracetool/rows.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

#define EVENTS(array) .events = (array), .nr_events = NR(array)
#define CLASSES(array) .classes = (array), .nr_classes = NR(array)
#define SEMS(array) .sems = (array), .nr_sems = NR(array)
#define ARGS(array) .args = (array), .nr_args = NR(array)
#define PIECES(array) .pieces = (array), .nr_pieces = NR(array)

/* An argument of the payload with the full width of its type, and a part. */
#define WHOLE(c_type, c_name, c_width, first)                           \
    { .type = (c_type), .name = (c_name), .width = (c_width),           \
      .bits = (c_width), .bit = (first), .present = -1 }
#define PART(c_type, c_name, c_width, first, nr)                        \
    { .type = (c_type), .name = (c_name), .width = (c_width),           \
      .bits = (nr), .bit = (first), .present = -1 }

#define LITERAL(t) { .text = (t), .length = sizeof(t) - 1, .arg = -1 }
#define CONVERSION(t, i) { .text = (t), .length = sizeof(t) - 1, .arg = (i) }

/* The output of a format for a model; the caller frees it. */
static inline char *written(const struct tt_format *format,
                            const struct tt_backend *backend,
                            const struct tt_model *model)
{
    struct tt_request request = {
        .model = model, .runtime = &tt_runtime_usertrace,
        .backends = &backend, .nr_backends = backend ? 1 : 0, .group = "alice",
    };
    struct err why = ERR_INIT;
    char *text = NULL;
    size_t size = 0;

    request.out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(request.out);
    ck_assert_int_eq(format->write(&request, &why), 0);
    ck_assert_str_eq(why.text, "");
    ck_assert_int_eq(fclose(request.out), 0);
    ck_assert_uint_eq(strlen(text), size);
    return text;
}

/*
 * Check that the text contains `part` once.  Not inline: with -O3 gcc takes the
 * text of open_memstream() for a pointer to a variable that is gone.
 */
__attribute__((noinline, unused))
static void expect_once(const char *text, const char *part)
{
    const char *at = strstr(text, part);

    if ( !at || strstr(at + 1, part) )
        ck_abort_msg("%s:\n%s\nin:\n%s", at ? "twice" : "not there", part,
                     text);
}

static inline void expect_none(const char *text, const char *part)
{
    if ( strstr(text, part) )
        ck_abort_msg("there:\n%s\nin:\n%s", part, text);
}

#endif /* TESTS_UNIT_TRACETOOL_WRITTEN_H */
