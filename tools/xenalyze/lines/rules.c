/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiler of rules.
 *
 * The rules are part of the program, not input: a syntax error in a rule is a
 * bug and fails an assertion.  The unit test compiles and runs all rules.
 */
#include "xenalyze/lines/rules-code.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "xenalyze/lines/dump.h"

#define MAX_STEPS 64u
#define WORDS_MAX (9u * XT_RECORD_MAX_WORDS)

/* --- from a rule to a program --------------------------------------------- */

struct compiler
{
    struct line_programs *set;
    const struct xt_event *event;
    struct line_step steps[MAX_STEPS];
    unsigned int nr;
    const char *text;           /* the literal for the next step */
    size_t length;
    bool has_fields;            /* the event has all fields of the rule */
    bool no_memory;
};

/* The names of a field's values, prepared for copying. */
static const struct line_names *make_names(struct compiler *c,
                                           const struct xt_sem *sem)
{
    struct line_names *names = arena_zalloc(&c->set->arena, sizeof(*names),
                                            _Alignof(struct line_names));

    if ( !names )
    {
        c->no_memory = true;
        return NULL;
    }
    names->sem = sem;
    for ( unsigned int i = 0; i < LINE_NAMES; i++ )
    {
        const char *name = xt_sem_name(sem, i);

        if ( name )
            line_word_set(&names->words[i], name, strlen(name));
    }
    return names;
}

/* A new step with the literal before it. */
static struct line_step *append_step(struct compiler *c,
                                     enum line_step_kind kind)
{
    struct line_step *s = &c->steps[c->nr];

    assert(c->nr < MAX_STEPS && c->length <= UINT8_MAX);
    c->nr++;
    *s = (struct line_step){
        .kind = kind, .text = c->text, .length = c->length,
    };
    c->length = 0;
    return s;
}

static void flush_literal(struct compiler *c)
{
    if ( c->length )
        append_step(c, STEP_NOTHING);
}

static const struct xt_field *event_field(const struct compiler *c,
                                          const char *name, size_t length)
{
    for ( unsigned int i = 0; i < c->event->nr_fields; i++ )
    {
        const struct xt_field *f = &c->event->fields[i];

        if ( !strncmp(f->name, name, length) && !f->name[length] )
            return f;
    }
    return NULL;
}

static void set_place(struct compiler *c, struct line_place *to,
                      const struct xt_field **found, const char *name,
                      size_t length)
{
    const struct xt_field *f = event_field(c, name, length);

    *found = f;
    if ( !f )
    {
        c->has_fields = false;
        return;
    }
    assert(f->bits && f->bits <= 64);
    *to = (struct line_place){
        .at = f->in_id ? 0 : f->bit / 32 * 4,
        .shift = f->in_id ? f->bit : f->bit % 32,
        .bits = f->bits, .in_id = f->in_id, .is_signed = f->is_signed,
        .end = f->bit + f->bits,
    };
}

/* The step for a format behind the colon. */
static enum line_step_kind parse_conversion(const struct xt_field *f,
                                            const char *format,
                                            unsigned int *width)
{
    char *end;

    if ( !*format )
        return f && f->is_signed ? STEP_SIGNED : STEP_UNSIGNED;
    if ( !strcmp(format, "u") )
        return STEP_UNSIGNED;
    if ( !strcmp(format, "name") )
        return STEP_NAME;
    if ( !strcmp(format, "us") )
        return STEP_US;
    if ( !strncmp(format, "pct=", 4) )
        return STEP_PERCENT;
    *width = strtoul(format, &end, 10);
    assert(!strcmp(end, "x"));
    if ( !*width )
        return STEP_HEX;
    return *format == '0' ? STEP_HEX_ZERO : STEP_HEX_RIGHT;
}

/* "slice=slice": a function, and a field that the event may lack. */
static void append_function(struct compiler *c, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    size_t name = equals ? (size_t)(equals - text) : length;
    struct line_step *s = append_step(c, STEP_FUNCTION);
    const struct xt_field *f;

    s->function = line_function_find(text, name);
    assert(s->function);
    if ( !equals )
        return;
    s->kind = STEP_FUNCTION_OF;
    set_place(c, &s->place, &f, equals + 1, length - name - 1);
}

