/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text of a record: its event's format, with names for numbers.
 *
 * The formats are parsed once, when a catalogue is made, into steps: a literal
 * text, or a conversion of one field.  Each step has an upper bound of the
 * bytes that it writes, so there is one comparison per step and no check in the
 * writers.
 *
 * These functions can write any format.  Common formats have a fast path:
 * catalogue-program.c.
 */
#include "libxentrace/catalogue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/num.h"
#include "common/utf8.h"
#include "libxentrace/catalogue-private.h"

/* --- parsing -------------------------------------------------------------- */

static unsigned int parse_count(const char **at)
{
    unsigned int n = 0;

    for ( ; **at >= '0' && **at <= '9'; (*at)++ )
        n = n < 100 ? 10 * n + **at - '0' : n;
    return n < 64 ? n : 64;
}

static void parse_flags(struct format_step *s, const char **at)
{
    for ( ; ; (*at)++ )
        switch ( **at )
        {
        case '-': s->left = true; break;
        case '0': s->zeroes = true; break;
        case '#': s->prefix = true; break;
        case '+': s->plus = true; break;
        case ' ': case '\'': break;
        default: return;
        }
}

static enum kind choose_string_kind(const struct xt_sem *sem)
{
    return sem && sem->meaning == XT_FLAGS ? KIND_FLAGS : KIND_NAME;
}

/* Two types of events/ imply conversions that printf does not have. */
static enum kind choose_step_kind(char conversion, const struct xt_sem *sem)
{
    if ( sem && !strcmp(sem->name, "text") )
        return KIND_CHARS;
    if ( sem && !strcmp(sem->name, "exit_code") )
        return KIND_EXIT;
    switch ( conversion )
    {
    case 's': return choose_string_kind(sem);
    case 'd': case 'i': return KIND_SIGNED;
    case 'x': case 'X': case 'p': return KIND_HEX;
    case 'o': return KIND_OCTAL;
    default: return KIND_UNSIGNED;
    }
}

static size_t find_longest_name(const struct xt_sem *sem)
{
    size_t longest = NUMBER_MAX, sum = NUMBER_MAX;

    for ( unsigned int i = 0; sem && i < sem->nr_values; i++ )
    {
        size_t length = strlen(sem->values[i].name);

        longest = length > longest ? length : longest;
        sum += length + 1;
    }
    return sem && sem->meaning == XT_FLAGS ? sum : longest;
}

/* Parse a conversion such as "%08llx": its flags, width and letter. */
static void parse_conversion(struct format_step *s, const struct xt_field *f,
                             const char *at)
{
    assert(*at == '%');
    at++;
    parse_flags(s, &at);
    s->width = parse_count(&at);
    if ( *at == '.' )
    {
        at++;
        s->digits = parse_count(&at);
    }
    at += strspn(at, "hlqjzt");
    s->kind = choose_step_kind(*at, f->sem);
    s->upper = *at == 'X';
    s->prefix |= *at == 'p';
    s->sem = f->sem;
    s->bits = f->present >= 0 ? 64 : f->bits;
    s->plain = !s->width && !s->digits && !s->prefix && !s->plus && !s->upper;
    s->need = 2 * 64 + NUMBER_MAX;
    if ( s->kind == KIND_NAME || s->kind == KIND_FLAGS || s->kind == KIND_EXIT )
        s->need = s->width + find_longest_name(f->sem) + 2 * NUMBER_MAX;
}

static void parse_piece(struct format_step *s, const struct xt_event *e,
                        const struct xt_piece *piece)
{
    *s = (struct format_step){ .group = piece->group };
    if ( piece->field >= 0 )
    {
        assert(piece->field < e->nr_fields);
        s->field = piece->field;
        parse_conversion(s, &e->fields[s->field], piece->text);
        return;
    }
    s->kind = KIND_TEXT;
    s->text = piece->text;
    s->length = s->need = strlen(piece->text);
}

int catalogue_parse_texts(struct xt_catalogue *c)
{
    size_t nr = 0;
    struct xt_format *formats;
    struct format_step *steps;

    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        nr += xt_catalogue_events[i].nr_pieces;
    formats = arena_array(&c->arena, xt_catalogue_nr_events, sizeof(*formats),
                          _Alignof(struct xt_format));
    steps = arena_array(&c->arena, nr, sizeof(*steps),
                        _Alignof(struct format_step));
    if ( !formats || !steps )
        return -ENOMEM;
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];

        formats[i] = (struct xt_format){ steps, e->nr_pieces };
        for ( unsigned int k = 0; k < e->nr_pieces; k++ )
            parse_piece(steps++, e, &e->pieces[k]);
    }
    c->formats = formats;
    return 0;
}

