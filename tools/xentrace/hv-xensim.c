/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: xensim, the hypervisor that is a process.  Its socket speaks
 * "xensim/wire.h" (xensim-line.h).  Its memory comes as descriptors,
 * of which frames are mapped: they have to lie inside, since beyond the end
 * a mapping is no error but a SIGBUS later.
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

/* Frames that one MAP or UNMAP can name. */
#define MAX_FRAMES (XENSIM_MAX_PAYLOAD / sizeof(uint32_t))

/* What a map() gave out: UNMAP wants the frames again. */
struct mapping
{
    struct mapping *next;
    void *at;
    size_t nr;          /* frames of it that stand */
    uint32_t mfn[];
};

struct xensim
{
    struct hv hv;       /* first: a struct hv * is a struct xensim * */
    struct xensim_client client;
    int events;         /* epoll: the VIRQ, and the end of the server */
    int virq;
    struct mapping *mappings;
};

static struct xensim *to_xensim(struct hv *hv)
{
    assert(hv->type == hv_xensim());
    return (struct xensim *)hv;
}

/* --- there and away ------------------------------------------------------ */

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
        return err_set(e, -ENOTSOCK, "%s is no socket", path);
    return 0;
}

static int request_hello(struct xensim *x, struct xensim_hello *h,
                         struct err *e)
{
    struct xensim_call c = {
        .op = XENSIM_HELLO, .answer = { { h, sizeof(*h) } },
        .least = sizeof(*h),
    };
    int rc = xensim_client_call(&x->client, &c, e);

    if ( rc )
        return err_sys(e, rc, "xensim at %s refuses to talk", x->client.path);
    if ( h->wire_version != XENSIM_WIRE_VERSION )
        return err_set(e, -EPROTO, "xensim at %s speaks version %u of its "
                       "protocol, and we %u", x->client.path, h->wire_version,
                       XENSIM_WIRE_VERSION);
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
    *hv = &x->hv;
    return 0;
}

/* --- questions ----------------------------------------------------------- */

static int xensim_info(struct hv *hv, struct hv_info *info, struct err *e)
{
    struct xensim_hello h;
    int rc = request_hello(to_xensim(hv), &h, e);

    if ( rc )
        return rc;
    *info = (struct hv_info){
        /* The greatest id has no successor in 32 bits: leave that to us. */
        .nr_cpus = h.max_cpu_id == UINT32_MAX ? UINT32_MAX : h.max_cpu_id + 1,
        .nr_online = h.nr_cpus,
        .tsc_khz = h.cpu_khz,
        .simulated = true,
    };
    snprintf(info->version, sizeof(info->version), "%.*s",
             (int)sizeof(h.version), h.version);
    return 0;
}

static int xensim_tbuf(struct hv *hv, struct hv_tbuf *op, struct err *e)
{
    struct xensim_tbuf t = {
        .cmd = op->cmd, .nr_bits = op->nr_bits, .evt_mask = op->evt_mask,
        .size = op->size,
    }, back = t;
    size_t bytes = (op->nr_bits + 7) / 8;
    struct xensim_call c = {
        .op = XENSIM_TBUF, .least = sizeof(back),
        .ask = { { &t, sizeof(t) },
                 { (void *)op->in, op->in ? bytes : 0 } },
        .answer = { { &back, sizeof(back) },
                    { op->out, op->out ? bytes : 0 } },
    };
    int rc;

    assert(!op->in || !op->out);
    rc = xensim_client_call(&to_xensim(hv)->client, &c, e);
    if ( rc )
        return rc;
    op->evt_mask = back.evt_mask;
    op->size = back.size;
    op->mfn = back.buffer_mfn;
    return 0;
}

static int xensim_clock(struct hv *hv, uint64_t *tsc, struct err *e)
{
    struct xensim_call c = {
        .op = XENSIM_CLOCK, .answer = { { tsc, sizeof(*tsc) } },
        .least = sizeof(*tsc),
    };

    return xensim_client_call(&to_xensim(hv)->client, &c, e);
}

/* --- memory -------------------------------------------------------------- */

/* Frames that follow each other become one mmap. */
static size_t count_adjacent(const uint32_t *mfn, size_t nr)
{
    size_t run = 1;

    while ( run < nr && mfn[run] == mfn[run - 1] + 1 )
        run++;
    return run;
}

/* Lay frames of `fd` over what is reserved at `at`. */
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

/* Map the next frames of m, as many as one message names. */
static int map_some(struct xensim *x, struct mapping *m, size_t some,
                    bool write, struct err *e)
{
    const uint32_t *mfn = m->mfn + m->nr;
    int fd = -1, rc;
    struct xensim_call c = {
        .op = XENSIM_MAP, .arg = write ? XENSIM_MAP_WRITE : 0,
        .ask = { { (void *)mfn, some * sizeof(*mfn) } }, .fd = &fd,
    };
    char *at = (char *)m->at + m->nr * XENSIM_PAGE_SIZE;

    assert(some <= MAX_FRAMES);
    rc = xensim_client_call(&x->client, &c, e);
    if ( rc )
        return rc;
    m->nr += some;
    rc = map_frames(at, mfn, some, PROT_READ | (write ? PROT_WRITE : 0), fd);
    close(fd);
    if ( rc == -EPROTO )
        xensim_client_absurd(&x->client, "frames outside its memory", e);
    return rc;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Give back what stands of m: to the system, then to xensim, then m. */
static void mapping_free(struct xensim *x, struct mapping *m, size_t reserved)
{
    struct err ignored = ERR_INIT;

    munmap(m->at, reserved * XENSIM_PAGE_SIZE);
    for ( size_t i = 0, some; i < m->nr; i += some )
    {
        struct xensim_call c = { .op = XENSIM_UNMAP };

        some = min_size(m->nr - i, MAX_FRAMES);
        c.ask[0] = (struct iovec){ m->mfn + i, some * sizeof(*m->mfn) };
        /* If it has gone, so have its counts. */
        xensim_client_call(&x->client, &c, &ignored);
    }
    free(m);
}

static struct mapping *mapping_new(const uint64_t *mfn, size_t nr)
{
    struct mapping *m = fault_malloc(sizeof(*m) + nr * sizeof(*m->mfn));

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

/* --- the VIRQ ------------------------------------------------------------ */

/*
 * What is polled is an epoll descriptor over the VIRQ and the socket, on
 * which nothing comes unasked: it is readable only when xensim has ended.
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
        /* Its value is of no use; somebody may have read it before us. */
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
    };

    return &type;
}
