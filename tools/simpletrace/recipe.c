/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The most frequent conversions have steps of their own.  Any other conversion
 * is parsed into flags, width, precision and letter, and printf gets a format
 * built from these, so a format cannot do anything else.  Width and precision
 * are limited to MAX_WIDTH: the trace is untrusted.
 */
#include "simpletrace/recipe.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "simpletrace/input.h"

#define MAX_WIDTH 4096
#define OTHER_ROOM (MAX_WIDTH + 64)
#define STEP_ROOM 48u           /* any number, or an escaped byte */

_Static_assert(STEP_ROOM >= 2 * NUM_HEX_MAX + 4 && STEP_ROOM >= NUM_I64_MAX &&
               STEP_ROOM >= 4 + 2 * ST_PAD, "any number or byte fits");
_Static_assert(OTHER_ROOM + 2 * ST_PAD + 4 * ST_INPUT_MAX / 2 <= ST_OUT_MAX,
               "any conversion is one request");

static int clamp_width(int64_t width)
{
    return width > MAX_WIDTH ? MAX_WIDTH :
           width < -MAX_WIDTH ? -MAX_WIDTH : (int)width;
}

static int parse_number(const char **at)
{
    int64_t n = 0;

    for ( ; **at >= '0' && **at <= '9'; ++*at )
        n = clamp_width(n * 10 + **at - '0');
    return n;
}

static void read_sizes(struct st_step *step, const char **at)
{
    step->precision = -1;
    if ( **at == '*' )
    {
        step->stars |= 1;
        ++*at;
    }
    else
        step->width = parse_number(at);
    if ( **at != '.' )
        return;
    ++*at;
    if ( **at == '*' )
    {
        step->stars |= 2;
        ++*at;
    }
    else
        step->precision = parse_number(at);
}

/* As on the machines that this runs on: long has 64 bits. */
static const struct { const char *modifier; unsigned int bits; } widths[] = {
    { "", 32 }, { "hh", 8 }, { "h", 16 }, { "l", 64 }, { "ll", 64 },
    { "q", 64 }, { "j", 64 }, { "z", 64 }, { "t", 64 },
};

static unsigned int modifier_bits(const char *modifier)
{
    size_t i;

    for ( i = 0; i < sizeof(widths) / sizeof(widths[0]); i++ )
        if ( !strcmp(widths[i].modifier, modifier) )
            return widths[i].bits;
    return 64;
}

static enum st_kind choose_kind(struct st_step *step)
{
    bool plain = !*step->flags && !step->width && step->precision < 0 &&
                 !step->stars;
    bool zeros = !strcmp(step->flags, "0") && !step->stars && step->width &&
                 step->width <= 16 && step->precision < 0;

    if ( step->letter == 'x' && zeros )
        step->zeros = step->width;
    if ( step->letter == 'x' && (plain || zeros) )
        return ST_HEX;
    if ( !plain )
        return ST_OTHER;
    switch ( step->letter )
    {
    case 'd': case 'i': return ST_SIGNED;
    case 'u': return ST_UNSIGNED;
    case 'p': return ST_POINTER;
    case 's': return ST_TEXT;
    case 'c': return ST_BYTE;
    default: return ST_OTHER;
    }
}

/* %[flags][width][.precision][modifier]letter, checked by tracetool. */
static void read_conversion(struct st_step *step, const char *text)
{
    const char *at = text + 1;
    char modifier[3] = "";
    size_t n = strspn(at, "-+ #0");

    assert(*text == '%');
    at += strspn(at, "-+ #0'");
    memcpy(step->flags, text + 1, n < sizeof(step->flags) ? n :
           sizeof(step->flags) - 1);
    read_sizes(step, &at);
    n = strspn(at, "hlqjzt");
    memcpy(modifier, at, n < 3 ? n : 2);
    step->letter = at[n];
    assert(step->letter && strlen(step->flags) < sizeof(step->flags));
    step->shift = 64 - modifier_bits(modifier);
    step->kind = choose_kind(step);
}

static struct st_step make_step(const struct tt_piece *piece,
                                unsigned int vcpu)
{
    struct st_step step = { .text = piece->text, .length = piece->length };

    if ( piece->arg < 0 )
        return step;
    step.arg = piece->arg + vcpu;
    read_conversion(&step, piece->text);
    return step;
}

