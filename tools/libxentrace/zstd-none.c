/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replacement for zstd-read.c and zstd-write.c in builds without libzstd.
 */
#include "libxentrace/zstd.h"

#include <errno.h>

int xt_zstd_open(struct xt_source **s, struct xt_source *inner,
                 struct err *e)
{
    err_set(e, -ENOTSUP, "%s is compressed, and this build has no zstd: "
            "expand it with zstd -d", inner->name);
    xt_source_close(inner);
    *s = NULL;
    return -ENOTSUP;
}

size_t xt_zstd_head(const struct xt_source *s, const unsigned char **head)
{
    (void)s;
    *head = NULL;
    return 0;
}

int xt_zstd_writer_new(struct xt_zstd_writer **w, int level,
                       xt_zstd_sink *sink, void *to, struct err *e)
{
    (void)level;
    (void)sink;
    (void)to;
    *w = NULL;
    return err_set(e, -ENOTSUP, "cannot compress: this build has no zstd");
}

void xt_zstd_writer_free(struct xt_zstd_writer *w)
{
    (void)w;
}

int xt_zstd_write(struct xt_zstd_writer *w, const struct iovec *iov, int nr)
{
    (void)w;
    (void)iov;
    (void)nr;
    return -ENOTSUP;
}

int xt_zstd_flush(struct xt_zstd_writer *w)
{
    (void)w;
    return -ENOTSUP;
}

int xt_zstd_end(struct xt_zstd_writer *w)
{
    (void)w;
    return -ENOTSUP;
}
