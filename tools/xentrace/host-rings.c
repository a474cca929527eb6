/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From t_info to mapped rings.
 *
 *   t_info, as an array of uint32_t:
 *   0                      mfn_offset[cpu]
 *   +------+-----+-- ... --+-----------------------------+-- ...
 *   | size | mfn_offset[]  | one frame number per page   |
 *   +------+-----+-- ... --+-----------------------------+-- ...
 */
#include "xentrace/host-rings.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xentrace/tbuf.h"

/* The maximum: 16-bit offsets, and as many frame numbers, and one page. */
#define INFO_MAX (2 * (UINT16_MAX + 1u) * sizeof(uint32_t) + HV_PAGE_SIZE)

/* Xen may write the field at the same time: read once, before the list. */
static uint16_t info_u16(const struct rings *r, size_t at)
{
    assert(at % 2 == 0 && at + 2 <= r->info_size);
    return __atomic_load_n((const uint16_t *)(r->info + at),
                           __ATOMIC_ACQUIRE);
}

static int map_directory(struct rings *r, const struct tbuf_info *info,
                         struct err *e)
{
    size_t nr = info->size / HV_PAGE_SIZE;
    uint64_t mfn[INFO_MAX / HV_PAGE_SIZE];
    void *at;
    int rc;

    assert(!r->info);
    if ( !info->mfn )
        return err_set(e, -ENODEV, "Xen has no trace buffers");
    if ( !nr || info->size % HV_PAGE_SIZE || info->size > INFO_MAX )
        return err_set(e, -EPROTO, "Xen's directory of rings has an invalid "
                       "size of %u bytes", info->size);
    for ( size_t i = 0; i < nr; i++ )
        mfn[i] = info->mfn + i;
    rc = r->hv->type->map(r->hv, mfn, nr, false, &at, e);
    if ( rc )
        return err_sys(e, rc, "cannot map Xen's directory of rings");
    r->info = at;
    r->info_size = info->size;
    return 0;
}

static int alloc_rings(struct rings *r, unsigned int nr_cpus, struct err *e)
{
    size_t room = r->info_size / sizeof(uint16_t) - 1;

    assert(r->info_size >= HV_PAGE_SIZE && !r->ring);
    r->pages = info_u16(r, offsetof(struct t_info, tbuf_size));
    if ( !r->pages )
        return err_set(e, -EPROTO, "Xen's directory of rings is empty");
    r->nr_cpus = nr_cpus < room ? nr_cpus : room;
    r->ring = fault_calloc(r->nr_cpus, sizeof(*r->ring));
    if ( !r->ring )
        return err_sys(e, -ENOMEM, "cannot allocate %u rings",
                       r->nr_cpus);
    for ( unsigned int cpu = 0; cpu < r->nr_cpus; cpu++ )
        r->ring[cpu].cpu = cpu;
    return 0;
}

int rings_open(struct rings *r, struct hv *hv, unsigned int nr_cpus,
               struct err *e)
{
    struct tbuf_info info = { .mfn = 0 };
    int rc;

    assert(nr_cpus > 0);
    *r = (struct rings){ .hv = hv, .lock = PTHREAD_MUTEX_INITIALIZER };
    rc = tbuf_get_info(hv, &info, e);
    if ( !rc )
        rc = map_directory(r, &info, e);
    if ( !rc )
        rc = alloc_rings(r, nr_cpus, e);
    r->evt_mask = info.evt_mask;
    if ( rc )
        rings_close(r);
    return rc;
}

void rings_close(struct rings *r)
{
    for ( unsigned int cpu = 0; r->ring && cpu < r->nr_cpus; cpu++ )
        if ( r->ring[cpu].buf )
            r->hv->type->unmap(r->hv, r->ring[cpu].buf);
    free(r->ring);
    if ( r->info )
        r->hv->type->unmap(r->hv, (void *)r->info);
    *r = (struct rings){ 0 };
}

/* Copy the list of frame numbers at word `offset`; the caller frees *mfn. */
static int read_frames(const struct rings *r, unsigned int cpu, size_t offset,
                       uint64_t **mfn, struct err *e)
{
    const unsigned char *list = r->info + offset * sizeof(uint32_t);
    uint32_t frame;

    assert(r->info && r->pages);
    if ( (offset + r->pages) * sizeof(frame) > r->info_size )
        return err_set(e, -EPROTO, "Xen's directory of rings is damaged at "
                       "pcpu %u: its ring is not read", cpu);
    *mfn = fault_malloc(r->pages * sizeof(**mfn));
    if ( !*mfn )
        return err_sys(e, -ENOMEM, "cannot map the ring of pcpu %u", cpu);
    for ( size_t i = 0; i < r->pages; i++ )
    {
        memcpy(&frame, list + i * sizeof(frame), sizeof(frame));
        (*mfn)[i] = frame;
    }
    return 0;
}

int rings_map(struct rings *r, unsigned int cpu, struct err *e)
{
    struct ring *ring = &r->ring[cpu];
    uint64_t *mfn = NULL;
    size_t offset;
    void *at;
    int rc;

    assert(cpu < r->nr_cpus);
    if ( ring->buf || ring->given_up )
        return 0;
    offset = info_u16(r, offsetof(struct t_info, mfn_offset) + 2 * cpu);
    if ( !offset )
        return 0;

    rc = read_frames(r, cpu, offset, &mfn, e);
    if ( !rc )
    {
        rc = r->hv->type->map(r->hv, mfn, r->pages, true, &at, e);
        if ( rc )
            err_sys(e, rc, "cannot map the ring of pcpu %u", cpu);
    }
    free(mfn);
    ring->given_up = rc;
    if ( rc )
        return rc;
    ring->buf = at;
    ring->data_size = (size_t)r->pages * HV_PAGE_SIZE - sizeof(*ring->buf);
    r->nr_mapped++;
    assert(r->nr_mapped <= r->nr_cpus);
    return 0;
}