/*
 * Check that a step reads an existing argument.  A trace holds the text of a
 * string that is printed with %p, and the pointer to other characters that are
 * printed with %s.
 */
static bool resolve_step(struct st_step *step, const struct st_event *event)
{
    unsigned int stars = (step->stars & 1) + (step->stars >> 1);

    if ( step->kind == ST_LITERAL )
        return true;
    if ( step->arg >= event->nr_args || step->arg < stars )
        return false;
    if ( event->args[step->arg].is_string != (step->letter == 's') )
        step->kind = step->letter == 's' ? ST_POINTER : ST_TEXT;
    return true;
}

static struct st_step *add_vcpu(struct st_step *step)
{
    static const char cpu[ST_PAD + 4] = "cpu=", blank[ST_PAD + 1] = " ";

    *step++ = (struct st_step){ .text = cpu, .length = 4 };
    *step++ = (struct st_step){ .kind = ST_POINTER, .letter = 'p' };
    *step++ = (struct st_step){ .text = blank, .length = 1 };
    return step;
}

/* Space for a step, without its string. */
static size_t step_room(const struct st_step *step)
{
    return step->kind == ST_LITERAL ? step->length + ST_PAD :
           step->kind == ST_OTHER ? OTHER_ROOM + 2 * ST_PAD : STEP_ROOM;
}

static bool prints_string(const struct st_step *step)
{
    return step->kind == ST_TEXT ||
           (step->kind == ST_OTHER && step->letter == 's');
}

int st_recipe_make(struct arena *a, struct st_event *event,
                   const struct tt_event *from)
{
    size_t i, nr = from->nr_pieces + (from->vcpu ? 3 : 0);
    struct st_step *steps = arena_array(a, nr, sizeof(*steps),
                                        _Alignof(struct st_step));
    struct st_step *step = steps;

    if ( !steps && nr )
        return -ENOMEM;
    if ( from->vcpu )
        step = add_vcpu(step);
    for ( i = 0; i < from->nr_pieces; i++ )
    {
        *step = make_step(&from->pieces[i], from->vcpu);
        if ( step->kind == ST_LITERAL )
        {
            step->text = st_copy_padded(a, step->text, step->length);
            if ( !step->text )
                return -ENOMEM;
        }
        if ( resolve_step(step, event) )
            step++;
    }
    assert((size_t)(step - steps) <= nr);
    event->steps = steps;
    event->nr_steps = step - steps;
    for ( i = 0; i < event->nr_steps; i++ )
    {
        event->room += step_room(&steps[i]);
        event->string_steps += prints_string(&steps[i]);
    }
    return 0;
}

static int64_t sign_extended(const struct st_step *step, uint64_t word)
{
    debug_assert(step->shift < 64);
    return (int64_t)(word << step->shift) >> step->shift;
}

/* 4 * n + 2 * ST_PAD bytes; the source is padded, or NULL if n is 0. */
static char *put_string(char *p, const char *text, size_t n, bool visible)
{
    if ( !n )
        return p;
    return visible ? st_put_escaped(p, text, n) : st_put_padded(p, text, n);
}

static char *put_aligned(char *p, const struct st_value *v, int width,
                         int precision, bool visible, bool left)
{
    size_t n = v->length, pad;

    if ( precision >= 0 && (size_t)precision < n )
        n = precision;
    left |= width < 0;
    width = abs(width);
    pad = n < (size_t)width ? width - n : 0;
    if ( !left )
        p = num_fill(p, ' ', pad);
    p = put_string(p, v->text, n, visible);
    return left ? num_fill(p, ' ', pad) : p;
}

