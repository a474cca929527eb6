/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: xensim, a hypervisor that runs as a process.  Its socket has the
 * protocol of "xensim/wire.h" (xensim-client.h).  Memory arrives as descriptors
 * to map frames from; frame numbers are checked against the file size, because
 * access to a page behind the end of a file raises SIGBUS.
 */
#include "xentrace/hypervisor.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "xensim/wire.h"
#include "xentrace/xensim-client.h"

#define CPU_ONLINE 1u       /* a flag of cpu_flags in events/11-meta */

/* Maximum number of frames in one MAP or UNMAP message. */
#define MAX_FRAMES (XENSIM_MAX_PAYLOAD / sizeof(uint32_t))

/* A mapping and its frames, which UNMAP needs. */
struct mapping
{
    struct mapping *next;
    void *at;
    size_t nr;          /* number of mapped frames */
    uint32_t mfn[];
};

struct xensim
{
    struct hv hv;       /* first: a struct hv * is a struct xensim * */
    struct xensim_client client;
    int events;         /* epoll of the VIRQ and the socket */
    int virq;
    struct mapping *mappings;
    uint32_t scheduler; /* as in meta_pool; 0: unknown */
    /* The last answer to XENSIM_DOMAINS; NULL: none. */
    struct xensim_domain *domains;
};

static struct xensim *to_xensim(struct hv *hv)
{
    assert(hv->type == hv_xensim());
    return (struct xensim *)hv;
}

/* --- open and close ------------------------------------------------------- */

static int xensim_probe(const struct hv_address *address, struct err *e)
{
    char path[sizeof(((struct xensim_client *)NULL)->path)];
    struct stat st;
    int rc = xensim_client_find(path, sizeof(path), address->socket, e);

    if ( rc )
        return rc;
    if ( stat(path, &st) )
        return err_sys(e, -errno, "no xensim at %s", path);
    if ( !S_ISSOCK(st.st_mode) )
        return err_set(e, -ENOTSOCK, "%s is not a socket", path);
    return 0;
}

static int request_hello(struct xensim *x, struct xensim_hello *h,
                         struct err *e)
{
    struct xensim_call c = {
        .op = XENSIM_HELLO, .answer = { { h, sizeof(*h) } },
        .min_bytes = sizeof(*h),
    };
    int rc = xensim_client_call(&x->client, &c, e);

    if ( rc )
        return err_sys(e, rc, "xensim at %s rejects the connection",
                       x->client.path);
    if ( h->wire_version != XENSIM_WIRE_VERSION )
        return err_set(e, -EPROTO, "xensim at %s uses protocol version %u, "
                       "xentrace version %u: install matching ones",
                       x->client.path, h->wire_version, XENSIM_WIRE_VERSION);
    return 0;
}

static void xensim_close(struct hv *hv)
{
    struct xensim *x = to_xensim(hv);

    assert(!x->mappings);
    if ( x->virq >= 0 )
        close(x->virq);
    if ( x->events >= 0 )
        close(x->events);
    xensim_client_close(&x->client);
    free(x->domains);
    free(x);
}

static int xensim_open(struct hv **hv, const struct hv_address *address,
                       struct err *e)
{
    struct xensim *x = fault_calloc(1, sizeof(*x));
    struct xensim_hello h;
    int rc;

    if ( !x )
        return err_sys(e, -ENOMEM, "cannot reach xensim");
    x->hv.type = hv_xensim();
    x->events = x->virq = -1;
    rc = xensim_client_open(&x->client, address->socket, e);
    if ( !rc )
        rc = request_hello(x, &h, e);
    if ( rc )
    {
        xensim_close(&x->hv);
        return rc;
    }
    x->scheduler = h.scheduler;
    *hv = &x->hv;
    return 0;
}

/* --- queries -------------------------------------------------------------- */

