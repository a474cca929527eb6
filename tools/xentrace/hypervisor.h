/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to a hypervisor.  Everything that xentrace asks of one goes
 * through the struct of functions below; a back end is one file that fills
 * one in, and one row of the table in hypervisor.c.  Back ends carry, they
 * do not think: what the answers mean, and that they may be lies, is for
 * tbuf.c and rings.c, which so are the same for all.
 */
#ifndef XENTRACE_HYPERVISOR_H
#define XENTRACE_HYPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/meta.h"

#define HV_PAGE_SIZE 4096u
#define HV_NAME_MAX 256u        /* of a domain, with the 0 behind it */

/* What a user can say about where it is; NULL: not said. */
struct hv_address
{
    const char *socket;         /* xensim */
};

/* An open hypervisor.  The back end's own struct begins with this one. */
struct hv
{
    const struct hypervisor *type;
};

struct hv_info
{
    unsigned int nr_cpus;       /* possible: their ids are below this */
    unsigned int nr_online;
    uint32_t tsc_khz;           /* 0: not known */
    bool simulated;
    char version[64];
};

/* Control operations of public/sysctl.h; more of them in public/trace.h. */
enum hv_tbuf_cmd
{
    HV_TBUF_GET_INFO,
    HV_TBUF_SET_CPU_MASK,
    HV_TBUF_SET_EVT_MASK,
    HV_TBUF_SET_SIZE,
    HV_TBUF_ENABLE,
    HV_TBUF_DISABLE,
};

/* XEN_SYSCTL_tbuf_op: its fields, and the bytes that its handle points to. */
struct hv_tbuf
{
    uint32_t cmd;
    uint32_t evt_mask;          /* in and out */
    uint32_t size;              /* in and out */
    uint64_t mfn;               /* out */
    const void *in;             /* nr_bits of it are handed in, */
    void *out;                  /* or filled: at most one is not NULL */
    uint32_t nr_bits;
};

/* Takes one record about the machine, which is the teller's again then. */
typedef void hv_record_fn(void *arg, const struct xt_meta *m);

/*
 * All return 0 or -errno.  The hypervisor's own refusals come as they are,
 * and *e is then left for the caller, who knows what was wanted; *e is
 * filled if the way to it is broken.
 */
struct hypervisor
{
    const char *name;           /* as --hypervisor= wants it */

    /* Does it look as if it were there?  Changes nothing. */
    int (*probe)(const struct hv_address *address, struct err *e);
    int (*open)(struct hv **hv, const struct hv_address *address,
                struct err *e);
    void (*close)(struct hv *hv);

    int (*info)(struct hv *hv, struct hv_info *info, struct err *e);
    int (*tbuf)(struct hv *hv, struct hv_tbuf *op, struct err *e);

    /* Frames of Xen's, one behind the other.  Unmapped as they were mapped. */
    int (*map)(struct hv *hv, const uint64_t *mfn, size_t nr, bool write,
               void **at, struct err *e);
    void (*unmap)(struct hv *hv, void *at);

    /* VIRQ_TBUF: a descriptor to poll; the back end's, until close. */
    int (*bind_virq)(struct hv *hv, int *fd, struct err *e);
    /* It was readable: take what came, so that it can come again. */
    int (*ack_virq)(struct hv *hv, struct err *e);

    /*
     * What its clock shows now, as time stamps do.  NULL: that is this
     * machine's own counter.
     */
    int (*clock)(struct hv *hv, uint64_t *tsc, struct err *e);

    /*
     * Tell what it knows of the machine, record by record: meta_xen, texts,
     * pcpus (events/11-meta).  NULL: no more than info() says.  Asked at the
     * start; what the hypervisor does not want to say is left out, and no
     * failure.
     */
    void (*describe)(struct hv *hv, hv_record_fn *put, void *arg);

    /*
     * Tell which domains there are, a meta_domain each.  Asked again and
     * again.  NULL: nobody knows.
     */
    void (*domains)(struct hv *hv, hv_record_fn *put, void *arg);
    /* The name of one of them; false: it has none yet.  Where domains is. */
    bool (*domain_name)(struct hv *hv, uint16_t id, char name[HV_NAME_MAX]);
};

/* The back ends. */
const struct hypervisor *hv_xen(void);
const struct hypervisor *hv_xensim(void);

/* Open the one of this name; NULL: the first that seems to be there. */
int hv_open(struct hv **hv, const char *name, const struct hv_address *address,
            struct err *e);
void hv_close(struct hv *hv);

#endif /* XENTRACE_HYPERVISOR_H */
