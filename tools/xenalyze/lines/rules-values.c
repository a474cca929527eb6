/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a record as text: the functions that the generated code calls
 * for steps that it has no code for (rules-code.h).
 */
#include "xenalyze/lines/rules-code.h"

#include <assert.h>
#include <string.h>

static inline uint64_t fetch_bits(const struct line_place *f,
                                  const struct xt_record *r)
{
    const unsigned char *at = r->payload + f->at;
    uint32_t word;

    debug_assert(f->bits >= 1 && f->bits <= 64);
    if ( f->in_id )
        word = r->event;
    else if ( f->end > 32u * r->words )
        return 0;
    else if ( f->bits > 32 )
        return xt_load64(at);
    else
        word = xt_load32(at);
    return word >> f->shift & (UINT32_MAX >> (32 - f->bits));
}

static inline int64_t fetch_signed(const struct line_place *f,
                                   const struct xt_record *r)
{
    unsigned int unused = 64 - f->bits;
    uint64_t value = fetch_bits(f, r);

    return f->is_signed ? (int64_t)(value << unused) >> unused
                        : (int64_t)value;
}

static char *put_value_name(char *p, const struct line_names *names,
                            uint64_t value)
{
    const struct line_word *word;
    const char *name;

    if ( names && value < LINE_NAMES && names->words[value].length )
    {
        word = &names->words[value];
        memcpy(p, word->text, sizeof(word->text));
        return p + word->length;
    }
    name = names ? xt_sem_name(names->sem, value) : NULL;
    return name ? num_text(p, name) : num_u64(p, value);
}

/* As stock, without leading zeros behind the point. */
static char *put_microseconds(char *p, uint64_t ns)
{
    p = num_u64(p, ns / 1000);
    *p++ = '.';
    return num_u64(p, ns % 1000);
}

/* As put_percent(), with a product of more than 64 bits. */
static char *put_percent_slow(char *p, uint64_t value, unsigned int shift)
{
    unsigned __int128 scaled = (unsigned __int128)value * 100000;
    unsigned __int128 rest = scaled & (((unsigned __int128)1 << shift) - 1);
    unsigned __int128 half = shift ? (unsigned __int128)1 << (shift - 1) : 1;

    scaled >>= shift;
    scaled += rest > half || (rest == half && (scaled & 1));
    p = num_u64(p, (uint64_t)(scaled / 1000));
    *p++ = '.';
    return num_text(num_three(p, (uint32_t)(scaled % 1000)), "%");
}

/* value * 100 / 2^shift with three decimals, rounded half to even. */
static char *put_percent(char *p, uint64_t value, uint64_t shift)
{
    uint64_t scaled = value * 100000, rest, half;

    if ( shift > 63 )
        return num_text(p, "?");
    if ( value > UINT64_MAX / 100000 )
        return put_percent_slow(p, value, shift);
    rest = scaled & ((UINT64_C(1) << shift) - 1);
    half = shift ? UINT64_C(1) << (shift - 1) : 1;
    scaled >>= shift;
    scaled += rest > half || (rest == half && (scaled & 1));
    p = num_u64(p, scaled / 1000);
    *p++ = '.';
    p = num_three(p, scaled % 1000);
    *p++ = '%';
    return p;
}

static char *put_payload_words(char *p, const struct xt_record *r)
{
    for ( unsigned int i = 0; i < r->words; i++ )
    {
        *p++ = ' ';
        p = num_hex(p, xt_record_word(r, i));
    }
    return p;
}

/* --- functions that the generated code calls ------------------------------ */

char *line_put_slow(char *p, const struct line_step *s,
                    const struct line_context *c)
{
    const struct xt_record *r = c->record;

    switch ( s->kind )
    {
    case STEP_UNSIGNED:
        return num_u64(p, fetch_bits(&s->place, r));
    case STEP_SIGNED:
        return num_i64(p, fetch_signed(&s->place, r));
    case STEP_HEX:
        return num_hex(p, fetch_bits(&s->place, r));
    case STEP_HEX_ZERO:
        return num_hex_zero(p, fetch_bits(&s->place, r), s->width);
    case STEP_HEX_RIGHT:
        return num_hex_right(p, fetch_bits(&s->place, r), s->width);
    case STEP_NAME:
        return put_value_name(p, s->names, fetch_bits(&s->place, r));
    case STEP_FUNCTION_OF:
        return s->function(p, c, fetch_signed(&s->place, r));
    case STEP_US:
        return put_microseconds(p, fetch_bits(&s->place, r));
    case STEP_PERCENT:
        return put_percent(p, fetch_bits(&s->place, r),
                           fetch_bits(&s->second, r));
    case STEP_WORDS:
        return put_payload_words(p, r);
    default:
        assert(s->kind == STEP_CATALOGUE);
        return xt_catalogue_text(c->programs->catalogue, p, c->event, r);
    }
}

unsigned int line_skip_steps(const struct line_step *s,
                             const struct xt_record *r)
{
    bool equal = fetch_signed(&s->place, r) == s->number;

    debug_assert(s->kind == STEP_IF || s->kind == STEP_IF_NOT);
    return equal == (s->kind == STEP_IF) ? 0 : s->skip;
}
