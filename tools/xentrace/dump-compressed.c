/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crash dumps compressed by makedumpfile, or by QEMU's dump-guest-memory -z,
 * have a bitmap of the pages that are in the file, and compress each page by
 * itself.  libkdumpfile reads them.
 */
#include "config.h"

#include "xentrace/dump-format.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxentrace/libxentrace.h"

static bool is_compressed(const unsigned char head[DUMP_HEAD])
{
    return !memcmp(head, "KDUMP   ", 8) || !memcmp(head, "DISKDUMP", 8);
}

#ifdef HAVE_LIBKDUMPFILE

#include <libkdumpfile/kdumpfile.h>

#define PAGE 4096u

struct compressed_dump
{
    struct dump_memory memory;
    kdump_ctx_t *kdump;
    kdump_bmp_t *pages;         /* in the file; borrowed from kdump */
};

static const struct compressed_dump *borrow_dump(const struct dump_memory *m)
{
    assert(m->format == &dump_compressed);
    return (const struct compressed_dump *)m;
}

/* QEMU's dumps do not name their machine. */
static int check_machine(kdump_ctx_t *kdump, const char *path, struct err *e)
{
    const char *arch = KDUMP_ARCH_X86_64;
    kdump_num_t page = 0;

    kdump_get_string_attr(kdump, KDUMP_ATTR_ARCH_NAME, &arch);
    kdump_get_number_attr(kdump, KDUMP_ATTR_PAGE_SIZE, &page);
    if ( strcmp(arch, KDUMP_ARCH_X86_64) || page != PAGE )
        return err_set(e, -EINVAL, "%s is a crash dump of another machine "
                       "than x86-64", path);
    return 0;
}

/*
 * The header of such a dump of x86-64, where libkdumpfile looks for the bitmap:
 *
 *     block 0 | block 1 ... sub_blocks | bitmap_blocks ... | pages
 */
#define HEADER_BLOCK_SIZE 428   /* offsets of 32-bit fields */
#define HEADER_SUB_BLOCKS 432
#define HEADER_BITMAP_BLOCKS 436
#define HEADER_BYTES 440

/* With a damaged size, libkdumpfile reads up to 16 TiB of zeroes. */
static int check_bitmap(int fd, const char *path, struct err *e)
{
    unsigned char header[HEADER_BYTES];
    struct stat file;
    uint64_t blocks;

    assert(fd >= 0 && path);
    if ( pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
         fstat(fd, &file) || !S_ISREG(file.st_mode) ||
         xt_load32(header + HEADER_BLOCK_SIZE) != PAGE )
        return 0;               /* libkdumpfile says what it is */
    blocks = 1 + (uint64_t)xt_load32(header + HEADER_SUB_BLOCKS) +
             xt_load32(header + HEADER_BITMAP_BLOCKS);
    if ( blocks > (uint64_t)file.st_size / PAGE )
        return err_set(e, -EBADMSG, "%s is damaged, or was cut off: its bitmap "
                       "of pages goes beyond its end", path);
    return 0;
}

static int open_compressed(struct dump_memory *m, const char *path,
                           struct err *e)
{
    struct compressed_dump *d = (struct compressed_dump *)m;
    kdump_attr_t pages;
    int rc = check_bitmap(m->fd, path, e);

    if ( rc )
        return rc;
    d->kdump = kdump_new();
    if ( !d->kdump )
        return err_sys(e, -ENOMEM, "cannot read %s", path);
    /* A mapped file that is truncated would raise SIGBUS. */
    if ( kdump_set_number_attr(d->kdump, KDUMP_ATTR_FILE_MMAP_POLICY,
                               KDUMP_MMAP_NEVER) ||
         kdump_open_fd(d->kdump, m->fd) )
        return err_set(e, -EINVAL, "cannot read the crash dump %s: %s", path,
                       kdump_get_err(d->kdump));
    if ( kdump_get_attr(d->kdump, KDUMP_ATTR_FILE_PAGEMAP, &pages) ||
         pages.type != KDUMP_BITMAP )
        return err_set(e, -EINVAL, "%s is a dump without memory", path);
    d->pages = pages.val.bitmap;
    return check_machine(d->kdump, path, e);
}

static void close_compressed(struct dump_memory *m)
{
    struct compressed_dump *d = (struct compressed_dump *)m;

    if ( d->kdump )
        kdump_free(d->kdump);
}

/* Addresses are the machine's: libkdumpfile must not translate any. */
static int read_compressed(const struct dump_memory *m, uint64_t address,
                           void *to, size_t bytes)
{
    size_t n = bytes;

    return kdump_read(borrow_dump(m)->kdump, KDUMP_MACHPHYSADDR, address, to,
                      &n) || n != bytes ? -EFAULT : 0;
}

static bool find_compressed(const struct dump_memory *m, uint64_t from,
                            struct dump_range *range)
{
    const struct compressed_dump *d = borrow_dump(m);
    kdump_addr_t first = from / PAGE, end;

    if ( kdump_bmp_find_set(d->pages, &first) )
        return false;
    end = first;
    if ( kdump_bmp_find_clear(d->pages, &end) || end <= first ||
         end > UINT64_MAX / PAGE )
        return false;
    range->address = first * PAGE > from ? first * PAGE : from;
    range->bytes = end * PAGE - range->address;
    return true;
}

const struct dump_format dump_compressed = {
    is_compressed, open_compressed, close_compressed, read_compressed,
    find_compressed, sizeof(struct compressed_dump),
};

#else

static int refuse_compressed(struct dump_memory *m, const char *path,
                             struct err *e)
{
    (void)m;
    return err_set(e, -EOPNOTSUPP, "cannot read %s: this program was built "
                   "without libkdumpfile; convert the dump: makedumpfile -E",
                   path);
}

const struct dump_format dump_compressed = {
    .is_format = is_compressed, .open = refuse_compressed,
    .struct_bytes = sizeof(struct dump_memory),
};

#endif
