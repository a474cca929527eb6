/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One connection, and what must be given back when it ends: the frames it
 * has mapped, counted by kind, and its VIRQ.
 */
#ifndef XENSIM_CLIENT_H
#define XENSIM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

struct client
{
    int fd;
    int virq;               /* eventfd, or -1 */
    uint16_t *mapped[2];    /* a count for each frame: read-only, writable */
    struct client *next;
};

/* Owns fd from now on, also if it fails (then it is closed). */
struct client *client_new(int fd);
void client_free(struct client *c);

int client_map(struct client *c, uint32_t mfn, bool write);
/* -EINVAL: this client has not mapped it (so). */
int client_unmap_kind(struct client *c, uint32_t mfn, bool write);
int client_unmap(struct client *c, uint32_t mfn); /* a writable one first */

/* An eventfd that stays the client's; -EEXIST: it has one. */
int client_bind_virq(struct client *c);

#endif /* XENSIM_CLIENT_H */
