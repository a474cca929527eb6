/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to lines, by the compiled rules of formats-rules.c.
 *
 * As in Xen's script, `tsc` and `reltsc` are 0 in a record without a time
 * stamp, and so is a word that the record does not have.  `reltsc` is the
 * distance to the previous time stamp of the same pcpu: each chunk starts with
 * a copy of the latest time stamps, and the formatting thread updates the copy.
 */
#include "xenalyze/lines/formats-private.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "libxentrace/readers.h"
#include "xenalyze/lines/record-filter.h"

/* The bits above say which arguments follow. */
#define HYPERCALL_NUMBER ((1u << XT_BITS(pv_hypercall_v2, op)) - 1)
#define PREFETCH 8u             /* distance in records */
#define MAX_WARNING 128u        /* bytes */

/* --- reading -------------------------------------------------------------- */

/* Make room for the time of this pcpu. */
static int ensure_time(struct formats *f, unsigned int cpu)
{
    uint64_t *times;

    if ( cpu < f->nr_cpus )
        return 0;
    times = fault_realloc(f->times, (cpu + 1) * sizeof(*times));
    if ( !times )
        return -ENOMEM;
    for ( ; f->nr_cpus <= cpu; f->nr_cpus++ )
        times[f->nr_cpus] = 0;
    f->times = times;
    return 0;
}

static ssize_t formats_read_batch(void *state, struct chunk *c,
                                  const struct xt_batch *b, size_t at)
{
    struct formats *f = state;
    struct xt_record r;
    size_t i = at;

    if ( chunk_set_cpus(c, f->nr_cpus) )
        return -ENOMEM;
    if ( f->nr_cpus )
        memcpy(c->times, f->times, f->nr_cpus * sizeof(*c->times));
    for ( ; i < b->nr && c->nr < c->most; i++ )
    {
        unsigned int cpu = xt_item_cpu(&b->items[i]);

        if ( cpu >= f->nr_cpus )
        {
            /* The chunk's times are those before its first record. */
            if ( c->nr )
                break;
            if ( ensure_time(f, cpu) || chunk_set_cpus(c, f->nr_cpus) )
                return -ENOMEM;
            memcpy(c->times, f->times, f->nr_cpus * sizeof(*c->times));
        }
        chunk_add(c, b, &b->items[i]);
        xt_batch_record(b, &b->items[i], &r);
        if ( r.has_tsc )
            f->times[cpu] = r.tsc;
    }
    assert(c->nr_cpus <= f->nr_cpus && i > at);
    return i - at;
}

/* The first `reltsc` in a span of time is the distance to a record before. */
static int formats_warmup_feed(void *state, const struct xt_batch *b)
{
    struct formats *f = state;
    struct xt_record r;

    for ( size_t i = 0; i < b->nr; i++ )
    {
        unsigned int cpu = xt_item_cpu(&b->items[i]);

        xt_batch_record(b, &b->items[i], &r);
        if ( ensure_time(f, cpu) )
            return -ENOMEM;
        if ( r.has_tsc )
            f->times[cpu] = r.tsc;
    }
    return 0;
}

/* --- formatting ----------------------------------------------------------- */

/* A number and its sign: values range from below 0 to above 2^63. */
struct value
{
    uint64_t number;
    bool negative;
};

/*
 * The upper digits of the last time stamp, as text.  Most time stamps have the
 * same ones.
 */
struct tsc_prefix
{
    uint64_t base;              /* without its lower nine digits; or 0 */
    unsigned int length;
    char text[NUM_U64_MAX];
};

struct line
{
    const struct formats *f;
    const struct xt_record *record;
    unsigned int cpu;
    uint64_t last;              /* previous time stamp of this pcpu, or 0 */
    struct tsc_prefix prefix;
};

/* A word of the payload, or 0. */
static inline uint64_t payload_word(const struct line *l, unsigned int i)
{
    const struct xt_record *r = l->record;
    uint64_t number = i < r->words ? xt_record_word(r, i) : 0;

    if ( !i && (r->event == TRC_PV_HYPERCALL_V2 ||
                r->event == TRC_PV_HYPERCALL_SUBCALL) )
        number &= HYPERCALL_NUMBER;
    return number;
}

