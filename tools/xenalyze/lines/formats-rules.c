/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiler of rules.  Conversions are those of Python's % operator, which
 * Xen's script used: %(name), flags, width, precision, type.
 */
#include "xenalyze/lines/formats-private.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "common/fault.h"
#include "common/opts.h"

#define MAX_FILE_BYTES (16u << 20)
#define MAX_WIDTH 200u          /* also of precisions */
#define MAX_STEPS 256u

static const char nothing[FORMATS_COPY];        /* the text before a field */

/* The state of parsing: the file, the line, and the rule in progress. */
struct parser
{
    struct formats *f;
    const char *name;           /* of the file, for messages */
    unsigned int line;
    struct err *e;
    struct formats_step steps[MAX_STEPS];
    unsigned int nr;
    uint32_t longest;
};

/* --- the table ------------------------------------------------------------ */

static size_t rule_slot(const struct formats *f, uint32_t id)
{
    return ((id ^ id >> 12) * 2654435761u >> 8) & (f->room - 1);
}

static struct formats_rule *find_slot(const struct formats *f, uint32_t id)
{
    size_t i = rule_slot(f, id);

    debug_assert(f->nr < f->room && !(f->room & (f->room - 1)));
    while ( f->rules[i].used && f->rules[i].id != id )
        i = (i + 1) & (f->room - 1);
    return &f->rules[i];
}

const struct formats_rule *formats_find_rule(const struct formats *f,
                                             uint32_t id)
{
    const struct formats_rule *rule = find_slot(f, id);

    if ( rule->used )
        return rule;
    return f->other.used ? &f->other : NULL;
}

static int grow_rules(struct formats *f)
{
    struct formats_rule *old = f->rules;
    size_t old_room = f->room;

    f->rules = fault_calloc(2 * old_room, sizeof(*f->rules));
    if ( !f->rules )
    {
        f->rules = old;
        return -ENOMEM;
    }
    f->room = 2 * old_room;
    for ( size_t i = 0; i < old_room; i++ )
        if ( old[i].used )
            *find_slot(f, old[i].id) = old[i];
    free(old);
    return 0;
}

/* --- a rule --------------------------------------------------------------- */

static int reject_rule(struct parser *r, const char *what, const char *text,
                       size_t length)
{
    return err_set(r->e, -EINVAL, "%s line %u: %s: %.*s", r->name, r->line,
                   what, (int)(length < 40 ? length : 40), text);
}

static int add_step(struct parser *r, const struct formats_step *s,
                    uint32_t longest)
{
    if ( r->nr == MAX_STEPS )
        return err_set(r->e, -EINVAL, "%s line %u: more than %u texts and "
                       "fields in a rule", r->name, r->line, MAX_STEPS);
    assert(s->text);
    r->steps[r->nr++] = *s;
    r->longest += longest;
    return 0;
}

/* A field joins the step of the literal before it. */
static int add_field_step(struct parser *r, const struct formats_step *field)
{
    struct formats_step s = *field;

    if ( r->nr && r->steps[r->nr - 1].field == FORMATS_LITERAL )
    {
        s.text = r->steps[--r->nr].text;
        s.length = r->steps[r->nr].length;
    }
    return add_step(r, &s, FORMATS_FIELD_MAX + FORMATS_COPY);
}

static int add_literal(struct parser *r, const char *text, size_t length)
{
    char *copy;
    struct formats_step s = { .field = FORMATS_LITERAL, .length = length };

    if ( !length )
        return 0;
    copy = arena_zalloc(&r->f->arena, length + FORMATS_COPY, 1);
    if ( !copy )
        return err_sys(r->e, -ENOMEM, "cannot read %s", r->name);
    memcpy(copy, text, length);
    s.text = copy;
    return add_step(r, &s, length + FORMATS_COPY);
}

/* The field of %(name); FORMATS_FIELDS: none. */
static unsigned int find_field(const char *name, size_t length)
{
    static const char *const names[] = { "cpu", "tsc", "event", "reltsc" };

    for ( unsigned int i = 0; i < 4; i++ )
        if ( strlen(names[i]) == length && !memcmp(names[i], name, length) )
            return i;
    if ( length == 1 && *name >= '1' && *name <= '7' )
        return FORMATS_1 + (*name - '1');
    return FORMATS_FIELDS;
}

/* Parse digits and advance *at.  At most MAX_WIDTH + 1, which is too large. */
static unsigned int parse_number(const char **at, const char *end)
{
    unsigned int n = 0;

    for ( ; *at < end && isdigit((unsigned char)**at); ++*at )
        if ( n <= MAX_WIDTH )
            n = 10 * n + (**at - '0');
    return n <= MAX_WIDTH ? n : MAX_WIDTH + 1;
}

/* The conversion in C: integers are long long.  NULL: out of memory. */
static const char *printf_conversion(struct parser *r, const char *flags,
                                     size_t length, char type)
{
    char *text = arena_zalloc(&r->f->arena, length + 8, 1), *p = text;

    if ( !text )
        return NULL;
    *p++ = '%';
    memcpy(p, flags, length);
    p += length;
    if ( strchr("dxXo", type) )
    {
        *p++ = 'l';
        *p++ = 'l';
    }
    *p = type;
    return text;
}