static int xensim_info(struct hv *hv, struct hv_info *info, struct err *e)
{
    struct xensim_hello h;
    int rc = request_hello(to_xensim(hv), &h, e);

    if ( rc )
        return rc;
    *info = (struct hv_info){
        /* No overflow for UINT32_MAX; the caller rejects the value. */
        .nr_cpus = h.max_cpu_id == UINT32_MAX ? UINT32_MAX : h.max_cpu_id + 1,
        .nr_online = h.nr_cpus,
        .tsc_khz = h.cpu_khz,
        .simulated = true,
        .hardware = h.hardware ? h.hardware : UINT32_MAX,
    };
    snprintf(info->version, sizeof(info->version), "%.*s",
             (int)sizeof(h.version), h.version);
    return 0;
}

static uint32_t count_cpus(const struct xensim_hello *h)
{
    return h->max_cpu_id < XT_MAX_CPUS ? h->max_cpu_id + 1 : XT_MAX_CPUS;
}

/* Which pcpus are offline is not known. */
static void put_cpus(const struct xensim_hello *h, hv_record_fn *put,
                     void *arg)
{
    bool all_online = h->nr_cpus == count_cpus(h);

    for ( uint32_t cpu = 0; h->socket_cpus && cpu < count_cpus(h); cpu++ )
    {
        struct xt_meta m = {
            .event = TRC_META_CPU,
            .cpu = { .cpu = cpu, .core = cpu, .socket = cpu / h->socket_cpus,
                     .node = cpu / h->socket_cpus,
                     .flags = all_online ? CPU_ONLINE : 0 },
        };

        put(arg, &m);
    }
}

static void put_pool(const struct xensim_hello *h, hv_record_fn *put,
                     void *arg)
{
    struct xt_meta m = {
        .event = TRC_META_POOL,
        .pool = { .scheduler = h->scheduler, .cpus = h->nr_cpus,
                  .granularity = 1 },
    };
    struct xt_meta times = {
        .event = TRC_META_POOL_TIMES,
        .pool_times = { .timeslice = UINT32_MAX, .ratelimit = h->ratelimit,
                        .migration_delay = UINT32_MAX },
    };

    if ( !h->scheduler )
        return;
    put(arg, &m);
    put(arg, &times);
}

static void xensim_describe(struct hv *hv, hv_record_fn *put, void *arg)
{
    struct err ignored = ERR_INIT;
    struct xensim_hello h;

    if ( request_hello(to_xensim(hv), &h, &ignored) )
        return;
    put_cpus(&h, put, arg);
    put_pool(&h, put, arg);
}

static int xensim_tbuf(struct hv *hv, struct hv_tbuf *op, struct err *e)
{
    struct xensim_tbuf t = {
        .cmd = op->cmd, .nr_bits = op->nr_bits, .evt_mask = op->evt_mask,
        .size = op->size,
    }, reply = t;
    size_t bytes = (op->nr_bits + 7) / 8;
    struct xensim_call c = {
        .op = XENSIM_TBUF, .min_bytes = sizeof(reply),
        .ask = { { &t, sizeof(t) },
                 { (void *)op->in, op->in ? bytes : 0 } },
        .answer = { { &reply, sizeof(reply) },
                    { op->out, op->out ? bytes : 0 } },
    };
    int rc;

    assert(!op->in || !op->out);
    rc = xensim_client_call(&to_xensim(hv)->client, &c, e);
    if ( rc )
        return rc;
    op->evt_mask = reply.evt_mask;
    op->size = reply.size;
    op->mfn = reply.buffer_mfn;
    op->nr_cpus = reply.nr_cpus;
    op->flags = reply.flags;
    return 0;
}

static int xensim_clock(struct hv *hv, uint64_t *tsc, struct err *e)
{
    struct xensim_call c = {
        .op = XENSIM_CLOCK, .answer = { { tsc, sizeof(*tsc) } },
        .min_bytes = sizeof(*tsc),
    };

    return xensim_client_call(&to_xensim(hv)->client, &c, e);
}

/* --- domains -------------------------------------------------------------- */

/* Values of domain_flags and affinity_kind of events/11-meta. */
#define DOMAIN_HVM 1u
#define DOMAIN_PVH (1u << 2)
#define DOMAIN_CONTROL (1u << 4)
#define AFFINITY_ANY 2u
#define ALL_VCPUS 0xffffu
#define CPUS_PER_RECORD 160u