/* The distance to the previous time stamp of this pcpu. */
static inline struct value tsc_distance(const struct line *l)
{
    const struct xt_record *r = l->record;

    if ( !r->has_tsc || !l->last )
        return (struct value){ .number = 0 };
    if ( r->tsc < l->last )
        return (struct value){ .number = l->last - r->tsc, .negative = true };
    return (struct value){ .number = r->tsc - l->last };
}

static inline uint64_t tsc_number(const struct line *l)
{
    uint64_t mhz = l->f->mhz;

    return mhz ? l->record->tsc / (mhz * 1000000) : l->record->tsc;
}

static inline struct value field_value(const struct line *l, uint8_t field)
{
    assert(field < FORMATS_FIELDS);
    if ( field >= FORMATS_1 )
        return (struct value){ .number = payload_word(l, field - FORMATS_1) };
    if ( field == FORMATS_RELTSC )
        return tsc_distance(l);
    return (struct value){ .number = field == FORMATS_CPU ? l->cpu
                                     : field == FORMATS_TSC ? tsc_number(l)
                                     : l->record->event };
}

static double value_to_double(const struct value *v)
{
    return v->negative ? -(double)v->number : (double)v->number;
}

static bool is_float_type(char type)
{
    return strchr("fFeEgG", type);
}

/* By printf: flags, a precision, or a type other than d and x. */
static char *put_by_printf(char *p, const struct formats_step *s,
                           const struct value *v, const struct line *l)
{
    bool seconds = s->field == FORMATS_TSC && l->f->mhz;
    double d = seconds ? l->record->tsc / (l->f->mhz * 1e6)
                       : value_to_double(v);
    char text[NUM_I64_MAX + 32];
    int n;

    assert(s->conversion && *s->conversion == '%');
    if ( s->type == 's' )
    {
        if ( seconds )
            snprintf(text, sizeof(text), "%.12g", d);
        else
            snprintf(text, sizeof(text), "%s%llu", v->negative ? "-" : "",
                     (unsigned long long)v->number);
        n = snprintf(p, FORMATS_FIELD_MAX, s->conversion, text);
    }
    else if ( is_float_type(s->type) )
        n = snprintf(p, FORMATS_FIELD_MAX, s->conversion, d);
    else if ( s->type == 'c' )
        n = snprintf(p, FORMATS_FIELD_MAX, s->conversion,
                     (int)(v->number & 0x7f));
    else
        n = snprintf(p, FORMATS_FIELD_MAX, s->conversion,
                     v->negative ? -(long long)v->number
                                 : (long long)v->number);
    return p + (n < (int)FORMATS_FIELD_MAX ? n : (int)FORMATS_FIELD_MAX - 1);
}

/* As in Python, %x of -1 is -1. */
static char *put_negative(char *p, const struct formats_step *s,
                          uint64_t number)
{
    char digits[NUM_U64_MAX + 1], *end;
    size_t length, width = s->width;

    assert(s->type == 'd' || s->type == 'x');
    end = s->type == 'd' ? num_u64(digits, number) : num_hex(digits, number);
    length = end - digits + 1;
    if ( !s->zero && width > length )
        p = num_fill(p, ' ', width - length);
    *p++ = '-';
    if ( s->zero && width > length )
        p = num_fill(p, '0', width - length);
    memcpy(p, digits, length - 1);
    return p + length - 1;
}

static char *put_field_slow(char *p, const struct formats_step *s,
                            const struct line *l)
{
    struct value v = field_value(l, s->field);

    if ( !s->plain || (s->type != 'd' && s->type != 'x') )
        return put_by_printf(p, s, &v, l);
    if ( v.negative )
        return put_negative(p, s, v.number);
    if ( s->type == 'd' )
        return !s->width ? num_u64(p, v.number)
               : s->zero ? num_u64_zero(p, v.number, s->width)
                         : num_u64_right(p, v.number, s->width);
    return !s->width ? num_hex(p, v.number)
           : s->zero ? num_hex_zero(p, v.number, s->width)
                     : num_hex_right(p, v.number, s->width);
}

static void set_tsc_prefix(struct tsc_prefix *prefix, uint64_t tsc)
{
    prefix->base = tsc - tsc % NUM_NINE;
    prefix->length = num_u64(prefix->text, tsc / NUM_NINE) - prefix->text;
}

