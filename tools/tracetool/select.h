/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions about a model that more than one format asks: which of the
 * declarations of an event counts, in which order, and what is in a word.
 */
#ifndef TRACETOOL_SELECT_H
#define TRACETOOL_SELECT_H

#include "common/err.h"
#include "tracetool/model.h"

/*
 * The hypervisor's events by id, those of one id from old Xen to new; the
 * array is the caller's to free().  0 or -ENOMEM.
 */
int select_by_id(const struct tt_model *m, const struct tt_event ***events,
                 size_t *nr, struct err *why);

/* Is there no declaration of the same name for a later Xen? */
bool select_is_newest(const struct tt_model *m, const struct tt_event *e);

/*
 * Members of a family can share a constant, and so do the versions of an
 * event: the first one that has it, whose id it is.  NULL: there is none.
 */
const struct tt_event *select_owner(const struct tt_model *m,
                                    const struct tt_event *e);

/* A class that has no subclasses, or the one that has: all ones below it. */
bool select_is_main(const struct tt_class *c);

/* Does the argument have bits in this word of the payload, in a fixed place? */
bool select_in_word(const struct tt_arg *a, unsigned int word);

/* Words that have a fixed place: all, or those in front of the first "?". */
unsigned int select_fixed_words(const struct tt_event *e);

/* Is it one or two whole words? */
bool select_is_whole(const struct tt_arg *a);

/* Is it an enum of small numbers?  Large ones (MSRs, say) are known in hex. */
bool select_is_decimal(const struct tt_sem *sem);

/* All ones in as many bits. */
uint64_t select_mask(unsigned int bits);

#endif /* TRACETOOL_SELECT_H */