/* --- one field ------------------------------------------------------------ */

static char *put_digits(char *p, const struct format_step *s, uint64_t value)
{
    char *at = p + NUMBER_MAX;
    char *end;

    switch ( s->kind )
    {
    case KIND_HEX: case KIND_EXIT:
        end = num_hex(p, value);
        for ( char *c = p; s->upper && c < end; c++ )
            *c -= *c >= 'a' ? 'a' - 'A' : 0;
        return end;
    case KIND_OCTAL:
        do
            *--at = '0' + (value & 7);
        while ( value >>= 3 );
        memmove(p, at, p + NUMBER_MAX - at);
        return p + (p + NUMBER_MAX - at);
    default:
        return num_u64(p, value);
    }
}

/* Write the number as printf does. */
static char *put_formatted(char *p, const struct format_step *s, uint64_t value)
{
    char digits[2 * NUMBER_MAX], head[2] = { 0 };
    unsigned int nr, nr_head = 0, zeroes = 0, blanks = 0;

    if ( s->kind == KIND_SIGNED && (int64_t)value < 0 )
    {
        head[nr_head++] = '-';
        value = -value;
    }
    else if ( s->kind == KIND_SIGNED && s->plus )
        head[nr_head++] = '+';
    if ( (s->kind == KIND_HEX || s->kind == KIND_EXIT) && s->prefix && value )
    {
        head[nr_head++] = '0';
        head[nr_head++] = s->upper ? 'X' : 'x';
    }
    nr = put_digits(digits, s, value) - digits;
    debug_assert(nr <= sizeof(digits));
    if ( s->digits > nr )
        zeroes = s->digits - nr;
    if ( s->width > nr_head + zeroes + nr )
        blanks = s->width - nr_head - zeroes - nr;
    if ( s->zeroes && !s->left && !s->digits )
    {
        zeroes += blanks;
        blanks = 0;
    }
    if ( !s->left )
        p = num_fill(p, ' ', blanks);
    memcpy(p, head, sizeof(head));
    p = num_fill(p + nr_head, '0', zeroes);
    memcpy(p, digits, nr);
    p += nr;
    return s->left ? num_fill(p, ' ', blanks) : p;
}

static char *put_number(char *p, const struct format_step *s, uint64_t value)
{
    /*
     * Apply the field's own width to %d of an unsigned field, and the reverse.
     */
    if ( s->bits < 64 )
    {
        uint64_t sign = UINT64_C(1) << (s->bits - 1);

        value &= (sign << 1) - 1;
        if ( s->kind == KIND_SIGNED )
            value = (value ^ sign) - sign;
    }
    if ( s->plain && s->kind == KIND_UNSIGNED )
        return num_u64(p, value);
    if ( s->plain && s->kind == KIND_HEX )
        return num_hex(p, value);
    return put_formatted(p, s, value);
}

/* A value without a name is written as a number. */
static char *put_unnamed(char *p, uint64_t value)
{
    return num_hex(num_text(p, "0x"), value);
}

static char *put_value_name(char *p, const struct xt_sem *sem, uint64_t value)
{
    const char *name = sem ? xt_sem_name(sem, value) : NULL;

    return name ? num_text(p, name) : put_unnamed(p, value);
}

/* "write,user,0x40"; "-" for none. */
static char *put_flags(char *p, const struct xt_sem *sem, uint64_t value)
{
    char *start = p;

    if ( !value )
        return num_text(p, "-");
    for ( unsigned int i = 0; i < sem->nr_values; i++ )
    {
        uint64_t bit = UINT64_C(1) << sem->values[i].value;

        if ( !(value & bit) )
            continue;
        if ( p != start )
            *p++ = ',';
        p = num_text(p, sem->values[i].name);
        value &= ~bit;
    }
    if ( !value )
        return p;
    if ( p != start )
        *p++ = ',';
    return put_unnamed(p, value);
}

/*
 * The upper half of a VMX exit code is flags; an SVM code is a number or all
 * ones.
 */
