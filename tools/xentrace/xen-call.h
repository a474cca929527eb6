/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions to the real Xen: the hypercalls that only a privileged domain
 * may make.
 *
 * libxenctrl knows one version of them, that of the Xen it was built with, so
 * that a program that uses it breaks with the next Xen.  What is asked here
 * has had the same layout since Xen 4.2; only the version number that goes
 * along has moved.  So this speaks to Xen itself and finds out which number it
 * wants: a wrong one is refused before anything is looked at.
 */
#ifndef XENTRACE_XEN_CALL_H
#define XENTRACE_XEN_CALL_H

#include <stdint.h>

#include "xentrace/hypervisor.h"

struct xencall_handle;
struct xentoollog_logger;
struct xen_sysctl_op;

struct xen_call
{
    struct xencall_handle *to;
    struct xen_sysctl_op *op;   /* in memory that Xen can always reach */
    uint32_t version;           /* of sysctls, as this Xen counts them */
};

/*
 * Fails, with a sentence, unless this is root of a dom0 whose Xen is known,
 * lets us trace, and has rings at all.  *c is then as xen_call_close() left
 * it.
 */
int xen_call_open(struct xen_call *c, struct err *e);
void xen_call_close(struct xen_call *c);

/* Says that there is no way to make hypercalls: -ENODEV. */
int xen_call_absent(struct err *e);

/* For each of Xen's libraries: what they would print is for us to say. */
struct xentoollog_logger *xen_call_quiet(void);

/* These return 0 or -errno as Xen says it, and no sentence. */
int xen_call_tbuf(struct xen_call *c, struct hv_tbuf *op);
int xen_call_info(struct xen_call *c, struct hv_info *info);

/* --- about the machine --------------------------------------------------- */

/* What Xen says of itself: "" if it does not. */
void xen_call_text(struct xen_call *c, unsigned int which, char *text,
                   size_t size);

/* major << 16 | minor; 0 if Xen does not say. */
uint32_t xen_call_version(struct xen_call *c);

#define XEN_CALL_NOWHERE UINT32_MAX

struct xen_call_cpu
{
    uint32_t core;      /* XEN_CALL_NOWHERE: it is off line */
    uint32_t socket;
    uint32_t node;
};

/* Of all pcpus below nr; how many there are, or -errno. */
int xen_call_cpus(struct xen_call *c, struct xen_call_cpu *cpu,
                  unsigned int nr);

struct xen_call_domain
{
    uint16_t id;
    uint32_t flags;     /* XEN_DOMINF_* */
    uint64_t pages;
    uint32_t vcpus;
    uint32_t pool;
};

/* The first domain from that number on; -ENOENT: there is none. */
int xen_call_domain(struct xen_call *c, unsigned int from,
                    struct xen_call_domain *d);

#endif /* XENTRACE_XEN_CALL_H */
