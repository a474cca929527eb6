/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The catalogue: names, fields and texts of events. tracetool generates its
 * table from events/ when this library is built; no code here depends on a
 * particular event's name.
 *
 *     struct xt_catalogue *c;
 *
 *     xt_catalogue_new(&c, &dialect);
 *     event = xt_catalogue_find(c, record.event, record.words);
 *     if ( event )
 *         xt_field_get(event, 0, &record, &value);
 *     p = xt_catalogue_text(c, p, event, &record);
 *
 * An id can have different meanings in different versions of Xen, and a record
 * only has its number of words to distinguish them.  The dialect (dialect.h)
 * has the version, as far as it is known.
 */
#ifndef LIBXENTRACE_CATALOGUE_H
#define LIBXENTRACE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/arena.h"
#include "libxentrace/class.h"
#include "libxentrace/dialect.h"
#include "libxentrace/record.h"

/* --- the table ------------------------------------------------------------ */

/* A value of an enum, or the number of a bit of flags. */
struct xt_value
{
    uint64_t value;
    const char *name;
    const char *text;           /* or NULL */
};

enum xt_meaning { XT_PLAIN, XT_ENUM, XT_FLAGS };

/* The type of a number: "domain", "runstate". */
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
    const struct xt_sem *sem;   /* NULL: a plain number */
    uint8_t bit;                /* the first, in the payload or in the id */
    uint8_t bits;
    bool is_signed;
    bool in_id;
    bool optional;              /* in the tail: present if the record is long
                                   enough */
    int8_t present;             /* the field that tells if this field is
                                   present, or -1 */
};

/* A format is a sequence of literal texts and conversions. */
struct xt_piece
{
    const char *text;           /* literal; or a conversion: "%08x", "%s" */
    int8_t field;               /* converted field; -1: text is literal */
    uint8_t group;              /* printed only if all its fields are present;
                                   0: always */
};

struct xt_event
{
    uint32_t id;                /* 28 bits, id fields zero */
    uint32_t id_fields;         /* bits of the id that hold fields */
    const char *name;
    const char *constant;       /* "TRC_SCHED_WAKE", or NULL */
    const struct xt_field *fields;
    const struct xt_piece *pieces;
    uint8_t nr_fields, nr_pieces;
    uint8_t words, max_words;   /* without and with all optional fields */
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

/* 12 class bits of an id, each with 4 subclass bits. */
#define XT_CATALOGUE_PAGES (12u * 16u)

struct xt_catalogue
{
    struct arena arena;
    struct xt_dialect dialect;
    uint8_t page[XT_CATALOGUE_PAGES];   /* 0: the empty page */
    uint16_t (*ids)[4096];      /* a page: for each minor id, the event + 1 */
    const struct xt_format *formats;      /* parsed texts; catalogue-text.c */
    const struct xt_op **programs;      /* by event and number of words */
    const struct xt_sem *exits; /* names for hvm_vmexit, or NULL if unknown */
};

/* 0 or -ENOMEM.  A catalogue is constant: threads may share it. */
int xt_catalogue_new(struct xt_catalogue **c, const struct xt_dialect *d);
void xt_catalogue_free(struct xt_catalogue *c);

/*
 * Slow path of xt_catalogue_find(): among the declarations with the id of e,
 * the one that fits the number of words.
 */
const struct xt_event *xt_catalogue_find_slow(const struct xt_event *e,
                                              unsigned int words);

/* Can a record of this event have this number of words? */
static inline bool xt_event_fits(const struct xt_event *e, unsigned int words)
{
    return words >= e->words && words <= e->max_words;
}

/* Find the event of a record, or NULL if no event has its id. */
static inline const struct xt_event *
xt_catalogue_find(const struct xt_catalogue *c, uint32_t id,
                  unsigned int words)
{
    uint32_t class = id >> TRC_CLS_SHIFT;
    const struct xt_event *e;
    unsigned int page, at;

    /* No event has an id without a class bit, or with two. */
    if ( !class || (class & (class - 1)) || id >> 28 )
        return NULL;
    page = __builtin_ctz(class) * 16 + ((id >> TRC_SUBCLS_SHIFT) & 0xf);
    at = c->ids[c->page[page]][id & 0xfff];
    if ( !at )
        return NULL;
    e = &xt_catalogue_events[at - 1];
    return xt_event_fits(e, words) ? e : xt_catalogue_find_slow(e, words);
}

/* The first declaration of an id, by a linear search; or NULL. */
const struct xt_event *xt_catalogue_by_id(uint32_t id);

/* The first event of this name, or NULL. */
const struct xt_event *xt_catalogue_by_name(const char *name);

/* The type of this name, or NULL. */
const struct xt_sem *xt_catalogue_sem(const char *name);

/* Iterate over the events that an event mask selects, from NULL to NULL. */
const struct xt_event *xt_catalogue_next(const struct xt_event *e,
                                         uint32_t mask);

/* A checksum over all ids, names and layouts, to compare catalogues. */
uint32_t xt_catalogue_sum(void);

/* Print the names of classes and events, with a blank behind each. */
void xt_catalogue_print_names(FILE *out);

/*
 * The name of the class or event, or the constant, that a mistyped word of
 * `length` bytes resembles most; NULL: none is similar.
 */
const char *xt_catalogue_closest_name(const char *word, size_t length);

/* --- the fields of a record ----------------------------------------------- */

/*
 * Get the value of field i, with its sign extended.  False if the record does
 * not contain the field.  The record belongs to this event, and may have any
 * number of words.
 */
bool xt_field_get(const struct xt_event *e, unsigned int i,
                  const struct xt_record *r, uint64_t *value);

/* The name of a value of an enum, or NULL. */
const char *xt_sem_name(const struct xt_sem *sem, uint64_t value);

/* --- the text of a record ------------------------------------------------- */

/* Upper bound of the text of a record: about the names of 21 flags. */
#define XT_TEXT_MAX 1024u

/*
 * Write the text of a record at p, by the event's format, without a NUL.
 * Returns the end of the text.  Writes at most XT_TEXT_MAX bytes from p on.
 * Without an event (NULL), and for words that the event does not have, writes
 * the words in hex.
 */
char *xt_catalogue_text(const struct xt_catalogue *c, char *p,
                        const struct xt_event *e, const struct xt_record *r);

#endif /* LIBXENTRACE_CATALOGUE_H */
