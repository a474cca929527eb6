/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In the place of the server, where there is no jansson.
 */
#include <errno.h>

#include "common/err.h"
#include "libusertrace/trace/monitor.h"

int usertrace_server_open(struct usertrace_server **server, const char *path,
                          struct err *e)
{
    *server = NULL;
    return err_set(e, -ENOTSUP, "%.150s: QMP needs jansson, which was absent "
                   "when libusertrace was built", path);
}

void usertrace_server_close(struct usertrace_server *server)
{
    (void)server;
}
