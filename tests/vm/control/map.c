/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Map the rings as a consumer does: the directory read-only, the rings
 * read-write.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xenforeignmemory.h>

#include "tb.h"

#define PAGE 4096u
#define MAX_INFO 64u     /* pages of the directory */

static xenforeignmemory_handle *fm;

int tb_map_open(void)
{
    fm = xenforeignmemory_open(NULL, 0);

    return fm ? 0 : -errno;
}

static void *map_frames(const uint32_t *mfn, unsigned int pages, int prot)
{
    xen_pfn_t *frame = calloc(pages, sizeof(*frame));
    unsigned int i;
    void *at;

    if ( !frame )
        return NULL;
    for ( i = 0; i < pages; i++ )
        frame[i] = mfn[i];
    at = xenforeignmemory_map(fm, DOMID_XEN, prot, pages, frame, NULL);
    free(frame);

    return at;
}

int tb_map_page(void **page, uint32_t mfn)
{
    *page = map_frames(&mfn, 1, PROT_READ | PROT_WRITE);

    return *page ? 0 : -errno;
}

void tb_unmap_page(void *page)
{
    xenforeignmemory_unmap(fm, page, 1);
}

int tb_map(struct tb_view *v, unsigned int cpus)
{
    uint64_t mfn;
    uint32_t bytes, mask, i, list[MAX_INFO];
    int rc = tb_info(&mfn, &bytes, &mask);

    memset(v, 0, sizeof(*v));
    if ( rc )
        return rc;
    if ( !mfn || !bytes )
        return -ENOENT;

    v->info_pages = bytes / PAGE;
    if ( v->info_pages > MAX_INFO )
        return -E2BIG;
    for ( i = 0; i < v->info_pages; i++ )
        list[i] = mfn + i;
    v->info = map_frames(list, v->info_pages, PROT_READ);
    if ( !v->info )
        return -errno;

    v->pages = v->info->tbuf_size;
    v->data_size = v->pages * PAGE - sizeof(struct t_buf);
    v->cpus = cpus;
    for ( i = 0; i < cpus; i++ )
    {
        if ( !v->info->mfn_offset[i] )
            continue;
        v->buf[i] =
            map_frames((const uint32_t *)v->info + v->info->mfn_offset[i],
                       v->pages, PROT_READ | PROT_WRITE);
        if ( !v->buf[i] )
        {
            rc = -errno;
            tb_unmap(v);
            return rc;
        }
    }

    return 0;
}

void tb_unmap(struct tb_view *v)
{
    unsigned int i;

    for ( i = 0; i < v->cpus; i++ )
        if ( v->buf[i] )
            xenforeignmemory_unmap(fm, v->buf[i], v->pages);
    if ( v->info )
        xenforeignmemory_unmap(fm, (void *)v->info, v->info_pages);
    memset(v, 0, sizeof(*v));
}
