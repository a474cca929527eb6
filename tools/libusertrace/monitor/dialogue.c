/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The protocols of a monitor.  QMP messages are split by frame.c, HMP commands
 * end with a newline.  HMP has QEMU's greeting and prompt, because scripts
 * wait for them.
 */
#define _GNU_SOURCE             /* asprintf */
#include "libusertrace/monitor/dialogue.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libusertrace/monitor/hmp.h"

#define PROMPT "(qemu) "

struct protocol
{
    int (*load)(struct err *e);
    char *(*greeting)(void);
    bool (*put_byte)(struct mon_dialogue *t, char byte, char **reply);
};

/* ---- people's ----------------------------------------------------------- */

static int load_nothing(struct err *e)
{
    (void)e;
    return 0;
}

static char *format_greeting(const char *version)
{
    char *text;

    return asprintf(&text, "QEMU %s monitor - type 'help' for more information"
                    "\r\n" PROMPT, version) < 0 ? NULL : text;
}

static char *greeting_7_2(void)
{
    return format_greeting("7.2.0");
}

static char *greeting_0_14(void)
{
    return format_greeting("0.14.1");
}

static char *answer_line(const char *line, enum mon_version age)
{
    char *reply, *text = NULL;

    if ( mon_command(line, age, &reply, NULL) )
        return NULL;
    if ( asprintf(&text, "%s" PROMPT, reply) < 0 )
        text = NULL;
    free(reply);
    return text;
}

static bool put_line_byte(struct mon_dialogue *t, char byte, char **reply,
                          enum mon_version age)
{
    struct mon_frame *f = &t->frame;

    assert(f->nr <= sizeof(f->text));
    if ( f->nr == sizeof(f->text) )
        return false;
    f->text[f->nr++] = byte;
    if ( byte != '\n' )
        return true;
    f->text[f->nr - 1] = '\0';
    *reply = answer_line(f->text, age);
    mon_frame_clear(f);
    return *reply != NULL;
}

static bool put_byte_7_2(struct mon_dialogue *t, char byte, char **reply)
{
    return put_line_byte(t, byte, reply, MON_7_2);
}

static bool put_byte_0_14(struct mon_dialogue *t, char byte, char **reply)
{
    return put_line_byte(t, byte, reply, MON_0_14);
}

/* ---- programs' ---------------------------------------------------------- */

static bool put_byte_qmp(struct mon_dialogue *t, char byte, char **reply)
{
    switch ( mon_frame_put_byte(&t->frame, byte) )
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
    [USERTRACE_QMP] = { mon_qmp_load, mon_qmp_greeting, put_byte_qmp },
    [USERTRACE_HMP] = { load_nothing, greeting_7_2, put_byte_7_2 },
    [USERTRACE_HMP_0_14] = { load_nothing, greeting_0_14, put_byte_0_14 },
};

int mon_dialogue_load(enum usertrace_protocol protocol, struct err *e)
{
    assert(protocol < sizeof(protocols) / sizeof(protocols[0]));
    return protocols[protocol].load(e);
}

char *mon_dialogue_greeting(const struct mon_dialogue *t)
{
    return protocols[t->protocol].greeting();
}

bool mon_dialogue_put_byte(struct mon_dialogue *t, char byte, char **reply)
{
    *reply = NULL;
    return protocols[t->protocol].put_byte(t, byte, reply);
}
