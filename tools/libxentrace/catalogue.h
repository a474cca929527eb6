/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The catalogue: what the records mean.  Its table is made by tracetool from
 * events/ when this library is built; nothing here knows an event by name.
 *
 *     struct xt_catalogue *c;
 *
 *     xt_catalogue_new(&c, &dialect);
 *     event = xt_catalogue_find(c, record.event, record.words);
 *     if ( event )
 *         xt_field_get(event, 0, &record, &value);
 *     p = xt_catalogue_text(c, p, event, &record);
 *
 * An id can mean two things in two versions of Xen, and a record says only how
 * many words it has.  The dialect (dialect.h) is what else is known.
 */
#ifndef LIBXENTRACE_CATALOGUE_H
#define LIBXENTRACE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "libxentrace/class.h"
#include "libxentrace/dialect.h"
#include "libxentrace/record.h"

/* --- the table ------------------------------------------------------------ */

/* A value of an enum, or a bit (its number) of flags. */
struct xt_value
{
    uint64_t value;
    const char *name;
    const char *text;           /* or NULL */
};

enum xt_meaning { XT_PLAIN, XT_ENUM, XT_FLAGS };

/* What a number is: "domain", "runstate". */
struct xt_sem
{
    const char *name;
    const char *text;
    enum xt_meaning meaning;
    const struct xt_value *values;
    uint16_t nr_values;
};

struct xt_field
{
    const char *name;
    const struct xt_sem *sem;   /* NULL: just a number */
    uint8_t bit;                /* the first, in the payload or in the id */
    uint8_t bits;
    bool is_signed;
    bool in_id;
    bool optional;              /* of the tail: there if the words are */
    int8_t present;             /* the field that says if this one is, or -1 */
};

/* A format is literal texts and conversions in a row. */
struct xt_piece
{
    const char *text;           /* as it is; or "%08x", "%s" */
    int8_t field;               /* converted here; -1: text is literal */
    uint8_t group;              /* all there or none printed; 0: always */
};

struct xt_event
{
    uint32_t id;                /* 28 bits, id fields zero */
    uint32_t id_fields;         /* bits of the id that fields take */
    const char *name;
    const char *constant;       /* "TRC_SCHED_WAKE", or NULL */
    const struct xt_field *fields;
    const struct xt_piece *pieces;
    uint8_t nr_fields, nr_pieces;
    uint8_t words, max_words;   /* without and with all that may be absent */
    bool timed;
    bool unused;
    uint16_t since, until;      /* 0x0413: 4.19; inclusive; 0: no bound */
};

/* Sorted by id, then by since. */
extern const struct xt_event xt_catalogue_events[];
extern const size_t xt_catalogue_nr_events;
extern const struct xt_sem xt_catalogue_sems[];
extern const size_t xt_catalogue_nr_sems;
extern const struct xt_class xt_catalogue_classes[];
extern const size_t xt_catalogue_nr_classes;

/* --- from an id to its event ---------------------------------------------- */

/* One bit of an id's 12 class bits, and its 4 subclass bits. */
#define XT_CATALOGUE_PAGES (12u * 16u)

struct xt_catalogue
{
    struct arena arena;
    struct xt_dialect dialect;
    uint8_t page[XT_CATALOGUE_PAGES];   /* 0: the empty one */
    uint16_t (*ids)[4096];      /* a page: of a minor, the event + 1 */
    const struct xt_format *formats;      /* texts, parsed; catalogue-text.c */
    const struct xt_op **programs;      /* of an event and a number of words */
    const struct xt_sem *exits; /* names for hvm_vmexit, or NULL: not known */
};

/* 0 or -ENOMEM.  A catalogue is never changed: threads may share one. */
int xt_catalogue_new(struct xt_catalogue **c, const struct xt_dialect *d);
void xt_catalogue_free(struct xt_catalogue *c);

/* Of the same id, the declaration that a record of so many words fits. */
const struct xt_event *xt_catalogue_find_slow(const struct xt_event *e,
                                              unsigned int words);

/* Could a record of this event have so many words? */
static inline bool xt_event_fits(const struct xt_event *e, unsigned int words)
{
    return words >= e->words && words <= e->max_words;
}

/* The event of a record, or NULL: an id that nobody declared. */
static inline const struct xt_event *
xt_catalogue_find(const struct xt_catalogue *c, uint32_t id,
                  unsigned int words)
{
    uint32_t class = id >> TRC_CLS_SHIFT;
    const struct xt_event *e;
    unsigned int page, at;

    /* Two class bits, or none, are nobody's. */
    if ( !class || (class & (class - 1)) || id >> 28 )
        return NULL;
    page = __builtin_ctz(class) * 16 + ((id >> TRC_SUBCLS_SHIFT) & 0xf);
    at = c->ids[c->page[page]][id & 0xfff];
    if ( !at )
        return NULL;
    e = &xt_catalogue_events[at - 1];
    return xt_event_fits(e, words) ? e : xt_catalogue_find_slow(e, words);
}

/* The first declaration of an id, by looking through all of them; or NULL. */
const struct xt_event *xt_catalogue_by_id(uint32_t id);

/* The first of this name, or NULL. */
const struct xt_event *xt_catalogue_by_name(const char *name);

/* The word of this name, or NULL. */
const struct xt_sem *xt_catalogue_sem(const char *name);

/* One after the other those that an event mask selects; NULL begins, ends. */
const struct xt_event *xt_catalogue_next(const struct xt_event *e,
                                         uint32_t mask);

/* A sum over all ids, names and layouts, to tell catalogues apart. */
uint32_t xt_catalogue_sum(void);

/* --- the fields of a record ----------------------------------------------- */

/*
 * The value of field i, its sign extended if it has one; false: the record
 * does not have it.  The record is one of this event, of any number of words.
 */
bool xt_field_get(const struct xt_event *e, unsigned int i,
                  const struct xt_record *r, uint64_t *value);

/* The name of a value of an enum, or NULL. */
const char *xt_sem_name(const struct xt_sem *sem, uint64_t value);

/* --- the text of a record ------------------------------------------------- */

/* The longest text of any record, roughly: names of 21 flags. */
#define XT_TEXT_MAX 1024u

/*
 * What the event's format makes of a record, at p and without a NUL; the place
 * behind it.  Touches at most XT_TEXT_MAX bytes from p on.  Of a record without
 * an event (NULL), or of words that its event does not have, the words in hex.
 */
char *xt_catalogue_text(const struct xt_catalogue *c, char *p,
                        const struct xt_event *e, const struct xt_record *r);

#endif /* LIBXENTRACE_CATALOGUE_H */
