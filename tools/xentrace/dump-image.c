/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search through the memory of a dump, for bytes of Xen's image, and the page
 * tables of x86-64: four levels, pages of 4 KiB, 2 MiB and 1 GiB.
 */
#include "xentrace/dump-image.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define PAGE 4096u
#define CHUNK (1u << 20)        /* bytes read at once */
#define LEVELS 4u
#define TABLE_MASK 0x000ffffffffff000u
#define PRESENT 1u
#define LARGE (1u << 7)
#define INFO_BOUNDARY 64u

/* --- virtual memory ------------------------------------------------------- */

int dump_image_translate(const struct dump_image *image, uint64_t va,
                         uint64_t *address)
{
    uint64_t table = image->root, entry;

    for ( unsigned int level = LEVELS; level; level-- )
    {
        unsigned int shift = 12 + 9 * (level - 1);
        uint64_t inside = (1ull << shift) - 1;
        int rc = dump_memory_read(image->memory,
                                  table + (va >> shift & 511) * sizeof(entry),
                                  &entry, sizeof(entry));

        if ( rc || !(entry & PRESENT) )
            return rc ? rc : -EFAULT;
        if ( level == 1 || (level < LEVELS && (entry & LARGE)) )
        {
            *address = (entry & TABLE_MASK & ~inside) | (va & inside);
            return 0;
        }
        table = entry & TABLE_MASK;
    }
    return -EFAULT;
}

int dump_image_read(const struct dump_image *image, uint64_t va, void *to,
                    size_t bytes)
{
    unsigned char *at = to;

    while ( bytes )
    {
        size_t n = PAGE - va % PAGE;
        uint64_t address;
        int rc = dump_image_translate(image, va, &address);

        if ( n > bytes )
            n = bytes;
        if ( !rc )
            rc = dump_memory_read(image->memory, address, at, n);
        if ( rc )
            return rc;
        at += n;
        va += n;
        bytes -= n;
    }
    return 0;
}

/* Is the object that is linked at `va`, and was found at `address`, in use? */
static bool is_running(struct dump_image *image, uint64_t va, uint64_t address,
                       uint64_t root_va)
{
    uint64_t found;

    image->root = root_va + (address - va);
    return root_va && image->root % PAGE == 0 &&
           !dump_image_translate(image, va, &found) && found == address;
}

/* --- search --------------------------------------------------------------- */

/*
 * Inspect `bytes` bytes of memory at `address`; true: found, end the search.
 * An object may begin there and end behind.
 */
typedef bool inspect_fn(void *search, const unsigned char *memory,
                        uint64_t address, size_t bytes);

/* Memory is read in chunks that begin at pages. */
static int search_range(const struct dump_memory *m, struct dump_range range,
                        unsigned char *chunk, inspect_fn *inspect, void *search)
{
    assert(range.bytes);
    while ( range.bytes )
    {
        size_t n = CHUNK - range.address % CHUNK;

        if ( n > range.bytes )
            n = range.bytes;
        if ( dump_memory_read(m, range.address, chunk, n) )
            return -ENOENT;     /* truncated: the rest is not there */
        if ( inspect(search, chunk, range.address, n) )
            return 0;
        range.address += n;
        range.bytes -= n;
    }
    return -ENOENT;
}

static int search_memory(const struct dump_memory *m, inspect_fn *inspect,
                         void *search)
{
    unsigned char *chunk = fault_malloc(CHUNK);
    struct dump_range range;
    uint64_t from = 0;
    int rc = chunk ? -ENOENT : -ENOMEM;

    while ( rc == -ENOENT && dump_memory_find(m, from, &range) )
    {
        rc = search_range(m, range, chunk, inspect, search);
        from = range.address + range.bytes;
    }
    free(chunk);
    return rc;
}

struct note_search
{
    struct dump_image *image;
    const struct dump_symbols *symbols;
};

static bool has_note(const struct note_search *s, uint64_t address)
{
    unsigned char text[DUMP_NOTE_MAX];
    size_t bytes = s->symbols->note_bytes;

    assert(bytes <= sizeof(text));
    return !dump_memory_read(s->image->memory, address, text, bytes) &&
           !memcmp(text, s->symbols->note_text, bytes);
}

/*
 * The note is at the same place of its page as in the file.  Its first word is
 * the size of a name, 4, so most pages differ there.
 */
static bool inspect_note(void *search, const unsigned char *memory,
                         uint64_t address, size_t bytes)
{
    struct note_search *s = search;
    const struct dump_symbols *symbols = s->symbols;
    size_t at = (symbols->note - address) % PAGE;

    for ( ; at + 4 <= bytes; at += PAGE )
        if ( !memcmp(memory + at, symbols->note_text, 4) &&
             has_note(s, address + at) &&
             is_running(s->image, symbols->note, address + at,
                        symbols->root_table) )
            return true;
    return false;
}

int dump_image_find(struct dump_image *image, const struct dump_memory *m,
                    const struct dump_symbols *s)
{
    struct note_search search = { .image = image, .symbols = s };

    assert(s->note_bytes && s->root_table);
    *image = (struct dump_image){ .memory = m };
    return search_memory(m, inspect_note, &search);
}

struct info_search
{
    struct dump_image *image;
    struct xen_trace_crash_info *info;
};

static bool inspect_info(void *search, const unsigned char *memory,
                         uint64_t address, size_t bytes)
{
    static const char magic[] = XEN_TRACE_CRASH_MAGIC;
    struct info_search *s = search;
    struct xen_trace_crash_info *info = s->info;
    size_t at = -address % INFO_BOUNDARY;

    _Static_assert(sizeof(magic) == sizeof(info->magic), "the magic");
    for ( ; at + sizeof(magic) <= bytes; at += INFO_BOUNDARY )
    {
        if ( memcmp(memory + at, magic, sizeof(magic)) ||
             dump_memory_read(s->image->memory, address + at, info,
                              sizeof(*info)) )
            continue;
        if ( info->version >= XEN_TRACE_CRASH_VERSION &&
             info->size >= sizeof(*info) &&
             is_running(s->image, info->self, address + at, info->root_table) )
            return true;
    }
    return false;
}

int dump_image_find_info(struct dump_image *image, const struct dump_memory *m,
                         struct xen_trace_crash_info *info)
{
    struct info_search search = { .image = image, .info = info };

    *image = (struct dump_image){ .memory = m };
    return search_memory(m, inspect_info, &search);
}
