/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Categories of VM exits: the columns of stock's short summaries.
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

/* Category of an exit, from the main handler record of the exit. */
enum category category_of_handler(const struct fact_handle *f);

/* Any category but CATEGORY_NONE. */
const char *category_name(enum category category);

#endif /* XENALYZE_ACCOUNT_CATEGORY_H */
