/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chunk: some thousands of records on their way to text.  All work that has
 * to follow the order of records is done when the chunk is read, and its
 * results are kept as notes; so any thread can format the chunk alone, later.
 */
#ifndef XENALYZE_LINES_CHUNK_H
#define XENALYZE_LINES_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/debug.h"
#include "libxentrace/libxentrace.h"

#define CHUNK_ITEMS 2048u
#define NOTES_PER_RECORD 4u     /* at most */
#define CHUNK_NOTES (NOTES_PER_RECORD * CHUNK_ITEMS)

/* The current vcpu of a pcpu, as the column of pcpus shows it. */
struct column_state
{
    uint32_t vcpu;              /* domain << 16 | vcpu, or NO_VCPU */
    char sign;                  /* ' ' = unknown */
};

#define NO_VCPU UINT32_MAX

/* An exit time: the vcpu has made no VM exit since its last VM entry, or none
   is known. */
#define IN_GUEST UINT64_MAX

enum note_kind
{
    NOTE_COLUMN_STATE,          /* after this record, a new state of `cpu` */
    NOTE_VALUE,                 /* for the record's line: rules-irregular.c */
};

struct note
{
    uint32_t item;              /* index of the record; notes are in order */
    uint16_t cpu;
    uint8_t kind;
    char sign;                  /* NOTE_COLUMN_STATE: sign, vcpu = value */
    uint64_t value;
};

/* Lines in front of an item, or behind the last one: of programs' events. */
struct chunk_insert
{
    size_t item;
    size_t from, length;        /* in the chunk's `inserted` */
};

struct chunk
{
    struct xt_item *items;      /* CHUNK_ITEMS */
    size_t nr;
    size_t most;                /* the reader stops at this number */
    const unsigned char *bytes; /* base address of the items' offsets */
    uint64_t origin;            /* offset of `bytes` in the input */
    uint64_t *exit_times;       /* CHUNK_ITEMS: of the record's vcpu; set for
                                   VM entries and exits, and between them */
    struct note *notes;         /* CHUNK_NOTES */
    size_t nr_notes;
    struct column_state *columns;       /* by pcpu, before the first record */
    uint64_t *times;            /* by pcpu, likewise: formats.c */
    unsigned int nr_cpus, room_cpus;
    unsigned int column_width;  /* the dump's column of pcpus */
    uint64_t start;             /* the time stamp that is second 0 */
    bool fresh;                 /* the chunk begins a segment */

    unsigned char *copies;      /* records of an input that is not mapped */
    size_t copied;              /* bytes in use there */

    struct chunk_insert *inserts;       /* in the order of items */
    size_t nr_inserts, room_inserts;
    size_t put_inserts;         /* the formatter has put these */
    char *inserted;
    size_t used_inserted, room_inserted;

    char *text;
    size_t used, room;
    bool no_memory;             /* the text is incomplete */
};

/* With `copy`, the chunk keeps a copy of each record.  0 or -ENOMEM. */
int chunk_init(struct chunk *c, bool copy);
void chunk_fini(struct chunk *c);

/* Empty the chunk, to be filled from a batch like this. */
void chunk_begin(struct chunk *c, const struct xt_batch *b);

/* Set the number of pcpus, with columns undefined.  0 or -ENOMEM. */
int chunk_set_cpus(struct chunk *c, unsigned int nr);

/* The read callback (pipeline.h) of styles without state: add every record. */
ssize_t chunk_read_all(void *state, struct chunk *c, const struct xt_batch *b,
                       size_t at);

/* Make room for `need` bytes at p.  The new p, or NULL: out of memory. */
char *chunk_grow_text(struct chunk *c, char *p, size_t need);

static inline char *chunk_reserve(struct chunk *c, char *p, size_t need)
{
    debug_assert(p >= c->text && p <= c->text + c->room);
    if ( (size_t)(c->text + c->room - p) >= need )
        return p;
    return chunk_grow_text(c, p, need);
}

/* Add lines in front of an item; items never fall.  0 or -ENOMEM. */
int chunk_insert(struct chunk *c, size_t item, const char *lines,
                 size_t length);

/* Format the lines in front of item i at p.  The new p, or NULL. */
char *chunk_put_inserts(struct chunk *c, char *p, size_t i);

/* The first item from i on with lines in front of it; c->nr: none. */
static inline size_t chunk_next_insert(const struct chunk *c, size_t i)
{
    debug_assert(i <= c->nr);
    return c->put_inserts < c->nr_inserts
           ? c->inserts[c->put_inserts].item : c->nr;
}

/* Copy the bytes of the last record, so that it outlives the batch. */
void chunk_copy_last(struct chunk *c, const struct xt_batch *b);

/* Add the c->nr records from b->items[at] on, which have been counted only. */
void chunk_add_counted(struct chunk *c, const struct xt_batch *b, size_t at);

/* Add a record.  The chunk has room for it. */
static inline void chunk_add(struct chunk *c, const struct xt_batch *b,
                             const struct xt_item *item)
{
    debug_assert(c->nr < CHUNK_ITEMS);
    c->items[c->nr++] = *item;
    if ( c->copies )
        chunk_copy_last(c, b);
}

/* True if the notes of one more record fit. */
static inline bool chunk_has_notes(const struct chunk *c)
{
    return c->nr_notes + NOTES_PER_RECORD <= CHUNK_NOTES;
}

/* The exit time of the last record's vcpu. */
static inline void chunk_set_exit_time(struct chunk *c, uint64_t exit_time)
{
    debug_assert(c->nr);
    c->exit_times[c->nr - 1] = exit_time;
}

/* Add a note to the last record. */
static inline void chunk_note(struct chunk *c, enum note_kind kind,
                              uint64_t value)
{
    debug_assert(c->nr && c->nr_notes < CHUNK_NOTES);
    c->notes[c->nr_notes++] = (struct note){
        .item = c->nr - 1, .kind = kind, .value = value,
    };
}

#endif /* XENALYZE_LINES_CHUNK_H */
