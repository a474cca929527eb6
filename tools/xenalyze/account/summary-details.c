/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an exit was for, as keys: the kind of handler, and of page faults under
 * shadow paging and of loads of CR3 the parts that stock tells apart.  A part
 * is a row of a table: its name, and which exits it is for.
 */
#include "xenalyze/account/summary.h"

#include <inttypes.h>

#include "xenalyze/model/model.h"

typedef bool part_fn(const struct fact_handle *f, uint32_t with);

struct part
{
    const char *name;
    part_fn *is;
    uint32_t with;
};

/* --- page faults ---------------------------------------------------------- */

static bool has_flag(const struct fact_handle *f, uint32_t flag)
{
    return f->shadow.flags & flag;
}

static bool lacks_flag(const struct fact_handle *f, uint32_t flag)
{
    return !has_flag(f, flag);
}

static bool is_level(const struct fact_handle *f, uint32_t level)
{
    return f->linear == level;
}

static bool has_unpinned(const struct fact_handle *f, uint32_t with)
{
    (void)with;
    return f->exit->unpinned;
}

static bool is_update(const struct fact_handle *f, uint32_t with)
{
    (void)with;
    return !f->exit->unpinned &&
           !has_flag(f, SHADOW_FLAG_PROMOTE | SHADOW_FLAG_UNSYNC);
}

static bool is_search(const struct fact_handle *f, uint32_t with)
{
    (void)with;
    return has_flag(f, SHADOW_FLAG_WRMAP) &&
           (has_flag(f, SHADOW_FLAG_BRUTE_FORCE) || f->exit->brute_force);
}

static bool has_resyncs(const struct fact_handle *f, uint32_t flag)
{
    return f->kind == HANDLE_CR || has_flag(f, flag);
}

static const struct part emulations[] = {
    { "non-linmap", is_level, 0 },
    { "linmap l1", is_level, 1 },
    { "linmap l2", is_level, 2 },
    { "linmap l3", is_level, 3 },
    { "linmap l4", is_level, 4 },
    { "early unshadow", has_flag, SHADOW_FLAG_EARLY_UNSHADOW },
    { "set changed", has_flag, SHADOW_FLAG_SET_CHANGED },
    { "set unchanged", lacks_flag, SHADOW_FLAG_SET_CHANGED },
    { "set flush", has_flag, SHADOW_FLAG_SET_FLUSH },
    { "set error", has_flag, SHADOW_FLAG_SET_ERROR },
    { "promote", has_flag, SHADOW_FLAG_PROMOTE },
    { "demote", has_flag, SHADOW_FLAG_DEMOTE },
    { "unpin", has_unpinned, 0 },
    { "unhook", has_flag, SHADOW_FLAG_UNHOOK },
};

static const struct part fixups[] = {
    { "unpin", has_unpinned, 0 },
    { "unsync", has_flag, SHADOW_FLAG_UNSYNC },
    { NULL, has_resyncs, SHADOW_FLAG_UNSYNC },
    { "oos-add", has_flag, SHADOW_FLAG_OOS_ADD },
    { "oos-evict", has_flag, SHADOW_FLAG_OOS_EVICT },
    { "promote", has_flag, SHADOW_FLAG_PROMOTE },
    { "update", is_update, 0 },
    { "wrmap", has_flag, SHADOW_FLAG_WRMAP },
    { "wrmap-bf", is_search, 0 },
};

/* Whose half an address is in: the upper one is the kernel's. */
static bool is_kernel(const struct fact_handle *f, uint64_t address)
{
    return address >> (f->exit->levels == 4 ? 47 : 31) & 1;
}

static bool is_address_of(const struct fact_handle *f, uint32_t kernel)
{
    return is_kernel(f, f->at) == kernel;
}

static bool is_place_of(const struct fact_handle *f, uint32_t kernel)
{
    return is_kernel(f, f->exit->rip) == kernel;
}

static const struct part mended[] = {
    { "va user", is_address_of, false },
    { "va kernel", is_address_of, true },
    { "eip user", is_place_of, false },
    { "eip kernel", is_place_of, true },
};

/* --- control registers ---------------------------------------------------- */

static const struct part loads[] = { { NULL, has_resyncs, 0 } };

/* --- keys ----------------------------------------------------------------- */

/* Those that have parts, by kind and which one. */
static const struct family
{
    uint8_t kind, at;
    uint8_t nr, most;           /* times that are told apart */
    const struct part *parts;
} families[] = {
#define FAMILY(kind, at, most, parts)                                       \
    { kind, at, sizeof(parts) / sizeof(parts[0]), most, parts }
    FAMILY(HANDLE_SHADOW, SHADOW_EMULATE, 0, emulations),
    FAMILY(HANDLE_SHADOW, SHADOW_FIXUP, SUMMARY_UNSYNC_RESYNCS, fixups),
    FAMILY(HANDLE_SHADOW, SUMMARY_FAULT_MENDED, 0, mended),
    FAMILY(HANDLE_CR, 3, SUMMARY_CR3_RESYNCS, loads),
#undef FAMILY
};

#define NR_FAMILIES (sizeof(families) / sizeof(families[0]))

