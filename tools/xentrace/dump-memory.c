/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first bytes of a dump tell its format.
 */
#include "xentrace/dump-memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "xentrace/dump-format.h"

static const struct dump_format *const formats[] = {
    &dump_elf,
    &dump_compressed,
};

/* makedumpfile -F writes this text in front of a dump in pieces. */
static const char flattened[DUMP_HEAD] = "makedumpfile";

static int read_dump_head(int fd, unsigned char head[DUMP_HEAD])
{
    ssize_t n;

    memset(head, 0, DUMP_HEAD);
    do
        n = pread(fd, head, DUMP_HEAD, 0);
    while ( n < 0 && errno == EINTR );
    return n < 0 ? -errno : 0;
}

static int find_format(int fd, const struct dump_format **format,
                       const char *path, struct err *e)
{
    unsigned char head[DUMP_HEAD];
    int rc = read_dump_head(fd, head);

    if ( rc )
        return err_sys(e, rc, "cannot read %s", path);
    for ( size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++ )
        if ( formats[i]->is_format(head) )
        {
            *format = formats[i];
            return 0;
        }
    if ( !memcmp(head, flattened, DUMP_HEAD) )
        return err_set(e, -EINVAL, "%s is a flattened dump; convert it: "
                       "makedumpfile -R DUMP <%s", path, path);
    return err_set(e, -EINVAL, "%s is not a crash dump, neither in ELF nor "
                   "compressed by makedumpfile", path);
}

static int open_format(struct dump_memory **m, const struct dump_format *format,
                       int fd, const char *path, struct err *e)
{
    struct dump_memory *d = fault_calloc(1, format->struct_bytes);
    int rc;

    assert(format->struct_bytes >= sizeof(*d));
    if ( !d )
        return err_sys(e, -ENOMEM, "cannot read %s", path);
    *d = (struct dump_memory){ .format = format, .fd = fd };
    rc = format->open(d, path, e);
    if ( !rc )
    {
        *m = d;
        return 0;
    }
    if ( format->close )
        format->close(d);
    free(d);
    return rc;
}

int dump_memory_open(struct dump_memory **m, const char *path, struct err *e)
{
    const struct dump_format *format = NULL;
    int fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0), rc;

    if ( fd < 0 )
        return err_sys(e, -errno, "cannot read %s", path);
    rc = find_format(fd, &format, path, e);
    if ( !rc )
        rc = open_format(m, format, fd, path, e);
    if ( rc )
        close(fd);
    return rc;
}

void dump_memory_close(struct dump_memory *m)
{
    if ( !m )
        return;
    m->format->close(m);
    close(m->fd);
    free(m);
}

int dump_memory_read(const struct dump_memory *m, uint64_t address, void *to,
                     size_t bytes)
{
    return m->format->read(m, address, to, bytes);
}

uint64_t dump_memory_missing(const struct dump_memory *m)
{
    return m->missing;
}

bool dump_memory_find(const struct dump_memory *m, uint64_t from,
                      struct dump_range *range)
{
    bool found = m->format->find(m, from, range);

    assert(!found || (range->bytes && range->address >= from));
    return found;
}
