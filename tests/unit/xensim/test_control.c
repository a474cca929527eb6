/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: answers to valid and invalid messages, resources that a
 * client leaves behind, and the life of the socket's file.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/xensim/dom0.h"
#include "tests/unit/xensim/rig.h"
#include "xensim/control/control-server.h"
#include "xensim/hypercall.h"

#include <public/trace.h>

static char directory[] = "/tmp/xensim-test.XXXXXX";
static char path[64];
static struct control *control;
static pthread_t server;
static bool is_over;

static void *serve_thread(void *unused)
{
    struct pollfd wait = { .fd = control_fd(control), .events = POLLIN };

    while ( !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE) )
        if ( poll(&wait, 1, 10) > 0 )
            control_serve(control);
    return unused;
}

static void socket_place(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/s", directory);
}

static void power_on(void)
{
    const struct xensim_config config = {
        .cpus = 3, .frames = 1024, .threads = true, .loglevel = 1,
    };

    rig_start(&config);
    hypercall_boot();
}

static void start_server(void)
{
    struct err e = ERR_INIT;

    socket_place();
    power_on();
    ck_assert_msg(control_open(&control, path, &e) == 0, "%s", e.text);
    ck_assert_int_eq(pthread_create(&server, NULL, serve_thread, NULL), 0);
}

/* Check that no file, thread or frame is left. */
static void stop_server(void)
{
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(server, NULL);
    control_close(control);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(rmdir(directory), 0);
    xensim_stop();
}

static int tbuf_op(int s, uint32_t cmd, uint32_t size)
{
    struct xensim_tbuf t = { .cmd = cmd, .size = size };

    return dom0_tbuf(s, &t);
}

/* Allocate rings; returns the frame of t_info. */
static uint32_t make_rings(int s, uint32_t pages)
{
    struct xensim_tbuf t = { .cmd = XEN_SYSCTL_TBUFOP_get_info };

    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_set_size, pages), 0);
    ck_assert_int_eq(dom0_tbuf(s, &t), 0);
    ck_assert_uint_ne(t.buffer_mfn, 0);
    return t.buffer_mfn;
}

/* The first frame of pcpu 0's ring. */
static uint32_t ring_frame(uint32_t info)
{
    const uint32_t *words = mfn_to_virt(info);
    const struct t_info *t = mfn_to_virt(info);

    return words[t->mfn_offset[0]];
}

START_TEST(hello_identifies_the_server)
{
    struct dom0_answer *a;
    struct xensim_hello h;
    int s;

    start_server();
    s = dom0_connect(path);
    ck_assert_int_eq(dom0_ask(s, XENSIM_HELLO, 0, NULL, 0, &a), 0);
    ck_assert_uint_eq(a->length, sizeof(h));
    memcpy(&h, a->payload, sizeof(h));
    ck_assert_uint_eq(h.wire_version, XENSIM_WIRE_VERSION);
    ck_assert_uint_eq(h.max_cpu_id, 2);
    ck_assert_uint_eq(h.nr_cpus, 3);
    ck_assert_uint_gt(h.cpu_khz, 0);
    ck_assert_uint_eq(h.hardware, XENSIM_HARDWARE_UNKNOWN);
    ck_assert_str_eq(h.version, "4.17-xensim");
    close(s);
    stop_server();
}
END_TEST

START_TEST(bad_messages_are_rejected)
{
    static uint8_t huge[sizeof(struct xensim_request) +
                        XENSIM_MAX_PAYLOAD + 1];
    struct xensim_request r = { .op = XENSIM_HELLO };
    uint64_t state = unit_seed();
    int s;

    start_server();
    s = dom0_connect(path);
    for ( size_t cut = 1; cut < sizeof(r); cut++ )
    {
        dom0_send(s, &r, cut);
        ck_assert_int_eq(dom0_receive(s, NULL), -EINVAL);
    }
    dom0_send(s, huge, sizeof(huge));
    ck_assert_int_eq(dom0_receive(s, NULL), -E2BIG);
    r.length = 4;
    dom0_send(s, &r, sizeof(r));
    ck_assert_int_eq(dom0_receive(s, NULL), -EINVAL);
    r.length = 0;
    r.zero = 1;
    dom0_send(s, &r, sizeof(r));
    ck_assert_int_eq(dom0_receive(s, NULL), -EINVAL);
    for ( int i = 0; i < 200; i++ )
    {
        /* An op out of range: no random number makes the message valid. */
        ck_assert_int_eq(dom0_ask(s, (unit_random(&state) | 0x100) & ~7u, 0,
                                  huge, unit_random(&state) % 5000, NULL),
                         -ENOSYS);
    }
    ck_assert_int_eq(dom0_ask(s, 0, 0, NULL, 0, NULL), -ENOSYS);
    ck_assert_int_eq(dom0_ask(s, XENSIM_HELLO, 0, NULL, 0, NULL), 0);
    close(s);
    stop_server();
}
END_TEST

