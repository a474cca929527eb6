/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of CTF and their declarations, both from the catalogue.
 *
 * Names of fields begin with "_", which readers remove: a name could be a
 * keyword of TSDL.
 */
#include "xenalyze/convert/ctf-layout.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "bits of the payload are declared in little-endian order");

static bool is_argument(const struct xt_field *f)
{
    return f->present >= 0;
}

static void describe_event(const struct xt_event *e, struct ctf_event *c)
{
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        const struct xt_field *f = &e->fields[i];

        if ( f->in_id )
        {
            assert(c->nr_id < CTF_ID_FIELDS && f->bits <= 16);
            c->id[c->nr_id].bit = f->bit;
            c->id[c->nr_id++].bits = f->bits;
        }
        c->nr_arguments += is_argument(f);
    }
}

int ctf_layout_init(struct ctf_layout *l)
{
    *l = (struct ctf_layout){ .nr_classes = CTF_UNKNOWN + 1 };
    l->events = fault_calloc(xt_catalogue_nr_events, sizeof(*l->events));
    if ( !l->events )
        return -ENOMEM;
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];

        l->events[i].first = l->nr_classes;
        l->nr_classes += e->max_words - e->words + 1u;
        describe_event(e, &l->events[i]);
    }
    assert(l->nr_classes < CTF_EXTENDED);
    return 0;
}

void ctf_layout_fini(struct ctf_layout *l)
{
    assert(l);
    free(l->events);
    *l = (struct ctf_layout){ .events = NULL };
}

/* --- records -------------------------------------------------------------- */

static unsigned char *put_unknown(const struct xt_record *r, unsigned char *p)
{
    uint8_t words = r->words;

    assert(words <= XT_RECORD_MAX_WORDS);
    memcpy(p, &r->event, 4);
    p[4] = words;
    memcpy(p + 5, r->payload, 4u * words);
    return p + 5 + 4u * words;
}

static unsigned char *put_arguments(const struct xt_event *e,
                                    const struct xt_record *r,
                                    unsigned char *p)
{
    unsigned char *nr = p++;
    uint64_t value;

    *nr = 0;
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( is_argument(&e->fields[i]) && xt_field_get(e, i, r, &value) )
        {
            assert(*nr < XT_RECORD_MAX_WORDS);
            memcpy(p, &value, 8);
            p += 8;
            ++*nr;
        }
    return p;
}

unsigned char *ctf_put_fields(const struct ctf_layout *l,
                              const struct xt_catalogue *catalogue,
                              const struct xt_record *r, unsigned char *p,
                              unsigned int *class)
{
    const struct xt_event *e = xt_catalogue_find(catalogue, r->event,
                                                 r->words);
    const struct ctf_event *c;

    if ( !e || !xt_event_fits(e, r->words) )
    {
        *class = CTF_UNKNOWN;
        return put_unknown(r, p);
    }
    c = &l->events[e - xt_catalogue_events];
    *class = c->first + r->words - e->words;
    assert(*class < l->nr_classes);
    for ( unsigned int i = 0; i < c->nr_id; i++, p += 2 )
    {
        uint16_t value = r->event >> c->id[i].bit &
                         ((1u << c->id[i].bits) - 1);

        memcpy(p, &value, 2);
    }
    memcpy(p, r->payload, 4u * r->words);
    p += 4u * r->words;
    return c->nr_arguments ? put_arguments(e, r, p) : p;
}

/* --- declarations --------------------------------------------------------- */

void ctf_print_string(const char *text, FILE *out)
{
    assert(text);
    putc('"', out);
    for ( const char *c = text; *c; c++ )
    {
        if ( *c == '"' || *c == '\\' )
            putc('\\', out);
        putc(*c < ' ' || *c > '~' ? '?' : *c, out);
    }
    putc('"', out);
}

static bool names_domain(const struct xt_field *f)
{
    return f->sem && !strcmp(f->sem->name, "domain");
}

/* Does the event's text show the field in hex? */
static bool shows_hex(const struct xt_event *e, unsigned int field)
{
    if ( e->fields[field].sem && e->fields[field].sem->meaning == XT_FLAGS )
        return true;
    for ( unsigned int i = 0; i < e->nr_pieces; i++ )
        if ( e->pieces[i].field == (int)field &&
             strpbrk(e->pieces[i].text, "xX") )
            return true;
    return false;
}

static void declare_integer(unsigned int bits, unsigned int bit, bool is_signed,
                          bool hex, FILE *out)
{
    assert(bits && bits <= 64);
    fprintf(out, "integer { size = %u; align = %u; signed = %s; base = %u; }",
            bits, bit % 8 || bits % 8 ? 1 : 8, is_signed ? "true" : "false",
            hex ? 16 : 10);
}

static bool fits_bits(uint64_t value, unsigned int bits, bool is_signed)
{
    bits -= is_signed;
    return bits >= 64 || !(value >> bits);
}

