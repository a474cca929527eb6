/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fast path for the text of a record.  The text of an event, for records with a
 * given number of words, is a program: an array of operations, each with a
 * literal of at most 16 bytes and a conversion.
 *
 *      "dom "  word 0, bits 16..31, decimal
 *      " vcpu "  word 0, bits 0..15, decimal
 *      " "  word 1, its name
 *      end
 *
 * The number of words determines which fields are present, where in the payload
 * each field is, and that the text fits its buffer: all of that is decided when
 * the program is made.  Only the arguments of hypercalls have a different
 * position in each record.
 *
 * Literals and names are copied with a fixed size of 16 and 32 bytes, which
 * takes no loop and no call.  Rare conversions (widths, flags) are an operation
 * that calls the general writer, catalogue-text.c.
 */
#include "libxentrace/catalogue.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/debug.h"
#include "common/num.h"
#include "libxentrace/catalogue-private.h"

/* --- the machine ---------------------------------------------------------- */

enum op_kind
{
    OP_END,
    OP_NOTHING,         /* only the literal */
    OP_DECIMAL,
    OP_SIGNED,
    OP_HEX,
    OP_HEX_ZEROES,
    OP_HEX_PREFIX,      /* %#x: no prefix for 0 */
    OP_NAME,
    OP_ARGUMENT,        /* its size is the value; if 0, drop the literal */
    OP_STEP,
};

#define LITERAL 16u
#define NAME 31u

/* The name of a value; length 0: call the general writer. */
struct name
{
    char text[NAME];
    uint8_t length;
};

struct names
{
    const struct name *by_value;
    size_t nr;
};

struct xt_op
{
    char text[LITERAL];
    uint64_t mask;              /* mask for the shifted value */
    const struct names *names;
    const struct format_step *step; /* for the general writer */
    uint8_t length;             /* length of `text` */
    uint8_t kind;
    uint8_t low, high;          /* payload bytes of the two halves of the value
                                 */
    uint8_t shift;
    uint8_t width;              /* OP_HEX_ZEROES: digits; OP_SIGNED: bits */
    bool in_id;
    uint8_t first;              /* OP_ARGUMENT: payload byte of the first
                                   argument */
};

/* Position in the arguments of a hypercall. */
struct arguments
{
    unsigned int at;            /* byte of the payload; 0: none yet */
    bool lost;                  /* after an argument of invalid size */
};

static inline uint64_t load_value(const struct xt_op *op,
                                  const struct xt_record *r)
{
    uint64_t value;

    debug_assert(op->in_id || op->high + 4u <= 4u * r->words);
    if ( op->in_id )
        value = r->event;
    else
        value = xt_load32(r->payload + op->low) |
                (uint64_t)xt_load32(r->payload + op->high) << 32;
    return value >> op->shift & op->mask;
}

static inline char *put_decimal(char *p, uint64_t value)
{
    if ( value >= 10 )
        return num_u64(p, value);
    *p = '0' + value;
    return p + 1;
}

static inline char *put_signed(char *p, uint64_t value, unsigned int bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);

    debug_assert(bits && bits <= 64);
    if ( !(value & sign) )
        return put_decimal(p, value);
    *p = '-';
    return put_decimal(p + 1, -((value ^ sign) - sign));
}

static inline char *put_prefixed(char *p, uint64_t value)
{
    memcpy(p, "0x", 2);
    return num_hex(value ? p + 2 : p, value);
}

/* The literal, `length` bytes of it, is already written. */
static char *put_argument(char *p, const struct xt_op *op, uint64_t size,
                          struct arguments *a, const struct xt_record *r)
{
    unsigned int at = a->at ? a->at : op->first;

    a->lost |= size > 2;
    if ( !size || a->lost )
        return p - op->length;
    a->at = at + 4 * size;
    if ( a->at > 4u * r->words )
        return p - op->length;
    return num_hex(p, size > 1 ? xt_load64(r->payload + at)
                               : xt_load32(r->payload + at));
}

static inline char *put_known_name(char *p, const struct xt_catalogue *c,
                                   const struct xt_op *op, uint64_t value,
                                   const struct xt_event *e,
                                   const struct xt_record *r)
{
    debug_assert(op->names && op->step);
    if ( value >= op->names->nr || !op->names->by_value[value].length )
        return catalogue_put_step(p, c, e, op->step, r);
    memcpy(p, op->names->by_value[value].text, NAME);
    return p + op->names->by_value[value].length;
}

