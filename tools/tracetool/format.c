/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats: literals and macros are joined as by C's preprocessor, then split
 * into text and conversions, and each conversion is checked against its
 * argument.
 *
 * A conversion may span literals and macros ("%" PRIx64), but no bracket.  So
 * the parser joins the text between brackets in a buffer, a segment.  The place
 * of a byte in the file is computed only for an error message.
 */
#include "tracetool/event.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tracetool/conversion.h"
#include "tracetool/literal.h"

struct format
{
    struct tt_build *b;
    const struct tt_written_event *e;
    struct tt_event *event;
    size_t next_arg;            /* unless conversions are numbered */
    bool in_order, by_number;   /* kinds of conversions found */
    unsigned int group;         /* number of the last '[' */
    bool in_group, absent;      /* absent: a conversion in it may be absent */
    const struct tt_chunk *from, *to;   /* chunks of the segment */
    char *text;                 /* text of the segment */
    size_t length;
};

static bool is_bracket(const struct tt_chunk *chunk)
{
    return chunk->kind == TT_CHUNK_OPEN || chunk->kind == TT_CHUNK_CLOSE;
}

static const struct tt_chunk *last_chunk(const struct format *f)
{
    return f->e->chunks + f->e->nr_chunks;
}

/* Read a byte of a chunk; returns the bytes used, 0: bad escape. */
static size_t byte_at(const struct tt_chunk *chunk, const char *at, char *byte)
{
    if ( chunk->kind == TT_CHUNK_LITERAL )
        return tt_literal_byte(at, chunk->end, byte);
    *byte = *at;
    return 1;
}

static struct tt_place place_in_chunk(const struct tt_chunk *chunk,
                                      const char *at)
{
    struct tt_place place = chunk->token.at;

    assert(chunk->text <= at && at <= chunk->end);
    if ( chunk->kind == TT_CHUNK_LITERAL )
        place.column += at - chunk->text + 1;
    return place;
}

/* The place in the file of byte n of the segment. */
static struct tt_place find_place(const struct format *f, size_t n)
{
    const struct tt_chunk *chunk;
    const char *at;
    char byte;

    assert(n <= f->length);
    for ( chunk = f->from; chunk < f->to; chunk++ )
        for ( at = chunk->text; at < chunk->end;
              at += byte_at(chunk, at, &byte) )
            if ( !n-- )
                return place_in_chunk(chunk, at);
    return f->e->at;
}

#define error_at(f, n, ...)                                          \
    do {                                                                \
        struct tt_place place_ = find_place(f, n);                        \
        tt_errors_add((f)->b->errors, &place_, __VA_ARGS__);    \
    } while ( 0 )

static int join_chunk(struct format *f, const struct tt_chunk *chunk)
{
    struct tt_place place;
    const char *at;
    size_t n;

    for ( at = chunk->text; at < chunk->end; at += n )
    {
        n = byte_at(chunk, at, &f->text[f->length]);
        assert(n <= (size_t)(chunk->end - at));
        if ( n && f->text[f->length++] )
            continue;
        place = place_in_chunk(chunk, at);
        tt_errors_add(f->b->errors, &place, n ?
                      "a NUL ends the text before its end: take it out" :
                      "C has no such escape: write \\\\ for a backslash");
        return -EINVAL;
    }
    return 0;
}

/* Join the chunks from f->from to the next bracket or the end. */
static int join_segment(struct format *f)
{
    size_t room = 1;
    int rc = 0;

    for ( f->to = f->from; f->to < last_chunk(f) && !is_bracket(f->to);
          f->to++ )
        room += f->to->end - f->to->text;
    f->text = arena_alloc(f->b->arena, room, 1);
    f->length = 0;
    if ( !f->text )
        return -ENOMEM;
    for ( const struct tt_chunk *c = f->from; c < f->to && !rc; c++ )
        rc = join_chunk(f, c);
    assert(f->length < room);
    f->text[f->length] = '\0';
    return rc;
}

static int add_piece(struct format *f, const char *text, size_t length,
                     int arg)
{
    struct tt_piece *new = tt_vec_add(f->b->arena, &f->b->pieces,
                                     sizeof(*new));

    assert(text && length);
    assert(arg >= -1 && arg < (int)f->event->nr_args);
    if ( !new )
        return -ENOMEM;
    *new = (struct tt_piece){
        .length = length, .arg = arg, .optional = f->in_group,
        .group = f->in_group ? f->group : 0,
        .text = arena_strndup(f->b->arena, text, length),
    };
    return new->text ? 0 : -ENOMEM;
}

