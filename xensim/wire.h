/* SPDX-License-Identifier: MIT */
/*
 * The protocol between xensim and whoever plays dom0: one SOCK_SEQPACKET
 * message asks, one answers, in step.  It stands for what a real dom0 does
 * through /dev/xen/privcmd and /dev/xen/evtchn: sysctls, foreign mappings,
 * a VIRQ.  A file descriptor, where an answer brings one, travels beside it
 * as SCM_RIGHTS.
 *
 *   request:  struct xensim_request, then `length` bytes that belong to op
 *   answer:   struct xensim_answer,  then `length` bytes that belong to op
 *
 * All numbers are in the byte order of the machine: both ends are on it.
 */
#ifndef XENSIM_WIRE_H
#define XENSIM_WIRE_H

#include <stdint.h>

#define XENSIM_WIRE_VERSION     1
#define XENSIM_SOCKET_ENV       "XENSIM_SOCKET"
#define XENSIM_SOCKET_NAME      "xensim.sock" /* in $XDG_RUNTIME_DIR or /run */
#define XENSIM_PAGE_SIZE        4096u
#define XENSIM_MAX_PAYLOAD      65536u /* a longer message is refused */

enum xensim_op
{
    XENSIM_HELLO = 1,   /* who are you?  answers struct xensim_hello */
    XENSIM_TBUF,        /* XEN_SYSCTL_tbuf_op: struct xensim_tbuf, bitmap */
    XENSIM_MAP,         /* foreign-map frames: u32 mfn[].  With a descriptor */
    XENSIM_UNMAP,       /* give frames back: u32 mfn[] */
    XENSIM_BIND_VIRQ,   /* VIRQ_TBUF, as an eventfd.  With a descriptor */
    XENSIM_CPU_UP,      /* bring pcpu `arg` up */
    XENSIM_CPU_DOWN,    /* take pcpu `arg` down */
    XENSIM_CLOCK,       /* the time-stamp counter as it is now: u64 */
};

#define XENSIM_MAP_WRITE 1u /* in `arg` of XENSIM_MAP: read-write */

struct xensim_request
{
    uint32_t op;        /* enum xensim_op */
    uint32_t arg;
    uint32_t length;    /* bytes that follow */
    uint32_t zero;
};

struct xensim_answer
{
    int32_t rc;         /* 0, or -errno as the hypervisor would give it */
    uint32_t length;    /* bytes that follow */
};

struct xensim_hello
{
    uint32_t wire_version;
    uint32_t max_cpu_id;
    uint32_t nr_cpus;   /* online now */
    uint32_t cpu_khz;   /* of the time-stamp counter */
    char version[32];   /* of the hypervisor that is played, "4.17-xensim" */
};

/*
 * struct xen_sysctl_tbuf_op without its guest handle: the bytes that the
 * handle would point to follow this struct, in the request (set_cpu_mask)
 * and in the answer (state), (nr_bits + 7) / 8 of them.
 */
struct xensim_tbuf
{
    uint32_t cmd;
    uint32_t nr_bits;
    uint32_t evt_mask;
    uint32_t size;
    uint64_t buffer_mfn;
};

/*
 * XENSIM_MAP answers with one descriptor: frame m of it stands at byte
 * m * XENSIM_PAGE_SIZE.  Each frame named counts as mapped until UNMAP or
 * until the connection ends: rings that are mapped cannot be freed.
 */

#endif /* XENSIM_WIRE_H */
