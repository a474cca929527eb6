/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transports of a monitor: socket, standard input, options; and cleanup
 * when a program ends in different ways.
 */
#include "monitor-client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "libusertrace/trace/simple.h"

#define PROMPT "(qemu) "

static const char *send_line(int fd, const char *line)
{
    static char text[8192];

    client_put(fd, line);
    client_put(fd, "\n");
    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    return text;
}

/* ---- people ------------------------------------------------------------- */

START_TEST(people_have_a_prompt)
{
    struct usertrace_server *server = monitor_open(USERTRACE_HMP);
    int fd = client_connect(), other = client_connect();
    char text[512];

    session_event("+ one");
    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    ck_assert_str_eq(text, "QEMU 7.2.0 monitor - type 'help' for more "
                     "information\r\n");
    ck_assert(client_get(other, PROMPT, text, sizeof(text)));
    ck_assert_str_eq(send_line(fd, "trace-event one on\r"), "");
    ck_assert_str_eq(send_line(other, "info trace-events"),
                     "one : state 1\r\n");
    ck_assert_str_eq(send_line(fd, "info trace"),
                     "unknown command: 'info trace'\r\n");
    client_put(fd, "\n\ninfo trace-events one\n");
    ck_assert(client_get(fd, "state 1\r\n" PROMPT, text, sizeof(text)));
    ck_assert_str_eq(text, PROMPT PROMPT "one : ");
    close(fd);
    ck_assert_str_eq(send_line(other, ""), "");
    close(other);
    monitor_close(server);
}
END_TEST

START_TEST(a_line_has_an_end)
{
    struct usertrace_server *server = monitor_open(USERTRACE_HMP);
    int fd = client_connect();
    char text[512], more[1024];

    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    memset(more, 'x', sizeof(more));
    for ( int i = 0; i < 65; i++ )
        if ( write(fd, more, sizeof(more)) < 0 )
            break;
    ck_assert(!client_get(fd, PROMPT, text, sizeof(text)));
    close(fd);
    monitor_close(server);
}
END_TEST

/*
 * QEMU 0.14: event numbers, pending records, and a file that opens when set.
 */
START_TEST(old_people_have_old_words)
{
    struct usertrace_server *server = monitor_open(USERTRACE_HMP_0_14);
    struct usertrace_record record;
    int fd = client_connect();
    char text[512], *at;

    session_event("+ one");
    session_event("- two");
    usertrace_use_backends("simple");
    ck_assert(trace_init_backends());
    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    ck_assert_str_eq(text, "QEMU 0.14.1 monitor - type 'help' for more "
                     "information\r\n");
    ck_assert_str_eq(send_line(fd, "info trace"), "");
    ck_assert_str_eq(send_line(fd, "trace-event one on"), "");
    ck_assert_str_eq(send_line(fd, "info trace-events"),
                     "one [Event ID 0] : state 1\r\n"
                     "two [Event ID 1] : state 0\r\n");
    ck_assert_str_eq(send_line(fd, "info trace-events one"),
                     "trace-events: extraneous characters at the end of line"
                     "\r\nTry \"help info trace-events\" for more information"
                     "\r\n");
    ck_assert_str_eq(send_line(fd, "trace-event three on"),
                     "unknown event name \"three\"\r\n");
    ck_assert_str_eq(send_line(fd, "trace-event two off"),
                     "unknown event name \"two\"\r\n");
    at = usertrace_simple_begin(&record, 0, 16);
    ck_assert_ptr_nonnull(at);
    at = usertrace_simple_word(usertrace_simple_word(at, 0xabc), -1);
    usertrace_simple_end(&record, at);
    for ( int twice = 0; twice < 2; twice++ )
        ck_assert_str_eq(send_line(fd, "info trace"),
                         "Event 0 : abc ffffffffffffffff 0 0 0 0\r\n");
    ck_assert_str_eq(send_line(fd, "trace-file set a"), "");
    ck_assert_str_eq(send_line(fd, "trace-file"), "Trace file \"a\" on.\r\n");
    ck_assert_str_eq(send_line(fd, "trace-file flush"), "");
    ck_assert_str_eq(send_line(fd, "info trace"), "");
    ck_assert_str_eq(send_line(fd, "trace-file off"), "");
    ck_assert_ptr_nonnull(strstr(send_line(fd, "help"), "info trace -- "));
    ck_assert_int_eq(unlink("a"), 0);
    close(fd);
    monitor_close(server);
}
END_TEST