/* Take text up to the next conversion.  "%%" becomes "%" in place. */
static int take_text(struct format *f, size_t *at)
{
    char *to = &f->text[*at], *begin = to;

    assert(*at <= f->length);
    while ( *at < f->length )
    {
        if ( f->text[*at] == '%' )
        {
            if ( f->text[*at + 1] != '%' )
                break;
            ++*at;
        }
        *to++ = f->text[(*at)++];
    }
    return to > begin ? add_piece(f, begin, to - begin, -1) : 0;
}

/* The written type of an argument.  check.c ensures that names are unique. */
static const struct tt_ctype *get_type(const struct format *f,
                                       const struct tt_arg *arg)
{
    const struct tt_written_arg *w = f->e->args;
    size_t i;

    for ( i = 0; i < f->e->nr_args; i++ )
        if ( w[i].name && !strcmp(w[i].name, arg->name) )
            break;
    assert(i < f->e->nr_args);
    return &w[i].type;
}

/* The correct conversion by the type's row, where '*' is the letter. */
static void advise_on_type(char *text, size_t size, const struct tt_arg *arg,
                           const struct tt_ctype *type, char letter)
{
    const char *advice = type->advice, *star = strchr(advice, '*');

    if ( !letter || !strchr("diouxX", letter) )
        letter = arg->is_signed ? 'd' : 'u';
    if ( !star )
        snprintf(text, size, "%s", advice);
    else
        snprintf(text, size, "%.*s%c%s", (int)(star - advice), advice, letter,
                 star + 1);
}

static void report_type(struct format *f, const struct tt_conversion *c,
                        const struct tt_arg *arg)
{
    const struct tt_ctype *type = get_type(f, arg);
    char advice[32];

    advise_on_type(advice, sizeof(advice), arg, type, c->letter);
    error_at(f, c->at, "%.*s does not print '%.40s', which is '%.40s': "
             "write %s", (int)(c->length < 24 ? c->length : 24),
             &f->text[c->at], arg->name, arg->type, advice);
}

static void check_presence(struct format *f, const struct tt_conversion *c,
                           const struct tt_arg *arg)
{
    bool may_lack = arg->optional || arg->present >= 0;

    f->absent |= may_lack;
    if ( may_lack && !f->in_group )
        error_at(f, c->at, "'%.40s' may be absent: put what prints it in [ "
                 "]", arg->name);
}

/* Find the conversion's argument.  -EINVAL: reported; the rest is undefined. */
static int find_arg(struct format *f, const struct tt_conversion *c, size_t *n)
{
    *n = c->number ? c->number - 1 : f->next_arg + c->stars;
    f->by_number |= c->number != 0;
    f->in_order |= c->number == 0;
    if ( f->by_number && !f->event->in_xen )
        error_at(f, c->at, "only formats of the hypervisor's events (those "
                 "with an id=) may number their arguments: leave out the "
                 "%zu$", c->number);
    else if ( f->by_number && f->in_order )
        error_at(f, c->at, "one conversion numbers its argument, as %%1$u, "
                 "and another does not: let all do it, or none");
    else if ( c->number && *n >= f->event->nr_args )
        error_at(f, c->at, "there is no argument number %zu: there are %zu",
                 c->number, f->event->nr_args);
    else if ( *n >= f->event->nr_args )
        error_at(f, c->at, "the arguments end before this %.*s: take it "
                 "out, or add an argument (%%%% prints a percent sign)",
                 (int)(c->length < 24 ? c->length : 24), &f->text[c->at]);
    else
        return 0;
    return -EINVAL;
}

/* The argument of a star has to be an int. */
static void check_stars(struct format *f, const struct tt_conversion *c)
{
    const struct tt_arg *arg = &f->event->args[f->next_arg];
    size_t i;

    assert(!c->stars || f->next_arg + c->stars < f->event->nr_args);
    for ( i = 0; i < c->stars; i++, arg++ )
        if ( get_type(f, arg)->rank != TT_RANK_INT )
            error_at(f, c->at, "the '*' of %.*s takes '%.40s', which is "
                     "'%.40s': declare it as int",
                     (int)(c->length < 24 ? c->length : 24),
                     &f->text[c->at], arg->name, arg->type);
}