static char *run_program(char *p, const struct xt_catalogue *c,
                         const struct xt_op *op,
                         const struct xt_event *e, const struct xt_record *r)
{
    struct arguments arguments = { 0 };

    for ( ; ; op++ )
    {
        memcpy(p, op->text, LITERAL);
        p += op->length;
        switch ( op->kind )
        {
        case OP_END:
            return p;
        case OP_NOTHING:
            break;
        case OP_DECIMAL:
            p = put_decimal(p, load_value(op, r));
            break;
        case OP_SIGNED:
            p = put_signed(p, load_value(op, r), op->width);
            break;
        case OP_HEX:
            p = num_hex(p, load_value(op, r));
            break;
        case OP_HEX_ZEROES:
            p = num_hex_zero(p, load_value(op, r), op->width);
            break;
        case OP_HEX_PREFIX:
            p = put_prefixed(p, load_value(op, r));
            break;
        case OP_NAME:
            p = put_known_name(p, c, op, load_value(op, r), e, r);
            break;
        case OP_ARGUMENT:
            p = put_argument(p, op, load_value(op, r), &arguments, r);
            break;
        default:
            p = catalogue_put_step(p, c, e, op->step, r);
        }
    }
}

char *xt_catalogue_text(const struct xt_catalogue *c, char *p,
                        const struct xt_event *e, const struct xt_record *r)
{
    const struct xt_op *program;
    unsigned int words;

    if ( !e )
        return catalogue_put_text(p, c, e, r);
    debug_assert(e - xt_catalogue_events < (ptrdiff_t)xt_catalogue_nr_events);
    words = r->words < e->max_words ? r->words : e->max_words;
    program = c->programs[(e - xt_catalogue_events) * PROGRAMS + words];
    if ( !program )
        return catalogue_put_text(p, c, e, r);
    p = run_program(p, c, program, e, r);
    return r->words > words ? catalogue_put_rest(p, e, r) : p;
}

/* --- names ---------------------------------------------------------------- */

/* Names of higher values are sparse. */
#define DENSE 1100u

/* Build an array of names up to the highest value that has one. */
static int make_names(struct arena *arena, const struct xt_sem *sem,
                      struct names *names)
{
    struct name *all;

    for ( unsigned int i = 0; i < sem->nr_values; i++ )
        if ( sem->values[i].value < DENSE &&
             sem->values[i].value >= names->nr )
            names->nr = sem->values[i].value + 1;
    all = arena_array(arena, names->nr, sizeof(*all), 1);
    if ( !all )
        return -ENOMEM;
    names->by_value = all;
    for ( unsigned int i = 0; i < sem->nr_values; i++ )
    {
        const struct xt_value *v = &sem->values[i];
        size_t length = strlen(v->name);

        if ( v->value >= DENSE || length > NAME || all[v->value].length )
            continue;
        memcpy(all[v->value].text, v->name, length);
        all[v->value].length = length;
    }
    return 0;
}

static int make_all_names(struct xt_catalogue *c, struct names **out)
{
    struct names *names = arena_array(&c->arena, xt_catalogue_nr_sems,
                                      sizeof(*names), _Alignof(struct names));
    int rc = names ? 0 : -ENOMEM;

    for ( size_t i = 0; !rc && i < xt_catalogue_nr_sems; i++ )
        if ( xt_catalogue_sems[i].meaning == XT_ENUM )
            rc = make_names(&c->arena, &xt_catalogue_sems[i], &names[i]);
    *out = names;
    return rc;
}

/* --- from a line to a program --------------------------------------------- */

#define OPS 64u

struct build
{
    const struct xt_catalogue *c;
    const struct xt_event *e;
    const struct names *names;  /* by type */
    unsigned int words;         /* words of the record */
    struct xt_op ops[OPS];
    unsigned int nr;
    size_t most;                /* bytes that the text may need */
    int last_argument;          /* field, or -1 */
    bool failed;                /* leave this format to the general writer */
};

static struct xt_op *add_op(struct build *b, enum op_kind kind)
{
    struct xt_op *op = &b->ops[b->nr];