static char canonical_type(char type)
{
    return type == 'i' || type == 'u' ? 'd' : type == 'r' ? 's' : type;
}

static enum formats_kind choose_step_kind(const struct formats_step *s)
{
    if ( s->plain && s->field >= FORMATS_1 && s->type == 'x' && s->zero &&
         s->width == 8 )
        return FORMATS_HEX_EIGHT;
    return s->plain && s->type == 'd' && !s->zero ? FORMATS_NUMBER
                                                  : FORMATS_SLOW;
}

/* The part behind "%(name)": flags, width, precision, type. */
static int add_conversion(struct parser *r, unsigned int field,
                          const char *begin, const char **at, const char *end)
{
    struct formats_step s = { .text = nothing, .field = field, .plain = true };
    const char *flags = *at, *p = *at, *flags_end;
    unsigned int width, precision = 0;

    assert(field < FORMATS_FIELDS && p <= end);
    for ( ; p < end && strchr("-+ #0", *p) && *p; p++ )
    {
        s.zero |= *p == '0';
        s.plain &= *p == '0';
    }
    width = parse_number(&p, end);
    if ( p < end && *p == '.' )
    {
        p++;
        s.plain = false;
        precision = parse_number(&p, end);
    }
    if ( width > MAX_WIDTH || precision > MAX_WIDTH )
        return reject_rule(r, "width or precision above 200", begin, p - begin);
    s.width = width;
    flags_end = p;
    if ( p < end && (*p == 'h' || *p == 'l' || *p == 'L') )
        p++;
    if ( p == end || !*p || !strchr("diuxXofFeEgGsrc", *p) )
        return reject_rule(r, "invalid conversion", begin,
                           p - begin + (p < end));
    s.type = canonical_type(*p);
    s.kind = choose_step_kind(&s);
    s.conversion = printf_conversion(r, flags, flags_end - flags, s.type);
    *at = p + 1;
    if ( !s.conversion )
        return err_sys(r->e, -ENOMEM, "cannot read %s", r->name);
    return add_field_step(r, &s);
}

/* At a %: "%%" or a conversion. */
static int add_field(struct parser *r, const char **at, const char *end)
{
    const char *begin = *at, *p = begin + 1, *name;
    unsigned int field;

    assert(begin < end && *begin == '%');
    if ( p < end && *p == '%' )
    {
        *at = p + 1;
        return add_literal(r, "%", 1);
    }
    if ( p == end || *p != '(' )
        return reject_rule(r, "a % has to be part of %(name) or %%", begin,
                           end - begin);
    name = ++p;
    while ( p < end && *p != ')' )
        p++;
    field = find_field(name, p - name);
    if ( p == end || field == FORMATS_FIELDS )
        return reject_rule(r, "unknown field; use cpu, tsc, event, reltsc or "
                           "1 to 7", begin, p - begin + (p < end));
    p++;
    *at = p;
    return add_conversion(r, field, begin, at, end);
}

static bool has_fast_start(const char *p, const char *end)
{
    size_t length = strlen(FORMATS_START_TEXT);

    return (size_t)(end - p) >= length &&
           !memcmp(p, FORMATS_START_TEXT, length);
}

static int parse_format(struct parser *r, const char *p, const char *end)
{
    static const struct formats_step start = {
        .text = nothing, .kind = FORMATS_START, .field = FORMATS_RELTSC,
        .type = 'd', .width = FORMATS_START_WIDTH,
    };
    int rc = 0;

    r->nr = 0;
    r->longest = 1;
    if ( has_fast_start(p, end) )
    {
        rc = add_step(r, &start, 3 * FORMATS_FIELD_MAX + FORMATS_COPY);
        p += strlen(FORMATS_START_TEXT);
    }
    while ( !rc && p < end )
    {
        const char *percent = memchr(p, '%', end - p);
        size_t length = (percent ? percent : end) - p;

        rc = add_literal(r, p, length);
        p += length;
        if ( !rc && p < end )
            rc = add_field(r, &p, end);
    }
    return rc;
}

/*
 * Store the parsed rule.  A later rule replaces an earlier one.  The table is
 * at most a quarter full, since a collision is a mispredicted branch.
 */
static int store_rule(struct parser *r, uint32_t id)
{
    struct formats *f = r->f;
    struct formats_rule rule = {
        .id = id, .used = true, .nr_steps = r->nr, .longest = r->longest,
    }, *to;
    struct formats_step *steps;

    steps = arena_array(&f->arena, r->nr + 1, sizeof(*steps),
                        _Alignof(struct formats_step));
    if ( !steps || (4 * f->nr >= f->room && grow_rules(f)) )
        return err_sys(r->e, -ENOMEM, "cannot read %s", r->name);
    memcpy(steps, r->steps, r->nr * sizeof(*steps));
    rule.steps = steps;
    if ( f->longest < rule.longest )
        f->longest = rule.longest;
    assert(id < 1u << 28);
    to = id ? find_slot(f, id) : &f->other;
    f->nr += id && !to->used;
    *to = rule;
    return 0;
}

