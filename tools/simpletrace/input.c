/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A buffer that is filled at its end and consumed from its front.  When a
 * request does not fit behind the unread bytes, these move to the front.
 */
#include "simpletrace/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"

#define ROOM (4 * ST_INPUT_MAX)

int st_input_open_fd(struct st_input *in, int fd, const char *name,
                     struct err *e)
{
    assert(fd >= 0 && name);
    *in = (struct st_input){ .name = name, .fd = fd };
    in->buffer = fault_malloc(ROOM + ST_INPUT_PAD);
    if ( in->buffer )
        return 0;
    st_input_close(in);
    return err_sys(e, -ENOMEM, "cannot read %s", name);
}

int st_input_open(struct st_input *in, const char *path, struct err *e)
{
    int fd;

    if ( !strcmp(path, "-") )
        return st_input_open_fd(in, STDIN_FILENO, "standard input", e);
    fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    if ( fd < 0 )
        return err_sys(e, -errno, "cannot open %s", path);
    return st_input_open_fd(in, fd, path, e);
}

void st_input_close(struct st_input *in)
{
    if ( in->fd > STDIN_FILENO )
        close(in->fd);
    fault_free(in->buffer);
    in->fd = -1;
    in->buffer = NULL;
}

static void move_to_front(struct st_input *in)
{
    assert(in->at <= in->end);
    memmove(in->buffer, in->buffer + in->at, in->end - in->at);
    in->offset += in->at;
    in->end -= in->at;
    in->at = 0;
}

int64_t st_input_fill(struct st_input *in, size_t n, struct err *e)
{
    ssize_t got;

    assert(n <= ST_INPUT_MAX && in->end <= ROOM);
    if ( in->at + n > ROOM )
        move_to_front(in);
    assert(in->at + n <= ROOM);
    while ( in->end - in->at < n && !in->ended )
    {
        got = fault_read(in->fd, in->buffer + in->end, ROOM - in->end);
        if ( got < 0 && errno == EINTR )
            continue;
        if ( got < 0 )
            return err_sys(e, -errno, "cannot read %s", in->name);
        if ( !got && in->follow )
            break;
        in->ended = !got;
        in->end += got;
    }
    return in->end - in->at;
}
