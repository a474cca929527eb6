/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What exits are for, in the ten words of stock's short summaries.
 */
#ifndef XENALYZE_ACCOUNT_CATEGORY_H
#define XENALYZE_ACCOUNT_CATEGORY_H

#include "xenalyze/model/model.h"

enum category
{
    CATEGORY_NONE,
    CATEGORY_EMULATE,
    CATEGORY_UNSYNC,
    CATEGORY_FIXUP,
    CATEGORY_MMIO,
    CATEGORY_PROPAGATE,
    CATEGORY_CR3,
    CATEGORY_VMCALL,
    CATEGORY_INTERRUPT,
    CATEGORY_HALT,
    CATEGORY_OTHER,
    CATEGORIES
};

/* Of the exit that this handler is the main one of. */
enum category category_of(const struct fact_handle *f);

/* Not of CATEGORY_NONE. */
const char *category_name(enum category category);

#endif /* XENALYZE_ACCOUNT_CATEGORY_H */
