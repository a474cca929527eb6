/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One connection, with the resources to release at its end: mapped frames,
 * counted by kind, and the VIRQ.
 */
#ifndef XENSIM_CONTROL_CLIENT_H
#define XENSIM_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

struct client
{
    int fd;
    int virq;               /* eventfd, or -1 */
    uint16_t *mapped[2];    /* a count for each frame: read-only, writable */
    struct client *next;
};

/* Create a client. The client owns fd; on failure fd is closed. */
struct client *client_new(int fd);
void client_free(struct client *c);

int client_map(struct client *c, uint32_t mfn, bool write);
/* Unmap one frame. Return -EINVAL if this client has no such mapping. */
int client_unmap_kind(struct client *c, uint32_t mfn, bool write);
int client_unmap(struct client *c, uint32_t mfn); /* writable mapping first */

/* False, too, if the peer has gone and only its connection is left. */
bool client_owns_virq(const struct client *c);

/*
 * Return an eventfd, which stays property of the client; -EEXIST: already
 * bound.
 */
int client_bind_virq(struct client *c);

#endif /* XENSIM_CONTROL_CLIENT_H */
