/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was wrong with an input.  Reading never stops at damage: it is noted
 * here, what cannot be read is skipped, and in the end every byte was either
 * delivered or is counted here.  Of the places, the first few are kept: a
 * person wants to look at one, and a hostile file must not eat the memory.
 */
#ifndef LIBXENTRACE_DAMAGE_H
#define LIBXENTRACE_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/* How bad: what one can still believe.  In rising order. */
enum xt_grade
{
    XT_GRADE_NONE,      /* all of it */
    XT_GRADE_CUT,       /* all there is; the capture ended abruptly */
    XT_GRADE_RECORD,    /* all but parts of some windows */
    XT_GRADE_FILE,      /* what is found between places that are no trace */
};

enum xt_damage_kind
{
    XT_DAMAGE_TORN,     /* the input ends inside a window */
    XT_DAMAGE_RECORD,   /* a record that no Xen writes: rest of window lost */
    XT_DAMAGE_SIZE,     /* a window ends elsewhere than its header says */
    XT_DAMAGE_JUNK,     /* something else where a window should begin */
    XT_DAMAGE_SUM,      /* the checksum is wrong: all of the window lost */
    XT_DAMAGE_GONE,     /* windows are missing between two good ones */
    XT_DAMAGE_BACKWARD, /* a time stamp before the one before it */
    XT_DAMAGE_CHANGED,  /* the file was cut while it was read */
    XT_DAMAGE_KINDS
};

#define XT_DAMAGE_PLACES 16

struct xt_damage_place
{
    uint64_t offset;    /* byte in the input where it begins */
    uint64_t bytes;     /* skipped there */
    enum xt_damage_kind kind;
};

/* All zero is a sound input. */
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
 * Add what another book says about other parts of the same input.  Whatever
 * the order in which books are merged, the sum is the same.
 */
void xt_damage_merge(struct xt_damage *to, const struct xt_damage *from);

/* Over all kinds. */
uint64_t xt_damage_times(const struct xt_damage *d);
uint64_t xt_damage_bytes(const struct xt_damage *d);
enum xt_grade xt_damage_grade(const struct xt_damage *d);

/* A few words, lower case, for a line of text. */
const char *xt_damage_text(enum xt_damage_kind kind);

#endif /* LIBXENTRACE_DAMAGE_H */
