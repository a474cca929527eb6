/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One connection to a monitor, independent of its transport: the protocol, and
 * the unfinished message of the peer.
 */
#ifndef LIBUSERTRACE_MONITOR_DIALOGUE_H
#define LIBUSERTRACE_MONITOR_DIALOGUE_H

#include "libusertrace/monitor/frame.h"
#include "libusertrace/monitor/qmp.h"
#include "libusertrace/trace/monitor.h"

struct mon_dialogue
{
    enum usertrace_protocol protocol;
    struct mon_qmp qmp;
    struct mon_frame frame;
};

/* Call first.  -ENOTSUP: the protocol is not available. */
int mon_dialogue_load(enum usertrace_protocol protocol, struct err *e);

/* The text to send first; free() it.  NULL: no memory. */
char *mon_dialogue_greeting(const struct mon_dialogue *t);

/*
 * Process one byte.  *reply is the text to send, owned by the caller, or NULL.
 * False: close the connection.
 */
bool mon_dialogue_put_byte(struct mon_dialogue *t, char byte, char **reply);

#endif /* LIBUSERTRACE_MONITOR_DIALOGUE_H */