static int take_conversion(struct format *f, size_t *at)
{
    struct tt_conversion c;
    const struct tt_arg *arg;
    const char *why;
    size_t n;

    assert(*at < f->length);
    tt_conversion_read(&c, f->text, *at, !f->event->in_xen);
    assert(c.at + c.length <= f->length);
    why = tt_conversion_refused(c.letter);
    if ( why )
        error_at(f, c.at, "%s", why);
    if ( why || find_arg(f, &c, &n) )
        return -EINVAL;
    check_stars(f, &c);
    arg = &f->event->args[n];
    if ( !tt_conversion_fits(&c, f->event, arg, get_type(f, arg)) )
        report_type(f, &c, arg);
    check_presence(f, &c, arg);
    f->next_arg += c.stars + 1;
    *at = c.at + c.length;
    return add_piece(f, &f->text[c.at], c.length, n);
}

static int take_segment(struct format *f)
{
    size_t at = 0;
    int rc = join_segment(f);

    if ( !rc && f->to == last_chunk(f) && f->length &&
         f->text[f->length - 1] == '\n' )
        error_at(f, f->length - 1, "a format does not end with a newline, "
                 "which whoever prints it adds: take out the \\n");
    while ( !rc && at < f->length )
        rc = f->text[at] == '%' && f->text[at + 1] != '%' ?
             take_conversion(f, &at) : take_text(f, &at);
    assert(rc || at == f->length);
    return rc;
}

static void take_bracket(struct format *f, const struct tt_chunk *chunk)
{
    bool opens = chunk->kind == TT_CHUNK_OPEN;

    assert(is_bracket(chunk));
    if ( opens && !f->event->in_xen )
        tt_errors_add(f->b->errors, &chunk->token.at, "only events of "
                      "the hypervisor (those with an id=) have arguments "
                      "that may be absent: leave out the [ ]");
    else if ( !opens && f->event->in_xen && !f->absent )
        tt_errors_add(f->b->errors, &chunk->token.at, "nothing in "
                      "this [ ] may be absent: leave out the brackets");
    f->group += opens;
    assert(f->group <= TT_MAX_GROUPS);
    f->in_group = opens;
    f->absent = false;
}

static void check_all_printed(const struct format *f)
{
    const struct tt_arg *left = &f->event->args[f->next_arg];
    char advice[32];

    if ( f->by_number || f->next_arg >= f->event->nr_args )
        return;
    advise_on_type(advice, sizeof(advice), left, get_type(f, left), '\0');
    tt_errors_add(f->b->errors, &left->at, "the format prints %zu of "
                  "%zu argument%s; '%.40s' is the first that it leaves "
                  "out: add %s", f->next_arg, f->event->nr_args,
                  f->event->nr_args == 1 ? "" : "s", left->name, advice);
}

static char *append_text(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}

/* The C source: literals and macros in a row, without brackets. */
static int make_source(const struct tt_written_event *e, struct arena *a,
                       const char **source)
{
    const struct tt_chunk *c, *end = e->chunks + e->nr_chunks;
    size_t room = 1, quote;
    char *at;

    for ( c = e->chunks; c < end; c++ )
        room += c->token.length + 3;
    *source = at = arena_alloc(a, room, 1);
    if ( !at )
        return -ENOMEM;
    for ( c = e->chunks; c < end; c++ )
    {
        if ( is_bracket(c) )
            continue;
        quote = c->kind == TT_CHUNK_LITERAL;
        at = append_text(at, " ", at != *source);
        at = append_text(at, "\"", quote);
        at = append_text(at, c->token.text, c->token.length);
        at = append_text(at, "\"", quote);
    }
    assert((size_t)(at - *source) < room);
    *at = '\0';
    return 0;
}

/* Copy the pieces from the shared vector. */
static int keep_pieces(struct tt_build *b, struct tt_event *event)
{
    struct tt_piece *pieces = arena_array(b->arena, b->pieces.nr,
                                          sizeof(*pieces),
                                          _Alignof(struct tt_piece));

    if ( !pieces )
        return -ENOMEM;
    if ( b->pieces.nr )
        memcpy(pieces, b->pieces.items, b->pieces.nr * sizeof(*pieces));
    event->pieces = pieces;
    event->nr_pieces = b->pieces.nr;
    return 0;
}

int tt_format(struct tt_build *b, const struct tt_written_event *e,
              struct tt_event *event)
{
    struct format f = { .b = b, .e = e, .event = event, .from = e->chunks };
    int rc;

    /* QEMU has events without a format, with or without arguments. */
    if ( !e->nr_chunks )
        return 0;
    b->pieces.nr = 0;
    rc = make_source(e, b->arena, &event->format);
    while ( !rc && f.from < last_chunk(&f) )
    {
        rc = take_segment(&f);
        f.from = f.to;
        if ( !rc && f.from < last_chunk(&f) )
            take_bracket(&f, f.from++);
    }
    if ( !rc )
        check_all_printed(&f);
    return rc ? rc : keep_pieces(b, event);
}
