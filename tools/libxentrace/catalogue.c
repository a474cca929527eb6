/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lookup of an event by its id, and of a field in a record.
 *
 * The index is dense: a page of 4096 entries for each used pair of class and
 * subclass, about fifteen pages, so that a lookup is two loads and no search.
 * A family of ids (runstates, guest events) has an entry for each member.
 *
 * Measured (x86-64, gcc -O2, real traces), ns: lookup 2.2, a field 6, the text
 * of a record 10 (VM exits) to 22 (hypercalls with arguments, the scheduler).
 */
#include "libxentrace/catalogue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/closest-word.h"
#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/catalogue-private.h"

/* --- the index ------------------------------------------------------------ */

static unsigned int page_of(uint32_t id)
{
    assert(id >> TRC_CLS_SHIFT);
    return __builtin_ctz(id >> TRC_CLS_SHIFT) * 16 +
           ((id >> TRC_SUBCLS_SHIFT) & 0xf);
}

/* Assign a page to each pair of class and subclass that is in use. */
static int make_pages(struct xt_catalogue *c)
{
    size_t nr = 1;

    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        uint8_t *page = &c->page[page_of(xt_catalogue_events[i].id)];

        if ( !*page )
            *page = nr++;
    }
    assert(nr <= UINT8_MAX + 1u);
    c->ids = arena_array(&c->arena, nr, sizeof(*c->ids), _Alignof(uint16_t));
    return c->ids ? 0 : -ENOMEM;
}

static bool in_range(const struct xt_event *e, uint16_t version)
{
    return version && version >= e->since && (!e->until || version <= e->until);
}

/*
 * Index an event.  Of two declarations of an id, the version in the dialect
 * decides, or else the older declaration wins.
 */
static void index_event(struct xt_catalogue *c, size_t i)
{
    const struct xt_event *e = &xt_catalogue_events[i];
    uint16_t *page = c->ids[c->page[page_of(e->id)]];
    uint32_t member = 0;

    do {
        uint16_t *at = &page[(e->id | member) & 0xfff];

        if ( !*at || (in_range(e, c->dialect.version) &&
                      !in_range(&xt_catalogue_events[*at - 1],
                                c->dialect.version)) )
            *at = i + 1;
        /* Next subset of the field bits; all subsets are done at 0. */
        member = (member - e->id_fields) & e->id_fields;
    } while ( member );
}

/*
 * In old Xen, hvm_vmexit has the exit codes of the hardware.  The catalogue has
 * the names for VMX and SVM; the dialect selects.
 */
static const struct xt_sem *find_exit_names(const struct xt_dialect *d)
{
    if ( d->hardware == XT_HARDWARE_VMX )
        return xt_catalogue_sem("vmx_exit");
    if ( d->hardware == XT_HARDWARE_SVM )
        return xt_catalogue_sem("svm_exit");
    return NULL;
}

static int build_catalogue(struct xt_catalogue *c)
{
    int rc = make_pages(c);

    if ( rc )
        return rc;
    assert(xt_catalogue_nr_events < UINT16_MAX);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        index_event(c, i);
    c->exits = find_exit_names(&c->dialect);
    rc = catalogue_parse_texts(c);
    return rc ? rc : catalogue_make_programs(c);
}

int xt_catalogue_new(struct xt_catalogue **c, const struct xt_dialect *d)
{
    int rc;

    *c = fault_calloc(1, sizeof(**c));
    if ( !*c )
        return -ENOMEM;
    (*c)->dialect = *d;
    arena_init(&(*c)->arena, 0);
    rc = build_catalogue(*c);
    if ( rc )
    {
        xt_catalogue_free(*c);
        *c = NULL;
    }
    return rc;
}

void xt_catalogue_free(struct xt_catalogue *c)
{
    if ( !c )
        return;
    arena_fini(&c->arena);
    fault_free(c);
}

const struct xt_event *xt_catalogue_find_slow(const struct xt_event *e,
                                              unsigned int words)
{
    const struct xt_event *end = xt_catalogue_events + xt_catalogue_nr_events;
    const struct xt_event *other = e;

    while ( other > xt_catalogue_events && other[-1].id == e->id )
        other--;
    for ( ; other < end && other->id == e->id; other++ )
        if ( xt_event_fits(other, words) )
            return other;
    return e;
}

/* --- by id, name, class; not for every record ----------------------------- */

const struct xt_event *xt_catalogue_by_id(uint32_t id)
{
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( (id & ~xt_catalogue_events[i].id_fields) ==
             xt_catalogue_events[i].id )
            return &xt_catalogue_events[i];
    return NULL;
}

const struct xt_event *xt_catalogue_by_name(const char *name)
{
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( !strcmp(xt_catalogue_events[i].name, name) )
            return &xt_catalogue_events[i];
    return NULL;
}

const struct xt_sem *xt_catalogue_sem(const char *name)
{
    for ( size_t i = 0; i < xt_catalogue_nr_sems; i++ )
        if ( !strcmp(xt_catalogue_sems[i].name, name) )
            return &xt_catalogue_sems[i];
    return NULL;
}

/* Xen's rule: a class bit and a subclass bit must match. */
static bool mask_selects(uint32_t mask, uint32_t id)
{
    uint32_t both = mask & id & TRC_ALL;

    return both >> TRC_CLS_SHIFT && (both >> TRC_SUBCLS_SHIFT & 0xf);
}

const struct xt_event *xt_catalogue_next(const struct xt_event *e,
                                         uint32_t mask)
{
    const struct xt_event *end = xt_catalogue_events + xt_catalogue_nr_events;

    for ( e = e ? e + 1 : xt_catalogue_events; e < end; e++ )
        if ( mask_selects(mask, e->id) )
            return e;
    return NULL;
}

