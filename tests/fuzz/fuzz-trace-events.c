/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a file of events: either a valid model without messages, or
 * messages with a place in the input; every format can write any valid model.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

#include "tracetool/output.h"
#include "tracetool/parse.h"

struct told
{
    size_t lines;               /* lines of the input, plus one */
    size_t nr;
};

static void report(void *ctx, const struct tt_place *at, const char *text)
{
    struct told *told = ctx;

    told->nr++;
    MUST(at->line >= 1 && at->line <= told->lines && at->column >= 1);
    MUST(text[0] && !strchr(text, '\n'));
}

static void check_arg(const struct tt_event *e, const struct tt_arg *a)
{
    MUST(a->name[0] && a->type[0]);
    if ( !e->in_xen )
        return;
    MUST(a->kind == TT_INTEGER && a->bits && a->bits <= a->width);
    MUST(a->bit + a->bits <= (a->in_id ? 12 : TT_MAX_WORDS * 32));
    MUST(a->present < a - e->args);
}

static void check_event(const struct tt_event *e)
{
    size_t i;

    MUST(e->name[0] && e->format[0] == '"');
    MUST(e->in_xen || e->nr_args <= TT_MAX_ARGS);
    MUST(e->words <= e->max_words && e->max_words <= TT_MAX_WORDS);
    MUST(!e->in_xen || ((e->id & 0x0fff0000) && (e->id & 0xf000)));
    MUST(!(e->id & e->id_fields) && !(e->id_fields >> 12) && !(e->id >> 28));
    for ( i = 0; i < e->nr_args; i++ )
        check_arg(e, &e->args[i]);
    for ( i = 0; i < e->nr_pieces; i++ )
    {
        MUST(e->pieces[i].arg < (int)e->nr_args);
        MUST(strlen(e->pieces[i].text) == e->pieces[i].length);
        MUST(e->pieces[i].length);
    }
}

static void write_formats(const struct tt_model *model,
                          const struct tt_runtime *runtime)
{
    struct tt_request request = {
        .model = model, .runtime = runtime, .group = "fuzz",
    };
    const struct tt_format *const *format;
    struct err why;
    char *text;
    size_t size;
    int rc;

    for ( format = runtime->formats; *format; format++ )
    {
        why = (struct err)ERR_INIT;
        request.out = open_memstream(&text, &size);
        MUST(request.out);
        rc = (*format)->write(&request, &why);
        MUST(!rc == !why.text[0]);
        fclose(request.out);
        free(text);
    }
}

static size_t count_lines(const uint8_t *bytes, size_t size)
{
    size_t lines = 1;

    while ( size-- )
        lines += *bytes++ == '\n';
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct tt_source source = {
        .name = "input", .text = (const char *)bytes, .length = size };
    struct told told = { .lines = count_lines(bytes, size) };
    const struct tt_runtime *const *runtime;
    struct tt_model model;
    struct arena arena;
    size_t i;
    int rc;

    arena_init(&arena, 0);
    rc = tt_parse(&arena, &source, 1, &model, report, &told);
    MUST(rc == (told.nr ? -EINVAL : 0));
    if ( !rc )
    {
        for ( i = 0; i < model.nr_events; i++ )
            check_event(&model.events[i]);
        for ( runtime = tt_runtimes; *runtime; runtime++ )
            write_formats(&model, *runtime);
    }
    arena_fini(&arena);
    return 0;
}
