/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of programs in the HTML page: one per thread, with a slice without
 * length for each event.  Arguments are texts by the index of the slice, so a
 * page has them only if no event was condensed.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/grow.h"
#include "xenalyze/viewers/html.h"
#include "xenalyze/viewers/viewer-text.h"

void html_add_thread(void *state, const struct activity_thread *a)
{
    struct html *x = state;
    struct html_thread *t;

    if ( !grow_to_index(&x->threads, &x->nr_threads, a->number,
                        sizeof(*x->threads)) )
    {
        x->failed = true;
        return;
    }
    assert(a->label && a->process_label);
    t = &x->threads[a->number];
    t->label = arena_strdup(&x->texts, a->label);
    t->process_label = arena_strdup(&x->texts, a->process_label);
    x->failed |= !t->label || !t->process_label;
}

/* Names have keys in the order of their numbers. */
static void note_event_name(struct html *x, const struct activity_program *a)
{
    if ( !grow_to_index(&x->event_names, &x->nr_event_names, a->number,
                        sizeof(*x->event_names)) )
    {
        x->failed = true;
        return;
    }
    assert(a->name);
    if ( !x->event_names[a->number] )
        x->event_names[a->number] = arena_strdup(&x->texts, a->name);
    x->failed |= !x->event_names[a->number];
}

/* Bytes of a text in viewer_write_json(), with its comma; at least. */
static size_t measure_json(const char *text)
{
    size_t size = sizeof("\"\",");

    for ( const char *p = text; *p; p++ )
        size += *p == '<' ? sizeof("\\u003c") - 1
                : *p == '"' || *p == '\\' ? 2
                : *p >= ' ' && *p <= '~' ? 1
                : sizeof("\uFFFD") - 1;
    return size;
}

static void note_arguments(struct html *x, struct html_thread *t,
                           const char *text)
{
    uint32_t index = t->nr_events++;

    if ( x->arguments_size > HTML_TEXT_BYTES )
        return;
    x->arguments_size += measure_json(text);
    if ( x->arguments_size > HTML_TEXT_BYTES )
        return;
    if ( !grow_to_index(&t->arguments, &t->nr_arguments, index,
                        sizeof(*t->arguments)) )
    {
        x->failed = true;
        return;
    }
    t->arguments[index] = arena_strdup(&x->texts, text);
    x->failed |= !t->arguments[index];
}

void html_add_program(void *state, const struct activity_program *a)
{
    struct html *x = state;
    struct html_slice s = {
        .from = a->time, .to = a->time, .count = 1, .nr = 1,
        .shares = { { HTML_OTHERS + 1 + a->number, 0 } },
    };

    note_event_name(x, a);
    if ( a->thread->number >= x->nr_threads )
        return;
    html_add_slice(x, &x->threads[a->thread->number].events, HTML_EXITS,
                   UINT32_MAX, &s);
    note_arguments(x, &x->threads[a->thread->number], a->text);
}

static void write_arguments(struct html *x, const struct html_thread *t)
{
    fputs(",[", x->out);
    assert(t->nr_events <= t->nr_arguments);
    for ( uint32_t i = 0; i < t->nr_events; i++ )
    {
        fputs(i ? "," : "", x->out);
        viewer_write_json(x->out, t->arguments[i]);
    }
    putc(']', x->out);
}

void html_write_programs(struct html *x, size_t *offset)
{
    bool has_arguments = x->arguments_size <= HTML_TEXT_BYTES &&
                         !x->pools[HTML_EXITS].quantum;
    bool more = false;

    assert(offset);
    fprintf(x->out, ",\n\"has_arguments\":%s",
            has_arguments ? "true" : "false");
    fputs(",\n\"threads\":[", x->out);
    /* The array may have free items at its end. */
    for ( uint32_t i = 0; i < x->nr_threads && x->threads[i].label; i++ )
    {
        fputs(more ? ",\n[" : "\n[", x->out);
        viewer_write_json(x->out, x->threads[i].process_label);
        putc(',', x->out);
        viewer_write_json(x->out, x->threads[i].label);
        html_write_levels(x, &x->threads[i].events, offset);
        if ( has_arguments )
            write_arguments(x, &x->threads[i]);
        putc(']', x->out);
        more = true;
    }
    fputs("],\n\"event_names\":[\"others\"", x->out);
    for ( uint32_t i = 0; i < x->nr_event_names; i++ )
    {
        putc(',', x->out);
        viewer_write_json(x->out, x->event_names[i] ? x->event_names[i] : "");
    }
    putc(']', x->out);
}

void html_free_programs(struct html *x)
{
    assert(!x->nr_threads || x->threads);
    for ( uint32_t i = 0; i < x->nr_threads; i++ )
        free(x->threads[i].arguments);
    free(x->threads);
    free(x->event_names);
}
