/* SPDX-License-Identifier: MIT */
/*
 * The protocol between xensim and a client in the role of dom0: one
 * SOCK_SEQPACKET message is the request, one the answer, in lockstep. The
 * protocol replaces /dev/xen/privcmd and /dev/xen/evtchn of a real dom0:
 * sysctls, foreign mappings, a VIRQ. A file descriptor travels with its answer
 * as SCM_RIGHTS.
 *
 *     request:  struct xensim_request, then `length` payload bytes of the op
 *     answer:   struct xensim_answer,  then `length` payload bytes of the op
 *
 * All numbers are in host byte order: both ends run on one machine.
 */
#ifndef XENSIM_WIRE_H
#define XENSIM_WIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define XENSIM_WIRE_VERSION     3
#define XENSIM_SOCKET_ENV       "XENSIM_SOCKET"
#define XENSIM_SOCKET_NAME      "xensim.sock"
#define XENSIM_PAGE_SIZE        4096u
#define XENSIM_MAX_PAYLOAD      65536u /* a longer message is refused */

enum xensim_op
{
    XENSIM_HELLO = 1,   /* identify: answers struct xensim_hello */
    XENSIM_TBUF,        /* XEN_SYSCTL_tbuf_op: struct xensim_tbuf, bitmap */
    XENSIM_MAP,         /* map foreign frames: u32 mfn[]; with a descriptor */
    XENSIM_UNMAP,       /* unmap frames: u32 mfn[] */
    XENSIM_BIND_VIRQ,   /* VIRQ_TBUF as an eventfd; with a descriptor */
    XENSIM_CPU_UP,      /* bring pcpu `arg` online */
    XENSIM_CPU_DOWN,    /* take pcpu `arg` offline */
    XENSIM_CLOCK,       /* current time-stamp counter: u64 */
    XENSIM_DOMAINS,     /* the domains that exist: struct xensim_domain[] */
};

#define XENSIM_MAP_WRITE 1u /* in `arg` of XENSIM_MAP: read-write */

struct xensim_request
{
    uint32_t op;        /* enum xensim_op */
    uint32_t arg;
    uint32_t length;    /* bytes of payload */
    uint32_t zero;
};

struct xensim_answer
{
    int32_t rc;         /* 0, or the hypervisor's -errno */
    uint32_t length;    /* bytes of payload */
};

/* Virtualization hardware, which names the exits; values as in meta_xen. */
enum xensim_hardware
{
    XENSIM_HARDWARE_UNKNOWN,
    XENSIM_HARDWARE_VMX,
    XENSIM_HARDWARE_SVM,
};

struct xensim_hello
{
    uint32_t wire_version;
    uint32_t max_cpu_id;
    uint32_t nr_cpus;   /* online now */
    uint32_t cpu_khz;   /* frequency of the time-stamp counter */
    uint32_t hardware;  /* enum xensim_hardware */
    uint32_t scheduler; /* as in meta_pool; 0: unknown */
    uint32_t ratelimit; /* scheduler: minimum run time, us; all ones: none */
    uint32_t socket_cpus; /* pcpus per socket; 0: the topology is unknown */
    char version[32];   /* version of the simulated hypervisor, "4.17-xensim" */
};

/* struct xen_tbuf_cpu, for clients without Xen's headers. */
struct xensim_tbuf_cpu
{
    uint32_t flags;
    uint32_t pad;
    uint64_t lost;
};

/*
 * struct xen_sysctl_tbuf_op or struct xen_sysctl_tbuf_state without the guest
 * handle. The bytes of the handle's buffer, (nr_bits + 7) / 8 of them, follow
 * this struct: in the request of set_cpu_mask, in the answer of state, where
 * they are struct xensim_tbuf_cpu[].
 */
struct xensim_tbuf
{
    uint32_t cmd;
    uint32_t nr_bits;
    uint32_t evt_mask;
    uint32_t size;          /* state: pages */
    uint64_t buffer_mfn;
    uint32_t nr_cpus;       /* state only, as is flags */
    uint32_t flags;
};

#define XENSIM_MAX_DOMAINS 1024 /* all of them fit into one answer */
#define XENSIM_NAME_MAX 32      /* bytes of a name, with its 0 */

enum xensim_kind { XENSIM_PV, XENSIM_HVM, XENSIM_PVH };

/* A domain, as the toolstack of a dom0 would describe it. */
struct xensim_domain
{
    uint16_t id;
    uint16_t vcpus;
    uint16_t kind;      /* enum xensim_kind */
    uint16_t weight;    /* in the scheduler; 0: it has no weights */
    uint32_t first_cpu, last_cpu; /* permitted pcpus; first > last: all */
    uint8_t uuid[16];
    char name[XENSIM_NAME_MAX];
};

/*
 * XENSIM_MAP answers with one descriptor: frame m starts at byte m *
 * XENSIM_PAGE_SIZE. Each named frame counts as mapped until UNMAP or the end
 * of the connection: mapped rings cannot be freed.
 */

/*
 * Format the default path of the socket; returns its length like snprintf().
 * The last choice is in a directory of all users, so the client has to check
 * the owner of the file: *is_shared.
 */
static inline int xensim_default_socket(char *to, size_t size, int *is_shared)
{
    const char *run = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");

    *is_shared = 0;
    if ( run && *run )
        return snprintf(to, size, "%s/" XENSIM_SOCKET_NAME, run);
    if ( !geteuid() )
        return snprintf(to, size, "/run/" XENSIM_SOCKET_NAME);
    *is_shared = 1;
    return snprintf(to, size, "%s/xensim-%u.sock",
                    tmp && *tmp ? tmp : "/tmp", (unsigned int)geteuid());
}

#endif /* XENSIM_WIRE_H */