/* FNV-1a: distinguishes catalogues, and is no protection against forgery. */
static uint32_t checksum_bytes(uint32_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    while ( size-- )
        sum = (sum ^ *at++) * 16777619u;
    return sum;
}

static uint32_t checksum_event(uint32_t sum, const struct xt_event *e)
{
    uint32_t head[] = { e->id, e->id_fields, e->since, e->until, e->timed };

    sum = checksum_bytes(sum, head, sizeof(head));
    sum = checksum_bytes(sum, e->name, strlen(e->name) + 1);
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        const struct xt_field *f = &e->fields[i];
        unsigned char place[] = { f->bit, f->bits, f->is_signed, f->in_id,
                                  f->optional, f->present };

        sum = checksum_bytes(sum, place, sizeof(place));
        sum = checksum_bytes(sum, f->name, strlen(f->name) + 1);
    }
    return sum;
}

uint32_t xt_catalogue_sum(void)
{
    uint32_t sum = 2166136261u;

    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        sum = checksum_event(sum, &xt_catalogue_events[i]);
    return sum;
}

/* --- fields --------------------------------------------------------------- */

static inline uint64_t mask_bits(uint64_t value, unsigned int bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static inline uint64_t extend_sign(uint64_t value, const struct xt_field *f)
{
    uint64_t sign = UINT64_C(1) << (f->bits - 1);

    value = mask_bits(value, f->bits);
    return f->is_signed ? (value ^ sign) - sign : value;
}

/*
 * Read `bits` bits of the payload from `bit` on; higher bits of *value are
 * undefined.  False if the payload is shorter.  A field is whole bytes, or lies
 * in a unit of at most 8 bytes: so the 8 bytes from its first byte contain it,
 * if the payload has 8 more; otherwise its word does, or the remaining bytes.
 */
static inline bool read_bits(const struct xt_record *r, unsigned int bit,
                             unsigned int bits, uint64_t *value)
{
    const unsigned char *at = r->payload + bit / 8;
    unsigned int left = 32u * r->words;

    debug_assert(bits && bits <= 64);
    if ( bit + bits > left )
        return false;
    left = (left - bit / 8 * 8) / 8;
    if ( left >= 8 )
        *value = xt_load64(at) >> bit % 8;
    else if ( bit % 32 + bits <= 32 )
        *value = xt_load32(r->payload + bit / 32 * 4) >> bit % 32;
    else
    {
        *value = 0;
        memcpy(value, at, left);
        *value >>= bit % 8;
    }
    return true;
}

/*
 * Read an argument of a hypercall: two bits for each argument hold its size in
 * words, 0 to 2.  So its position depends on the arguments before it.  Size 3
 * is invalid, and hides the position of all later arguments.
 */
static bool read_argument(const struct xt_event *e, unsigned int i,
                          const struct xt_record *r, uint64_t *value)
{
    unsigned int first = i, bit;
    uint64_t size = 0;

    assert(e->fields[i].present >= 0);
    if ( !xt_field_get(e, e->fields[i].present, r, &size) || !size )
        return false;
    while ( first && e->fields[first - 1].present >= 0 )
        first--;
    bit = e->fields[first].bit;
    for ( unsigned int at = first; ; at++ )
    {
        if ( !xt_field_get(e, e->fields[at].present, r, &size) || size > 2 )
            return false;
        if ( at == i )
            break;
        bit += 32 * size;
    }
    if ( !read_bits(r, bit, 32 * size, value) )
        return false;
    *value = mask_bits(*value, 32 * size);
    return true;
}

bool xt_field_get(const struct xt_event *e, unsigned int i,
                  const struct xt_record *r, uint64_t *value)
{
    const struct xt_field *f = &e->fields[i];

    assert(i < e->nr_fields);
    if ( f->present >= 0 )
        return read_argument(e, i, r, value);
    if ( f->in_id )
        *value = r->event >> f->bit;
    else if ( !read_bits(r, f->bit, f->bits, value) )
        return false;
    *value = extend_sign(*value, f);
    return true;
}

/*
 * Values mostly rise from 0 or 1 with few gaps, so the search begins at the
 * index that equals the value, and goes down.
 */
const char *xt_sem_name(const struct xt_sem *sem, uint64_t value)
{
    size_t nr = sem->nr_values, guess = value < nr ? value + 1 : nr;

    for ( size_t i = guess; i--; )
        if ( sem->values[i].value == value )
            return sem->values[i].name;
    for ( size_t i = guess; i < nr; i++ )
        if ( sem->values[i].value == value )
            return sem->values[i].name;
    return NULL;
}

void xt_catalogue_print_names(FILE *out)
{
    fputs("all ", out);
    for ( size_t i = 0; i < xt_catalogue_nr_classes; i++ )
        if ( strcmp(xt_catalogue_classes[i].name, "all") )
            fprintf(out, "%s ", xt_catalogue_classes[i].name);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *event = &xt_catalogue_events[i];

        if ( !event->unused && (!i || event[-1].id != event->id) )
            fprintf(out, "%s ", event->name);
    }
}

const char *xt_catalogue_closest_name(const char *word, size_t length)
{
    struct closest_word c;

    closest_word_init(&c, word, length);
    closest_word_compare(&c, "all");
    for ( size_t i = 0; i < xt_catalogue_nr_classes; i++ )
        closest_word_compare(&c, xt_catalogue_classes[i].name);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        closest_word_compare(&c, xt_catalogue_events[i].name);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( xt_catalogue_events[i].constant )
            closest_word_compare(&c, xt_catalogue_events[i].constant);
    return c.best;
}
