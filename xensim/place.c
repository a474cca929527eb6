/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding a place, and clearing away the directory made for it.
 */
#include "xensim/place.h"
#include "xensim/wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* An empty variable is as good as none. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int set(char *to, size_t size, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static int set(char *to, size_t size, struct err *e, const char *fmt, ...)
{
    va_list args;
    int length;

    va_start(args, fmt);
    length = vsnprintf(to, size, fmt, args);
    va_end(args);
    if ( length < 0 || (size_t)length >= size )
        return err_set(e, -ENAMETOOLONG, "socket path %s...: too long", to);
    return 0;
}

static int make_directory(struct place *p, struct err *e)
{
    int rc = set(p->directory, sizeof(p->directory), e, "%s/xensim.XXXXXX",
                 variable("TMPDIR") ?: "/tmp");

    if ( !rc && !mkdtemp(p->directory) )
        rc = err_sys(e, -errno, "cannot make a directory %s", p->directory);
    if ( rc )
        p->directory[0] = '\0';
    return rc;
}

int place_init(struct place *p, const char *wanted, bool for_command,
               struct err *e)
{
    int rc = 0;

    p->directory[0] = '\0';
    if ( !wanted && !for_command )
        wanted = variable(XENSIM_SOCKET_ENV);
    if ( wanted )
        return set(p->path, sizeof(p->path), e, "%s", wanted);

    if ( for_command )
        rc = make_directory(p, e);
    if ( !rc )
        rc = set(p->path, sizeof(p->path), e, "%s/%s",
                 for_command ? p->directory
                             : variable("XDG_RUNTIME_DIR") ?: "/run",
                 XENSIM_SOCKET_NAME);
    if ( rc )
        place_fini(p);
    return rc;
}

void place_fini(struct place *p)
{
    if ( p->directory[0] )
        rmdir(p->directory);
    p->directory[0] = '\0';
}