static inline char *put_tsc(char *p, struct line *l)
{
    const uint64_t tsc = tsc_number(l);

    if ( tsc < NUM_NINE )
        return num_u64(p, tsc);
    if ( tsc - l->prefix.base >= NUM_NINE )
        set_tsc_prefix(&l->prefix, tsc);
    memcpy(p, l->prefix.text, sizeof(l->prefix.text));
    return num_nine(p + l->prefix.length, tsc - l->prefix.base);
}

/* The start that most rules have: without a loop over its steps. */
static inline char *put_start(char *p, const struct formats_step *s,
                              struct line *l)
{
    struct value distance = tsc_distance(l);

    p = num_u64(num_text(p, "CPU"), l->cpu);
    p = put_tsc(num_text(p, "  "), l);
    p = num_text(p, " (+");
    if ( distance.negative )
        p = put_negative(p, s, distance.number);
    else
        p = num_u64_eight(p, distance.number);
    *p++ = ')';
    return p;
}

static inline char *put_field_fast(char *p, const struct formats_step *s,
                                   struct line *l)
{
    struct value v;

    switch ( s->kind )
    {
    case FORMATS_TEXT_ONLY:
        return p;
    case FORMATS_HEX_EIGHT:
        return num_hex_eight(p, payload_word(l, s->field - FORMATS_1));
    case FORMATS_NUMBER:
        v = field_value(l, s->field);
        if ( v.negative )
            break;
        return s->width ? num_u64_right(p, v.number, s->width)
                        : num_u64(p, v.number);
    case FORMATS_START:
        return put_start(p, s, l);
    }
    return put_field_slow(p, s, l);
}

/* Copies of a constant size, up to FORMATS_COPY bytes beyond the end. */
static inline char *put_literal(char *p, const struct formats_step *s)
{
    memcpy(p, s->text, FORMATS_COPY);
    for ( uint32_t n = FORMATS_COPY; n < s->length; n += FORMATS_COPY )
        memcpy(p + n, s->text + n, FORMATS_COPY);
    return p + s->length;
}

static char *put_rule(char *p, const struct formats_rule *rule,
                      struct line *l)
{
    const struct formats_step *end = rule->steps + rule->nr_steps;

    for ( const struct formats_step *s = rule->steps; s < end; s++ )
    {
        p = put_literal(p, s);
        p = put_field_fast(p, s, l);
    }
    *p++ = '\n';
    return p;
}

/* A line for a clock that went backward, as Xen's script prints. */
static char *put_backward_line(char *p, const struct line *l)
{
    p = num_u64(num_text(p, "TSC stepped backward cpu "), l->cpu);
    p = num_u64(num_text(p, " !  "), l->record->tsc);
    p = num_u64(num_text(p, " "), l->last);
    *p++ = '\n';
    return p;
}

/* The lines of a record; *time is the last time stamp of its pcpu. */
static inline char *put_formats_line(char *p, struct line *l, uint64_t *time)
{
    const struct xt_record *r = l->record;
    const struct formats_rule *rule = formats_find_rule(l->f, r->event);

    l->last = *time;
    if ( r->has_tsc )
    {
        *time = r->tsc;
        if ( r->tsc < l->last )
            p = put_backward_line(p, l);
    }
    return rule ? put_rule(p, rule, l) : p;
}

static void formats_format(const void *state, struct chunk *c)
{
    struct xt_record r;
    struct line l = { .f = state, .record = &r };
    char *p = c->text;

    for ( size_t i = 0; i < c->nr; i++ )
    {
        if ( i + PREFETCH < c->nr )
            __builtin_prefetch(c->bytes +
                               xt_item_offset(&c->items[i + PREFETCH]));
        xt_record_view(&r, c->bytes + xt_item_offset(&c->items[i]));
        l.cpu = xt_item_cpu(&c->items[i]);
        debug_assert(l.cpu < c->nr_cpus);
        p = chunk_reserve(c, p, l.f->longest + MAX_WARNING);
        if ( !p )
            return;
        p = put_formats_line(p, &l, &c->times[l.cpu]);
    }
    assert(p <= c->text + c->room);
    c->used = p - c->text;
}

static const struct line_style style = {
    .read = formats_read_batch, .format = formats_format,
};

const struct line_style *formats_style(void)
{
    return &style;
}

const struct warmup *formats_warmup(void)
{
    static const struct warmup warmup = { .feed = formats_warmup_feed };

    return &warmup;
}
