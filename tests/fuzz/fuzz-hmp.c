/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as what somebody types at a monitor of either age: whole lines
 * come back, or nothing, and events are what they can be.
 */
#define _GNU_SOURCE             /* strsep */
#include "tests/fuzz/monitored.h"

#include <string.h>

#include "libusertrace/monitor/hmp.h"

static void type(const char *line, enum mon_version age)
{
    struct err e = ERR_INIT;
    char *reply;
    size_t n;

    MUST(!mon_command(line, age, &reply, &e));
    n = strlen(reply);
    MUST(!n || (n > 1 && !strcmp(reply + n - 2, "\r\n")));
    free(reply);
    monitored_check();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = monitored_text(bytes, size), *rest = text, *line;

    monitored_begin();
    while ( (line = strsep(&rest, "\n")) != NULL )
    {
        type(line, MON_7_2);
        type(line, MON_0_14);
    }
    free(text);
    return 0;
}