/* ---- standard input ----------------------------------------------------- */

START_TEST(standard_input_is_a_way)
{
    struct usertrace_server *server;
    int in[2], out[2];
    char text[512];

    session_event("+ one");
    fflush(stdout);
    ck_assert(!pipe(in) && !pipe(out));
    ck_assert(dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1);
    ck_assert(!usertrace_server_open(&server, USERTRACE_HMP, "-", NULL));
    client_put(in[1], "trace-event one on\ninfo trace-events\n");
    ck_assert(client_get(out[0], "state 1\r\n" PROMPT, text, sizeof(text)));
    /* End of input closes nothing, and the program continues. */
    close(in[0]);
    close(in[1]);
    usertrace_server_close(server);
    ck_assert(fcntl(0, F_GETFD) >= 0 && fcntl(1, F_GETFD) >= 0);
}
END_TEST

/* ---- the file of the socket --------------------------------------------- */

static int try_open_server(const char *path)
{
    struct usertrace_server *server;
    int rc = usertrace_server_open(&server, USERTRACE_HMP, path, NULL);

    ck_assert(!rc == !!server);
    usertrace_server_close(server);
    return rc;
}

START_TEST(only_its_user_comes_in)
{
    struct usertrace_server *server;
    struct stat st;

    umask(0);
    server = monitor_open(USERTRACE_HMP);
    ck_assert_int_eq(stat("socket", &st), 0);
    ck_assert_uint_eq(st.st_mode, S_IFSOCK | 0600);
    ck_assert_int_eq(try_open_server("no/such"), -ENOENT);
    ck_assert_int_eq(try_open_server(""), -ENAMETOOLONG);
    usertrace_server_close(NULL);
    monitor_close(server);
}
END_TEST

