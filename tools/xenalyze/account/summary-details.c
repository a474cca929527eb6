/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of exit details: kind of handler, plus parts of page faults under shadow
 * paging and of CR3 loads, as in stock.  Each part is a row of a table: name
 * and predicate.
 */
#include "xenalyze/account/summary.h"

#include <inttypes.h>

#include "common/debug.h"
#include "xenalyze/model/model.h"

typedef bool part_matches_fn(const struct fact_handle *f, uint32_t argument);

struct part
{
    const char *name;
    part_matches_fn *matches;
    uint32_t argument;
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

static bool has_unpinned(const struct fact_handle *f, uint32_t argument)
{
    (void)argument;
    return f->exit->unpinned;
}

static bool is_plain_update(const struct fact_handle *f, uint32_t argument)
{
    (void)argument;
    return !f->exit->unpinned &&
           !has_flag(f, SHADOW_FLAG_PROMOTE | SHADOW_FLAG_UNSYNC);
}

static bool is_search(const struct fact_handle *f, uint32_t argument)
{
    (void)argument;
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
    { "update", is_plain_update, 0 },
    { "wrmap", has_flag, SHADOW_FLAG_WRMAP },
    { "wrmap-bf", is_search, 0 },
};

/* The upper half of the address space belongs to the guest's kernel. */
static bool is_kernel_address(const struct fact_handle *f, uint64_t address)
{
    return address >> (f->exit->levels == 4 ? 47 : 31) & 1;
}

static bool is_fault_address_in(const struct fact_handle *f, uint32_t kernel)
{
    return is_kernel_address(f, f->at) == kernel;
}

static bool is_rip_in(const struct fact_handle *f, uint32_t kernel)
{
    return is_kernel_address(f, f->exit->rip) == kernel;
}

static const struct part fixed_faults[] = {
    { "va user", is_fault_address_in, false },
    { "va kernel", is_fault_address_in, true },
    { "eip user", is_rip_in, false },
    { "eip kernel", is_rip_in, true },
};

/* --- control registers ---------------------------------------------------- */

static const struct part loads[] = { { NULL, has_resyncs, 0 } };

/* --- keys ----------------------------------------------------------------- */

/* Handler kinds with tables of parts. */
static const struct part_table
{
    uint8_t kind, at;
    uint8_t nr, max_times;      /* limit of distinct resync counts */
    const struct part *parts;
} part_tables[] = {
#define PART_TABLE(kind, at, max_times, parts)                               \
    { kind, at, sizeof(parts) / sizeof(parts[0]), max_times, parts }
    PART_TABLE(HANDLE_SHADOW, SHADOW_EMULATE, 0, emulations),
    PART_TABLE(HANDLE_SHADOW, SHADOW_FIXUP, SUMMARY_UNSYNC_RESYNCS, fixups),
    PART_TABLE(HANDLE_SHADOW, SUMMARY_FAULT_FIXED, 0, fixed_faults),
    PART_TABLE(HANDLE_CR, 3, SUMMARY_CR3_RESYNCS, loads),
#undef PART_TABLE
};

/* One key for the whole, and one for each part. */
#define ASSERT_KEYS(parts) \
    _Static_assert(sizeof(parts) / sizeof(parts[0]) < SUMMARY_DETAILS, #parts)

ASSERT_KEYS(emulations);
ASSERT_KEYS(fixups);
ASSERT_KEYS(fixed_faults);
ASSERT_KEYS(loads);
_Static_assert(HANDLE_KINDS <= 1u << 8 && SUMMARY_FAULT_FIXED < 1u << 8 &&
               SUMMARY_CR3_RESYNCS < 1u << 8 && SUMMARY_DETAILS <= 1u << 8,
               "each fits into its byte of a key");

#define NR_PART_TABLES (sizeof(part_tables) / sizeof(part_tables[0]))

static const struct part_table *find_part_table(uint64_t key)
{
    for ( size_t i = 0; i < NR_PART_TABLES; i++ )
        if ( SUMMARY_DETAIL_KIND(key) == part_tables[i].kind &&
             SUMMARY_DETAIL_AT(key) == part_tables[i].at )
            return &part_tables[i];
    return NULL;
}

/* Key without part. */
static uint64_t make_whole_key(const struct fact_handle *f)
{
    if ( f->kind == HANDLE_SHADOW )
        return SUMMARY_DETAIL(f->kind, f->shadow.kind, 0u, 0u);
    if ( f->kind == HANDLE_PF_XEN )
        return SUMMARY_DETAIL(HANDLE_SHADOW, f->linear ? SHADOW_EMULATE
                                                    : SUMMARY_FAULT_FIXED,
                              0u, 0u);
    return summary_detail_whole(f);
}

/* A page fault that is accounted as an emulation has no shadow flags. */
static bool has_parts(const struct fact_handle *f)
{
    return f->kind == HANDLE_PF_XEN ? !f->linear : summary_detail_has_parts(f);
}

unsigned int summary_detail_keys(const struct fact_handle *f,
                                 uint64_t keys[SUMMARY_DETAILS])
{
    uint64_t whole = make_whole_key(f);
    const struct part_table *table =
        has_parts(f) ? find_part_table(whole) : NULL;
    unsigned int nr = 1, times = f->exit->resyncs;

    debug_assert(f->exit && f->kind < HANDLE_KINDS);
    keys[0] = whole;
    for ( unsigned int i = 0; table && i < table->nr; i++ )
    {
        const struct part *part = &table->parts[i];

        if ( !part->matches(f, part->argument) )
            continue;
        debug_assert(nr < SUMMARY_DETAILS);
        keys[nr++] = whole | (i + 1) << 8 |
                     (part->name ? 0 : times < table->max_times ? times
                                                            : table->max_times);
    }
    return nr;
}

/* --- names ---------------------------------------------------------------- */

static const struct part *find_part(uint64_t key)
{
    const struct part_table *table = find_part_table(key);
    unsigned int i = SUMMARY_DETAIL_PART(key);

    return table && i && i <= table->nr ? &table->parts[i - 1] : NULL;
}

const char *summary_part_name(uint64_t key)
{
    const struct part *part = find_part(key);

    return part ? part->name : NULL;
}

unsigned int summary_part_max_times(uint64_t key)
{
    const struct part_table *table = find_part_table(key);

    return table ? table->max_times : 0;
}

/* Handler events have a flag for 64-bit mode in the minor id: mask the bit. */
static const char *find_event_name(uint32_t event)
{
    const char *name = handler_name(event & 0xff);

    return name ? name : handler_name(event & 0xdf);
}

static const char *find_handler_word(unsigned int kind, uint32_t at)
{
    if ( kind == HANDLE_GENERIC )
        return find_event_name(at);
    if ( kind == HANDLE_SHADOW )
        return shadow_name(at);
    if ( kind == HANDLE_MMIO )
        return "mmio";
    return kind == HANDLE_HYPERCALL ? hypercall_name(at) : NULL;
}

/* Read and write events of ports and MMIO share a name. */
#define IS_WRITE(event) ((event) & 0x200)

static void format_whole_name(uint64_t key, char name[SUMMARY_DETAIL_NAME])
{
    static const char *const formats[HANDLE_KINDS] = {
        [HANDLE_CR] = "cr%" PRIu32, [HANDLE_INTERRUPT] = "vector %" PRIu32,
        [HANDLE_HYPERCALL] = "hypercall %" PRIu32,
        [HANDLE_GENERIC] = "%08" PRIx32,
    };
    unsigned int kind = SUMMARY_DETAIL_KIND(key);
    uint32_t at = SUMMARY_DETAIL_AT(key);
    const char *word = find_handler_word(kind, at);

    if ( word )
        snprintf(name, SUMMARY_DETAIL_NAME, "%s%s", word,
                 kind == HANDLE_GENERIC && IS_WRITE(at) ? SUMMARY_DETAIL_WRITE
                                                        : "");
    else
        snprintf(name, SUMMARY_DETAIL_NAME,
                 kind < HANDLE_KINDS && formats[kind] ? formats[kind]
                                                      : "%" PRIu32, at);
}

bool summary_detail_vector(uint64_t key, uint32_t *vector)
{
    *vector = SUMMARY_DETAIL_AT(key);
    return SUMMARY_DETAIL_KIND(key) == HANDLE_INTERRUPT;
}

const char *summary_detail_interrupt(uint64_t key)
{
    uint32_t vector;

    return summary_detail_vector(key, &vector) ? xen_vector_name(vector) : NULL;
}

const char *summary_detail_name(uint64_t key, char name[SUMMARY_DETAIL_NAME])
{
    char whole[SUMMARY_DETAIL_NAME];
    const struct part *part = find_part(key);
    unsigned int times = SUMMARY_DETAIL_TIMES(key);

    format_whole_name(key, part ? whole : name);
    if ( part && part->name )
        snprintf(name, SUMMARY_DETAIL_NAME, "%.30s: %s", whole, part->name);
    else if ( part )
        snprintf(name, SUMMARY_DETAIL_NAME, "%.30s: %u%s resyncs", whole, times,
                 times == summary_part_max_times(key) ? " or more" : "");
    return name;
}
