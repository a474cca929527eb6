/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as input of a human monitor of either version: replies consist of
 * whole lines or are empty, and the states of events stay consistent.
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