static void declare_values(const struct xt_sem *sem, unsigned int bits,
                         bool is_signed, FILE *out)
{
    const char *comma = "";

    assert(sem->meaning == XT_ENUM);
    for ( unsigned int i = 0; i < sem->nr_values; i++ )
    {
        if ( !fits_bits(sem->values[i].value, bits, is_signed) )
            continue;
        fputs(comma, out);
        ctf_print_string(sem->values[i].name, out);
        fprintf(out, " = %llu", (unsigned long long)sem->values[i].value);
        comma = ", ";
    }
}

static void declare_domains(const struct xt_domain_names *names, FILE *out)
{
    fputs("\"idle\" = 32767, \"unknown\" = 32768", out);
    for ( size_t i = 0; names && i < names->nr; i++ )
    {
        assert(names->all[i].length < XT_DOMAIN_LABEL_MAX);
        if ( names->all[i].id >= XT_DOMAIN_IDLE )
            continue;
        fputs(", ", out);
        ctf_print_string(names->all[i].label, out);
        fprintf(out, " = %u", names->all[i].id);
    }
}

void ctf_print_domain_type(const struct xt_domain_names *names, FILE *out)
{
    assert(out);
    fputs("enum : ", out);
    declare_integer(16, 0, false, false, out);
    fputs(" { ", out);
    declare_domains(names, out);
    fputs(" }", out);
}

struct printer
{
    const struct xt_catalogue *catalogue;
    const struct xt_domain_names *names;
    FILE *out;
};

/* The type of the values of a field; exits have names by vendor. */
static const struct xt_sem *get_sem(const struct printer *p,
                                    const struct xt_field *f)
{
    if ( f->sem && p->catalogue->exits && !strcmp(f->sem->name, "exit_code") )
        return p->catalogue->exits;
    assert(p->out);
    return f->sem && f->sem->meaning == XT_ENUM && f->sem->nr_values ? f->sem
                                                                     : NULL;
}

/* A field of `bits` from `bit` on, in the event's or in a field of 16 bits. */
static void declare_field(const struct printer *p, const struct xt_event *e,
                        unsigned int field, unsigned int bit,
                        unsigned int bits)
{
    const struct xt_field *f = &e->fields[field];
    const struct xt_sem *sem = get_sem(p, f);
    bool has_names = sem || (names_domain(f) && bits >= 16 && !f->is_signed);

    assert(field < e->nr_fields);
    fputs(has_names ? "enum : " : "", p->out);
    declare_integer(bits, bit, f->is_signed, shows_hex(e, field), p->out);
    if ( has_names )
    {
        fputs(" { ", p->out);
        if ( sem )
            declare_values(sem, bits, f->is_signed, p->out);
        else
            declare_domains(p->names, p->out);
        fputs(" }", p->out);
    }
    fprintf(p->out, " _%s; ", f->name);
}

/* The field that begins at this bit or the next behind it; or -1. */
static int find_field(const struct xt_event *e, unsigned int bit,
                      unsigned int end)
{
    int best = -1;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        const struct xt_field *f = &e->fields[i];

        if ( !f->in_id && !is_argument(f) && f->bit >= bit &&
             f->bit + f->bits <= end &&
             (best < 0 || f->bit < e->fields[best].bit) )
            best = i;
    }
    assert(best < (int)e->nr_fields);
    return best;
}

static void declare_gap(unsigned int bit, unsigned int end, FILE *out)
{
    unsigned int bits;

    for ( ; bit < end; bit += bits )
    {
        bits = end - bit < 32 ? end - bit : 32;
        assert(bits);
        declare_integer(bits, bit, false, true, out);
        fprintf(out, " _unused%u; ", bit);
    }
}

static void print_payload(const struct printer *p, const struct xt_event *e,
                          unsigned int words)
{
    unsigned int bit = 0, end = 32 * words;
    int i;

    assert(words <= e->max_words);
    while ( (i = find_field(e, bit, end)) >= 0 )
    {
        const struct xt_field *f = &e->fields[i];

        declare_gap(bit, f->bit, p->out);
        declare_field(p, e, i, f->bit, f->bits);
        bit = f->bit + f->bits;
    }
    declare_gap(bit, end, p->out);
}

static void declare_class(const struct printer *p, const struct xt_event *e,
                        const struct ctf_event *c, unsigned int words)
{
    assert(words >= e->words);
    fprintf(p->out, "event { name = \"%s\"; id = %u; stream_id = 0; "
            "fields := struct { ", e->name, c->first + words - e->words);
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( e->fields[i].in_id )
            declare_field(p, e, i, 0, 16);
    print_payload(p, e, words);
    if ( c->nr_arguments )
        fputs("uint8_t _nr_args; hex64_t _args[_nr_args]; ", p->out);
    fputs("}; };\n", p->out);
}

void ctf_layout_print(const struct ctf_layout *l,
                      const struct xt_catalogue *catalogue,
                      const struct xt_domain_names *names, FILE *out)
{
    const struct printer p = { catalogue, names, out };

    fprintf(out, "event { name = \"unknown\"; id = %u; stream_id = 0; fields "
            ":= struct { hex32_t _id; uint8_t _nr_words; "
            "hex32_t _words[_nr_words]; }; };\n", CTF_UNKNOWN);
    assert(l->events);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];

        for ( unsigned int words = e->words; words <= e->max_words; words++ )
            declare_class(&p, e, &l->events[i], words);
    }
}
