/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of programs in the HTML page: one per thread, with a slice without
 * length for each event.
 */
#include <assert.h>

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

void html_add_program(void *state, const struct activity_program *a)
{
    struct html *x = state;
    struct html_slice s = {
        .from = a->time, .to = a->time, .count = 1, .nr = 1,
        .shares = { { HTML_OTHERS + 1 + a->number, 0 } },
    };

    note_event_name(x, a);
    if ( a->thread->number < x->nr_threads )
        html_add_slice(x, &x->threads[a->thread->number].events, HTML_EXITS,
                       UINT32_MAX, &s);
}

void html_write_programs(struct html *x, size_t *offset)
{
    bool more = false;

    assert(offset);
    fputs(",\n\"threads\":[", x->out);
    /* The array may have free items at its end. */
    for ( uint32_t i = 0; i < x->nr_threads && x->threads[i].label; i++ )
    {
        fputs(more ? ",\n[" : "\n[", x->out);
        viewer_write_json(x->out, x->threads[i].process_label);
        putc(',', x->out);
        viewer_write_json(x->out, x->threads[i].label);
        html_write_levels(x, &x->threads[i].events, offset);
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
