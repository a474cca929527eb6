/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: the real Xen, from its dom0.  Hypercalls go through xen-call.h,
 * libxenforeignmemory maps frames, and libxenevtchn delivers VIRQ_TBUF; all
 * three libraries have stable interfaces.
 */
#include "xentrace/hypervisor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xenevtchn.h>
#include <xenforeignmemory.h>

#include <xen/xen.h>

#include "common/fault.h"
#include "xensim/wire.h"
#include "xentrace/hv-xen.h"
#include "xentrace/interrupt-names.h"
#include "xentrace/xen-call.h"
#include "xentrace/xen-describe.h"
#include "xentrace/xen-names.h"

_Static_assert(XEN_NAMES_MAX <= HV_NAME_MAX, "names");

/* The size of each mapping, which libxenforeignmemory needs for unmap(). */
struct mapping
{
    struct mapping *next;
    void *at;
    size_t nr;
};

struct xen
{
    struct hv hv;       /* first: a struct hv * is a struct xen * */
    struct xen_call call;
    xenforeignmemory_handle *memory;
    xenevtchn_handle *events;
    evtchn_port_t virq;
    struct mapping *mappings;
};

static struct xen *to_xen(struct hv *hv)
{
    assert(hv->type == hv_xen());
    return (struct xen *)hv;
}

/* --- open and close ------------------------------------------------------- */

#define PATH_SIZE 256u

/* Test without opening the file: open() reports missing permissions. */
static bool has_file(const char *root, const char *path)
{
    char full[PATH_SIZE];

    snprintf(full, sizeof(full), "%s%s", root, path);
    return !access(full, F_OK);
}

/* Guests have /dev/xen/privcmd, too; only dom0 has control_d. */
static bool is_guest(const char *root)
{
    char full[PATH_SIZE], text[64] = "";
    FILE *f;

    snprintf(full, sizeof(full), "%s/proc/xen/capabilities", root);
    f = fopen(full, "re");
    if ( !f )
        return false;
    if ( !fgets(text, sizeof(text), f) )
        text[0] = 0;
    fclose(f);
    return !strstr(text, "control_d");
}

int xen_probe_below(const char *root, struct err *e)
{
    if ( !has_file(root, "/dev/xen/privcmd") &&
         !has_file(root, "/proc/xen/privcmd") )
        return xen_call_absent(e);
    if ( is_guest(root) )
        return err_set(e, -ENODEV, "no Xen: this is a guest, and only dom0 can "
                       "trace");
    return 0;
}

static int xen_probe(const struct hv_address *address, struct err *e)
{
    const char *socket = address->socket ? address->socket
                                         : getenv(XENSIM_SOCKET_ENV);

    /* Programs that xensim starts on a dom0 trace xensim. */
    if ( socket && *socket )
        return err_set(e, -ENODEV, "not Xen, because a socket of xensim is "
                       "given");
    return xen_probe_below("", e);
}

static void xen_close(struct hv *hv)
{
    struct xen *x = to_xen(hv);

    assert(!x->mappings);
    if ( x->events )
        xenevtchn_close(x->events);
    if ( x->memory )
        xenforeignmemory_close(x->memory);
    xen_call_close(&x->call);
    free(x);
}

static int xen_open(struct hv **hv, const struct hv_address *address,
                    struct err *e)
{
    struct xentoollog_logger *quiet = xen_call_quiet();
    struct xen *x = fault_calloc(1, sizeof(*x));
    int rc;

    (void)address;
    if ( !x )
        return err_sys(e, -ENOMEM, "cannot reach Xen");
    x->hv.type = hv_xen();
    rc = xen_call_open(&x->call, e);
    if ( !rc )
    {
        x->memory = fault_hit(FAULT_OPEN) ? NULL
                                          : xenforeignmemory_open(quiet, 0);
        if ( !x->memory )
            rc = err_sys(e, -errno, "cannot map Xen's memory");
    }
    if ( rc )
    {
        xen_close(&x->hv);
        return rc;
    }
    *hv = &x->hv;
    return 0;
}

/* --- queries -------------------------------------------------------------- */

static int xen_info(struct hv *hv, struct hv_info *info, struct err *e)
{
    int rc = xen_call_info(&to_xen(hv)->call, info);

    return rc ? err_sys(e, rc, "cannot ask Xen how many pcpus it has") : 0;
}

static void xen_describe(struct hv *hv, hv_record_fn *put, void *arg)
{
    xen_describe_machine(&to_xen(hv)->call, put, arg);
    interrupt_names_put(INTERRUPT_NAMES_FILE, put, arg);
}

static void xen_domains(struct hv *hv, hv_record_fn *put, void *arg)
{
    xen_describe_domains(&to_xen(hv)->call, put, arg);
}

