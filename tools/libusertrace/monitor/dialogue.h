/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One conversation, whatever carries its bytes: which protocol it has, and how
 * far the peer's message has come.
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

/* Before the others: -ENOTSUP, if there is no such protocol here. */
int mon_dialogue_load(enum usertrace_protocol protocol, struct err *e);

/* What to send first; free() it.  NULL: no memory. */
char *mon_dialogue_greeting(const struct mon_dialogue *t);

/*
 * One byte more.  *reply gets what is to be sent now, which the caller frees,
 * or NULL.  False: this is the end of it.
 */
bool mon_dialogue_put_byte(struct mon_dialogue *t, char byte, char **reply);

#endif /* LIBUSERTRACE_MONITOR_DIALOGUE_H */