/* Each op with each short length of random bytes gets an answer. */
START_TEST(random_bytes_get_an_answer)
{
    uint64_t state = unit_seed();
    uint8_t noise[96];
    int s;

    start_server();
    s = dom0_connect(path);
    for ( int i = 0; i < 3000; i++ )
    {
        uint32_t op = unit_random(&state) % 9, cmd;

        for ( size_t b = 0; b < sizeof(noise); b++ )
            noise[b] = unit_random(&state);
        /* Exclude ops that allocate too much memory for a quick test. */
        cmd = unit_random(&state) % 8;
        memcpy(noise, &cmd, sizeof(cmd));
        dom0_ask(s, op, unit_random(&state) % 5, noise,
                 unit_random(&state) % sizeof(noise), NULL);
    }
    ck_assert_int_eq(dom0_ask(s, XENSIM_HELLO, 0, NULL, 0, NULL), 0);
    close(s);
    stop_server();
}
END_TEST

START_TEST(sysctls_work_through_the_socket)
{
    int s;

    start_server();
    s = dom0_connect(path);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_enable, 0), -EINVAL);
    ck_assert_int_eq(tbuf_op(s, 0x7fffffff, 0), -EINVAL);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_set_size, 0), -EINVAL);
    make_rings(s, 2);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_set_size, 2), -EBUSY);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_enable, 0), 0);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_disable, 0), 0);
    close(s);
    stop_server();
}
END_TEST

START_TEST(guest_buffers_are_copied_in_or_out)
{
    struct
    {
        struct xensim_tbuf t;
        uint8_t bits[2];
    } m = { .t = { .cmd = XEN_SYSCTL_TBUFOP_set_cpu_mask, .nr_bits = 9 },
            .bits = { 1, 0 } };
    struct dom0_answer *a;
    uint32_t length = sizeof(m.t) + sizeof(m.bits);
    int s;

    start_server();
    s = dom0_connect(path);
    ck_assert_int_eq(dom0_ask(s, XENSIM_TBUF, 0, &m, length, &a), 0);
    ck_assert_uint_eq(a->length, sizeof(m.t));
    ck_assert_int_eq(dom0_ask(s, XENSIM_TBUF, 0, &m, length - 1, NULL),
                     -EINVAL);
    ck_assert_int_eq(dom0_ask(s, XENSIM_TBUF, 0, &m, sizeof(m.t), NULL),
                     -EINVAL);
    m.t.nr_bits = ~0u;
    ck_assert_int_eq(dom0_ask(s, XENSIM_TBUF, 0, &m, length, NULL), -E2BIG);

    m.t.cmd = XEN_SYSCTL_TBUFOP_state;
    m.t.nr_bits = 8 * 2 * sizeof(struct xensim_tbuf_cpu);
    ck_assert_int_eq(dom0_ask(s, XENSIM_TBUF, 0, &m, sizeof(m.t), &a), 0);
    ck_assert_uint_eq(a->length,
                      sizeof(m.t) + 2 * sizeof(struct xensim_tbuf_cpu));
    memcpy(&m.t, a->payload, sizeof(m.t));
    ck_assert_uint_eq(m.t.nr_cpus, 3);
    ck_assert_uint_eq(m.t.evt_mask, TRC_ALL);
    ck_assert_int_eq(dom0_ask(s, XENSIM_TBUF, 0, &m, length, &a), -EINVAL);
    m.t.nr_bits = ~0u;
    ck_assert_int_eq(dom0_ask(s, XENSIM_TBUF, 0, &m, sizeof(m.t), NULL),
                     -E2BIG);
    close(s);
    stop_server();
}
END_TEST

START_TEST(frames_are_mapped_with_their_access)
{
    uint32_t info, ring, mixed[3];
    struct dom0_answer *a;
    int s, fd;

    start_server();
    s = dom0_connect(path);
    info = make_rings(s, 2);
    ring = ring_frame(info);

    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, 0, &info, 4, &a), 0);
    ck_assert_int_ge(fd = a->fd, 0);
    ck_assert_ptr_eq(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          info * 4096ul), MAP_FAILED);
    ck_assert_ptr_ne(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd,
                          info * 4096ul), MAP_FAILED);
    close(fd);
    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, XENSIM_MAP_WRITE, &info, 4, &a),
                     -EPERM);
    ck_assert_int_eq(a->fd, -1);
    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, XENSIM_MAP_WRITE, &ring, 4, &a),
                     0);
    ck_assert_ptr_ne(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
                          a->fd, ring * 4096ul), MAP_FAILED);
    close(a->fd);
    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, 2, &ring, 4, &a), -EINVAL);
    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, 0, &ring, 3, &a), -EINVAL);
    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, 0, NULL, 0, &a), -EINVAL);

    /* All or none: the third fails, and the first two are unmapped again. */
    mixed[0] = mixed[1] = ring;
    mixed[2] = 1000;
    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, XENSIM_MAP_WRITE, mixed, 12, &a),
                     -EINVAL);
    ck_assert_int_eq(a->fd, -1);
    ck_assert_uint_eq(read_atomic(&mfn_to_page(_mfn(ring))->count_info) &
                      PGC_count_mask, 2);
    close(s);
    stop_server();
}
END_TEST