static void xen_domain_details(struct hv *hv, uint16_t id, hv_record_fn *put,
                               void *arg)
{
    xen_describe_domain(&to_xen(hv)->call, id, put, arg);
}

/*
 * One connection per name: most names are read once.  An open connection would
 * occupy xenstored.
 */
static bool xen_domain_name(struct hv *hv, uint16_t id, char name[HV_NAME_MAX])
{
    int names = xen_names_open(XEN_NAMES_SOCKET);
    bool has = xen_names_get(&names, id, name);

    (void)hv;
    xen_names_close(names);
    return has;
}

static int xen_tbuf(struct hv *hv, struct hv_tbuf *op, struct err *e)
{
    (void)e;
    return xen_call_tbuf(&to_xen(hv)->call, op);
}

/* --- memory --------------------------------------------------------------- */

/* The frames in the library's type; the caller frees the array. */
static xen_pfn_t *frames_new(const uint64_t *mfn, size_t nr)
{
    xen_pfn_t *frame = fault_malloc(nr * sizeof(*frame));

    for ( size_t i = 0; frame && i < nr; i++ )
        frame[i] = mfn[i];
    return frame;
}

static int xen_map(struct hv *hv, const uint64_t *mfn, size_t nr, bool write,
                   void **at, struct err *e)
{
    struct xen *x = to_xen(hv);
    struct mapping *m = fault_malloc(sizeof(*m));
    xen_pfn_t *frame = frames_new(mfn, nr);
    int rc = m && frame ? 0 : -ENOMEM;

    (void)e;
    assert(nr);
    if ( !rc )
    {
        *m = (struct mapping){ .next = x->mappings, .nr = nr };
        m->at = fault_hit(FAULT_MMAP)
                ? NULL
                : xenforeignmemory_map(x->memory, DOMID_XEN,
                                       PROT_READ | (write ? PROT_WRITE : 0),
                                       nr, frame, NULL);
        if ( !m->at )
            rc = -errno;
    }
    free(frame);
    if ( rc )
    {
        free(m);
        return rc;
    }
    x->mappings = m;
    *at = m->at;
    return 0;
}

static void xen_unmap(struct hv *hv, void *at)
{
    struct xen *x = to_xen(hv);
    struct mapping **m = &x->mappings, *found;

    while ( *m && (*m)->at != at )
        m = &(*m)->next;
    found = *m;
    assert(found);
    *m = found->next;
    xenforeignmemory_unmap(x->memory, found->at, found->nr);
    free(found);
}

/* --- VIRQ ----------------------------------------------------------------- */

static int xen_bind_virq(struct hv *hv, int *fd, struct err *e)
{
    struct xen *x = to_xen(hv);
    xenevtchn_port_or_error_t port;

    assert(!x->events);
    x->events = fault_hit(FAULT_OPEN) ? NULL
                                      : xenevtchn_open(xen_call_quiet(), 0);
    if ( !x->events )
        return err_sys(e, -errno, "cannot open event channels (is the module "
                       "xen-evtchn loaded?)");
    port = xenevtchn_bind_virq(x->events, VIRQ_TBUF);
    if ( port < 0 && errno == EEXIST )
        return err_set(e, -EEXIST, "another program is tracing: it has bound "
                       "VIRQ_TBUF, which has one owner; stop it first");
    if ( port < 0 )
        return err_sys(e, -errno, "cannot bind VIRQ_TBUF");
    x->virq = port;
    *fd = xenevtchn_fd(x->events);
    /*
     * Another reader of the descriptor may be faster: the read must not block.
     */
    if ( fcntl(*fd, F_SETFL, O_NONBLOCK) )
        return err_sys(e, -errno, "cannot make the event channel non-blocking");
    return 0;
}

static int xen_ack_virq(struct hv *hv, struct err *e)
{
    struct xen *x = to_xen(hv);
    xenevtchn_port_or_error_t port = xenevtchn_pending(x->events);

    if ( port < 0 && (errno == EAGAIN || errno == EINTR) )
        return 0;
    if ( port < 0 )
        return err_sys(e, -errno, "cannot read VIRQ_TBUF");
    if ( xenevtchn_unmask(x->events, port) )
        return err_sys(e, -errno, "cannot enable VIRQ_TBUF again");
    return 0;
}

const struct hypervisor *hv_xen(void)
{
    static const struct hypervisor type = {
        .name = "xen",
        .probe = xen_probe,
        .open = xen_open,
        .close = xen_close,
        .info = xen_info,
        .tbuf = xen_tbuf,
        .map = xen_map,
        .unmap = xen_unmap,
        .bind_virq = xen_bind_virq,
        .ack_virq = xen_ack_virq,
        .describe = xen_describe,
        .domains = xen_domains,
        .domain_details = xen_domain_details,
        .domain_name = xen_domain_name,
    };

    return &type;
}