static char *put_number(char *p, const struct st_step *step, const char *flags,
                        int width, int precision, uint64_t word)
{
    bool is_signed = strchr("di", step->letter);
    char fmt[32];
    int n;

    /* flags and letter come from fixed sets, so the format is safe */
    snprintf(fmt, sizeof(fmt), "%%%s*.*%s%c", flags,
             strchr("cp", step->letter) ? "" : "j", step->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if ( step->letter == 'c' )
        n = snprintf(p, OTHER_ROOM, fmt, width, precision, (int)(uint8_t)word);
    else if ( step->letter == 'p' )
        n = snprintf(p, OTHER_ROOM, fmt, width, precision,
                     (void *)(uintptr_t)word);
    else if ( is_signed )
        n = snprintf(p, OTHER_ROOM, fmt, width, precision,
                     (intmax_t)sign_extended(step, word));
    else
        n = snprintf(p, OTHER_ROOM, fmt, width, precision,
                     (uintmax_t)(word << step->shift >> step->shift));
#pragma GCC diagnostic pop
    assert(n >= 0);
    return p + (n < OTHER_ROOM ? n : OTHER_ROOM - 1);
}

static COLD char *put_other(char *p, const struct st_step *step,
                            const struct st_value *values, bool visible)
{
    int width = step->width, precision = step->precision;
    unsigned int stars = (step->stars & 1) + (step->stars >> 1);
    const struct st_value *star = &values[step->arg - stars];

    debug_assert(step->arg >= stars);
    if ( step->stars & 1 )
        width = clamp_width((int32_t)star++->word);
    if ( step->stars & 2 )
        precision = clamp_width((int32_t)star->word);
    if ( step->letter == 's' )
        return put_aligned(p, &values[step->arg], width, precision, visible,
                           strchr(step->flags, '-'));
    return put_number(p, step, step->flags, width, precision,
                      values[step->arg].word);
}

static char *put_pointer(char *p, uint64_t word)
{
    if ( !word )
        return num_text(p, "(nil)");
    *p++ = '0';
    *p++ = 'x';
    return num_hex(p, word);
}

/* An old trace has only the address of a string. */
static char *put_string_value(char *p, const struct st_value *v, bool visible)
{
    return v->text ? put_string(p, v->text, v->length, visible) :
                     put_pointer(p, v->word);
}

static COLD char *put_byte(char *p, uint64_t word, bool visible)
{
    char c[ST_PAD + 1] = { word };

    return put_string(p, c, 1, visible);
}

static inline char *put_step(char *p, const struct st_step *step,
                             const struct st_value *values, bool visible)
{
    const struct st_value *v = &values[step->arg];

    switch ( (enum st_kind)step->kind )
    {
    case ST_LITERAL:
        return st_put_padded(p, step->text, step->length);
    case ST_SIGNED:
        return num_i64(p, sign_extended(step, v->word));
    case ST_UNSIGNED:
        return num_u64(p, v->word << step->shift >> step->shift);
    case ST_HEX:
        return num_hex_zero(p, v->word << step->shift >> step->shift,
                            step->zeros ? step->zeros : 1);
    case ST_POINTER:
        return put_pointer(p, v->word);
    case ST_TEXT:
        return put_string_value(p, v, visible);
    case ST_BYTE:
        return put_byte(p, v->word, visible);
    case ST_OTHER:
        break;
    }
    return put_other(p, step, values, visible);
}

/* A step at a time, as all of them need more space than the buffer has. */
static COLD void print_slow(struct st_out *out, const struct st_event *event,
                            const struct st_value *values, size_t bytes,
                            bool visible)
{
    const struct st_step *step = event->steps;

    for ( size_t i = 0; i < event->nr_steps; i++, step++ )
        if ( step->kind == ST_LITERAL )
            st_out_bytes(out, step->text, step->length);
        else
            out->at = put_step(st_out_need(out, step_room(step) + 4 * bytes),
                               step, values, visible);
}

void st_recipe_print(struct st_out *out, const struct st_event *event,
                     const struct st_value *values, size_t bytes, bool visible)
{
    size_t room = event->room + 4 * bytes * event->string_steps;
    const struct st_step *step, *end = event->steps + event->nr_steps;
    char *p;

    if ( room > ST_OUT_MAX )
    {
        print_slow(out, event, values, bytes, visible);
        return;
    }
    p = st_out_need(out, room);
    for ( step = event->steps; step < end; step++ )
    {
        debug_assert(step->kind == ST_LITERAL || step->arg < event->nr_args);
        p = step->kind == ST_LITERAL ?
            st_put_padded(p, step->text, step->length) :
            put_step(p, step, values, visible);
    }
    debug_assert(p <= out->at + room);
    out->at = p;
}
