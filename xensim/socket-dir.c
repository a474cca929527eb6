/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choosing the path of the control socket; creating and removing its
 * directory.
 */
#include "xensim/socket-dir.h"
#include "xensim/wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* An empty environment variable counts as unset. */
static const char *env_value(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int check_length(const char *path, size_t size, int length,
                        struct err *e)
{
    if ( length < 0 || (size_t)length >= size )
        return err_set(e, -ENAMETOOLONG, "socket path %s...: too long", path);
    return 0;
}

static int format_path(char *to, size_t size, struct err *e, const char *fmt,
                       ...)
    __attribute__((format(printf, 4, 5)));

static int format_path(char *to, size_t size, struct err *e, const char *fmt,
                       ...)
{
    va_list args;
    int length;

    va_start(args, fmt);
    length = vsnprintf(to, size, fmt, args);
    va_end(args);
    return check_length(to, size, length, e);
}

static int make_directory(struct socket_dir *p, struct err *e)
{
    int rc = format_path(p->directory, sizeof(p->directory), e,
                         "%s/xensim.XXXXXX", env_value("TMPDIR") ?: "/tmp");

    if ( !rc && !mkdtemp(p->directory) )
        rc = err_sys(e, -errno, "cannot make a directory %s", p->directory);
    if ( rc )
        p->directory[0] = '\0';
    return rc;
}

int socket_dir_init(struct socket_dir *p, const char *wanted, bool for_command,
                    struct err *e)
{
    int rc, length, is_shared;

    p->directory[0] = '\0';
    if ( !wanted && !for_command )
        wanted = env_value(XENSIM_SOCKET_ENV);
    if ( wanted )
        return format_path(p->path, sizeof(p->path), e, "%s", wanted);

    if ( !for_command )
    {
        length = xensim_default_socket(p->path, sizeof(p->path), &is_shared);
        return check_length(p->path, sizeof(p->path), length, e);
    }
    rc = make_directory(p, e);
    if ( !rc )
        rc = format_path(p->path, sizeof(p->path), e, "%s/%s", p->directory,
                         XENSIM_SOCKET_NAME);
    if ( rc )
        socket_dir_fini(p);
    return rc;
}

void socket_dir_fini(struct socket_dir *p)
{
    if ( p->directory[0] )
        rmdir(p->directory);
    p->directory[0] = '\0';
}
