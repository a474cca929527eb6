/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A log of damage in an input.  Reading never stops at damage: unreadable bytes
 * are counted here and skipped, and in the end every byte of the input was
 * either delivered or counted.  The first few places are kept with their
 * offsets: enough for a user to inspect, and bounded for a hostile file.
 */
#ifndef LIBXENTRACE_DAMAGE_H
#define LIBXENTRACE_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/* How much is still credible, from best to worst. */
enum xt_grade
{
    XT_GRADE_NONE,      /* all bytes */
    XT_GRADE_CUT,       /* all bytes there are; the capture ended abruptly */
    XT_GRADE_RECORD,    /* all but parts of some windows */
    XT_GRADE_FILE,      /* only windows between bytes that are no trace */
};

enum xt_damage_kind
{
    XT_DAMAGE_TORN,     /* the input ends inside a window */
    XT_DAMAGE_RECORD,   /* an impossible record: rest of the window lost */
    XT_DAMAGE_SIZE,     /* a window ends elsewhere than its header says */
    XT_DAMAGE_JUNK,     /* other bytes where a window should begin */
    XT_DAMAGE_SUM,      /* the checksum is wrong: all of the window lost */
    XT_DAMAGE_GONE,     /* windows are missing between two good ones */
    XT_DAMAGE_BACKWARD, /* a time stamp before its predecessor */
    XT_DAMAGE_CHANGED,  /* the file was truncated while it was read */
    XT_DAMAGE_REPEATED, /* a copy of an earlier window */
    XT_DAMAGE_ORDER,    /* a sealed window behind later ones, still read */
    XT_DAMAGE_TWICE,    /* a copy of the capture before, read as another */
    XT_DAMAGE_KINDS
};

#define XT_DAMAGE_PLACES 16

struct xt_damage_place
{
    uint64_t offset;    /* first byte in the input */
    uint64_t bytes;     /* skipped bytes */
    enum xt_damage_kind kind;
};

/* All zero: no damage. */
struct xt_damage
{
    uint64_t times[XT_DAMAGE_KINDS];
    uint64_t bytes[XT_DAMAGE_KINDS];    /* skipped */
    struct xt_damage_place first[XT_DAMAGE_PLACES]; /* by offset */
    size_t nr_first;
};

void xt_damage_add(struct xt_damage *d, enum xt_damage_kind kind,
                   uint64_t offset, uint64_t bytes);

/*
 * Remove what was added once in vain, at a place from `from` on and before
 * `to`.
 */
void xt_damage_remove(struct xt_damage *d, enum xt_damage_kind kind,
                      uint64_t from, uint64_t to);

/*
 * Add the damage of other parts of the same input.  The sum does not depend on
 * the order of merging.
 */
void xt_damage_merge(struct xt_damage *to, const struct xt_damage *from);

/* Totals over all kinds. */
uint64_t xt_damage_times(const struct xt_damage *d);
uint64_t xt_damage_bytes(const struct xt_damage *d);
/*
 * Damaged places: all kinds but XT_DAMAGE_BACKWARD.  All modes of reading count
 * the same places.
 */
uint64_t xt_damage_gaps(const struct xt_damage *d);
/*
 * Windows in which time goes backwards.  Only an approximate number: a reader
 * that sorts finds one wrong time stamp where another finds all that follow.
 */
uint64_t xt_damage_backward(const struct xt_damage *d);
enum xt_grade xt_damage_grade(const struct xt_damage *d);

/*
 * The totals as text: "2 places, 80 bytes skipped", "time goes backwards in 1
 * window", or both.  Returns `text`.
 */
#define XT_DAMAGE_TEXT_MAX 128
char *xt_damage_print(const struct xt_damage *d, char text[XT_DAMAGE_TEXT_MAX]);

/* A short description, lower case, for a line of text. */
const char *xt_damage_text(enum xt_damage_kind kind);

#endif /* LIBXENTRACE_DAMAGE_H */
