/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crash dumps in ELF.  Program headers are read with elfutils' libelf, and
 * memory with pread(): a dump may be larger than the address space, and may be
 * truncated meanwhile.
 */
#include "config.h"

#include "xentrace/dump-format.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static bool is_elf(const unsigned char head[DUMP_HEAD])
{
    return !memcmp(head, "\x7f" "ELF", 4);
}

#ifdef HAVE_LIBELF

#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/file-read.h"

/* Dumps have a segment per range of memory: some, or some thousands. */
#define MAX_SEGMENTS (1u << 20)

struct segment
{
    uint64_t address, bytes;
    uint64_t offset;            /* in the file */
};

struct elf_dump
{
    struct dump_memory memory;
    size_t nr;
    struct segment *segments;   /* [nr], by address */
};

static const struct elf_dump *borrow_elf(const struct dump_memory *m)
{
    assert(m->format == &dump_elf);
    return (const struct elf_dump *)m;
}

static int compare_segments(const void *a, const void *b)
{
    const struct segment *s = a, *t = b;

    return (s->address > t->address) - (s->address < t->address);
}

/* No address or offset overflows. */
static bool is_memory(const GElf_Phdr *p)
{
    return p->p_type == PT_LOAD && p->p_filesz &&
           p->p_paddr + p->p_filesz > p->p_paddr &&
           p->p_offset + p->p_filesz > p->p_offset &&
           p->p_offset + p->p_filesz <= INT64_MAX;
}

static int read_segments(struct elf_dump *m, Elf *elf, const char *path,
                         struct err *e)
{
    GElf_Phdr p;
    size_t nr;

    if ( elf_getphdrnum(elf, &nr) || !nr || nr > MAX_SEGMENTS )
        return err_set(e, -EINVAL, "%s is a dump without program headers, or "
                       "with too many", path);
    m->segments = fault_calloc(nr, sizeof(*m->segments));
    if ( !m->segments )
        return err_sys(e, -ENOMEM, "cannot read %s", path);
    for ( size_t i = 0; i < nr; i++ )
        if ( gelf_getphdr(elf, i, &p) && is_memory(&p) )
            m->segments[m->nr++] = (struct segment){
                .address = p.p_paddr, .bytes = p.p_filesz,
                .offset = p.p_offset,
            };
    assert(m->nr <= nr);
    if ( !m->nr )
        return err_set(e, -EINVAL, "%s is a dump without memory", path);
    qsort(m->segments, m->nr, sizeof(*m->segments), compare_segments);
    return 0;
}

/* A dump is often cut off: the file system was full, or the time was short. */
static int measure_missing(struct elf_dump *m, const char *path, struct err *e)
{
    struct stat file;
    uint64_t end = 0;

    if ( fstat(m->memory.fd, &file) )
        return err_sys(e, -errno, "cannot read %s", path);
    for ( size_t i = 0; i < m->nr; i++ )
        if ( m->segments[i].offset + m->segments[i].bytes > end )
            end = m->segments[i].offset + m->segments[i].bytes;
    if ( S_ISREG(file.st_mode) && (uint64_t)file.st_size < end )
        m->memory.missing = end - file.st_size;
    return 0;
}

static int check_header(Elf *elf, const char *path, struct err *e)
{
    GElf_Ehdr h;

    if ( !elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &h) )
        return err_set(e, -EINVAL, "%s is a damaged ELF file", path);
    if ( h.e_type != ET_CORE )
        return err_set(e, -EINVAL, "%s is an ELF file, and not a crash dump",
                       path);
    if ( h.e_machine != EM_X86_64 || h.e_ident[EI_CLASS] != ELFCLASS64 )
        return err_set(e, -EINVAL, "%s is a crash dump of another machine "
                       "than x86-64", path);
    return 0;
}

static int open_elf(struct dump_memory *m, const char *path, struct err *e)
{
    Elf *elf = NULL;
    int rc;

    if ( elf_version(EV_CURRENT) != EV_NONE )
        elf = elf_begin(m->fd, ELF_C_READ, NULL);
    rc = check_header(elf, path, e);
    if ( !rc )
        rc = read_segments((struct elf_dump *)m, elf, path, e);
    if ( !rc )
        rc = measure_missing((struct elf_dump *)m, path, e);
    elf_end(elf);
    return rc;
}

static void close_elf(struct dump_memory *m)
{
    free(((struct elf_dump *)m)->segments);
}

/* The number of segments that begin at the address or below. */
static size_t count_below(const struct elf_dump *m, uint64_t address)
{
    size_t low = 0, high = m->nr;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( m->segments[middle].address <= address )
            low = middle + 1;
        else
            high = middle;
    }
    assert(low <= m->nr);
    return low;
}

static int read_elf(const struct dump_memory *memory, uint64_t address,
                    void *to, size_t bytes)
{
    const struct elf_dump *m = borrow_elf(memory);
    unsigned char *at = to;

    while ( bytes )
    {
        size_t below = count_below(m, address), n = bytes;
        const struct segment *s = below ? &m->segments[below - 1] : NULL;
        uint64_t in = s ? address - s->address : 0;
        int rc;

        if ( !s || in >= s->bytes )
            return -EFAULT;
        if ( n > s->bytes - in )
            n = s->bytes - in;
        rc = file_read_at(memory->fd, at, n, s->offset + in, -EFAULT);
        if ( rc )
            return rc;
        at += n;
        address += n;
        bytes -= n;
    }
    return 0;
}

static bool find_elf(const struct dump_memory *memory, uint64_t from,
                     struct dump_range *range)
{
    const struct elf_dump *m = borrow_elf(memory);
    size_t i = count_below(m, from);

    i -= i > 0;
    for ( ; i < m->nr; i++ )
    {
        const struct segment *s = &m->segments[i];
        uint64_t begin = from > s->address ? from : s->address;

        if ( begin - s->address >= s->bytes )
            continue;
        *range = (struct dump_range){
            .address = begin, .bytes = s->bytes - (begin - s->address),
        };
        return true;
    }
    return false;
}

const struct dump_format dump_elf = {
    is_elf, open_elf, close_elf, read_elf, find_elf, sizeof(struct elf_dump),
};

#else

static int refuse_elf(struct dump_memory *m, const char *path, struct err *e)
{
    (void)m;
    return err_set(e, -EOPNOTSUPP, "cannot read %s: this program was built "
                   "without libelf", path);
}

const struct dump_format dump_elf = {
    .is_format = is_elf, .open = refuse_elf,
    .struct_bytes = sizeof(struct dump_memory),
};

#endif
