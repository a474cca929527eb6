/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State of a client. The mapping counts are arrays over all frames; the kernel
 * allocates only pages with counts in use.
 */
#include "xensim/control/control-client.h"
#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

struct client *client_new(int fd)
{
    struct client *c = calloc(1, sizeof(*c));
    size_t frames = xensim_nr_frames();

    if ( !c )
    {
        close(fd);
        return NULL;
    }
    c->fd = fd;
    c->virq = -1;
    for ( int write = 0; write <= 1; write++ )
    {
        c->mapped[write] = calloc(frames, sizeof(*c->mapped[write]));
        if ( !c->mapped[write] )
        {
            client_free(c);
            return NULL;
        }
    }
    return c;
}

static void unmap_all(uint16_t *mapped, bool write)
{
    for ( size_t mfn = 0; mapped && mfn < xensim_nr_frames(); mfn++ )
        for ( ; mapped[mfn]; mapped[mfn]-- )
            xensim_unmap_frame(mfn, write);
}

void client_free(struct client *c)
{
    for ( int write = 0; write <= 1; write++ )
    {
        unmap_all(c->mapped[write], write);
        free(c->mapped[write]);
    }
    if ( c->virq >= 0 )
    {
        xensim_unbind_virq(c->virq);
        close(c->virq);
    }
    close(c->fd);
    free(c);
}

int client_map(struct client *c, uint32_t mfn, bool write)
{
    int rc = xensim_map_frame(mfn, write);

    ASSERT(c->mapped[write]);
    if ( rc )
        return rc;
    if ( c->mapped[write][mfn] == UINT16_MAX )
    {
        xensim_unmap_frame(mfn, write);
        return -ENOSPC;
    }
    c->mapped[write][mfn]++;
    return 0;
}

int client_unmap_kind(struct client *c, uint32_t mfn, bool write)
{
    if ( !mfn_valid(_mfn(mfn)) || !c->mapped[write][mfn] )
        return -EINVAL;
    c->mapped[write][mfn]--;
    xensim_unmap_frame(mfn, write);
    return 0;
}

int client_unmap(struct client *c, uint32_t mfn)
{
    if ( !client_unmap_kind(c, mfn, true) )
        return 0;
    return client_unmap_kind(c, mfn, false);
}

bool client_owns_virq(const struct client *c)
{
    struct pollfd fd = { .fd = c->fd };

    return c->virq >= 0 &&
           !(poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR));
}

int client_bind_virq(struct client *c)
{
    if ( c->virq >= 0 )
        return -EEXIST;
    c->virq = xensim_bind_virq();
    return c->virq;
}
