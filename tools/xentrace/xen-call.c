/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a sysctl:
 *
 *   0        4          8                        136
 *   +--------+----------+-- ... ------------------+
 *   | cmd    | version  | fields of the operation |
 *   +--------+----------+-- ... ------------------+
 *
 * A sysctl is passed in locked memory, which stays mapped while Xen reads it:
 * libxencall's buffers are for that.  The struct below replaces the one of
 * <xen/sysctl.h>, which fits a single version of Xen.
 */
#include "xentrace/xen-call.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <xencall.h>
#include <xentoollog.h>

#include <xen/xen.h>
#include <xen/version.h>

#include <public/trace.h>

#include "common/fault.h"

#define SYSCTL_TBUF_OP     2u
#define SYSCTL_PHYSINFO    3u
#define SYSCTL_DOMAINS     6u
#define SYSCTL_CPUTOPOINFO 16u

struct xen_sysctl_op
{
    uint32_t cmd;
    uint32_t version;
    union
    {
        struct
        {
            uint32_t cmd;
            uint32_t zero;
            uint64_t bitmap;    /* address */
            uint32_t nr_bits;
            uint32_t zero2;
            uint32_t evt_mask;
            uint32_t zero3;
            uint64_t mfn;
            uint32_t size;
        } tbuf;
        struct
        {
            uint32_t cmd;
            uint32_t version;   /* XEN_TBUF_STATE_VERSION */
            uint64_t cpus;      /* address of struct hv_tbuf_cpu[nr_cpus] */
            uint32_t nr_cpus;
            uint32_t flags;
            uint32_t evt_mask;
            uint32_t pages;
        } state;
        struct
        {
            uint32_t threads_per_core;
            uint32_t cores_per_socket;
            uint32_t nr_cpus;   /* online */
            uint32_t max_cpu_id;
            uint32_t nr_nodes;
            uint32_t max_node_id;
            uint32_t cpu_khz;
        } info;
        struct
        {
            uint16_t first;
            uint32_t max;
            uint64_t buffer;    /* address */
            uint32_t nr;        /* out */
        } domains;
        struct
        {
            uint32_t nr;
            uint64_t cpu;       /* address */
        } topology;
        unsigned char room[XEN_CALL_BODY_MAX];
    } u;
};

/*
 *   0        4          8        16                       144
 *   +--------+----------+--------+-- ... ------------------+
 *   | cmd    | version  | domain | fields of the operation |
 *   +--------+----------+--------+-- ... ------------------+
 */
struct xen_domctl_op
{
    uint32_t cmd;
    uint32_t version;
    uint16_t domain;
    uint16_t zero[3];
    unsigned char body[XEN_CALL_BODY_MAX];
};

_Static_assert(sizeof(struct xen_sysctl_op) == 136, "a sysctl");
_Static_assert(offsetof(struct xen_sysctl_op, u.tbuf.size) == 48, "a tbuf_op");
_Static_assert(offsetof(struct xen_sysctl_op, u.state.pages) == 36,
               "a tbuf_state");
_Static_assert(sizeof(struct hv_tbuf_cpu) == 16, "a tbuf_cpu");
_Static_assert(sizeof(struct xen_domctl_op) == 144, "a domctl");

/*
 * The common start of all versions of the struct; the rest, and with it the
 * size, differs.  Since version 0x13, emulated devices follow on x86.
 */
struct domain_info
{
    uint16_t domain;
    uint16_t zero;
    uint32_t flags;
    uint64_t tot_pages;
    uint64_t other_pages[5];
    uint64_t cpu_time;
    uint32_t nr_online_vcpus;
    uint32_t max_vcpu_id;
    uint32_t ssidref;
    unsigned char handle[16];
    uint32_t cpupool;
    uint8_t address_bits;
    uint8_t zero2[7];
    uint32_t devices;
};

#define VERSION_WITH_DEVICES 0x13u


#define DOMAIN_INFO_ROOM 512u

/*
 * The versions of the sysctl interface that have these layouts, the likeliest
 * first: Xen 4.17 and 4.18, 4.19 and later, 4.15 and 4.16, 4.13 and 4.14, 4.12.
 */
static const uint32_t versions[] = { 0x15, 0x16, 0x14, 0x13, 0x12 };

#define NR_VERSIONS (sizeof(versions) / sizeof(versions[0]))