/* Idle peers fill the server; 50 more connect without waiting, and one asks. */
START_TEST(idle_peers_make_room)
{
    enum { IDLE = 16, MORE = 50 };
    struct usertrace_server *server = monitor_open(USERTRACE_HMP);
    struct sockaddr_un address = { AF_UNIX, "socket" };
    int idle[IDLE], more[MORE];
    char text[512];

    for ( int i = 0; i < IDLE; i++ )
    {
        idle[i] = client_connect();
        ck_assert(client_get(idle[i], PROMPT, text, sizeof(text)));
    }
    for ( int i = 0; i < MORE; i++ )
    {
        more[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        ck_assert_msg(!connect(more[i], (struct sockaddr *)&address,
                               sizeof(address)), "connection %d", i);
    }
    fcntl(more[0], F_SETFL, 0);
    ck_assert(client_get(more[0], PROMPT, text, sizeof(text)));
    ck_assert_str_eq(send_line(more[0], ""), "");
    ck_assert_int_eq(read(idle[0], text, 1), 0);    /* disconnected */
    for ( int i = 0; i < IDLE; i++ )
        close(idle[i]);
    for ( int i = 0; i < MORE; i++ )
        close(more[i]);
    monitor_close(server);
}
END_TEST

/* Peers that send bytes, but no command, are idle, too. */
START_TEST(endless_lines_make_room)
{
    enum { IDLE = 16 };
    struct usertrace_server *server = monitor_open(USERTRACE_HMP);
    struct pollfd newcomer = { .events = POLLIN };
    char text[512];
    int idle[IDLE];

    for ( int i = 0; i < IDLE; i++ )
    {
        idle[i] = client_connect();
        ck_assert(client_get(idle[i], PROMPT, text, sizeof(text)));
    }
    newcomer.fd = client_connect();
    for ( int tries = 0; tries < 100 && !poll(&newcomer, 1, 100); tries++ )
        for ( int i = 0; i < IDLE; i++ )
            send(idle[i], "x", 1, MSG_NOSIGNAL);
    ck_assert_int_ne(newcomer.revents, 0);
    ck_assert(client_get(newcomer.fd, PROMPT, text, sizeof(text)));
    for ( int i = 0; i < IDLE; i++ )
        close(idle[i]);
    close(newcomer.fd);
    monitor_close(server);
}
END_TEST

/* The user of this thread alone; the server's thread keeps its user. */
static void set_thread_user(uid_t user)
{
    ck_assert(!syscall(SYS_setresuid, -1, user, -1));
}

/* Root's peers, all busy, leave a slot for the program's user. */
START_TEST(a_slot_is_kept_for_the_user)
{
    enum { SLOTS = 16, NOBODY = 65534 };
    struct usertrace_server *server;
    int fd[SLOTS], own;
    char text[512];

    if ( geteuid() )
        return;                 /* only root has two users */
    server = monitor_open(USERTRACE_HMP);
    ck_assert(!chown("socket", NOBODY, -1) && !chown(".", NOBODY, -1));
    ck_assert(!seteuid(NOBODY));
    set_thread_user(0);
    for ( int i = 0; i < SLOTS; i++ )
    {
        fd[i] = client_connect();
        ck_assert_int_eq(client_get(fd[i], PROMPT, text, sizeof(text)),
                         i < SLOTS - 1);
    }
    set_thread_user(NOBODY);
    own = client_connect();
    ck_assert(client_get(own, PROMPT, text, sizeof(text)));
    ck_assert_str_eq(send_line(own, ""), "");
    close(own);
    for ( int i = 0; i < SLOTS; i++ )
        close(fd[i]);
    ck_assert(!seteuid(0));
    monitor_close(server);
}
END_TEST

START_TEST(who_lives_keeps_its_socket)
{
    struct usertrace_server *server = monitor_open(USERTRACE_HMP);
    char text[512];
    int fd;

    ck_assert_int_eq(try_open_server("socket"), -EADDRINUSE);
    fd = client_connect();
    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    close(fd);
    monitor_close(server);
}
END_TEST

static void leave_behind(int how)
{
    struct usertrace_server *server;
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if ( !child )
    {
        if ( usertrace_server_open(&server, USERTRACE_HMP, "socket", NULL) )
            _exit(1);
        if ( how )
            raise(how);
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, how);
}

START_TEST(who_is_dead_does_not)
{
    struct usertrace_server *server;
    char text[512];
    int fd;

    session_folder(folder);
    leave_behind(SIGKILL);
    ck_assert_int_eq(access("socket", F_OK), 0);
    ck_assert(!usertrace_server_open(&server, USERTRACE_HMP, "socket", NULL));
    fd = client_connect();
    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    close(fd);
    monitor_close(server);
}
END_TEST

START_TEST(who_exits_takes_it_along)
{
    session_folder(folder);
    leave_behind(0);
    ck_assert(access("socket", F_OK) && !chdir("/") && !rmdir(folder));
}
END_TEST

START_TEST(other_files_stay)
{
    int fd;

    session_folder(folder);
    fd = open("socket", O_CREAT | O_WRONLY, 0600);
    ck_assert_int_eq(try_open_server("socket"), -EADDRINUSE);
    ck_assert(!close(fd) && !unlink("socket"));
    ck_assert(!symlink("elsewhere", "socket"));
    ck_assert_int_eq(try_open_server("socket"), -EADDRINUSE);
    ck_assert(!unlink("socket") && !chdir("/") && !rmdir(folder));
}
END_TEST

/* The socket was renamed, and another file has its name: that file stays. */
START_TEST(what_is_not_its_own_stays)
{
    struct usertrace_server *server = monitor_open(USERTRACE_HMP), *other;

    ck_assert(!rename("socket", "moved"));
    ck_assert(!usertrace_server_open(&other, USERTRACE_HMP, "socket", NULL));
    usertrace_server_close(server);
    ck_assert(!access("socket", F_OK) && !unlink("moved"));
    monitor_close(other);
}
END_TEST

/* Many start at once on a stale socket: exactly one gets it. */
START_TEST(one_takes_over)
{
    enum { MANY = 8 };
    struct usertrace_server *server;
    pid_t children[MANY];
    int status, with = 0, hold[2];
    char text[512];

    session_folder(folder);
    leave_behind(SIGKILL);
    ck_assert(!pipe(hold));
    for ( int i = 0; i < MANY; i++ )
    {
        children[i] = fork();
        if ( children[i] )
            continue;
        close(hold[1]);
        status = usertrace_server_open(&server, USERTRACE_HMP, "socket", NULL);
        /* The owner keeps the socket until all have tried. */
        if ( !status && read(hold[0], text, 1) )
            _exit(3);
        _exit(!status ? 0 : status == -EADDRINUSE ? 1 : 2);
    }
    close(hold[0]);
    for ( int i = 0; i < MANY - 1; i++ )
    {
        ck_assert_int_gt(wait(&status), 0);
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 1);
    }
    status = client_connect();
    ck_assert(client_get(status, PROMPT, text, sizeof(text)));
    close(status);
    close(hold[1]);
    ck_assert_int_gt(wait(&status), 0);
    with += WIFEXITED(status) && !WEXITSTATUS(status);
    ck_assert_int_eq(with, 1);
    ck_assert(!unlink("socket") && !chdir("/") && !rmdir(folder));
}
END_TEST