static char *put_exit(char *p, const struct xt_catalogue *c,
                      const struct format_step *s, uint64_t value)
{
    if ( !c->exits )
        return put_number(p, s, value);
    if ( c->dialect.hardware != XT_HARDWARE_VMX || !(value >> 16) )
        return put_value_name(p, c->exits, value);
    p = put_value_name(p, c->exits, value & 0xffff);
    *p++ = ',';
    return put_unnamed(p, value >> 16 << 16);
}

/*
 * Lowest byte first, up to a 0.  Neither control characters nor marks of
 * direction reach a terminal, nor parts of a character in two fields.
 */
static char *put_chars(char *p, uint64_t value)
{
    char text[sizeof(value) + 1] = "";
    uint32_t code;

    for ( unsigned int i = 0; i < sizeof(value); i++ )
        text[i] = value >> 8 * i;
    for ( const char *at = text; *at; )
    {
        unsigned int size = utf8_decode(at, &code);
        bool keep = size && utf8_is_visible(code);

        if ( !size )
            size = 1;
        memset(p, '.', size);
        if ( keep )
            memcpy(p, at, size);
        p += size;
        at += size;
    }
    return p;
}

static char *put_step_value(char *p, const struct xt_catalogue *c,
                            const struct format_step *s, uint64_t value)
{
    char *end;

    switch ( s->kind )
    {
    case KIND_NAME: end = put_value_name(p, s->sem, value); break;
    case KIND_FLAGS: end = put_flags(p, s->sem, value); break;
    case KIND_EXIT: return put_exit(p, c, s, value);
    case KIND_CHARS: return put_chars(p, value);
    default: return put_number(p, s, value);
    }
    return end - p < s->width ? num_fill(end, ' ', s->width - (end - p)) : end;
}

/* --- a record ------------------------------------------------------------- */

static char *put_payload(char *p, const struct xt_record *r, unsigned int from)
{
    for ( unsigned int i = from; i < r->words; i++ )
    {
        *p++ = ' ';
        p = num_hex_zero(p, xt_record_word(r, i), 8);
    }
    return p;
}

/* Does the record have every field of this group? */
static bool record_has_group(const struct xt_event *e,
                             const struct xt_format *line,
                             unsigned int at, const struct xt_record *r)
{
    unsigned int group = line->steps[at].group;
    uint64_t value;

    for ( ; at < line->nr_steps && line->steps[at].group == group; at++ )
        if ( line->steps[at].kind != KIND_TEXT &&
             !xt_field_get(e, line->steps[at].field, r, &value) )
            return false;
    return true;
}

char *catalogue_put_step(char *p, const struct xt_catalogue *c,
                         const struct xt_event *e, const struct format_step *s,
                         const struct xt_record *r)
{
    uint64_t value;

    if ( s->kind == KIND_TEXT )
    {
        memcpy(p, s->text, s->length);
        return p + s->length;
    }
    debug_assert(s->field < e->nr_fields);
    if ( !xt_field_get(e, s->field, r, &value) )
        return num_text(p, "?");
    return put_step_value(p, c, s, value);
}

static char *put_format(char *p, const char *end, const struct xt_catalogue *c,
                        const struct xt_event *e, const struct xt_record *r)
{
    const struct xt_format *line = &c->formats[e - xt_catalogue_events];
    unsigned int shown = 0, hidden = 0;

    for ( unsigned int i = 0; i < line->nr_steps; i++ )
    {
        const struct format_step *s = &line->steps[i];

        if ( s->group && s->group != shown && s->group != hidden )
        {
            if ( record_has_group(e, line, i, r) )
                shown = s->group;
            else
                hidden = s->group;
        }
        if ( s->group && s->group == hidden )
            continue;
        if ( end - p < s->need )
            return num_text(p, "...");
        p = catalogue_put_step(p, c, e, s, r);
        debug_assert(p <= end);
    }
    return p;
}

char *catalogue_put_rest(char *p, const struct xt_event *e,
                         const struct xt_record *r)
{
    return put_payload(num_text(p, " +"), r, e->max_words);
}

char *catalogue_put_text(char *p, const struct xt_catalogue *c,
                         const struct xt_event *e, const struct xt_record *r)
{
    const char *end = p + XT_TEXT_MAX - REST_MAX;

    if ( !e )
        return put_payload(p, r, 0);
    p = put_format(p, end, c, e, r);
    return r->words > e->max_words ? catalogue_put_rest(p, e, r) : p;
}
