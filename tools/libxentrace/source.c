/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two ways to get a file into memory, and one way to give it back.
 */
#include "libxentrace/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"

#define READ_FIRST (1u << 20)

struct xt_source
{
    unsigned char *bytes;
    size_t size;
    bool mapped;        /* or malloc'ed */
};

/* Read to the end, doubling the buffer whenever it is full. */
static int read_all(struct xt_source *s, int fd)
{
    size_t room = 0;
    ssize_t got = 1;

    while ( got > 0 )
    {
        if ( s->size == room )
        {
            size_t more = room ? 2 * room : READ_FIRST;
            void *bytes = fault_realloc(s->bytes, more);

            if ( !bytes )
                return -ENOMEM;
            s->bytes = bytes;
            room = more;
        }
        got = fault_read(fd, s->bytes + s->size, room - s->size);
        if ( got > 0 )
            s->size += got;
        else if ( got < 0 && errno == EINTR )
            got = 1;
    }
    return got ? -errno : 0;
}

static int map_all(struct xt_source *s, int fd, uint64_t size)
{
    void *at;

    if ( size > SIZE_MAX )
        return -EFBIG;
    at = fault_mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if ( at == MAP_FAILED )
        return -errno;
    s->bytes = at;
    s->size = size;
    s->mapped = true;
    return 0;
}

/* Files of /proc are regular and say 0 bytes: an empty file is read, too. */
static int load(struct xt_source *s, int fd)
{
    struct stat st;

    if ( fstat(fd, &st) )
        return -errno;
    if ( S_ISDIR(st.st_mode) )
        return -EISDIR;
    if ( S_ISREG(st.st_mode) && st.st_size > 0 )
        return map_all(s, fd, st.st_size);
    return read_all(s, fd);
}

int xt_source_open(struct xt_source **out, const char *path, struct err *e)
{
    bool standard = !strcmp(path, "-");
    const char *name = standard ? "standard input" : path;
    int fd = standard ? STDIN_FILENO
                      : fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    struct xt_source *s;
    int rc;

    if ( fd < 0 )
        return err_sys(e, -errno, "cannot open %s", name);
    s = fault_calloc(1, sizeof(*s));
    rc = s ? load(s, fd) : -ENOMEM;
    if ( rc )
    {
        err_sys(e, rc, "cannot read %s", name);
        xt_source_close(s);
        s = NULL;
    }
    if ( !standard )
        close(fd);
    *out = s;
    return rc;
}

void xt_source_close(struct xt_source *s)
{
    if ( !s )
        return;
    if ( s->mapped )
        munmap(s->bytes, s->size);
    else
        free(s->bytes);
    free(s);
}

const void *xt_source_bytes(const struct xt_source *s, size_t *size)
{
    assert(s);
    *size = s->size;
    return s->size ? s->bytes : NULL;
}