static uint32_t mask_word(const struct xensim_domain *d, uint32_t first)
{
    uint32_t word = 0;

    for ( uint32_t i = 0; i < 32; i++ )
        if ( first + i >= d->first_cpu && first + i <= d->last_cpu )
            word |= 1u << i;
    return word;
}

/* Put the permitted pcpus of all vcpus; several records for high pcpus. */
static void put_mask(const struct xensim_domain *d, hv_record_fn *put,
                     void *arg)
{
    uint32_t last = d->last_cpu < XT_MAX_CPUS ? d->last_cpu : XT_MAX_CPUS - 1;

    for ( uint32_t first = 0; first <= last; first += CPUS_PER_RECORD )
    {
        struct xt_meta m = {
            .event = TRC_META_AFFINITY,
            .affinity = {
                .vcpu = ALL_VCPUS, .dom = d->id, .first = first,
                .cpus0 = mask_word(d, first),
                .cpus1 = mask_word(d, first + 32),
                .cpus2 = mask_word(d, first + 64),
                .cpus3 = mask_word(d, first + 96),
                .cpus4 = mask_word(d, first + 128),
            },
        };

        put(arg, &m);
    }
}

static void put_affinity(const struct xensim_domain *d, hv_record_fn *put,
                         void *arg)
{
    struct xt_meta m = {
        .event = TRC_META_AFFINITY,
        .affinity = { .vcpu = ALL_VCPUS, .dom = d->id, .kind = AFFINITY_ANY },
    };

    if ( d->first_cpu > d->last_cpu )
        put(arg, &m);
    else
        put_mask(d, put, arg);
}

static void put_uuid(const struct xensim_domain *d, hv_record_fn *put,
                     void *arg)
{
    struct xt_meta m = { .event = TRC_META_DOMAIN_UUID,
                         .domain_uuid.dom = d->id };

    memcpy((char *)&m + offsetof(struct xt_meta, domain_uuid.id0), d->uuid,
           sizeof(d->uuid));
    put(arg, &m);
}

static void put_weight(const struct xensim *x, const struct xensim_domain *d,
                       hv_record_fn *put, void *arg)
{
    struct xt_meta m = {
        .event = TRC_META_DOMAIN_WEIGHT,
        .domain_weight = { .dom = d->id, .scheduler = x->scheduler,
                           .weight = d->weight },
    };

    if ( d->weight )
        put(arg, &m);
}

static void put_domain(const struct xensim *x, const struct xensim_domain *d,
                       hv_record_fn *put, void *arg)
{
    struct xt_meta m = {
        .event = TRC_META_DOMAIN,
        .domain = {
            .dom = d->id, .vcpus = d->vcpus,
            .flags = (d->kind != XENSIM_PV ? DOMAIN_HVM : 0) |
                     (d->kind == XENSIM_PVH ? DOMAIN_PVH : 0) |
                     (d->id ? 0 : DOMAIN_CONTROL),
        },
    };

    put(arg, &m);
    put_uuid(d, put, arg);
    put_weight(x, d, put, arg);
    put_affinity(d, put, arg);
}

/* A failure leaves the list empty; the next call of the collector reports it.*/
static void request_domains(struct xensim *x)
{
    const size_t bytes = XENSIM_MAX_DOMAINS * sizeof(*x->domains);
    struct xensim_call c = { .op = XENSIM_DOMAINS };
    struct err ignored = ERR_INIT;

    if ( !x->domains )
        x->domains = fault_malloc(bytes);
    if ( !x->domains )
        return;
    memset(x->domains, 0, bytes);
    c.answer[0] = (struct iovec){ x->domains, bytes };
    if ( xensim_client_call(&x->client, &c, &ignored) )
        memset(x->domains, 0, bytes);
}

/* An element without vcpus ends the list. */
static const struct xensim_domain *next_domain(const struct xensim *x,
                                               unsigned int i)
{
    return x->domains && i < XENSIM_MAX_DOMAINS && x->domains[i].vcpus
           ? &x->domains[i] : NULL;
}

