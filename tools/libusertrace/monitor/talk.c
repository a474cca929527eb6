/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QMP's messages are cut by frame.c; people's end with the line.  People get
 * QEMU's greeting and prompt, for which scripts wait.
 */
#define _GNU_SOURCE             /* asprintf */
#include "libusertrace/monitor/talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libusertrace/monitor/hmp.h"

#define PROMPT "(qemu) "

struct protocol
{
    int (*load)(struct err *e);
    char *(*greeting)(void);
    bool (*take)(struct mon_talk *t, char byte, char **reply);
};

/* ---- people's ----------------------------------------------------------- */

static int is_here(struct err *e)
{
    (void)e;
    return 0;
}

static char *greeting_of(const char *version)
{
    char *text;

    return asprintf(&text, "QEMU %s monitor - type 'help' for more information"
                    "\r\n" PROMPT, version) < 0 ? NULL : text;
}

static char *greeting_7_2(void)
{
    return greeting_of("7.2.0");
}

static char *greeting_0_14(void)
{
    return greeting_of("0.14.1");
}

static char *answer(const char *line, enum mon_age age)
{
    char *reply, *text = NULL;

    if ( mon_command(line, age, &reply, NULL) )
        return NULL;
    if ( asprintf(&text, "%s" PROMPT, reply) < 0 )
        text = NULL;
    free(reply);
    return text;
}

static bool take_line(struct mon_talk *t, char byte, char **reply,
                      enum mon_age age)
{
    struct mon_frame *f = &t->frame;

    if ( f->nr == sizeof(f->text) )
        return false;
    f->text[f->nr++] = byte;
    if ( byte != '\n' )
        return true;
    f->text[f->nr - 1] = '\0';
    *reply = answer(f->text, age);
    mon_frame_clear(f);
    return *reply != NULL;
}

static bool take_7_2(struct mon_talk *t, char byte, char **reply)
{
    return take_line(t, byte, reply, MON_7_2);
}

static bool take_0_14(struct mon_talk *t, char byte, char **reply)
{
    return take_line(t, byte, reply, MON_0_14);
}

/* ---- programs' ---------------------------------------------------------- */

static bool take_qmp(struct mon_talk *t, char byte, char **reply)
{
    switch ( mon_frame_put(&t->frame, byte) )
    {
    case MON_TOO_LONG:
        return false;
    case MON_WHOLE:
        *reply = mon_qmp_answer(&t->qmp, t->frame.text, t->frame.nr);
        mon_frame_clear(&t->frame);
        return *reply != NULL;
    default:
        return true;
    }
}

/* ---- any ---------------------------------------------------------------- */

static const struct protocol protocols[] = {
    [USERTRACE_QMP] = { mon_qmp_load, mon_qmp_greeting, take_qmp },
    [USERTRACE_HMP] = { is_here, greeting_7_2, take_7_2 },
    [USERTRACE_HMP_0_14] = { is_here, greeting_0_14, take_0_14 },
};

int mon_talk_load(enum usertrace_protocol protocol, struct err *e)
{
    return protocols[protocol].load(e);
}

char *mon_talk_greeting(const struct mon_talk *t)
{
    return protocols[t->protocol].greeting();
}

bool mon_talk_take(struct mon_talk *t, char byte, char **reply)
{
    *reply = NULL;
    return protocols[t->protocol].take(t, byte, reply);
}
