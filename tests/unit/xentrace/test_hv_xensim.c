/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The back end against servers that are not xensim.  Each test forks a server
 * that follows a short script: an array of answers, sent in turn to any
 * request.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <public/trace.h>

#include "common/fault.h"
#include "xensim/wire.h"
#include "xentrace/hypervisor.h"
#include "xentrace/tbuf.h"

#include "tests/unit/libxentrace/unit.h"

#define FRAMES 8u

/* One answer.  `cut` removes bytes from the end of the whole message. */
struct act
{
    int32_t rc;
    const void *body;
    uint32_t length;        /* bytes of body to send */
    int32_t lie;            /* added to the length in the header */
    uint32_t cut;
    int nr_fds;             /* descriptors sent with the answer */
    int fd;                 /* -1: a new one */
    uint32_t wants_op;      /* 0: any; otherwise exit on another one */
    uint32_t wants_length;
};

static char dir[32], path[64];
static pid_t server;
static int memory_fd;

static const struct xensim_hello hello = {
    .wire_version = XENSIM_WIRE_VERSION, .max_cpu_id = 3, .nr_cpus = 2,
    .cpu_khz = 1000000, .hardware = XENSIM_HARDWARE_SVM,
    .scheduler = 6, .ratelimit = 500, .socket_cpus = 3,
    .version = "4.17-test",
};

#define HELLO { .body = &hello, .length = sizeof(hello), \
                .wants_op = XENSIM_HELLO }

static void send_answer(int to, const struct act *a)
{
    char message[8192];
    struct xensim_answer head = { .rc = a->rc, .length = a->length + a->lie };
    union { struct cmsghdr c; char room[CMSG_SPACE(4 * sizeof(int))]; } u;
    struct iovec iov = { message, sizeof(head) + a->length - a->cut };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
    int fds[4];

    memcpy(message, &head, sizeof(head));
    if ( a->length )
        memcpy(message + sizeof(head), a->body, a->length);
    if ( a->nr_fds )
    {
        msg.msg_control = &u;
        msg.msg_controllen = CMSG_SPACE(a->nr_fds * sizeof(int));
        u.c = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
            .cmsg_len = CMSG_LEN(a->nr_fds * sizeof(int)),
        };
        for ( int i = 0; i < a->nr_fds; i++ )
            fds[i] = a->fd >= 0 ? a->fd : eventfd(1, EFD_NONBLOCK);
        memcpy(CMSG_DATA(&u.c), fds, a->nr_fds * sizeof(int));
    }
    sendmsg(to, &msg, MSG_NOSIGNAL);
}

static void serve_client(int listener, const struct act *acts, size_t nr)
{
    char request[XENSIM_MAX_PAYLOAD + 64];
    struct xensim_request rq;
    int to = accept(listener, NULL, NULL);

    for ( size_t i = 0; i < nr; i++ )
    {
        ssize_t got = recv(to, request, sizeof(request), 0);

        if ( got < (ssize_t)sizeof(rq) )
            _exit(0);
        memcpy(&rq, request, sizeof(rq));
        if ( rq.length != got - sizeof(rq) ||
             (acts[i].wants_op && rq.op != acts[i].wants_op) ||
             (acts[i].wants_length && rq.length != acts[i].wants_length) )
            _exit(1);
        send_answer(to, &acts[i]);
    }
    /* Exit when the client closes the connection, or the test is killed. */
    _exit(recv(to, request, sizeof(request), 0) != 0);
}

static void start_server(const struct act *acts, size_t nr)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);

    strcpy(dir, "test_hv.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/sock", dir);
    strcpy(at.sun_path, path);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    server = fork();
    ck_assert_int_ge(server, 0);
    if ( !server )
        serve_client(listener, acts, nr);
    close(listener);
}

/* The server's exit status; 0: all expected requests arrived. */
static int end_server(void)
{
    int status;

    unlink(path);
    rmdir(dir);
    ck_assert_int_eq(waitpid(server, &status, 0), server);
    return status;
}