/* The same of domctls: Xen 4.17, 4.18, 4.19 and later; then 4.16 to 4.12. */
static const uint32_t domctl_versions[] = {
    0x15, 0x16, 0x17, 0x14, 0x13, 0x12, 0x11,
};

#define NR_DOMCTL_VERSIONS \
    (sizeof(domctl_versions) / sizeof(domctl_versions[0]))

static int to_error(int rc)
{
    return rc < 0 ? -errno : 0;
}

static int call_sysctl(struct xen_call *c, uint32_t cmd)
{
    assert(c->to && c->op);
    c->op->cmd = cmd;
    c->op->version = c->version;
    return to_error(xencall1(c->to, __HYPERVISOR_sysctl, (uintptr_t)c->op));
}

void *xen_call_new_buffer(struct xen_call *c, size_t size)
{
    void *buffer = fault_hit(FAULT_ALLOC) ? NULL
                                          : xencall_alloc_buffer(c->to, size);

    if ( buffer )
        memset(buffer, 0, size);
    return buffer;
}

void xen_call_free_buffer(struct xen_call *c, void *buffer)
{
    if ( buffer )
        xencall_free_buffer(c->to, buffer);
}

static void clear_op(struct xen_call *c)
{
    memset(c->op, 0, sizeof(*c->op));
}

/* --- open and close ------------------------------------------------------- */

/* The operation changes nothing, and needs the same privilege as the others. */
static int find_version(struct xen_call *c)
{
    int rc = -EACCES;

    for ( size_t i = 0; i < NR_VERSIONS && rc == -EACCES; i++ )
    {
        clear_op(c);
        c->version = versions[i];
        rc = call_sysctl(c, SYSCTL_PHYSINFO);
    }
    return rc;
}

/* Explain a failure of the first sysctl. */
static int explain_version(int rc, struct err *e)
{
    if ( rc == -EACCES )
        return err_set(e, rc, "this Xen supports no sysctl version from 0x%x "
                       "to 0x%x: it is too new or too old",
                       versions[NR_VERSIONS - 1], versions[1]);
    if ( rc == -EPERM )
        return err_set(e, rc, "Xen refuses: this domain is not privileged, or "
                       "Xen's XSM policy forbids it");
    return err_sys(e, rc, "cannot query Xen");
}

/* The first operation on trace buffers; its failures have known reasons. */
static int ask_for_rings(struct xen_call *c, struct err *e)
{
    struct hv_tbuf op = { .cmd = HV_TBUF_GET_INFO };
    int rc = xen_call_tbuf(c, &op);

    if ( rc == -ENOSYS )
        return err_set(e, rc, "this Xen cannot trace: it was built without "
                       "CONFIG_TRACEBUFFER");
    if ( rc == -EPERM )
        return err_set(e, rc, "Xen's XSM policy forbids tracing (flask: allow "
                       "xen { tbufcontrol })");
    return rc ? err_sys(e, rc, "cannot query Xen's trace buffers") : 0;
}

static void no_message(struct xentoollog_logger *logger,
                       xentoollog_level level, int errnoval,
                       const char *context, const char *format, va_list al)
{
    (void)logger;
    (void)level;
    (void)errnoval;
    (void)context;
    (void)format;
    (void)al;
}

struct xentoollog_logger *xen_call_quiet(void)
{
    static struct xentoollog_logger logger = { .vmessage = no_message };

    return &logger;
}

int xen_call_absent(struct err *e)
{
    return err_set(e, -ENODEV, "no Xen: /dev/xen/privcmd is missing (in a "
                   "dom0, load the module xen-privcmd)");
}

static int open_call(struct xen_call *c, struct err *e)
{
    int rc;

    c->to = fault_hit(FAULT_OPEN) ? NULL : xencall_open(xen_call_quiet(), 0);
    if ( !c->to && errno == ENOENT )
        return xen_call_absent(e);
    if ( !c->to && errno == EACCES )
        return err_set(e, -EACCES, "only root may trace Xen");
    if ( !c->to )
        return err_sys(e, -errno, "cannot reach Xen");
    c->op = xen_call_new_buffer(c, sizeof(*c->op));
    if ( !c->op )
        return err_sys(e, -ENOMEM, "cannot reach Xen");
    rc = find_version(c);
    return rc ? explain_version(rc, e) : ask_for_rings(c, e);
}

