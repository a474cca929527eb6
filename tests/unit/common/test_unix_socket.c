/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A listening socket: its file, its peers, and files left by dead programs.
 */
#include "common/unix-socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/common/unit.h"

static char folder[64], path[80];

static void make_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/xentrace-unit.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/socket", folder);
}

static void remove_folder(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void open_socket(struct unix_socket *s, int type)
{
    struct err e = ERR_INIT;

    ck_assert_msg(unix_socket_open(s, type, path, &e) == 0, "%s", e.text);
}

static void check_peer(int type, int other)
{
    struct unix_socket s;
    struct stat st;
    int client, server;

    open_socket(&s, type);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(unix_socket_accept(&s), -EAGAIN);
    client = unix_socket_connect(type, path);
    ck_assert_int_ge(client, 0);
    ck_assert_int_eq(unix_socket_connect(other, path), -EPROTOTYPE);
    server = unix_socket_accept(&s);
    ck_assert_int_ge(server, 0);
    ck_assert_int_eq(write(client, "x", 1), 1);
    close(client);
    close(server);
    unix_socket_close(&s);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_int_eq(unix_socket_connect(type, path), -ENOENT);
}

START_TEST(a_peer_connects)
{
    make_folder();
    check_peer(SOCK_STREAM, SOCK_SEQPACKET);
    check_peer(SOCK_SEQPACKET, SOCK_STREAM);
    remove_folder();
}
END_TEST

START_TEST(a_stale_socket_is_replaced)
{
    struct unix_socket dead, s, second;
    struct err e = ERR_INIT;

    make_folder();
    open_socket(&dead, SOCK_SEQPACKET);
    close(dead.fd);
    ck_assert_int_eq(unix_socket_connect(SOCK_SEQPACKET, path), -ECONNREFUSED);
    open_socket(&s, SOCK_SEQPACKET);
    ck_assert_int_eq(unix_socket_open(&second, SOCK_SEQPACKET, path, &e),
                     -EADDRINUSE);
    unix_socket_close(&s);
    dead.fd = -1;
    unix_socket_close(&dead);
    remove_folder();
}
END_TEST

START_TEST(only_a_stale_socket_is_removed)
{
    struct unix_socket s;
    FILE *f;

    make_folder();
    ck_assert(!unix_socket_remove_stale(path));
    open_socket(&s, SOCK_SEQPACKET);
    ck_assert(!unix_socket_remove_stale(path));
    close(s.fd);
    ck_assert(unix_socket_remove_stale(path));
    ck_assert_int_eq(access(path, F_OK), -1);
    s.fd = -1;
    unix_socket_close(&s);

    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
    ck_assert(!unix_socket_remove_stale(path));
    ck_assert_int_eq(access(path, F_OK), 0);
    remove_folder();
}
END_TEST

START_TEST(a_long_path_is_refused)
{
    char too_long[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
    struct err e = ERR_INIT;
    struct unix_socket s;

    for ( size_t i = 0; i < sizeof(too_long) - 1; i++ )
        too_long[i] = 'x';
    too_long[sizeof(too_long) - 1] = '\0';
    ck_assert_int_eq(unix_socket_open(&s, SOCK_STREAM, too_long, &e),
                     -ENAMETOOLONG);
    ck_assert_int_eq(unix_socket_connect(SOCK_STREAM, too_long),
                     -ENAMETOOLONG);
    ck_assert(!unix_socket_remove_stale(too_long));
}
END_TEST

UNIT_MAIN("unix-socket", a_peer_connects, a_stale_socket_is_replaced,
          only_a_stale_socket_is_removed, a_long_path_is_refused)