/* True if each record of the event has the field, in the payload. */
static bool is_direct(const struct compiler *c, const struct line_place *f)
{
    return !f->in_id && f->bits && f->end <= 32u * c->event->words;
}

/* A direct field is read without a check. */
static enum line_step_kind direct_kind(const struct compiler *c,
                                       const struct line_step *s)
{
    const struct line_place *f = &s->place;

    if ( !is_direct(c, f) )
        return s->kind;
    if ( f->bits > 32 )
        return s->kind == STEP_HEX ? STEP_DIRECT_LONG_HEX
               : s->kind == STEP_UNSIGNED ? STEP_DIRECT_LONG : s->kind;
    if ( s->kind == STEP_SIGNED )
        return f->bits == 32 ? STEP_DIRECT_SIGNED : s->kind;
    return s->kind == STEP_UNSIGNED ? STEP_DIRECT
           : s->kind == STEP_HEX ? STEP_DIRECT_HEX : s->kind;
}

/* The text between { and }. */
static void append_field(struct compiler *c, const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    size_t name = colon ? (size_t)(colon - text) : length;
    const struct xt_field *f;
    unsigned int width = 0;
    char format[24] = "";
    struct line_step *s;

    if ( *text == '*' )
    {
        append_step(c, STEP_WORDS);
        return;
    }
    if ( *text == '@' )
    {
        append_function(c, text + 1, length - 1);
        return;
    }
    assert(length - name < sizeof(format));
    if ( colon )
        memcpy(format, colon + 1, length - name - 1);
    s = append_step(c, STEP_NOTHING);
    set_place(c, &s->place, &f, text, name);
    s->kind = parse_conversion(f, format, &width);
    s->kind = direct_kind(c, s);
    s->width = width;
    if ( s->place.bits && s->place.bits <= 32 )
        s->mask = UINT32_MAX >> (32 - s->place.bits);
    if ( s->kind == STEP_NAME && f && f->sem )
        s->names = make_names(c, f->sem);
    if ( s->kind == STEP_PERCENT )
        set_place(c, &s->second, &f, format + 4, strlen(format + 4));
}

/*
 * A condition on a direct field compares the masked bits.  A number that does
 * not fit in the field compares as unequal.
 */
static void make_direct(const struct compiler *c, struct line_step *s)
{
    const struct line_place *f = &s->place;

    if ( !is_direct(c, f) || f->bits > 32 || (f->is_signed && f->bits < 32) ||
         (!f->is_signed && s->number < 0) )
        return;
    s->kind = s->kind == STEP_IF ? STEP_DIRECT_IF : STEP_DIRECT_IF_NOT;
    s->mask = UINT32_MAX >> (32 - f->bits);
}

/* Parse from behind < to |, and advance *at.  Returns the index of the step. */
static unsigned int append_condition(struct compiler *c, const char **at)
{
    size_t name = strcspn(*at, "=!");
    bool equal = (*at)[name] == '=';
    struct line_step *s = append_step(c, equal ? STEP_IF : STEP_IF_NOT);
    const struct xt_field *f;
    char *end;

    set_place(c, &s->place, &f, *at, name);
    s->number = strtol(*at + name + 1, &end, 0);
    assert(*end == '|');
    make_direct(c, s);
    *at = end + 1;
    return c->nr - 1;
}

static void compile_rule(struct compiler *c, const char *text)
{
    unsigned int condition = MAX_STEPS; /* the open one, or MAX_STEPS */

    c->nr = 0;
    c->length = 0;
    c->has_fields = true;
    while ( *text )
    {
        size_t length = strcspn(text, "{<>");

        /* "->" does not end a condition. */
        if ( text[length] == '>' && length && text[length - 1] == '-' )
            length++;
        c->text = text;
        c->length = length;
        text += length;
        if ( *text == '{' )
        {
            length = strcspn(text, "}");
            append_field(c, text + 1, length - 1);
            text += length + 1;
        }
        else if ( *text == '<' )
        {
            text++;
            assert(condition == MAX_STEPS);
            condition = append_condition(c, &text);
        }
        else if ( *text == '>' )
        {
            assert(condition < c->nr);
            flush_literal(c);
            c->steps[condition].skip = c->nr - 1 - condition;
            condition = MAX_STEPS;
            text++;
        }
        /* The search has stopped behind "->". */
        else if ( *text )
            flush_literal(c);
    }
    assert(condition == MAX_STEPS);
    flush_literal(c);
}