static const struct family *family_of(uint64_t key)
{
    for ( size_t i = 0; i < NR_FAMILIES; i++ )
        if ( SUMMARY_DETAIL_KIND(key) == families[i].kind &&
             SUMMARY_DETAIL_AT(key) == families[i].at )
            return &families[i];
    return NULL;
}

/* What tells details of a kind apart; those of the rest are told by event. */
static uint64_t whole_key(const struct fact_handle *f)
{
    if ( f->kind == HANDLE_SHADOW )
        return SUMMARY_DETAIL(f->kind, f->shadow.kind, 0u, 0u);
    if ( f->kind == HANDLE_PF_XEN )
        return SUMMARY_DETAIL(HANDLE_SHADOW, f->linear ? SHADOW_EMULATE
                                                    : SUMMARY_FAULT_MENDED,
                              0u, 0u);
    if ( f->kind == HANDLE_MMIO )
        return SUMMARY_DETAIL(f->kind, 0, 0u, 0u);
    if ( f->kind == HANDLE_CR || f->kind == HANDLE_HYPERCALL ||
         (f->kind == HANDLE_INTERRUPT && f->has_value) )
        return SUMMARY_DETAIL(f->kind, f->at & UINT32_MAX, 0u, 0u);
    return SUMMARY_DETAIL(HANDLE_GENERIC, f->event, 0u, 0u);
}

/* A page fault that is taken for an emulation has no flags to go by. */
static bool has_parts(const struct fact_handle *f)
{
    return f->kind == HANDLE_PF_XEN ? !f->linear
                                    : f->kind != HANDLE_CR || f->write;
}

unsigned int summary_detail_keys(const struct fact_handle *f,
                                 uint64_t keys[SUMMARY_DETAILS])
{
    uint64_t whole = whole_key(f);
    const struct family *family = has_parts(f) ? family_of(whole) : NULL;
    unsigned int nr = 1, times = f->exit->resyncs;

    keys[0] = whole;
    for ( unsigned int i = 0; family && i < family->nr; i++ )
    {
        const struct part *part = &family->parts[i];

        if ( !part->is(f, part->with) )
            continue;
        keys[nr++] = whole | (i + 1) << 8 |
                     (part->name ? 0 : times < family->most ? times
                                                            : family->most);
    }
    return nr;
}

/* --- names ---------------------------------------------------------------- */

static const struct part *part_of(uint64_t key)
{
    const struct family *family = family_of(key);
    unsigned int i = SUMMARY_DETAIL_PART(key);

    return family && i && i <= family->nr ? &family->parts[i - 1] : NULL;
}

const char *summary_part_name(uint64_t key)
{
    const struct part *part = part_of(key);

    return part ? part->name : NULL;
}

unsigned int summary_part_most(uint64_t key)
{
    const struct family *family = family_of(key);

    return family ? family->most : 0;
}

/* The minor id of a handler event has a flag for 64-bit ones in the way. */
static const char *event_name(uint32_t event)
{
    const char *name = handler_name(event & 0xff);

    return name ? name : handler_name(event & 0xdf);
}

static const char *word_of(unsigned int kind, uint32_t at)
{
    if ( kind == HANDLE_GENERIC )
        return event_name(at);
    if ( kind == HANDLE_SHADOW )
        return shadow_name(at);
    if ( kind == HANDLE_MMIO )
        return "mmio";
    return kind == HANDLE_HYPERCALL ? hypercall_name(at) : NULL;
}

/* Accesses to ports and memory have one name for two events. */
#define IS_WRITE(event) ((event) & 0x200)

static void whole_name(uint64_t key, char name[SUMMARY_DETAIL_NAME])
{
    static const char *const formats[HANDLE_KINDS] = {
        [HANDLE_CR] = "cr%" PRIu32, [HANDLE_INTERRUPT] = "vector %" PRIu32,
        [HANDLE_HYPERCALL] = "hypercall %" PRIu32,
        [HANDLE_GENERIC] = "%08" PRIx32,
    };
    unsigned int kind = SUMMARY_DETAIL_KIND(key);
    uint32_t at = SUMMARY_DETAIL_AT(key);
    const char *word = word_of(kind, at);

    if ( word )
        snprintf(name, SUMMARY_DETAIL_NAME, "%s%s", word,
                 kind == HANDLE_GENERIC && IS_WRITE(at) ? SUMMARY_DETAIL_WRITE
                                                        : "");
    else
        snprintf(name, SUMMARY_DETAIL_NAME,
                 kind < HANDLE_KINDS && formats[kind] ? formats[kind]
                                                      : "%" PRIu32, at);
}

const char *summary_detail_name(uint64_t key, char name[SUMMARY_DETAIL_NAME])
{
    char whole[SUMMARY_DETAIL_NAME];
    const struct part *part = part_of(key);
    unsigned int times = SUMMARY_DETAIL_TIMES(key);

    whole_name(key, part ? whole : name);
    if ( part && part->name )
        snprintf(name, SUMMARY_DETAIL_NAME, "%.30s: %s", whole, part->name);
    else if ( part )
        snprintf(name, SUMMARY_DETAIL_NAME, "%.30s: %u%s resyncs", whole, times,
                 times == summary_part_most(key) ? " or more" : "");
    return name;
}
