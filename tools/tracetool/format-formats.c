/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules for xentrace_format, in its syntax: a line has an event's id and a
 * format string of Python's % operator, with the names
 *
 *     cpu tsc reltsc event    of the record
 *     1 ... 7                 its payload words, unsigned; 0 if absent
 *
 * The tool has no other features, so:
 *
 *   a field of one word     is printed in decimal if the event's format has a
 *                           decimal conversion and the type is unsigned
 *   a field of two words    in hex, high word first
 *   smaller fields          as the word in hex, named from its high end down:
 *                           "dom:vcpu = 0x%(1)08x"
 *   fields in the id        there is a line for each possible id
 *   layouts by version      the oldest layout is used, since only Xen up to
 *                           4.18 had the tool; newer layouts follow as
 *                           comments, to be activated by hand
 */
#include "tracetool/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/select.h"

#define PREFIX "CPU%(cpu)d  %(tsc)d (+%(reltsc)8d)  "

/* The default rule.  No event has this id, since it has no class bit. */
#define FALLBACK "0x00000000  " PREFIX "unknown (0x%(event)08x)  [ " \
    "0x%(1)08x 0x%(2)08x 0x%(3)08x 0x%(4)08x 0x%(5)08x 0x%(6)08x 0x%(7)08x ]\n"

/* An event with more ids than this uses the default rule. */
#define MAX_IDS 64u

/* ---- values ----------------------------------------------------------- */

/* The letter of the argument's conversion in the event's format. */
static char choose_conversion(const struct tt_event *e, const struct tt_arg *a)
{
    for ( size_t i = 0; i < e->nr_pieces; i++ )
    {
        const struct tt_piece *p = &e->pieces[i];

        if ( p->arg >= 0 && a == &e->args[p->arg] && p->length )
            return p->text[p->length - 1];
    }
    return 'x';
}

static bool is_decimal(const struct tt_event *e, const struct tt_arg *a)
{
    char c = choose_conversion(e, a);

    return !a->is_signed && (c == 'u' || c == 'd' || c == 'i' ||
                             (c == 's' && select_is_decimal(a->sem)));
}

/* A name with "%" escaped. */
static void put_percent(FILE *out, const char *text)
{
    for ( ; *text; text++ )
        fprintf(out, "%s%c", *text == '%' ? "%" : "", *text);
}

static uint64_t id_value(const struct tt_arg *a, uint32_t id)
{
    return (id >> a->bit) & select_mask(a->bits);
}

/* The name of an enum's value, or NULL. */
static const char *value_name(const struct tt_arg *a, uint64_t value)
{
    if ( !a->sem || a->sem->meaning != TT_ENUM )
        return NULL;
    for ( size_t i = 0; i < a->sem->nr_values; i++ )
        if ( a->sem->values[i].value == value )
            return a->sem->values[i].name;
    return NULL;
}

/* ---- one line --------------------------------------------------------- */

struct line
{
    FILE *out;
    const struct tt_event *event;
    uint32_t id;                /* including its fields */
    unsigned int items;         /* number of items printed */
};

static void next_item(struct line *l)
{
    fputs(l->items++ ? ", " : "  [ ", l->out);
}

static void put_id_fields(struct line *l)
{
    for ( size_t i = 0; i < l->event->nr_args; i++ )
    {
        const struct tt_arg *a = &l->event->args[i];
        const char *name;

        if ( !a->in_id )
            continue;
        next_item(l);
        name = value_name(a, id_value(a, l->id));
        fprintf(l->out, "%s = ", a->name);
        if ( name )
            put_percent(l->out, name);
        else
            fprintf(l->out, "%llu", (unsigned long long)id_value(a, l->id));
    }
}

/* "dom:vcpu = ": the fields in this word, from the highest bits down. */
static void put_names(struct line *l, unsigned int word)
{
    bool any = false;

    for ( size_t i = l->event->nr_args; i-- > 0; )
        if ( select_in_word(&l->event->args[i], word) )
        {
            fprintf(l->out, "%s%s", any ? ":" : "", l->event->args[i].name);
            any = true;
        }
    if ( any )
        fputs(" = ", l->out);
}

/* The argument that takes this word, or this word and the next; or NULL. */
static const struct tt_arg *find_whole_word(const struct tt_event *e,
                                            unsigned int word)
{
    for ( size_t i = 0; i < e->nr_args; i++ )
        if ( select_is_whole(&e->args[i]) && e->args[i].bit == 32 * word )
            return &e->args[i];
    return NULL;
}

/* Returns the number of words printed. */
static unsigned int put_word(struct line *l, unsigned int word)
{
    const struct tt_arg *a = find_whole_word(l->event, word);

    assert(word < l->event->max_words);
    assert(!a || word + a->bits / 32 <= l->event->max_words);
    next_item(l);
    put_names(l, word);
    if ( a && a->bits == 64 )
    {
        fprintf(l->out, "0x%%(%u)08x%%(%u)08x", word + 2, word + 1);
        return 2;
    }
    fprintf(l->out, a && is_decimal(l->event, a) ? "%%(%u)d" : "0x%%(%u)08x",
            word + 1);
    return 1;
}

