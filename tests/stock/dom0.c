/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A preloaded library for stock's xentrace: the functions of libxenctrl and
 * libxenevtchn that it calls, implemented on xensim.  So the unchanged program
 * of Debian's package reads the same rings as ours, and the traces and losses
 * of both can be compared.
 *
 * As in the real libraries, functions return -1 and set errno.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define XC_WANT_COMPAT_MAP_FOREIGN_API
#include <xenctrl.h>
#include <xenevtchn.h>

#include "xentrace/hypervisor.h"
#include "xentrace/tbuf.h"

#define VIRQ_PORT 9

/* Global, since the interface has no place for a struct of ours. */
static struct hv *hv;
static int virq = -1;

static int return_errno(int rc)
{
    errno = rc < 0 ? -rc : 0;
    return rc < 0 ? -1 : 0;
}

static int run_tbuf_op(uint32_t cmd, uint32_t size, uint32_t evt_mask)
{
    struct hv_tbuf op = { .cmd = cmd, .size = size, .evt_mask = evt_mask };
    struct err ignored = ERR_INIT;

    return hv->type->tbuf(hv, &op, &ignored);
}

/* --- libxenctrl ---------------------------------------------------------- */

xc_interface *xc_interface_open(xentoollog_logger *logger,
                                xentoollog_logger *dombuild_logger,
                                unsigned open_flags)
{
    struct hv_address address = { .socket = NULL };
    struct err e = ERR_INIT;
    int rc = hv ? 0 : hv_open(&hv, "xensim", &address, &e);

    (void)logger;
    (void)dombuild_logger;
    (void)open_flags;
    if ( rc )
        err_print("stock's, on xensim", &e);
    return return_errno(rc) ? NULL : (xc_interface *)hv;
}

/* Other handles may be in use, so hv stays open until exit. */
int xc_interface_close(xc_interface *xch)
{
    (void)xch;
    return 0;
}

int xc_get_max_cpus(xc_interface *xch)
{
    struct err ignored = ERR_INIT;
    struct hv_info info;
    int rc = hv->type->info(hv, &info, &ignored);

    (void)xch;
    return return_errno(rc) ? -1 : (int)info.nr_cpus;
}

int xc_physinfo(xc_interface *xch, xc_physinfo_t *info)
{
    int nr = xc_get_max_cpus(xch);

    if ( nr < 0 )
        return -1;
    *info = (xc_physinfo_t){ .nr_cpus = nr, .max_cpu_id = nr - 1 };
    return 0;
}

int xc_get_cpumap_size(xc_interface *xch)
{
    return (xc_get_max_cpus(xch) + 7) / 8;
}

xc_cpumap_t xc_cpumap_alloc(xc_interface *xch)
{
    return calloc(1, xc_get_cpumap_size(xch));
}

void xc_cpumap_setcpu(int cpu, xc_cpumap_t map_frames)
{
    map_frames[cpu / 8] |= 1 << cpu % 8;
}

int xc_tbuf_set_cpu_mask(xc_interface *xch, xc_cpumap_t mask)
{
    struct err ignored = ERR_INIT;

    return return_errno(tbuf_set_cpu_mask(hv, mask, xc_get_max_cpus(xch),
                                          &ignored));
}

int xc_tbuf_set_evt_mask(xc_interface *xch, uint32_t mask)
{
    (void)xch;
    return return_errno(run_tbuf_op(HV_TBUF_SET_EVT_MASK, 0, mask));
}

int xc_tbuf_set_size(xc_interface *xch, unsigned long size)
{
    (void)xch;
    return return_errno(run_tbuf_op(HV_TBUF_SET_SIZE, size, 0));
}

int xc_tbuf_disable(xc_interface *xch)
{
    (void)xch;
    return return_errno(run_tbuf_op(HV_TBUF_DISABLE, 0, 0));
}

/* Existing rings are no failure, as in libxenctrl. */
int xc_tbuf_enable(xc_interface *xch, unsigned long pages, unsigned long *mfn,
                   unsigned long *size)
{
    struct err ignored = ERR_INIT;
    struct tbuf_info info;

    xc_tbuf_set_size(xch, pages);
    if ( return_errno(run_tbuf_op(HV_TBUF_ENABLE, 0, 0)) ||
         return_errno(tbuf_get_info(hv, &info, &ignored)) )
        return -1;
    *mfn = info.mfn;
    *size = info.size;
    return 0;
}

static void *map_frames(const uint64_t *mfn, size_t nr, int prot)
{
    struct err ignored = ERR_INIT;
    void *at = NULL;

    if ( return_errno(hv->type->map(hv, mfn, nr, prot & PROT_WRITE, &at,
                                    &ignored)) )
        return NULL;
    return at;
}

void *xc_map_foreign_range(xc_interface *xch, uint32_t dom, int size, int prot,
                           unsigned long mfn)
{
    size_t nr = (size + HV_PAGE_SIZE - 1) / HV_PAGE_SIZE;
    uint64_t *list = calloc(nr, sizeof(*list));
    void *at = NULL;

    (void)xch;
    (void)dom;
    for ( size_t i = 0; list && i < nr; i++ )
        list[i] = mfn + i;
    if ( list )
        at = map_frames(list, nr, prot);
    free(list);
    return at;
}

void *xc_map_foreign_pages(xc_interface *xch, uint32_t dom, int prot,
                           const xen_pfn_t *mfn, int nr)
{
    (void)xch;
    (void)dom;
    return map_frames(mfn, nr, prot);
}

/* --- libxenevtchn -------------------------------------------------------- */

xenevtchn_handle *xenevtchn_open(xentoollog_logger *logger, unsigned int flags)
{
    (void)logger;
    (void)flags;
    return (xenevtchn_handle *)hv;
}

xenevtchn_port_or_error_t xenevtchn_bind_virq(xenevtchn_handle *xce,
                                              unsigned int number)
{
    struct err ignored = ERR_INIT;

    (void)xce;
    (void)number;
    return return_errno(hv->type->bind_virq(hv, &virq, &ignored)) ? -1
                                                                  : VIRQ_PORT;
}

int xenevtchn_fd(xenevtchn_handle *xce)
{
    (void)xce;
    return virq;
}

xenevtchn_port_or_error_t xenevtchn_pending(xenevtchn_handle *xce)
{
    struct err ignored = ERR_INIT;

    (void)xce;
    return return_errno(hv->type->ack_virq(hv, &ignored)) ? -1 : VIRQ_PORT;
}

int xenevtchn_unmask(xenevtchn_handle *xce, evtchn_port_t port)
{
    (void)xce;
    (void)port;
    return 0;
}