    if ( b->nr + 1 < OPS )
        b->nr++;
    else
        b->failed = true;
    b->most += LITERAL;
    *op = (struct xt_op){ .kind = kind };
    return op;
}

/* Add a literal in front of the next operation that has space. */
static void add_text(struct build *b, const char *text, size_t length)
{
    while ( length && !b->failed )
    {
        struct xt_op *op = b->nr && b->ops[b->nr - 1].kind == OP_NOTHING &&
                           b->ops[b->nr - 1].length < LITERAL
                           ? &b->ops[b->nr - 1] : add_op(b, OP_NOTHING);
        size_t room = LITERAL - op->length, n = length < room ? length : room;

        memcpy(op->text + op->length, text, n);
        op->length += n;
        text += n;
        length -= n;
    }
}

/* Add a conversion, to the preceding literal if there is one. */
static struct xt_op *add_value(struct build *b, enum op_kind kind,
                               size_t most)
{
    struct xt_op *op = b->nr ? &b->ops[b->nr - 1] : NULL;

    if ( !op || op->kind != OP_NOTHING )
        op = add_op(b, kind);
    op->kind = kind;
    b->most += most;
    return op;
}

static bool field_is_present(const struct build *b, const struct xt_field *f)
{
    return f->in_id || f->bit + f->bits <= 32 * b->words;
}

/* Locate a value in the payload.  False if no two words contain it. */
static bool locate_value(struct xt_op *op, const struct xt_field *f)
{
    unsigned int word = f->in_id ? 0 : f->bit / 32;

    op->in_id = f->in_id;
    op->shift = f->bit - 32 * word;
    op->low = op->high = 4 * word;
    if ( op->shift + f->bits > 32 )
        op->high += 4;
    assert(op->shift < 64);
    op->mask = f->bits < 64 ? (UINT64_C(1) << f->bits) - 1 : UINT64_MAX;
    return op->shift + f->bits <= 64;
}

static const struct names *find_names(const struct build *b,
                                      const struct format_step *s)
{
    const struct xt_sem *sem = s->kind == KIND_EXIT ? b->c->exits : s->sem;

    if ( !sem || sem->meaning != XT_ENUM )
        return NULL;
    assert((size_t)(sem - xt_catalogue_sems) < xt_catalogue_nr_sems);
    return &b->names[sem - xt_catalogue_sems];
}

/* "%#x", also for an exit code without a table of names. */
static bool is_prefixed(const struct format_step *s)
{
    return (s->kind == KIND_HEX || s->kind == KIND_EXIT) && s->prefix &&
           !s->width && !s->digits && !s->plus && !s->upper;
}

/* OP_STEP stands for all other conversions, by the general writer. */
static enum op_kind choose_op_kind(const struct build *b,
                                   const struct format_step *s)
{
    const struct xt_field *f = &b->e->fields[s->field];

    if ( (s->kind == KIND_NAME || s->kind == KIND_EXIT) && !s->width &&
         !f->is_signed )
    {
        if ( find_names(b, s) )
            return OP_NAME;
        return is_prefixed(s) ? OP_HEX_PREFIX : OP_STEP;
    }
    if ( s->kind == KIND_HEX && s->zeroes && s->width && !s->digits &&
         !s->prefix && !s->plus && !s->upper && !s->left &&
         s->width <= NUM_HEX_MAX )
        return OP_HEX_ZEROES;
    if ( is_prefixed(s) )
        return OP_HEX_PREFIX;
    if ( !s->plain )
        return OP_STEP;
    return s->kind == KIND_UNSIGNED ? OP_DECIMAL :
           s->kind == KIND_SIGNED ? OP_SIGNED :
           s->kind == KIND_HEX ? OP_HEX : OP_STEP;
}

static void add_field_op(struct build *b, const struct format_step *s)
{
    const struct xt_field *f = &b->e->fields[s->field];
    enum op_kind kind = choose_op_kind(b, s);
    struct xt_op *op;

    if ( !field_is_present(b, f) )
    {
        add_text(b, "?", 1);
        return;
    }
    op = add_value(b, kind, kind == OP_STEP || kind == OP_NAME
                            ? s->need + NAME : NUMBER_MAX);
    op->step = s;
    op->names = find_names(b, s);
    op->width = kind == OP_SIGNED ? f->bits : s->width;
    if ( !locate_value(op, f) )
        op->kind = OP_STEP;
}