static void xensim_domains(struct hv *hv, hv_record_fn *put, void *arg)
{
    struct xensim *x = to_xensim(hv);
    const struct xensim_domain *d;

    request_domains(x);
    for ( unsigned int i = 0; (d = next_domain(x, i)); i++ )
        put_domain(x, d, put, arg);
}

/* The names are those of the last xensim_domains(). */
static bool xensim_domain_name(struct hv *hv, uint16_t id,
                               char name[HV_NAME_MAX])
{
    const struct xensim *x = to_xensim(hv);
    const struct xensim_domain *d;

    for ( unsigned int i = 0; (d = next_domain(x, i)); i++ )
        if ( d->id == id && d->name[0] )
        {
            snprintf(name, HV_NAME_MAX, "%.*s", (int)sizeof(d->name), d->name);
            return true;
        }
    return false;
}

/* --- memory --------------------------------------------------------------- */

/* The number of adjacent frames, which one mmap() can map. */
static size_t count_adjacent(const uint32_t *mfn, size_t nr)
{
    size_t run = 1;

    while ( run < nr && mfn[run] == mfn[run - 1] + 1 )
        run++;
    return run;
}

/* Map frames of `fd` into the reserved address range at `at`. */
static int map_frames(char *at, const uint32_t *mfn, size_t nr, int prot,
                      int fd)
{
    struct stat st;

    if ( fstat(fd, &st) )
        return -errno;
    for ( size_t i = 0, run; i < nr; i += run )
    {
        uint64_t from = (uint64_t)mfn[i] * XENSIM_PAGE_SIZE;

        run = count_adjacent(mfn + i, nr - i);
        if ( from + run * XENSIM_PAGE_SIZE > (uint64_t)st.st_size )
            return -EPROTO;
        if ( fault_mmap(at + i * XENSIM_PAGE_SIZE, run * XENSIM_PAGE_SIZE,
                        prot, MAP_SHARED | MAP_FIXED, fd, from) ==
             MAP_FAILED )
            return -errno;
    }
    return 0;
}

