/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Families: a declaration of several events, with an id and widths for each.
 */
#include "tracetool/event.h"

#include <assert.h>
#include <stdio.h>

#define BIT_64 0x100u
#define LEVEL(n) ((n) * 0x100u)         /* id bits of level n: 0, 1, 2 */
#define BIT_NESTED 0x400u

uint32_t tt_family_bits(unsigned int family)
{
    assert(!(family & ~(TT_FAMILY_64 | TT_FAMILY_LEVELS | TT_FAMILY_NESTED)));
    return (family & TT_FAMILY_64 ? BIT_64 : 0) |
           (family & TT_FAMILY_LEVELS ? LEVEL(3) : 0) |
           (family & TT_FAMILY_NESTED ? BIT_NESTED : 0);
}

unsigned int tt_family_width(const struct tt_ctype *type,
                             const struct tt_member *member)
{
    assert(member->reg < 3 && member->level < 3);
    if ( !type->sized )
        return type->width;
    return type->sized->width[type->sized->by_levels ? member->level :
                              member->reg];
}

/* The member for a width and a number of levels. */
static struct tt_member make_members(unsigned int family, unsigned int reg,
                                     unsigned int level, unsigned int nested)
{
    struct tt_member m = {
        .id = reg * BIT_64 | LEVEL(level) | nested * BIT_NESTED,
        .reg = reg, .level = level, .has_constant = !level && !nested,
    };
    char levels[4] = "";

    assert(reg < 2 && level < 3 && nested < 2);
    m.suffix[0] = '\0';
    if ( !family )
        return m;
    if ( family & TT_FAMILY_LEVELS )
        snprintf(levels, sizeof(levels), "_%u", level % 3 + 2);
    snprintf(m.suffix, sizeof(m.suffix), "%s%s%s", reg ? "64" : "", levels,
             nested ? "_nested" : "");
    return m;
}

size_t tt_family_members(unsigned int family,
                         struct tt_member members[TT_MAX_MEMBERS])
{
    unsigned int regs = family & TT_FAMILY_64 ? 2 : 1;
    unsigned int levels = family & TT_FAMILY_LEVELS ? 3 : 1;
    unsigned int nesteds = family & TT_FAMILY_NESTED ? 2 : 1;
    unsigned int i;

    assert(regs * levels * nesteds <= TT_MAX_MEMBERS);
    for ( i = 0; i < regs * levels * nesteds; i++ )
        members[i] = make_members(family, i % regs, i / regs % levels,
                                  i / regs / levels);
    return i;
}
