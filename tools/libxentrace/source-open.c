/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open a source by its path: the first bytes tell which layers go on top of the
 * file.
 */
#include "libxentrace/source-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "libxentrace/swap.h"
#include "libxentrace/zstd.h"

/*
 * Layers on top of a file, and on top of each other in this order.  `open` owns
 * the inner source, also on failure.
 */
static const struct layer
{
    bool (*wanted)(const unsigned char *head, size_t nr);
    int (*open)(struct xt_source **s, struct xt_source *on, struct err *e);
    size_t (*head)(const struct xt_source *s, const unsigned char **head);
} layers[] = {
    { xt_zstd_detect, xt_zstd_open, xt_zstd_head },
    { xt_swap_detect, xt_swap_open, NULL },
};

#define NR_LAYERS (sizeof(layers) / sizeof(layers[0]))

static int add_layers(struct xt_source **s, struct err *e)
{
    const unsigned char *head;
    size_t nr = xt_source_file_head(*s, &head);
    int rc = 0;

    for ( const struct layer *l = layers; !rc && l < layers + NR_LAYERS; l++ )
    {
        if ( !l->wanted(head, nr) )
            continue;
        rc = l->open(s, *s, e);
        if ( !rc && l->head )
            nr = l->head(*s, &head);
    }
    return rc;
}

int xt_source_open_fd(struct xt_source **s, int fd, const char *name,
                      unsigned int flags, struct err *e)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0), rc;

    *s = NULL;
    if ( own < 0 )
        return err_sys(e, -errno, "cannot read %s", name);
    rc = xt_source_file_open(s, own, name, flags, e);
    return rc ? rc : add_layers(s, e);
}

int xt_source_open(struct xt_source **s, const char *path, unsigned int flags,
                   struct err *e)
{
    int fd, rc;

    *s = NULL;
    if ( !strcmp(path, "-") )
        return xt_source_open_fd(s, STDIN_FILENO, "standard input", flags, e);
    fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    if ( fd < 0 )
        return err_sys(e, -errno, "cannot open %s", path);
    rc = xt_source_file_open(s, fd, path, flags, e);
    return rc ? rc : add_layers(s, e);
}

void xt_source_close(struct xt_source *s)
{
    if ( s )
        s->ops->close(s);
}

void xt_source_set_name(struct xt_source *s, const char *name)
{
    const size_t room = sizeof(s->name) - 1;
    size_t length = strlen(name);

    if ( length <= room )
        memcpy(s->name, name, length + 1);
    else
    {
        memcpy(s->name, "...", 3);
        memcpy(s->name + 3, name + length - (room - 3), room - 3 + 1);
    }
}