START_TEST(mapped_rings_cannot_be_freed)
{
    uint32_t info, frames[2];
    struct dom0_answer *a;
    int s;

    start_server();
    s = dom0_connect(path);
    info = make_rings(s, 2);
    frames[0] = frames[1] = ring_frame(info);
    ck_assert_int_eq(dom0_ask(s, XENSIM_MAP, 1, frames, 8, &a), 0);
    close(a->fd);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_free, 0), -EBUSY);
    ck_assert_int_eq(dom0_ask(s, XENSIM_UNMAP, 0, frames, 4, NULL), 0);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_free, 0), -EBUSY);
    ck_assert_int_eq(dom0_ask(s, XENSIM_UNMAP, 0, frames, 8, NULL), -EINVAL);
    ck_assert_int_eq(dom0_ask(s, XENSIM_UNMAP, 0, &info, 4, NULL), -EINVAL);
    ck_assert_int_eq(tbuf_op(s, XEN_SYSCTL_TBUFOP_free, 0), 0);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
    close(s);
    stop_server();
}
END_TEST

/* As in Xen; the end of a client, noticed or not, makes room for the next. */
START_TEST(virq_has_one_owner)
{
    struct dom0_answer *a;
    int first, second;

    start_server();
    second = dom0_connect(path);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        first = second;
        second = dom0_connect(path);
        ck_assert_int_eq(dom0_ask(first, XENSIM_BIND_VIRQ, 0, NULL, 0, &a), 0);
        close(a->fd);
        ck_assert_int_eq(dom0_ask(second, XENSIM_BIND_VIRQ, 0, NULL, 0, &a),
                         -EEXIST);
        close(first);
    }
    close(second);
    stop_server();
}
END_TEST

START_TEST(closing_releases_mappings)
{
    uint32_t info, ring;
    struct dom0_answer *a;
    int stays, goes, rc;

    start_server();
    stays = dom0_connect(path);
    goes = dom0_connect(path);
    info = make_rings(stays, 2);
    ring = ring_frame(info);
    ck_assert_int_eq(dom0_ask(goes, XENSIM_MAP, 1, &ring, 4, &a), 0);
    close(a->fd);
    ck_assert_int_eq(dom0_ask(goes, XENSIM_BIND_VIRQ, 0, NULL, 0, &a), 0);
    close(a->fd);
    ck_assert_int_eq(dom0_ask(goes, XENSIM_BIND_VIRQ, 0, NULL, 0, &a),
                     -EEXIST);
    ck_assert_int_eq(tbuf_op(stays, XEN_SYSCTL_TBUFOP_free, 0), -EBUSY);
    close(goes);
    while ( (rc = tbuf_op(stays, XEN_SYSCTL_TBUFOP_free, 0)) == -EBUSY )
        usleep(1000); /* until the server notices */
    ck_assert_int_eq(rc, 0);
    close(stays);
    stop_server();
}
END_TEST

START_TEST(a_client_that_does_not_read_is_dropped)
{
    struct xensim_request r = { .op = XENSIM_HELLO };
    int deaf, other;

    start_server();
    deaf = dom0_connect(path);
    other = dom0_connect(path);
    while ( send(deaf, &r, sizeof(r), MSG_NOSIGNAL) == sizeof(r) )
        ; /* until the server closes: its answers fill the socket */
    ck_assert(errno == EPIPE || errno == ECONNRESET);
    ck_assert_int_eq(dom0_ask(other, XENSIM_HELLO, 0, NULL, 0, NULL), 0);
    close(deaf);
    close(other);
    stop_server();
}
END_TEST

START_TEST(pcpus_go_offline_and_online)
{
    struct dom0_answer *a;
    int s;

    start_server();
    s = dom0_connect(path);
    ck_assert_int_eq(dom0_ask(s, XENSIM_CLOCK, 0, NULL, 0, &a), 0);
    ck_assert_uint_eq(a->length, sizeof(uint64_t));
    ck_assert_int_eq(dom0_ask(s, XENSIM_CPU_DOWN, 1, NULL, 0, &a), 0);
    ck_assert_uint_eq(num_online_cpus(), 2);
    ck_assert_int_eq(dom0_ask(s, XENSIM_CPU_DOWN, 1, NULL, 0, &a), -EEXIST);
    ck_assert_int_eq(dom0_ask(s, XENSIM_CPU_UP, 1, NULL, 0, &a), 0);
    ck_assert_int_eq(dom0_ask(s, XENSIM_CPU_DOWN, 0, NULL, 0, &a), -EINVAL);
    ck_assert_int_eq(dom0_ask(s, XENSIM_CPU_UP, ~0u, NULL, 0, &a), -EINVAL);
    ck_assert_int_eq(dom0_ask(s, XENSIM_CPU_DOWN, 3, NULL, 0, &a), -EINVAL);
    close(s);
    stop_server();
}
END_TEST

