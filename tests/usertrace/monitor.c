/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with trace points and a socket "qmp", until its input ends.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "common/err.h"
#include "trace-sample.h"
#include "trace/monitor.h"

int main(void)
{
    struct usertrace_server *server;
    struct err e = ERR_INIT;
    char byte;

    if ( usertrace_init(&e) ||
         usertrace_server_open(&server, USERTRACE_QMP, "qmp", &e) )
    {
        fprintf(stderr, "%s\n", e.text);
        return e.code == -ENOTSUP ? 77 : 1;
    }
    puts("ready");
    fflush(stdout);
    while ( read(0, &byte, 1) > 0 )
        ;
    usertrace_server_close(server);
    return 0;
}