static int open_it(struct hv **hv, struct err *e)
{
    const struct hv_address address = { .socket = path };

    *hv = NULL;
    return hv_open(hv, NULL, &address, e);
}

static unsigned int open_fds(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned int nr = 0;

    ck_assert_ptr_nonnull(d);
    while ( readdir(d) )
        nr++;
    closedir(d);
    return nr;
}

#define START(acts) start_server(acts, sizeof(acts) / sizeof((acts)[0]))

/* --- hello ---------------------------------------------------------------- */

START_TEST(good_greeting)
{
    static const struct act acts[] = { HELLO, HELLO };
    struct err e = ERR_INIT;
    struct hv_info info;
    struct hv *hv;

    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    ck_assert_int_eq(hv->type->info(hv, &info, &e), 0);
    ck_assert_uint_eq(info.nr_cpus, 4);
    ck_assert_uint_eq(info.nr_online, 2);
    ck_assert_str_eq(info.version, "4.17-test");
    ck_assert_uint_eq(info.hardware, 2);
    hv_close(hv);
    ck_assert_int_eq(end_server(), 0);
}
END_TEST

static void bad_greeting(const struct act *a, int code)
{
    unsigned int before = open_fds();
    struct err e = ERR_INIT;
    struct hv *hv;

    start_server(a, 1);
    ck_assert_msg(open_it(&hv, &e) == code, "%d, not %d: %s", e.code, code,
                  e.text);
    ck_assert_ptr_nonnull(strstr(e.text, path));
    ck_assert_ptr_null(hv);
    end_server();
    ck_assert_uint_eq(open_fds(), before);
}