START_TEST(the_file_is_private)
{
    struct stat st;

    start_server();
    ck_assert_int_eq(lstat(path, &st), 0);
    ck_assert(S_ISSOCK(st.st_mode));
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    stop_server();
}
END_TEST

START_TEST(a_live_socket_is_left_alone)
{
    struct control *second;
    struct err e = ERR_INIT;

    start_server();
    ck_assert_int_eq(control_open(&second, path, &e), -EADDRINUSE);
    ck_assert_ptr_nonnull(strstr(e.text, "another xensim"));
    close(dom0_connect(path));
    stop_server();
}
END_TEST

START_TEST(a_dead_socket_is_replaced)
{
    socket_place();
    power_on();
    for ( int i = 0; i < 2; i++ )
    {
        struct err e = ERR_INIT;
        char kept[80];

        ck_assert_msg(control_open(&control, path, &e) == 0, "%s", e.text);
        snprintf(kept, sizeof(kept), "%s.kept", path);
        ck_assert_int_eq(rename(path, kept), 0);
        control_close(control); /* the path has another file, which stays */
        ck_assert_int_eq(rename(kept, path), 0);
    }
    unlink(path);
    rmdir(directory);
    xensim_stop();
}
END_TEST

START_TEST(another_file_is_never_touched)
{
    struct err e = ERR_INIT;
    int fd;

    socket_place();
    power_on();
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    ck_assert_int_eq(control_open(&control, path, &e), -EEXIST);
    ck_assert_int_eq(access(path, F_OK), 0);
    close(fd);
    unlink(path);
    rmdir(directory);
    xensim_stop();
}
END_TEST

/* Another program has replaced our file: the new one stays. */
START_TEST(only_its_own_file_is_removed)
{
    struct err e = ERR_INIT;
    int fd;

    socket_place();
    power_on();
    ck_assert_int_eq(control_open(&control, path, &e), 0);
    /* Keep the old file under another name, lest its inode is reused. */
    ck_assert_int_eq(chdir(directory), 0);
    ck_assert_int_eq(rename("s", "kept"), 0);
    fd = open("s", O_CREAT | O_WRONLY, 0600);
    control_close(control);
    ck_assert_int_eq(access("s", F_OK), 0);
    close(fd);
    unlink("s");
    unlink("kept");
    rmdir(directory);
    xensim_stop();
}
END_TEST

/* An answer in another protocol also means that the server is alive. */
START_TEST(a_live_socket_of_another_kind_is_left_alone)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    struct err e = ERR_INIT;

    socket_place();
    power_on();
    strcpy(address.sun_path, path);
    ck_assert_int_eq(bind(s, (void *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(s, 1), 0);
    ck_assert_int_eq(control_open(&control, path, &e), -EADDRINUSE);
    ck_assert_int_eq(access(path, F_OK), 0);
    close(s);
    unlink(path);
    rmdir(directory);
    xensim_stop();
}
END_TEST

START_TEST(an_impossible_path_is_refused)
{
    struct err e = ERR_INIT;
    char longest[200];

    power_on();
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ck_assert_int_eq(control_open(&control, longest, &e), -ENAMETOOLONG);
    e = (struct err)ERR_INIT;
    ck_assert_int_eq(control_open(&control, "", &e), -ENAMETOOLONG);
    e = (struct err)ERR_INIT;
    ck_assert_int_eq(control_open(&control, "/nowhere/at/all", &e), -ENOENT);
    xensim_stop();
}
END_TEST

UNIT_MAIN("control", hello_identifies_the_server,
          bad_messages_are_rejected, random_bytes_get_an_answer,
          sysctls_work_through_the_socket,
          guest_buffers_are_copied_in_or_out,
          frames_are_mapped_with_their_access,
          mapped_rings_cannot_be_freed,
          virq_has_one_owner, closing_releases_mappings,
          a_client_that_does_not_read_is_dropped,
          pcpus_go_offline_and_online, the_file_is_private,
          a_live_socket_is_left_alone, a_dead_socket_is_replaced,
          another_file_is_never_touched, only_its_own_file_is_removed,
          a_live_socket_of_another_kind_is_left_alone,
          an_impossible_path_is_refused)