/*
 * Add an argument of a hypercall: a group of a literal and one argument, in
 * order.  Whether any other group is present is known at compile time.
 */
static void add_argument(struct build *b, const struct format_step *s)
{
    const struct xt_field *f = &b->e->fields[s->field];
    const struct xt_field *before = b->last_argument < 0 ? NULL
                                    : &b->e->fields[b->last_argument];
    struct xt_op *op = add_value(b, OP_ARGUMENT, NUMBER_MAX);
    int first = s->field;

    assert(s->field < b->e->nr_fields && f->present >= 0);
    while ( first && b->e->fields[first - 1].present >= 0 )
        first--;
    b->failed |= s->kind != KIND_HEX || !s->plain ||
                 (before ? f != before + 1 : first != s->field) ||
                 !locate_value(op, &b->e->fields[f->present]) ||
                 !field_is_present(b, &b->e->fields[f->present]);
    b->last_argument = s->field;
    op->first = b->e->fields[first].bit / 8;
}

static bool group_is_there(const struct build *b, const struct xt_format *line,
                           unsigned int from, unsigned int to)
{
    for ( unsigned int i = from; i < to; i++ )
    {
        const struct format_step *s = &line->steps[i];
        const struct xt_field *f = &b->e->fields[s->field];

        if ( s->kind != KIND_TEXT && f->present < 0 && !field_is_present(b, f) )
            return false;
    }
    return true;
}

/* A group with an argument can only be " text %llx". */
static void add_group(struct build *b, const struct xt_format *line,
                      unsigned int from, unsigned int to)
{
    unsigned int literals = b->nr;

    for ( unsigned int i = from; i < to; i++ )
    {
        const struct format_step *s = &line->steps[i];
        bool argument = s->kind != KIND_TEXT &&
                        b->e->fields[s->field].present >= 0;

        /* Its literal needs an operation of its own. */
        b->failed |= argument && (!s->group || i + 1 != to || to - from > 2 ||
                                  b->nr != literals + (i - from));
        if ( s->kind == KIND_TEXT )
            add_text(b, s->text, s->length);
        else if ( argument )
            add_argument(b, s);
        else
            add_field_op(b, s);
    }
}

static void add_format(struct build *b, const struct xt_format *line)
{
    unsigned int from = 0, to;

    for ( ; from < line->nr_steps; from = to )
    {
        unsigned int group = line->steps[from].group;

        to = from + 1;
        while ( to < line->nr_steps && line->steps[to].group == group )
            to++;
        if ( !group || group_is_there(b, line, from, to) )
            add_group(b, line, from, to);
    }
    add_value(b, OP_END, 0);
}

/*
 * *program stays NULL if the general writer is needed.  False without memory.
 */
static bool make_program(struct build *b, struct arena *arena,
                         const struct xt_op **program)
{
    struct xt_op *ops;

    b->nr = 0;
    b->most = LITERAL;
    b->last_argument = -1;
    b->failed = false;
    add_format(b, &b->c->formats[b->e - xt_catalogue_events]);
    if ( b->failed || b->most + UINT8_MAX > XT_TEXT_MAX - REST_MAX )
        return true;
    assert(b->nr <= OPS && b->ops[b->nr - 1].kind == OP_END);
    ops = arena_array(arena, b->nr, sizeof(*ops), _Alignof(struct xt_op));
    if ( !ops )
        return false;
    memcpy(ops, b->ops, b->nr * sizeof(*ops));
    *program = ops;
    return true;
}

int catalogue_make_programs(struct xt_catalogue *c)
{
    const struct xt_op **programs =
        arena_array(&c->arena, xt_catalogue_nr_events * PROGRAMS,
                    sizeof(*programs), _Alignof(const struct xt_op *));
    struct build b = { .c = c };
    struct names *names;
    int rc = make_all_names(c, &names);

    if ( rc || !programs )
        return -ENOMEM;
    b.names = names;
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        b.e = &xt_catalogue_events[i];
        for ( b.words = b.e->words; b.words <= b.e->max_words; b.words++ )
            if ( !make_program(&b, &c->arena,
                               &programs[i * PROGRAMS + b.words]) )
                return -ENOMEM;
    }
    c->programs = programs;
    return 0;
}