START_TEST(bad_greetings)
{
    static const struct xensim_hello later = { .wire_version = 77 };
    static const char noise[4096] = "noise";
    static const struct { struct xensim_hello h; char more[100]; } longer = {
        .h = { .wire_version = XENSIM_WIRE_VERSION },
    };
    static const struct
    {
        struct act act;
        int code;
    } rows[] = {
        { { .body = &later, .length = sizeof(later) }, -EPROTO },
        { { .body = noise, .length = sizeof(noise) }, -EPROTO },
        { { .body = &longer, .length = sizeof(longer), .lie = -100 },
          -EPROTO },
        { { .body = &hello, .length = sizeof(hello), .lie = 1 }, -EPROTO },
        { { .body = &hello, .length = sizeof(hello), .lie = -1 }, -EPROTO },
        { { .body = &hello, .length = sizeof(hello), .rc = 1 }, -EPROTO },
        { { .rc = INT32_MIN }, -EPROTO },
        { { .rc = -4096 }, -EPROTO },
        { { .rc = -EACCES }, -EACCES },
        /* Unexpected descriptors must not stay open. */
        { { .body = &later, .length = sizeof(later), .nr_fds = 3, .fd = -1 },
          -EPROTO },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
        bad_greeting(&rows[i].act, rows[i].code);
}
END_TEST

START_TEST(greeting_cut_anywhere)
{
    for ( uint32_t cut = 1; cut < sizeof(hello) + 8; cut++ )
    {
        struct act a = { .body = &hello, .length = sizeof(hello),
                         .cut = cut };

        bad_greeting(&a, -EPROTO);
    }
}
END_TEST

START_TEST(no_greeting)
{
    struct err e = ERR_INIT;
    struct hv *hv;

    start_server(NULL, 0);
    ck_assert_int_eq(open_it(&hv, &e), -ECONNRESET);
    end_server();
}
END_TEST

START_TEST(nobody_there)
{
    const struct hv_address address = { .socket = "no/such/socket" };
    const struct hv_address no_socket = { .socket = "/dev/null" };
    char longer[200];
    const struct hv_address too_long = { .socket = longer };
    struct err e = ERR_INIT, f = ERR_INIT, g = ERR_INIT, h = ERR_INIT;
    struct hv *hv;

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    ck_assert_int_eq(hv_open(&hv, NULL, &address, NULL), -ENOENT);
    ck_assert_int_eq(hv_open(&hv, NULL, &address, &e), -ENOENT);
    ck_assert_int_eq(hv_open(&hv, NULL, &no_socket, &f), -ENOTSOCK);
    ck_assert_int_eq(hv_open(&hv, NULL, &too_long, &g), -ENAMETOOLONG);
    ck_assert_int_eq(hv_open(&hv, "kvm", &address, &h), -EINVAL);
    ck_assert_ptr_nonnull(strstr(h.text, "xensim"));
}
END_TEST

/*
 * The search order: the argument, the environment, /run; for a user other than
 * root, the folder of temporary files instead of /run.
 */
START_TEST(where_it_is)
{
    static const struct hv_address nowhere;
    struct hv *hv;

    for ( int i = 0; i < 3; i++ )
    {
        const char *const found[] = {
            geteuid() ? "/xensim-" : "/run/xensim.sock", "no/dir/xensim.sock",
            "no/socket",
        };
        struct err e = ERR_INIT;

        unsetenv("XENSIM_SOCKET");
        unsetenv("XDG_RUNTIME_DIR");
        if ( i >= 1 )
            setenv("XDG_RUNTIME_DIR", "no/dir", 1);
        if ( i == 2 )
            setenv("XENSIM_SOCKET", "no/socket", 1);
        if ( !hv_open(&hv, NULL, &nowhere, &e) )
            hv_close(hv);   /* a running xensim in /run */
        else
            ck_assert_ptr_nonnull(strstr(e.text, found[i]));
    }
}
END_TEST

/* --- control -------------------------------------------------------------- */

START_TEST(control)
{
    static const struct xensim_tbuf info = {
        .evt_mask = 0xffff000, .size = 4096, .buffer_mfn = 5,
    };
    static const unsigned char bits[2] = { 0x0f, 0x01 };
    static const struct act acts[] = {
        HELLO,
        { .body = &info, .length = sizeof(info), .wants_op = XENSIM_TBUF,
          .wants_length = sizeof(info) },
        { .body = &info, .length = sizeof(info), .wants_op = XENSIM_TBUF,
          .wants_length = sizeof(info) + 2 },
        { .rc = -EBUSY, .wants_op = XENSIM_TBUF },
        { .body = &info, .length = sizeof(info) - 1 },
    };
    struct err e = ERR_INIT, busy = ERR_INIT, bad = ERR_INIT;
    struct tbuf_info got;
    struct hv *hv;

    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    ck_assert_int_eq(tbuf_get_info(hv, &got, &e), 0);
    ck_assert_uint_eq(got.mfn, 5);
    ck_assert_uint_eq(got.size, 4096);
    ck_assert_int_eq(tbuf_set_cpu_mask(hv, bits, 9, &e), 0);
    ck_assert_int_eq(tbuf_set_size(hv, 4, &busy), -EBUSY);
    ck_assert_int_eq(tbuf_enable(hv, &bad), -EPROTO);
    hv_close(hv);
    ck_assert_int_eq(end_server(), 0);
}
END_TEST

/* --- state ---------------------------------------------------------------- */

struct state
{
    struct xensim_tbuf t;
    struct hv_tbuf_cpu cpu[4];
};

/* Ask for four pcpus; the answer has so many bytes. */
static int ask_state(const struct state *s, size_t length, uint64_t *lost)
{
    const struct act acts[] = {
        HELLO, { .body = s, .length = length, .wants_op = XENSIM_TBUF },
    };
    struct err e = ERR_INIT;
    struct tbuf_state out;
    struct hv *hv;
    int rc;

    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    rc = tbuf_state(hv, &out, lost, 4, &e);
    if ( !rc )
        ck_assert_uint_eq(out.flags, s->t.flags);
    hv_close(hv);
    end_server();
    return rc;
}

static const struct state good_state = {
    .t = { .nr_cpus = 4, .flags = XEN_TBUF_ENABLED },
    .cpu = { [1] = { .lost = 11 }, [3] = { .lost = UINT64_MAX } },
};

START_TEST(state)
{
    struct state s = good_state;
    uint64_t lost[4];

    ck_assert_int_eq(ask_state(&s, sizeof(s), lost), 0);
    ck_assert_uint_eq(lost[1], 11);
    ck_assert_uint_eq(lost[3], UINT64_MAX);

    /* Xen has fewer pcpus, or more. */
    s.t.nr_cpus = 2;
    ck_assert_int_eq(ask_state(&s, sizeof(s), lost), 0);
    ck_assert_uint_eq(lost[1], 11);
    ck_assert_uint_eq(lost[3], 0);
    s.t.nr_cpus = UINT32_MAX;
    ck_assert_int_eq(ask_state(&s, sizeof(s), lost), 0);
    ck_assert_uint_eq(lost[3], UINT64_MAX);
}
END_TEST

/* An answer that ends within the pcpus: the others have no losses. */
START_TEST(state_cut_short)
{
    uint64_t lost[4];

    ck_assert_int_eq(ask_state(&good_state, sizeof(good_state) -
                               2 * sizeof(struct hv_tbuf_cpu), lost), 0);
    ck_assert_uint_eq(lost[1], 11);
    ck_assert_uint_eq(lost[3], 0);
    ck_assert_int_eq(ask_state(&good_state, 3, lost), -EPROTO);
}
END_TEST

/* --- memory --------------------------------------------------------------- */

static void make_memory(void)
{
    memory_fd = memfd_create("frames", 0);
    ck_assert_int_eq(ftruncate(memory_fd, FRAMES * XENSIM_PAGE_SIZE), 0);
    for ( unsigned char i = 0; i < FRAMES; i++ )
        ck_assert_int_eq(pwrite(memory_fd, &i, 1, i * XENSIM_PAGE_SIZE), 1);
}

/* Scattered frames are mapped contiguously, and are shared memory. */
START_TEST(frames)
{
    static const uint64_t mfn[] = { 6, 2, 3, 0, 7 };
    unsigned char *at, byte;
    struct err e = ERR_INIT;
    struct hv *hv;
    void *map;

    make_memory();
    const struct act acts[] = {
        HELLO,
        { .wants_op = XENSIM_MAP, .wants_length = 20, .nr_fds = 1,
          .fd = memory_fd },
        { .wants_op = XENSIM_UNMAP, .wants_length = 20 },
    };
    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    ck_assert_int_eq(hv->type->map(hv, mfn, 5, true, &map, &e), 0);
    at = map;
    for ( size_t i = 0; i < 5; i++ )
        ck_assert_uint_eq(at[i * XENSIM_PAGE_SIZE], mfn[i]);
    at[XENSIM_PAGE_SIZE + 1] = 99;
    ck_assert_int_eq(pread(memory_fd, &byte, 1, 2 * XENSIM_PAGE_SIZE + 1), 1);
    ck_assert_uint_eq(byte, 99);
    hv->type->unmap(hv, map);
    hv_close(hv);
    ck_assert_int_eq(end_server(), 0);
}
END_TEST

static void bad_map(uint64_t mfn, const struct act *a, int code)
{
    const struct act acts[] = { HELLO, *a, { .wants_op = XENSIM_UNMAP } };
    unsigned int before = open_fds();
    struct err e = ERR_INIT;
    struct hv *hv;
    void *at;

    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    ck_assert_int_eq(hv->type->map(hv, &mfn, 1, false, &at, &e), code);
    hv_close(hv);
    end_server();
    ck_assert_uint_eq(open_fds(), before);
}

START_TEST(bad_frames)
{
    make_memory();
    const struct act good = { .nr_fds = 1, .fd = memory_fd };
    const struct act none = { .nr_fds = 0 };
    const struct act refused = { .rc = -EINVAL, .nr_fds = 1,
                                 .fd = memory_fd };

    bad_map(FRAMES, &good, -EPROTO);
    bad_map(UINT32_MAX, &good, -EPROTO);
    bad_map(1ull << 32, &good, -EPROTO);
    bad_map(0, &none, -EPROTO);
    bad_map(0, &refused, -EINVAL);
}
END_TEST

/* The Nth call fails while frames are mapped: no resource is leaked. */
static void fault_loop(enum fault_kind kind, int code)
{
    static const uint64_t mfn[] = { 6, 2, 3 };
    const struct act acts[] = {
        HELLO, { .nr_fds = 1, .fd = memory_fd }, { .rc = 0 },
    };
    unsigned int before = open_fds();
    uint64_t n = 0, fired;
    struct hv *hv;
    void *at;

    do
    {
        struct err e = ERR_INIT;
        int rc;

        START(acts);
        fault_arm(kind, ++n);
        rc = open_it(&hv, &e);
        if ( !rc )
            rc = hv->type->map(hv, mfn, 3, true, &at, &e);
        fired = fault_fired(kind);
        fault_disarm();
        ck_assert_int_eq(rc, fired ? code : 0);
        if ( !rc )
            hv->type->unmap(hv, at);
        hv_close(hv);
        kill(server, SIGKILL);
        end_server();
        ck_assert_uint_eq(open_fds(), before);
    }
    while ( fired );
    ck_assert_uint_ge(n, 2);
}

START_TEST(faults)
{
    make_memory();
    fault_loop(FAULT_ALLOC, -ENOMEM);
    fault_loop(FAULT_MMAP, -ENOMEM);
    fault_loop(FAULT_OPEN, -EMFILE);
}
END_TEST

/* --- VIRQ ----------------------------------------------------------------- */

START_TEST(virq)
{
    const struct act acts[] = {
        HELLO, { .wants_op = XENSIM_BIND_VIRQ, .nr_fds = 2, .fd = -1 },
    };
    unsigned int before = open_fds();
    struct err e = ERR_INIT;
    struct hv *hv;
    int fd;

    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    ck_assert_int_eq(hv->type->bind_virq(hv, &fd, &e), 0);
    ck_assert_int_ge(fd, 0);
    /* The value was 1; a second read does no harm. */
    ck_assert_int_eq(hv->type->ack_virq(hv, &e), 0);
    ck_assert_int_eq(hv->type->ack_virq(hv, &e), 0);
    kill(server, SIGKILL);
    end_server();
    ck_assert_int_eq(hv->type->ack_virq(hv, &e), -ECONNRESET);
    hv_close(hv);
    ck_assert_uint_eq(open_fds(), before);
}
END_TEST

/* --- domains -------------------------------------------------------------- */

/* "a3" for no affinity, "a3@0:f,0,0" for a mask. */
static void add_affinity(char *end, const struct xt_rec_meta_affinity *a)
{
    ck_assert_uint_eq(a->vcpu, 0xffff);
    if ( a->kind == 2 )
        sprintf(end, "a%u ", a->dom);
    else
        sprintf(end, "a%u@%u:%x,%x,%x ", a->dom, a->first, a->cpus0, a->cpus1,
                a->cpus4);
}

/* Format records as words: d3/2:1 for a domain with flags, u3:ff, w3:256/6. */
static void add_word(void *text, const struct xt_meta *m)
{
    char *end = (char *)text + strlen(text);

    if ( m->event == TRC_META_DOMAIN )
        sprintf(end, "d%u/%u:%x ", m->domain.dom, m->domain.vcpus,
                m->domain.flags);
    else if ( m->event == TRC_META_DOMAIN_UUID )
        sprintf(end, "u%u:%x ", m->domain_uuid.dom, m->domain_uuid.id3);
    else if ( m->event == TRC_META_DOMAIN_WEIGHT )
        sprintf(end, "w%u:%u/%u ", m->domain_weight.dom,
                m->domain_weight.weight, m->domain_weight.scheduler);
    else if ( m->event == TRC_META_AFFINITY )
        add_affinity(end, &m->affinity);
    else
        ck_abort();
}

static const struct xensim_domain some_domains[] = {
    { .id = 0, .vcpus = 1, .first_cpu = 1, .name = "Domain-0" },
    { .id = 7, .vcpus = 2, .kind = XENSIM_PVH, .weight = 300, .first_cpu = 30,
      .last_cpu = 32, .uuid = { [12] = 13 }, .name = "web1" },
    { .id = 8, .vcpus = 1, .first_cpu = 319, .last_cpu = 320,
      .name = { "without an end, 32 bytes of name" } },
    { .id = 9, .vcpus = 1, .kind = XENSIM_HVM, .first_cpu = 1 },
};

START_TEST(domains)
{
    const struct act acts[] = {
        HELLO, { .wants_op = XENSIM_DOMAINS, .body = some_domains,
                 .length = sizeof(some_domains) },
        { .wants_op = XENSIM_DOMAINS, .rc = -ENOSYS },
    };
    struct err e = ERR_INIT;
    char text[500] = "", name[HV_NAME_MAX];
    struct hv *hv;

    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    ck_assert(!hv->type->domain_name(hv, 0, name)); /* not requested yet */
    hv->type->domains(hv, add_word, text);
    ck_assert_str_eq(text, "d0/1:10 u0:0 a0 d7/2:5 u7:d w7:300/6 "
                     "a7@0:c0000000,1,0 d8/1:0 u8:0 a8@0:0,0,0 "
                     "a8@160:0,0,80000000 a8@320:1,0,0 d9/1:1 u9:0 a9 ");
    ck_assert(hv->type->domain_name(hv, 7, name));
    ck_assert_str_eq(name, "web1");
    ck_assert(hv->type->domain_name(hv, 8, name));
    ck_assert_str_eq(name, "without an end, 32 bytes of name");
    ck_assert(!hv->type->domain_name(hv, 9, name));
    ck_assert(!hv->type->domain_name(hv, 1, name));
    /* An older xensim has no such operation. */
    *text = '\0';
    hv->type->domains(hv, add_word, text);
    ck_assert_str_eq(text, "");
    ck_assert(!hv->type->domain_name(hv, 7, name));
    hv_close(hv);
    ck_assert_int_eq(end_server(), 0);
}
END_TEST

/* The pcpus of the last record are within the limits of a trace. */
static void check_bounds(void *nr, const struct xt_meta *m)
{
    if ( m->event == TRC_META_AFFINITY )
        ck_assert_uint_lt(m->affinity.first, XT_MAX_CPUS);
    ++*(unsigned int *)nr;
}

START_TEST(absurd_domains)
{
    const struct xensim_domain absurd = {
        .id = 0xffff, .vcpus = 3, .last_cpu = UINT32_MAX,
    };
    const struct act acts[] = {
        HELLO, { .body = &absurd, .length = sizeof(absurd) },
    };
    struct err e = ERR_INIT;
    unsigned int nr = 0;
    struct hv *hv;

    START(acts);
    ck_assert_int_eq(open_it(&hv, &e), 0);
    hv->type->domains(hv, check_bounds, &nr);
    ck_assert_uint_eq(nr, 1 + 1 + 103);
    hv_close(hv);
    ck_assert_int_eq(end_server(), 0);
}
END_TEST

UNIT_MAIN("hv-xensim", good_greeting, bad_greetings, greeting_cut_anywhere,
          no_greeting, nobody_there, where_it_is, control, state,
          state_cut_short, frames, bad_frames, faults, virq,
          domains, absurd_domains)