int xen_call_open(struct xen_call *c, struct err *e)
{
    int rc;

    *c = (struct xen_call){ .to = NULL };
    rc = open_call(c, e);
    if ( rc )
        xen_call_close(c);
    return rc;
}

void xen_call_close(struct xen_call *c)
{
    xen_call_free_buffer(c, c->domctl);
    xen_call_free_buffer(c, c->op);
    if ( c->to )
        xencall_close(c->to);
    *c = (struct xen_call){ .to = NULL };
}

/* --- any operation -------------------------------------------------------- */

int xen_call_sysctl(struct xen_call *c, uint32_t cmd, void *body, size_t size)
{
    int rc;

    assert(size <= sizeof(c->op->u));
    clear_op(c);
    memcpy(&c->op->u, body, size);
    rc = call_sysctl(c, cmd);
    if ( !rc )
        memcpy(body, &c->op->u, size);
    return rc;
}

static int call_domctl(struct xen_call *c, uint32_t cmd, uint16_t domain,
                       uint32_t version, void *body, size_t size)
{
    int rc;

    memset(c->domctl, 0, sizeof(*c->domctl));
    c->domctl->cmd = cmd;
    c->domctl->version = version;
    c->domctl->domain = domain;
    memcpy(c->domctl->body, body, size);
    rc = to_error(xencall1(c->to, __HYPERVISOR_domctl, (uintptr_t)c->domctl));
    if ( !rc )
        memcpy(body, c->domctl->body, size);
    return rc;
}

int xen_call_domctl(struct xen_call *c, uint32_t cmd, uint16_t domain,
                    void *body, size_t size)
{
    int rc = -EACCES;

    assert(size <= sizeof(c->domctl->body));
    if ( !c->domctl )
        c->domctl = xen_call_new_buffer(c, sizeof(*c->domctl));
    if ( !c->domctl )
        return -ENOMEM;
    if ( c->domctl_version )
        return call_domctl(c, cmd, domain, c->domctl_version, body, size);
    for ( size_t i = 0; i < NR_DOMCTL_VERSIONS && rc == -EACCES; i++ )
    {
        rc = call_domctl(c, cmd, domain, domctl_versions[i], body, size);
        /* XSM may refuse with the same error, whatever the version. */
        if ( !rc )
            c->domctl_version = domctl_versions[i];
    }
    return rc;
}

/* --- queries -------------------------------------------------------------- */

/* `cpus` is a buffer that Xen can access, or NULL. */
static int tbuf_state_op(struct xen_call *c, struct hv_tbuf *op, void *cpus)
{
    int rc;

    clear_op(c);
    c->op->u.state.cmd = op->cmd;
    c->op->u.state.version = XEN_TBUF_STATE_VERSION;
    c->op->u.state.cpus = (uintptr_t)cpus;
    c->op->u.state.nr_cpus = cpus ? op->nr_bits / 8 / sizeof(struct hv_tbuf_cpu)
                                  : 0;
    rc = call_sysctl(c, SYSCTL_TBUF_OP);
    if ( rc )
        return rc;
    op->nr_cpus = c->op->u.state.nr_cpus;
    op->flags = c->op->u.state.flags;
    op->evt_mask = c->op->u.state.evt_mask;
    op->size = c->op->u.state.pages;
    return 0;
}

/* `bitmap` is a buffer that Xen can access, or NULL. */
static int tbuf_op(struct xen_call *c, struct hv_tbuf *op, void *bitmap)
{
    int rc;

    if ( op->cmd == XEN_SYSCTL_TBUFOP_state )
        return tbuf_state_op(c, op, bitmap);
    clear_op(c);
    c->op->u.tbuf.cmd = op->cmd;
    c->op->u.tbuf.bitmap = (uintptr_t)bitmap;
    c->op->u.tbuf.nr_bits = bitmap ? op->nr_bits : 0;
    c->op->u.tbuf.evt_mask = op->evt_mask;
    c->op->u.tbuf.size = op->size;
    rc = call_sysctl(c, SYSCTL_TBUF_OP);
    if ( rc )
        return rc;
    op->evt_mask = c->op->u.tbuf.evt_mask;
    op->size = c->op->u.tbuf.size;
    op->mfn = c->op->u.tbuf.mfn;
    return 0;
}

