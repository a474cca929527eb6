/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of the hypervisor's events for xen-trace-events(7): a section of
 * roff for each class, a paragraph for each event, and at the end the
 * definitions of the words that describe fields.
 *
 *     sched_wake
 *            0x00028004, 2 words
 *            domain dom, vcpu vcpu
 *            d<dom>v<vcpu>
 */
#include "tracetool/rows.h"

#include <assert.h>

#include "tracetool/emit.h"
#include "tracetool/select.h"

/* ---- roff ------------------------------------------------------------- */

/*
 * Escape sequences for ASCII characters that are special in roff.  A quote
 * would end an argument of a macro; an apostrophe and a grave accent would be
 * printed as typographic quotes.
 */
static const char *const replacements[128] = {
    ['\\'] = "\\e",
    ['-'] = "\\-",
    ['"'] = "\\(dq",
    ['\''] = "\\(aq",
    ['`'] = "\\(ga",
    ['^'] = "\\(ha",
    ['~'] = "\\(ti",
};

static void put_escaped(FILE *out, const char *text)
{
    for ( ; *text; text++ )
    {
        unsigned char c = (unsigned char)*text;

        if ( c < 128 && replacements[c] )
            fputs(replacements[c], out);
        else
            fputc(c >= ' ' && c < 127 ? c : ' ', out);
    }
}

/* The "\&" prevents that roff reads the line as a request. */
static void print_man_text(FILE *out, const char *text)
{
    fputs("\\&", out);
    put_escaped(out, text);
}

/* ---- an event --------------------------------------------------------- */

static void put_words(FILE *out, const struct tt_event *e)
{
    bool tail = e->words != e->max_words;

    fprintf(out, "0x%08x, %u", e->id, e->words);
    if ( tail )
        fprintf(out, " to %u", e->max_words);
    fputs(e->max_words == 1 && !tail ? " word" : " words", out);
    if ( !e->timed )
        fputs(", no time stamp", out);
    if ( e->unused )
        fputs(", not emitted", out);
    if ( e->since != TT_ALWAYS )
    {
        fputs(", since Xen ", out);
        emit_version(out, e->since, '.');
    }
    if ( e->until != TT_ALWAYS )
    {
        fputs(", up to Xen ", out);
        emit_version(out, e->until, '.');
    }
    fputc('\n', out);
}

/* The bits of a field that shares its word. */
static void put_place(FILE *out, const struct tt_event *e,
                      const struct tt_arg *a)
{
    assert(a->present < (int)e->nr_args);
    if ( a->present >= 0 )
        fprintf(out, " (if %s)", e->args[a->present].name);
    else if ( a->in_id )
        fprintf(out, " (id: %u bit%s from %u)", a->bits,
                a->bits == 1 ? "" : "s", a->bit);
    else if ( !select_is_whole(a) )
        fprintf(out, " (word %u: %u bit%s from %u)", a->bit / 32, a->bits,
                a->bits == 1 ? "" : "s", a->bit % 32);
}

static void put_man_field(FILE *out, const struct tt_event *e,
                          const struct tt_arg *a)
{
    fprintf(out, "%s \\fB%s\\fR", a->sem ? a->sem->name : a->type, a->name);
    put_place(out, e, a);
}

static void put_fields(FILE *out, const struct tt_event *e)
{
    bool tail = false;

    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        bool begins = e->args[i].optional && !tail;

        fputs(i ? "," : ".br", out);
        fputs(begins ? "\n[" : "\n", out);
        put_man_field(out, e, &e->args[i]);
        tail = tail || begins;
    }
    if ( e->nr_args )
        fputs(tail ? "]\n" : "\n", out);
}

static void put_piece(FILE *out, const struct tt_event *e,
                      const struct tt_piece *p)
{
    assert(p->arg < (int)e->nr_args);
    if ( p->arg < 0 )
    {
        put_escaped(out, p->text);
        return;
    }
    fprintf(out, "\\fI%s\\fR", e->args[p->arg].name);
}

/* The format, with <FIELD> in place of conversions. */
static void put_format(FILE *out, const struct tt_event *e)
{
    unsigned int group = 0;

    if ( !e->nr_pieces )
        return;
    fputs(".br\n\\&", out);
    for ( size_t i = 0; i < e->nr_pieces; i++ )
    {
        const struct tt_piece *p = &e->pieces[i];

        if ( p->group != group )
            fprintf(out, "%s%s", group ? "]" : "", p->group ? "[" : "");
        group = p->group;
        put_piece(out, e, p);
    }
    fputs(group ? "]\n" : "\n", out);
}

static void put_man_event(FILE *out, const struct tt_event *e)
{
    assert(e->in_xen);
    fprintf(out, ".TP\n.B %s\n", e->name);
    put_words(out, e);
    put_fields(out, e);
    put_format(out, e);
}

/* ---- classes and words ------------------------------------------------ */

static void put_man_heading(FILE *out, const struct tt_class *c)
{
    fputs(".SS \"", out);
    if ( c )
    {
        fprintf(out, "%s (0x%08x): ", c->name, c->id);
        print_man_text(out, c->text);
    }
    else
        fputs("Of no class", out);
    fputs("\"\n", out);
}

/* The events of a class; NULL: events without class. */
static void put_class(const struct tt_request *r, const struct tt_class *c)
{
    bool begun = false;

    for ( size_t i = 0; i < r->model->nr_events; i++ )
    {
        const struct tt_event *e = &r->model->events[i];

        if ( !e->in_xen || e->class != c )
            continue;
        if ( !begun )
            put_man_heading(r->out, c);
        put_man_event(r->out, e);
        begun = true;
    }
}

static void put_man_value(FILE *out, const struct tt_sem *sem,
                          const struct tt_value *v)
{
    fputs(".br\n", out);
    if ( sem->meaning == TT_FLAGS )
        fprintf(out, "bit %llu: ", (unsigned long long)v->value);
    else
        fprintf(out, select_is_decimal(sem) ? "%llu: " : "0x%llx: ",
                (unsigned long long)v->value);
    print_man_text(out, v->name);
    if ( v->text )
    {
        fputs(", ", out);
        print_man_text(out, v->text);
    }
    fputc('\n', out);
}

static void put_sem(FILE *out, const struct tt_sem *sem)
{
    fprintf(out, ".TP\n.B %s\n", sem->name);
    print_man_text(out, sem->text);
    fputc('\n', out);
    for ( size_t i = 0; i < sem->nr_values; i++ )
        put_man_value(out, sem, &sem->values[i]);
}

static int write_man(const struct tt_request *r, struct err *why)
{
    const struct tt_model *m = r->model;

    (void)why;
    fputs(".\\\" " EMIT_BANNER "\n.SH EVENTS\n", r->out);
    for ( size_t i = 0; i < m->nr_classes; i++ )
        put_class(r, &m->classes[i]);
    put_class(r, NULL);

    fputs(m->nr_sems ? ".SH KINDS OF FIELDS\n" : "", r->out);
    for ( size_t i = 0; i < m->nr_sems; i++ )
        put_sem(r->out, &m->sems[i]);
    return 0;
}

const struct tt_format tt_format_man = {
    .name = "man",
    .text = "List of events in roff, for xen-trace-events(7).",
    .write = write_man,
};
