/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hypercalls to the real Xen, which only a privileged domain may make.
 *
 * libxenctrl knows only the sysctl version of the Xen that it was built with,
 * so a program that uses libxenctrl stops working with the next Xen.  The
 * operations below have had the same layout since Xen 4.2, and only the version
 * number has changed.  So this file makes the hypercalls itself, and finds the
 * version number by trying: Xen refuses a wrong number before it reads any
 * other field.
 */
#ifndef XENTRACE_XEN_CALL_H
#define XENTRACE_XEN_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xentrace/hypervisor.h"

struct xencall_handle;
struct xentoollog_logger;
struct xen_sysctl_op;
struct xen_domctl_op;

struct xen_call
{
    struct xencall_handle *to;
    struct xen_sysctl_op *op;   /* in a buffer that Xen can always read */
    uint32_t version;           /* of sysctls, as this Xen expects */
    struct xen_domctl_op *domctl;   /* NULL: not yet needed */
    uint32_t domctl_version;    /* 0: not yet known */
};

/*
 * Fails, with a text in *e, unless the caller is root of a dom0, and its Xen is
 * supported, permits tracing, and was built with trace buffers.  After a
 * failure *c is closed.
 */
int xen_call_open(struct xen_call *c, struct err *e);
void xen_call_close(struct xen_call *c);

/* Report that there is no way to make hypercalls; returns -ENODEV. */
int xen_call_absent(struct err *e);

/*
 * A logger for Xen's libraries that prints nothing: errors are reported here.
 */
struct xentoollog_logger *xen_call_quiet(void);

#define XEN_CALL_BODY_MAX 128u      /* bytes of a sysctl or domctl */

/*
 * A sysctl or a domctl with the struct `body`, which is in and out.  Domctls
 * must only read, since their version is found by trying.  0 or Xen's -errno.
 */
int xen_call_sysctl(struct xen_call *c, uint32_t cmd, void *body, size_t size);
int xen_call_domctl(struct xen_call *c, uint32_t cmd, uint16_t domain,
                    void *body, size_t size);

/* A zeroed buffer that Xen can read and write; NULL: no memory. */
void *xen_call_new_buffer(struct xen_call *c, size_t size);
void xen_call_free_buffer(struct xen_call *c, void *buffer);

/* These functions return 0 or Xen's -errno, without a text. */
int xen_call_tbuf(struct xen_call *c, struct hv_tbuf *op);
int xen_call_info(struct xen_call *c, struct hv_info *info);

/* --- description of the machine ------------------------------------------- */

/* A text about Xen; "" if it is not available. */
void xen_call_text(struct xen_call *c, unsigned int which, char *text,
                   size_t size);

/* major << 16 | minor; 0 if unknown. */
uint32_t xen_call_version(struct xen_call *c);

#define XEN_CALL_NOWHERE UINT32_MAX

struct xen_call_cpu
{
    uint32_t core;      /* XEN_CALL_NOWHERE: offline */
    uint32_t socket;
    uint32_t node;
};

/* Fill in the pcpus below nr; returns their number, or -errno. */
int xen_call_cpus(struct xen_call *c, struct xen_call_cpu *cpu,
                  unsigned int nr);

struct xen_call_domain
{
    uint16_t id;
    uint32_t flags;     /* XEN_DOMINF_* */
    uint64_t pages;
    uint32_t vcpus;     /* online */
    uint32_t vcpu_ids;  /* the highest id of a vcpu, plus 1 */
    uint32_t pool;
    unsigned char uuid[16];
    bool has_devices;   /* emulated devices are known: */
    uint32_t devices;   /* XEN_X86_EMU_* */
};

/* The first domain with an id >= from; -ENOENT: there is none. */
int xen_call_domain(struct xen_call *c, unsigned int from,
                    struct xen_call_domain *d);

#endif /* XENTRACE_XEN_CALL_H */