int xen_call_tbuf(struct xen_call *c, struct hv_tbuf *op)
{
    size_t bytes = (op->nr_bits + 7) / 8;
    void *bitmap;
    int rc;

    assert(!op->in || !op->out);
    if ( !bytes || (!op->in && !op->out) )
        return tbuf_op(c, op, NULL);

    bitmap = xen_call_new_buffer(c, bytes);
    if ( !bitmap )
        return -ENOMEM;
    if ( op->in )
        memcpy(bitmap, op->in, bytes);
    rc = tbuf_op(c, op, bitmap);
    if ( !rc && op->out )
        memcpy(op->out, bitmap, bytes);
    xencall_free_buffer(c->to, bitmap);
    return rc;
}

uint32_t xen_call_version(struct xen_call *c)
{
    int version = xencall2(c->to, __HYPERVISOR_xen_version, XENVER_version, 0);

    return version < 0 ? 0 : version;
}

void xen_call_text(struct xen_call *c, unsigned int which, char *text,
                   size_t size)
{
    char *answer = xen_call_new_buffer(c, size);

    assert(size > 0);
    text[0] = 0;
    if ( !answer )
        return;
    if ( xencall2(c->to, __HYPERVISOR_xen_version, which,
                  (uintptr_t)answer) >= 0 )
        memcpy(text, answer, size);
    text[size - 1] = 0;
    xencall_free_buffer(c->to, answer);
}

/* "4.17.5-pre", as `xl info` prints it. */
static void version_text(struct xen_call *c, char *text, size_t size)
{
    uint32_t version = xen_call_version(c);
    char extra[sizeof(xen_extraversion_t)];

    xen_call_text(c, XENVER_extraversion, extra, sizeof(extra));
    if ( version )
        snprintf(text, size, "%u.%u%s", version >> 16, version & 0xffff,
                 extra);
}

int xen_call_info(struct xen_call *c, struct hv_info *info)
{
    uint32_t last;
    int rc;

    clear_op(c);
    rc = call_sysctl(c, SYSCTL_PHYSINFO);
    if ( rc )
        return rc;
    last = c->op->u.info.max_cpu_id;
    *info = (struct hv_info){
        .nr_cpus = last == UINT32_MAX ? UINT32_MAX : last + 1,
        .nr_online = c->op->u.info.nr_cpus,
        .tsc_khz = c->op->u.info.cpu_khz,
        .hardware = UINT32_MAX, /* Xen's capabilities and CPUID have it */
    };
    version_text(c, info->version, sizeof(info->version));
    return 0;
}

/* --- description of the machine ------------------------------------------- */

int xen_call_cpus(struct xen_call *c, struct xen_call_cpu *cpu,
                  unsigned int nr)
{
    struct xen_call_cpu *answer = xen_call_new_buffer(c, nr * sizeof(*answer));
    int rc;

    if ( !answer )
        return -ENOMEM;
    clear_op(c);
    c->op->u.topology.nr = nr;
    c->op->u.topology.cpu = (uintptr_t)answer;
    rc = call_sysctl(c, SYSCTL_CPUTOPOINFO);
    if ( !rc )
    {
        memcpy(cpu, answer, nr * sizeof(*cpu));
        rc = c->op->u.topology.nr < nr ? c->op->u.topology.nr : nr;
    }
    xencall_free_buffer(c->to, answer);
    return rc;
}

/*
 * Reads one domain per call, because the array stride depends on the version.
 */
int xen_call_domain(struct xen_call *c, unsigned int from,
                    struct xen_call_domain *d)
{
    void *answer = xen_call_new_buffer(c, DOMAIN_INFO_ROOM);
    struct domain_info info;
    int rc;

    if ( !answer )
        return -ENOMEM;
    clear_op(c);
    c->op->u.domains.first = from;
    c->op->u.domains.max = 1;
    c->op->u.domains.buffer = (uintptr_t)answer;
    rc = call_sysctl(c, SYSCTL_DOMAINS);
    if ( !rc && !c->op->u.domains.nr )
        rc = -ENOENT;
    memcpy(&info, answer, sizeof(info));
    xencall_free_buffer(c->to, answer);
    if ( rc )
        return rc;
    *d = (struct xen_call_domain){
        .id = info.domain, .flags = info.flags, .pages = info.tot_pages,
        .vcpus = info.nr_online_vcpus, .vcpu_ids = info.max_vcpu_id + 1,
        .pool = info.cpupool, .has_devices = c->version >= VERSION_WITH_DEVICES,
        .devices = info.devices,
    };
    memcpy(d->uuid, info.handle, sizeof(d->uuid));
    return 0;
}