static size_t max_name_size(const struct line_names *names)
{
    const struct xt_sem *sem = names ? names->sem : NULL;
    size_t longest = sizeof(names->words[0].text);

    for ( unsigned int i = 0; sem && i < sem->nr_values; i++ )
        if ( strlen(sem->values[i].name) > longest )
            longest = strlen(sem->values[i].name);
    return longest;
}

static size_t max_step_size(const struct line_step *s)
{
    size_t text = s->length + LINE_PIECE;

    switch ( s->kind )
    {
    case STEP_NAME: return text + max_name_size(s->names);
    case STEP_FUNCTION:
    case STEP_FUNCTION_OF: return text + LINE_FUNCTION_MAX;
    case STEP_CATALOGUE: return text + XT_TEXT_MAX;
    case STEP_WORDS: return text + WORDS_MAX + NUM_HEX_MAX;
    case STEP_US: return text + 2 * NUM_U64_MAX + 1;
    case STEP_PERCENT: return text + 2 * NUM_U64_MAX + 2;
    default: return text + NUM_U64_MAX + NUM_HEX_MAX;
    }
}

static bool pattern_matches(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);

    if ( length && pattern[length - 1] == '*' )
        return !strncmp(pattern, name, length - 1);
    return !strcmp(pattern, name);
}

/*
 * Is the word a name as copied from a line: with the bracket of the name, or
 * with the part that depends on the record ("fixup:unsync")?
 */
static bool is_copied_name(const char *word, const char *text, size_t length)
{
    const char *rest = word + length;

    assert(length && text[length] != '\0');
    if ( strncmp(word, text, length) )
        return false;
    return text[length] == '[' ? !strcmp(rest, "[")
                               : text[length] == '{' && *rest == ':';
}

bool dump_has_name(const struct xt_event *event, const char *pattern)
{
    char name[UINT8_MAX];
    unsigned int nr;
    const struct line_rule *rules = line_rules(&nr);

    for ( unsigned int i = 0; i < nr; i++ )
    {
        const char *text = rules[i].text + strspn(rules[i].text, " ");
        size_t length = strcspn(text, " ,{<[");

        assert(length && length < sizeof(name));
        if ( !pattern_matches(rules[i].name, event->name) )
            continue;
        memcpy(name, text, length);
        name[length] = '\0';
        if ( !fnmatch(pattern, name, 0) ||
             (text[length] && is_copied_name(pattern, text, length)) )
            return true;
    }
    return false;
}

/* Compile the first rule for which the event has all fields. */
static const struct line_rule *compile_first_rule(struct compiler *c)
{
    unsigned int nr;
    const struct line_rule *rules = line_rules(&nr);

    for ( unsigned int i = 0; i < nr; i++ )
    {
        if ( !pattern_matches(rules[i].name, c->event->name) )
            continue;
        compile_rule(c, rules[i].text);
        if ( c->has_fields )
            return &rules[i];
    }
    return NULL;
}

/* Without a rule, the text is the event's name and the catalogue's text. */
static void compile_default(struct compiler *c, char *text)
{
    c->nr = 0;
    c->text = text;
    c->length = num_text(num_text(text, c->event->name), " ") - text;
    append_step(c, STEP_CATALOGUE);
}

/* Store the steps, and behind them their literals.  NULL: out of memory. */
static struct line_step *store_steps(struct compiler *c)
{
    size_t size = c->nr * sizeof(*c->steps);
    struct line_step *steps;
    char *text;