/* --- the text ------------------------------------------------------------- */

static const char *skip_blanks(const char *p, const char *end)
{
    while ( p < end && isspace((unsigned char)*p) )
        p++;
    return p;
}

/* Split "0x1234  format".  False: the line has another form. */
static bool split_line(const char *p, const char *end, uint64_t *id,
                       const char **format)
{
    char word[32];
    const char *begin = p;

    while ( p < end && !isspace((unsigned char)*p) )
        p++;
    *format = skip_blanks(p, end);
    if ( (size_t)(p - begin) >= sizeof(word) || *format == end )
        return false;
    memcpy(word, begin, p - begin);
    word[p - begin] = '\0';
    return !opts_number(word, id);
}

static int parse_line(struct parser *r, const char *p, const char *end)
{
    const char *format;
    uint64_t id;
    int rc;

    if ( p == end || *p == '#' || skip_blanks(p, end) == end )
        return 0;
    if ( !split_line(p, end, &id, &format) )
        return reject_rule(r, "not a rule; a rule is an id and a format", p,
                           end - p);
    if ( id >> 28 )
        return reject_rule(r, "the id of an event has at most 28 bits", p,
                           end - p);
    rc = parse_format(r, format, end);
    return rc ? rc : store_rule(r, id);
}

static const char *find_line_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', end - p);

    return newline ? newline : end;
}

int formats_new(struct formats **out, const char *text, size_t size,
                const char *name, struct err *e)
{
    struct formats *f = fault_calloc(1, sizeof(*f));
    struct parser r = { .f = f, .name = name, .e = e };
    const char *end = text + size;
    int rc = 0;

    *out = NULL;
    if ( f )
    {
        arena_init(&f->arena, 0);
        f->room = 256;
        f->rules = fault_calloc(f->room, sizeof(*f->rules));
    }
    if ( !f || !f->rules )
        rc = err_sys(e, -ENOMEM, "cannot read %s", name);
    while ( !rc && text < end )
    {
        const char *line = find_line_end(text, end);

        r.line++;
        /* Lines of other systems end in a carriage return and a newline. */
        rc = parse_line(&r, text,
                        line > text && line[-1] == '\r' ? line - 1 : line);
        text = line < end ? line + 1 : end;
    }
    if ( rc )
    {
        formats_free(f);
        return rc;
    }
    *out = f;
    return 0;
}

bool formats_suspected(const char *text, size_t size)
{
    const char *begin = text, *end = text + size, *line, *format;
    uint64_t id;

    for ( size_t i = 0; i < size; i++ )
        if ( (unsigned char)text[i] < ' ' &&
             !isspace((unsigned char)text[i]) )
            return false;
    for ( ; text < end; text = line + 1 )
    {
        line = find_line_end(text, end);
        if ( *text != '#' && skip_blanks(text, line) != line )
            return split_line(text, line, &id, &format);
        if ( line == end )
            break;
    }
    /* Only comments in these bytes: no trace begins with a #. */
    return size && *begin == '#';
}

/* --- a file --------------------------------------------------------------- */

static int read_whole_file(int fd, char **text, size_t *size)
{
    size_t room = 64 * 1024;
    ssize_t n = 1;
    char *more;

    *size = 0;
    *text = fault_malloc(room);
    if ( !*text )
        return -ENOMEM;
    while ( n > 0 )
    {
        n = fault_read(fd, *text + *size, room - *size);
        if ( n < 0 && errno == EINTR )
            n = 1;
        else if ( n < 0 )
            return -errno;
        else
            *size += n;
        if ( *size < room )
            continue;
        if ( room >= MAX_FILE_BYTES )
            return -EFBIG;
        room *= 2;
        more = fault_realloc(*text, room);
        if ( !more )
            return -ENOMEM;
        *text = more;
    }
    return 0;
}

int formats_read(struct formats **f, const char *path, struct err *e)
{
    char *text = NULL;
    size_t size;
    int fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0), rc;

    *f = NULL;
    if ( fd < 0 )
        return err_sys(e, -errno, "cannot read the rules in %s", path);
    rc = read_whole_file(fd, &text, &size);
    close(fd);
    if ( rc )
        err_sys(e, rc, "cannot read the rules in %s", path);
    else
        rc = formats_new(f, text, size, path, e);
    free(text);
    if ( !rc && !(*f)->nr && !(*f)->other.used )
        rc = err_set(e, -EINVAL, "%s has no rule: give the file formats of "
                     "this package, or see formats(5)", path);
    return rc;
}

void formats_free(struct formats *f)
{
    if ( !f )
        return;
    arena_fini(&f->arena);
    free(f->rules);
    free(f->times);
    free(f);
}

void formats_set_mhz(struct formats *f, uint64_t mhz)
{
    f->mhz = mhz;
}
