/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries of a model that several formats use: the relevant declaration of an
 * event, the order of events, the fields in a word.
 */
#ifndef TRACETOOL_SELECT_H
#define TRACETOOL_SELECT_H

#include "common/err.h"
#include "tracetool/model.h"

/*
 * The hypervisor's events sorted by id, layouts of an id from old to new Xen.
 * The caller frees the array with free().  0 or -ENOMEM.
 */
int select_by_id(const struct tt_model *m, const struct tt_event ***events,
                 size_t *nr, struct err *why);

/* True if no declaration of the same name is for a later Xen. */
bool select_is_newest(const struct tt_model *m, const struct tt_event *e);

/*
 * The first event with the constant of `e`, whose id the constant is: members
 * of a family, and layouts of an event, share constants.  NULL: no constant.
 */
const struct tt_event *select_owner(const struct tt_model *m,
                                    const struct tt_event *e);

/* True for a class, false for a subclass: a class has all subclass bits. */
bool select_is_main(const struct tt_class *c);

/* True if the argument has bits in this payload word, in a fixed place. */
bool select_in_word(const struct tt_arg *a, unsigned int word);

/* The number of words with a fixed place: before the first "?" argument. */
unsigned int select_fixed_words(const struct tt_event *e);

/* True if the argument is one or two whole words. */
bool select_is_whole(const struct tt_arg *a);

/* True for an enum of small numbers; large ones (MSRs) are printed in hex. */
bool select_is_decimal(const struct tt_sem *sem);

/* A mask of so many low bits. */
uint64_t select_mask(unsigned int bits);

#endif /* TRACETOOL_SELECT_H */