static void put_line(FILE *out, const struct tt_event *e, uint32_t id)
{
    struct line line = { .out = out, .event = e, .id = id };

    assert((id & ~e->id_fields) == e->id);
    fprintf(out, "0x%08x  %s%s", id, PREFIX, e->name);
    put_id_fields(&line);
    for ( unsigned int word = 0; word < e->max_words; )
        word += put_word(&line, word);
    fputs(line.items ? " ]\n" : "\n", out);
}

/* ---- the ids of an event ---------------------------------------------- */

/* The values of a field: the values of its enum, or all numbers. */
static size_t count_values(const struct tt_arg *a)
{
    if ( a->sem && a->sem->meaning == TT_ENUM )
        return a->sem->nr_values;
    return a->bits < 16 ? (size_t)1 << a->bits : SIZE_MAX;
}

static uint64_t get_value(const struct tt_arg *a, size_t n)
{
    assert(n < count_values(a));
    if ( a->sem && a->sem->meaning == TT_ENUM )
        return a->sem->values[n].value;
    return n;
}

/* Two fields of an enum are a change, so their values differ. */
static bool is_no_change(const struct tt_event *e, const struct tt_arg *a,
                         uint64_t value, uint32_t id)
{
    for ( const struct tt_arg *b = e->args; b < a; b++ )
        if ( b->in_id && a->sem && b->sem == a->sem &&
             a->sem->meaning == TT_ENUM && id_value(b, id) == value )
            return true;
    return false;
}

/* The first argument from i on that is a field of the id, or NULL. */
static const struct tt_arg *next_field(const struct tt_event *e, size_t i)
{
    for ( ; i < e->nr_args; i++ )
        if ( e->args[i].in_id )
            return &e->args[i];
    return NULL;
}

/*
 * Call put_line for each id, with all values of the fields from argument i on.
 * The recursion is as deep as the number of fields in the id.
 */
static void put_ids(FILE *out, const struct tt_event *e, size_t i, uint32_t id,
                    const char *mark)
{
    const struct tt_arg *a = next_field(e, i);

    assert(i <= e->nr_args);
    if ( !a )
    {
        fputs(mark, out);
        put_line(out, e, id);
        return;
    }
    for ( size_t n = 0; n < count_values(a); n++ )
    {
        uint64_t value = get_value(a, n);

        if ( value <= select_mask(a->bits) && !is_no_change(e, a, value, id) )
            put_ids(out, e, (size_t)(a - e->args) + 1,
                    id | (uint32_t)value << a->bit, mark);
    }
}

static bool has_few_ids(const struct tt_event *e)
{
    size_t ids = 1;

    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        size_t n;

        if ( !e->args[i].in_id )
            continue;
        n = count_values(&e->args[i]);
        if ( !n || n > MAX_IDS / ids )
            return false;
        ids *= n;
    }
    return true;
}

/* ---- the file --------------------------------------------------------- */

static void put_formats_heading(FILE *out, const struct tt_class *c)
{
    if ( !c )
        return;
    fprintf(out, "\n# %s: ", c->name);
    emit_comment(out, c->text);
    fputc('\n', out);
}

/* An unused event without format: the default rule prints more. */
static bool is_left_out(const struct tt_event *e)
{
    return e->unused && !e->nr_args;
}

/* `first`: the first layout of this id. */
static void put_formats_event(FILE *out, const struct tt_event *e, bool first)
{
    if ( is_left_out(e) )
        return;
    if ( !has_few_ids(e) )
    {
        fprintf(out, "# %s has too many ids: see 0x00000000\n", e->name);
        return;
    }
    if ( !first && e->since != TT_ALWAYS )
    {
        fputs("# Since Xen ", out);
        emit_version(out, e->since, '.');
        fputs(":\n", out);
    }
    put_ids(out, e, 0, e->id, first ? "" : "#");
}

static int write_formats(const struct tt_request *r, struct err *why)
{
    const struct tt_event **events;
    size_t nr;
    int rc = select_by_id(r->model, &events, &nr, why);

    if ( rc )
        return rc;

    fputs("# " EMIT_BANNER "\n\n" FALLBACK, r->out);
    for ( size_t i = 0; i < nr; i++ )
    {
        if ( !i || events[i]->class != events[i - 1]->class )
            put_formats_heading(r->out, events[i]->class);
        put_formats_event(r->out, events[i],
                          !i || events[i - 1]->id != events[i]->id);
    }
    free(events);
    return 0;
}

const struct tt_format tt_format_formats = {
    .name = "formats",
    .text = "Rules for xentrace_format.",
    .write = write_formats,
};
