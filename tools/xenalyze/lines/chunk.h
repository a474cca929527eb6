/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Some thousands of records on their way to text.  What has to be done one
 * record after the other (pipeline.c: taking) leaves notes in the chunk; then a
 * thread makes its text alone.
 */
#ifndef XENALYZE_LINES_CHUNK_H
#define XENALYZE_LINES_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libxentrace/batch.h"

#define CHUNK_ITEMS 2048u
#define CHUNK_NOTES (4u * CHUNK_ITEMS)  /* a record leaves 4 at most */

/* Who is on a pcpu, as the column of pcpus shows it. */
struct face
{
    uint32_t who;               /* domain << 16 | vcpu, or NOBODY */
    char sign;                  /* ' ': nobody is known */
};

#define NOBODY UINT32_MAX       /* in `who` */

#define IN_GUEST UINT64_MAX     /* of when a vcpu left it: not, or not known */

enum note_kind
{
    NOTE_FACE,                  /* behind this record: another face of `cpu` */
    NOTE_VALUE,                 /* see rules-irregular.c */
};

struct note
{
    uint32_t item;              /* they are in the order of the records */
    uint16_t cpu;
    uint8_t kind;
    char sign;                  /* NOTE_FACE, with value: a struct face */
    uint64_t value;
};

struct chunk
{
    struct xt_item *items;      /* CHUNK_ITEMS */
    size_t nr, most;            /* most: take no more than these */
    const unsigned char *bytes; /* that the items have their places in */
    uint64_t origin;            /* of bytes in the input */
    uint64_t *left;             /* CHUNK_ITEMS: what is traced in exits, and
                                   ends them: when its vcpu left the guest */
    struct note *notes;         /* CHUNK_NOTES */
    size_t nr_notes;
    struct face *faces;         /* at the begin, by pcpu */
    uint64_t *times;            /* at the begin, by pcpu: formats.c */
    unsigned int nr_cpus, room_cpus;
    uint64_t start;             /* time stamp that is second 0 */
    bool fresh;                 /* another segment begins with it */

    unsigned char *copies;      /* of records that are not mapped, or NULL */
    size_t copied;

    char *text;
    size_t used, room;
    bool no_memory;             /* the text is not complete */
};

/* `copy`: keep the records' bytes.  0 or -ENOMEM. */
int chunk_init(struct chunk *c, bool copy);
void chunk_fini(struct chunk *c);

/* Take no records yet, of a batch like this one. */
void chunk_begin(struct chunk *c, const struct xt_batch *b);

/* Place for so many pcpus.  0 or -ENOMEM. */
int chunk_cpus(struct chunk *c, unsigned int nr);

/* The take of a style (print.h) that wants every record and knows nothing. */
ssize_t chunk_take_all(void *state, struct chunk *c, const struct xt_batch *b,
                       size_t at, bool *end);

/* Room for `need` bytes behind `p`, which may move.  NULL: no memory. */
char *chunk_grow(struct chunk *c, char *p, size_t need);

static inline char *chunk_room(struct chunk *c, char *p, size_t need)
{
    if ( (size_t)(c->text + c->room - p) >= need )
        return p;
    return chunk_grow(c, p, need);
}

/* The record that was added last shall outlive the batch. */
void chunk_copy(struct chunk *c, const struct xt_batch *b);

/* What is counted in c->nr already are the records from b->items[at] on. */
void chunk_add_counted(struct chunk *c, const struct xt_batch *b, size_t at);

/* A record that shall have a line; there is room. */
static inline void chunk_add(struct chunk *c, const struct xt_batch *b,
                             const struct xt_item *item)
{
    c->items[c->nr++] = *item;
    if ( c->copies )
        chunk_copy(c, b);
}

/* Is there room for what a record more may leave? */
static inline bool chunk_has_notes(const struct chunk *c)
{
    return c->nr_notes + 4 <= CHUNK_NOTES;
}

/* Of the record that was added last: when its vcpu left the guest. */
static inline void chunk_left(struct chunk *c, uint64_t left)
{
    c->left[c->nr - 1] = left;
}

/* About that record. */
static inline void chunk_note(struct chunk *c, enum note_kind kind,
                              uint64_t value)
{
    c->notes[c->nr_notes++] = (struct note){
        .item = c->nr - 1, .kind = kind, .value = value,
    };
}

#endif /* XENALYZE_LINES_CHUNK_H */
