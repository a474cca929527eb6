/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface to a hypervisor: a struct of functions.  A back end is one file
 * that fills in the struct, and one row of the table in hypervisor.c.  Back
 * ends transfer data without interpreting any; hypervisor.c, tbuf.c and
 * host-rings.c, which are common to all back ends, check the answers.
 */
#ifndef XENTRACE_HYPERVISOR_H
#define XENTRACE_HYPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/internal.h"

#define HV_PAGE_SIZE 4096u
#define HV_NAME_MAX 256u        /* bytes of a domain's name, with its 0 */

/* Where the hypervisor is, from the command line; NULL: not given. */
struct hv_address
{
    const char *socket;         /* of xensim */
};

/* An open hypervisor; the first member of each back end's own struct. */
struct hv
{
    const struct hypervisor *type;
};

struct hv_info
{
    unsigned int nr_cpus;       /* possible pcpus: all ids are less */
    unsigned int nr_online;
    uint32_t tsc_khz;           /* 0: unknown */
    bool simulated;
    uint32_t hardware;          /* as in meta_xen; all ones: unknown */
    char version[64];
};

/* Control operations of public/sysctl.h; public/trace.h has more. */
enum hv_tbuf_cmd
{
    HV_TBUF_GET_INFO,
    HV_TBUF_SET_CPU_MASK,
    HV_TBUF_SET_EVT_MASK,
    HV_TBUF_SET_SIZE,
    HV_TBUF_ENABLE,
    HV_TBUF_DISABLE,
};

/* The fields of XEN_SYSCTL_tbuf_op, and the buffer behind its handle. */
struct hv_tbuf
{
    uint32_t cmd;
    uint32_t evt_mask;          /* in and out */
    uint32_t size;              /* in and out */
    uint64_t mfn;               /* out */
    const void *in;             /* buffer of nr_bits bits to read, or NULL */
    void *out;                  /* buffer of nr_bits bits to fill, or NULL */
    uint32_t nr_bits;
    /* XEN_SYSCTL_TBUFOP_state: `out` is struct hv_tbuf_cpu[], size the pages */
    uint32_t nr_cpus;           /* out: possible cpus */
    uint32_t flags;             /* out: XEN_TBUF_* */
};

/* struct xen_tbuf_cpu, for programs without Xen's headers. */
struct hv_tbuf_cpu
{
    uint32_t flags;             /* XEN_TBUF_CPU_* */
    uint32_t pad;
    uint64_t lost;
};

/* A callback that receives one record about the machine, as a borrow. */
typedef void hv_record_fn(void *arg, const struct xt_meta *m);

/*
 * All functions return 0 or -errno.  An error code of the hypervisor is
 * returned without a text in *e, because the caller knows the purpose of the
 * call; *e is filled if the connection to the hypervisor has failed.
 */
struct hypervisor
{
    const char *name;           /* argument of --hypervisor */

    /* Does this hypervisor seem to be present?  Changes nothing. */
    int (*probe)(const struct hv_address *address, struct err *e);
    int (*open)(struct hv **hv, const struct hv_address *address,
                struct err *e);
    void (*close)(struct hv *hv);

    int (*info)(struct hv *hv, struct hv_info *info, struct err *e);
    int (*tbuf)(struct hv *hv, struct hv_tbuf *op, struct err *e);

    /*
     * Map frames of Xen's memory contiguously.  Each unmap() undoes one map().
     */
    int (*map)(struct hv *hv, const uint64_t *mfn, size_t nr, bool write,
               void **at, struct err *e);
    void (*unmap)(struct hv *hv, void *at);

    /* Bind VIRQ_TBUF; *fd is a descriptor to poll, valid until close. */
    int (*bind_virq)(struct hv *hv, int *fd, struct err *e);
    /* Reset the descriptor after a VIRQ, so that the next VIRQ is seen. */
    int (*ack_virq)(struct hv *hv, struct err *e);

    /*
     * Read the clock of the time stamps.  NULL: the time stamp counter of this
     * machine.
     */
    int (*clock)(struct hv *hv, uint64_t *tsc, struct err *e);

    /*
     * Put records about the machine: meta_xen, texts, pcpus (events/11-meta).
     * Called once, at the start.  Unavailable values are left out.  NULL:
     * info() is all there is.
     */
    void (*describe)(struct hv *hv, hv_record_fn *put, void *arg);

    /*
     * Put a meta_domain record of each domain, which may be followed by records
     * about its properties.  Called repeatedly.  NULL: domains are unknown.
     */
    void (*domains)(struct hv *hv, hv_record_fn *put, void *arg);
    /*
     * Put further records about the properties of a domain.  Called once for
     * each domain.  NULL: there are none.
     */
    void (*domain_details)(struct hv *hv, uint16_t id, hv_record_fn *put,
                           void *arg);
    /*
     * Read the name of a domain; false: no name yet.  NULL if `domains` is
     * NULL.
     */
    bool (*domain_name)(struct hv *hv, uint16_t id, char name[HV_NAME_MAX]);
};

/* The back ends. */
const struct hypervisor *hv_xen(void);
const struct hypervisor *hv_xensim(void);

/*
 * Open the hypervisor of this name; NULL: the first that seems to be present.
 */
int hv_open(struct hv **hv, const char *name, const struct hv_address *address,
            struct err *e);
void hv_close(struct hv *hv);

/* Call info(), and check the number of pcpus: 1 to XT_MAX_CPUS. */
int hv_query(struct hv *hv, struct hv_info *info, struct err *e);

#endif /* XENTRACE_HYPERVISOR_H */