/* ---- forks -------------------------------------------------------------- */

/*
 * The child holds no descriptor: after the parent has closed, there is no
 * listener.
 */
START_TEST(a_child_has_none)
{
    struct usertrace_server *server = monitor_open(USERTRACE_HMP);
    int fd = client_connect(), wake[2], status;
    char text[512];
    pid_t child;

    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    ck_assert(!pipe(wake));
    child = fork();
    if ( !child )
    {
        close(wake[1]);
        usertrace_server_close(server);
        exit(read(wake[0], text, 1) || access("socket", F_OK) == 0);
    }
    close(wake[0]);
    ck_assert_str_eq(send_line(fd, ""), "");
    usertrace_server_close(server);
    ck_assert_int_eq(read(fd, text, 1), 0);
    ck_assert_int_ne(access("socket", F_OK), 0);
    close(wake[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(!chdir("/") && !rmdir(folder));
}
END_TEST

/* ---- options ------------------------------------------------------------ */

START_TEST(options_open_monitors)
{
    struct err e = ERR_INIT;
    char text[512], path[64];
    int fd;

    session_event("+ one");
    session_folder(folder);
    setenv("TRACE", "one,hmp=socket;hmp-0.14=%d.old", 1);
    ck_assert_msg(!usertrace_init(&e), "%s", e.text);
    fd = client_connect();
    ck_assert(client_get(fd, PROMPT, text, sizeof(text)));
    ck_assert_str_eq(send_line(fd, "info trace-events"), "one : state 1\r\n");
    snprintf(path, sizeof(path), "%d.old", (int)getpid());
    ck_assert_int_eq(access(path, F_OK), 0);
    ck_assert_int_eq(usertrace_option("hmp=socket", &e), -EADDRINUSE);
    ck_assert_str_eq(e.text, "socket: already exists, and is not the stale "
                     "socket of a dead program: choose another path");
    ck_assert(!unlink("socket") && !unlink(path) && !chdir("/") &&
              !rmdir(folder));
}
END_TEST

UNIT_MAIN("server", people_have_a_prompt, a_line_has_an_end,
          old_people_have_old_words, standard_input_is_a_way,
          only_its_user_comes_in, idle_peers_make_room,
          endless_lines_make_room, a_slot_is_kept_for_the_user,
          who_lives_keeps_its_socket, who_is_dead_does_not,
          who_exits_takes_it_along, other_files_stay,
          what_is_not_its_own_stays, one_takes_over, a_child_has_none,
          options_open_monitors)