    for ( unsigned int i = 0; i < c->nr; i++ )
        size += c->steps[i].length;
    assert(c->nr && c->steps[c->nr - 1].last);
    steps = arena_zalloc(&c->set->arena, size, sizeof(*steps));
    if ( !steps )
        return NULL;
    memcpy(steps, c->steps, c->nr * sizeof(*steps));
    text = (char *)(steps + c->nr);
    for ( unsigned int i = 0; i < c->nr; i++ )
    {
        memcpy(text, steps[i].text, steps[i].length);
        steps[i].text = text;
        text += steps[i].length;
    }
    return steps;
}

static int compile_event(struct compiler *c, struct line_program *program)
{
    const struct line_rule *rule = compile_first_rule(c);
    char name[UINT8_MAX];
    unsigned int nr;

    if ( !rule )
        compile_default(c, name);
    assert(c->nr);
    c->steps[c->nr - 1].last = true;
    *program = (struct line_program){
        .event = c->event, .rule = rule ? rule - line_rules(&nr) + 1 : 0,
        .steps = store_steps(c),
        .max_size = LINE_PIECE,
        .marks = { rule ? rule->mark : ']',
                   rule ? rule->needs_exit ? '!' : rule->mark : ']' },
    };
    if ( !program->steps || c->no_memory )
        return -ENOMEM;
    for ( unsigned int i = 0; i < c->nr; i++ )
        program->max_size += max_step_size(&c->steps[i]);
    return 0;
}

int line_programs_init(struct line_programs *s,
                       const struct xt_catalogue *catalogue)
{
    struct compiler c = { .set = s };
    int rc = 0;

    assert(catalogue);
    *s = (struct line_programs){
        .catalogue = catalogue, .shorts = num_shorts(),
        .vmx = xt_catalogue_sem("vmx_exit"),
        .svm = xt_catalogue_sem("svm_exit"),
        .hypercalls = xt_catalogue_sem("hypercall"),
    };
    arena_init(&s->arena, 0);
    s->programs = arena_array(&s->arena, xt_catalogue_nr_events,
                              sizeof(*s->programs),
                              _Alignof(struct line_program));
    s->exit_words = arena_array(&s->arena, LINE_EXITS, sizeof(*s->exit_words),
                                _Alignof(struct line_word));
    s->hypercall_words = arena_array(&s->arena, LINE_HYPERCALLS,
                                     sizeof(*s->hypercall_words),
                                     _Alignof(struct line_word));
    s->cache = arena_zalloc(&s->arena, sizeof(*s->cache) << LINE_CACHE_BITS,
                            64);
    if ( !s->programs || !s->exit_words || !s->hypercall_words || !s->cache )
        rc = -ENOMEM;
    else
    {
        line_exits_init(s);
        line_hypercalls_init(s);
    }
    for ( size_t i = 0; !rc && i < xt_catalogue_nr_events; i++ )
    {
        c.event = &xt_catalogue_events[i];
        rc = compile_event(&c, &s->programs[i]);
        if ( s->programs[i].max_size > s->max_size )
            s->max_size = s->programs[i].max_size;
    }
    if ( rc )
        line_programs_fini(s);
    return rc;
}

void line_programs_fini(struct line_programs *s)
{
    arena_fini(&s->arena);
}

const struct line_program *line_program_find(const struct line_programs *s,
                                             const struct xt_record *r)
{
    const struct xt_event *e = xt_catalogue_find(s->catalogue, r->event,
                                                 r->words);

    return e && xt_event_fits(e, r->words)
           ? &s->programs[e - xt_catalogue_events] : NULL;
}

uint64_t line_program_fill_cache(const struct line_programs *s,
                                 _Atomic uint64_t *slot, uint32_t key,
                                 const unsigned char *record)
{
    const struct line_program *found;
    struct xt_record r;
    uint64_t value;

    assert(slot >= s->cache && slot < s->cache + (1u << LINE_CACHE_BITS));
    xt_record_view(&r, record);
    found = line_program_find(s, &r);
    value = (uint64_t)key << 32 | (found ? found - s->programs + 1 : 0);
    atomic_store_explicit(slot, value, memory_order_relaxed);
    return value;
}
