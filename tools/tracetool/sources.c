/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read event files into memory.
 */
#include "tracetool/sources.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"

#define MOST_BYTES (64u << 20)  /* 100 times the size of QEMU's events */

static int grow_text(char **text, size_t *room)
{
    size_t more = *room ? *room * 2 : 1u << 16;
    char *new = fault_realloc(*text, more);

    assert(!*text == !*room);
    if ( !new )
        return -ENOMEM;
    *text = new;
    *room = more;
    return 0;
}

static int read_all(int fd, const char *name, char **text, size_t *length,
                    struct err *e)
{
    size_t room = 0;
    ssize_t n;

    *length = 0;
    do
    {
        if ( *length == room && grow_text(text, &room) )
            return err_sys(e, -ENOMEM, "cannot read %s", name);
        if ( *length > MOST_BYTES )
            return err_set(e, -EFBIG, "%s has more than 64 MB, and no file of "
                           "events has", name);
        assert(*length < room);
        n = fault_read(fd, *text + *length, room - *length);
        if ( n > 0 )
            *length += n;
    } while ( n > 0 || (n < 0 && errno == EINTR) );

    return n < 0 ? err_sys(e, -errno, "cannot read %s", name) : 0;
}

static int read_one(const char *path, struct tt_source *source,
                    struct err *e)
{
    bool is_stdin = !strcmp(path, "-");
    int fd = is_stdin ? STDIN_FILENO :
                        fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    char *text = NULL;
    int rc;

    if ( fd < 0 )
        return err_sys(e, -errno, "cannot open %s", path);
    source->name = is_stdin ? "standard input" : path;
    rc = read_all(fd, source->name, &text, &source->length, e);
    source->text = text;
    if ( !is_stdin )
        close(fd);
    return rc;
}

int tt_sources_read(char *const *paths, size_t nr,
                    struct tt_source **sources, struct err *e)
{
    int rc = 0;
    size_t i;

    assert(paths && nr);
    *sources = fault_calloc(nr, sizeof(**sources));
    if ( !*sources )
        return err_sys(e, -ENOMEM, "cannot read the events");
    for ( i = 0; i < nr && !rc; i++ )
        rc = read_one(paths[i], &(*sources)[i], e);
    return rc;
}

void tt_sources_free(struct tt_source *sources, size_t nr)
{
    size_t i;

    for ( i = 0; sources && i < nr; i++ )
        fault_free((char *)sources[i].text);
    fault_free(sources);
}