/* Map the next frames of m, with one message. */
static int map_some(struct xensim *x, struct mapping *m, size_t part,
                    bool write, struct err *e)
{
    const uint32_t *mfn = m->mfn + m->nr;
    int fd = -1, rc;
    struct xensim_call c = {
        .op = XENSIM_MAP, .arg = write ? XENSIM_MAP_WRITE : 0,
        .ask = { { (void *)mfn, part * sizeof(*mfn) } }, .fd = &fd,
    };
    char *at = (char *)m->at + m->nr * XENSIM_PAGE_SIZE;

    assert(part <= MAX_FRAMES);
    rc = xensim_client_call(&x->client, &c, e);
    if ( rc )
        return rc;
    m->nr += part;
    rc = map_frames(at, mfn, part, PROT_READ | (write ? PROT_WRITE : 0), fd);
    close(fd);
    if ( rc == -EPROTO )
        xensim_client_absurd(&x->client, "frames outside its memory", e);
    return rc;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Undo a mapping: unmap the memory, tell xensim, free m. */
static void mapping_free(struct xensim *x, struct mapping *m, size_t reserved)
{
    struct err ignored = ERR_INIT;

    munmap(m->at, reserved * XENSIM_PAGE_SIZE);
    for ( size_t i = 0, part; i < m->nr; i += part )
    {
        struct xensim_call c = { .op = XENSIM_UNMAP };

        part = min_size(m->nr - i, MAX_FRAMES);
        c.ask[0] = (struct iovec){ m->mfn + i, part * sizeof(*m->mfn) };
        /* If xensim has ended, its reference counts are gone as well. */
        xensim_client_call(&x->client, &c, &ignored);
    }
    free(m);
}

static struct mapping *mapping_new(const uint64_t *mfn, size_t nr)
{
    struct mapping *m = fault_malloc(sizeof(*m) + nr * sizeof(*m->mfn));

    assert(nr > 0);
    if ( !m )
        return NULL;
    *m = (struct mapping){ .nr = 0 };
    for ( size_t i = 0; i < nr; i++ )
        m->mfn[i] = mfn[i];
    m->at = fault_mmap(NULL, nr * XENSIM_PAGE_SIZE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ( m->at != MAP_FAILED )
        return m;
    free(m);
    return NULL;
}

static int xensim_map(struct hv *hv, const uint64_t *mfn, size_t nr,
                      bool write, void **at, struct err *e)
{
    struct xensim *x = to_xensim(hv);
    struct mapping *m;
    int rc = 0;

    assert(nr);
    for ( size_t i = 0; i < nr; i++ )
        if ( mfn[i] > UINT32_MAX )
            return xensim_client_absurd(&x->client, "frames beyond its memory",
                                        e);
    m = mapping_new(mfn, nr);
    if ( !m )
        return -ENOMEM;
    while ( !rc && m->nr < nr )
        rc = map_some(x, m, min_size(nr - m->nr, MAX_FRAMES), write, e);
    if ( rc )
    {
        mapping_free(x, m, nr);
        return rc;
    }
    m->next = x->mappings;
    x->mappings = m;
    *at = m->at;
    return 0;
}

static void xensim_unmap(struct hv *hv, void *at)
{
    struct xensim *x = to_xensim(hv);
    struct mapping **m = &x->mappings, *found;

    while ( *m && (*m)->at != at )
        m = &(*m)->next;
    found = *m;
    assert(found);
    *m = found->next;
    mapping_free(x, found, found->nr);
}

/* --- VIRQ ----------------------------------------------------------------- */

/*
 * *fd is an epoll descriptor of the VIRQ and of the socket.  xensim sends
 * nothing unasked, so the socket is readable only when xensim has ended.
 */
static int xensim_bind_virq(struct hv *hv, int *fd, struct err *e)
{
    struct xensim *x = to_xensim(hv);
    struct xensim_call c = { .op = XENSIM_BIND_VIRQ, .fd = &x->virq };
    struct epoll_event virq = { .events = EPOLLIN, .data.fd = 1 };
    struct epoll_event end = { .events = EPOLLIN | EPOLLRDHUP };
    int rc;

    assert(x->virq < 0);
    rc = xensim_client_call(&x->client, &c, e);
    if ( rc )
        return rc;
    x->events = fault_hit(FAULT_OPEN) ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if ( x->events < 0 ||
         epoll_ctl(x->events, EPOLL_CTL_ADD, x->virq, &virq) ||
         epoll_ctl(x->events, EPOLL_CTL_ADD, x->client.socket, &end) )
        return err_sys(e, -errno, "cannot wait for xensim's VIRQ");
    *fd = x->events;
    return 0;
}

static int xensim_ack_virq(struct hv *hv, struct err *e)
{
    struct xensim *x = to_xensim(hv);
    struct epoll_event event[2];
    int nr = epoll_wait(x->events, event, 2, 0);
    uint64_t times;

    for ( int i = 0; i < nr; i++ )
    {
        if ( event[i].data.fd == 0 )
            return err_set(e, -ECONNRESET, "xensim at %s has ended",
                           x->client.path);
        /* The value is not used; another reader may have reset it. */
        if ( read(x->virq, &times, sizeof(times)) < 0 && errno != EAGAIN &&
             errno != EINTR )
            return err_sys(e, -errno, "cannot read xensim's VIRQ");
    }
    return 0;
}

const struct hypervisor *hv_xensim(void)
{
    static const struct hypervisor type = {
        .name = "xensim",
        .probe = xensim_probe,
        .open = xensim_open,
        .close = xensim_close,
        .info = xensim_info,
        .tbuf = xensim_tbuf,
        .map = xensim_map,
        .unmap = xensim_unmap,
        .bind_virq = xensim_bind_virq,
        .ack_virq = xensim_ack_virq,
        .clock = xensim_clock,
        .describe = xensim_describe,
        .domains = xensim_domains,
        .domain_name = xensim_domain_name,
    };

    return &type;
}
