/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table lookup from handler records to categories.
 */
#include "xenalyze/account/category.h"

#include <assert.h>

#include "common/debug.h"

static enum category shadow_category(const struct fact_shadow *s)
{
    static const uint8_t categories[SHADOW_KINDS] = {
        [SHADOW_EMULATE] = CATEGORY_EMULATE,
        [SHADOW_FIXUP] = CATEGORY_FIXUP,
        [SHADOW_MMIO] = CATEGORY_MMIO,
        [SHADOW_FAST_MMIO] = CATEGORY_MMIO,
        [SHADOW_PROPAGATE] = CATEGORY_PROPAGATE,
        [SHADOW_FAST_PROPAGATE] = CATEGORY_PROPAGATE,
        [SHADOW_FALSE_FAST_PATH] = CATEGORY_PROPAGATE,
        [SHADOW_DOMF_DYING] = CATEGORY_PROPAGATE,
        [SHADOW_UNSHADOW_USER] = CATEGORY_PROPAGATE,
        [SHADOW_UNSHADOW_EVTINJ] = CATEGORY_PROPAGATE,
        [SHADOW_UNSHADOW_UNHANDLED] = CATEGORY_PROPAGATE,
    };

    if ( s->kind == SHADOW_FIXUP && s->flags & SHADOW_FLAG_UNSYNC )
        return CATEGORY_UNSYNC;
    return categories[s->kind] ? categories[s->kind] : CATEGORY_OTHER;
}

enum category category_of_handler(const struct fact_handle *f)
{
    static const uint8_t categories[HANDLE_KINDS] = {
        [HANDLE_HYPERCALL] = CATEGORY_VMCALL,
        [HANDLE_INTERRUPT] = CATEGORY_INTERRUPT,
        [HANDLE_HALT] = CATEGORY_HALT,
    };

    debug_assert(f->kind < HANDLE_KINDS);
    debug_assert(f->shadow.kind < SHADOW_KINDS);
    if ( f->kind == HANDLE_SHADOW )
        return shadow_category(&f->shadow);
    if ( f->kind == HANDLE_CR && f->write && f->at == 3 )
        return CATEGORY_CR3;
    return categories[f->kind] ? categories[f->kind] : CATEGORY_OTHER;
}

const char *category_name(enum category category)
{
    static const char *const names[CATEGORIES] = {
        "", "emulate", "unsync", "fixup", "mmio", "propagate", "cr3",
        "vmcall", "intr", "hlt", "other",
    };

    assert(category > CATEGORY_NONE && category < CATEGORIES);
    return names[category];
}
