/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the argument of --trace, and as a file of patterns: accepted, or
 * rejected with a reason.
 */
#define _GNU_SOURCE
#include "tests/fuzz/monitored.h"

#include <sys/mman.h>
#include <unistd.h>

#include "common/err.h"

static void take(const char *text)
{
    struct err e = ERR_INIT;
    int rc = usertrace_option(text, &e);

    MUST(rc <= 1);
    MUST((rc < 0) == (e.code != 0) && (rc < 0) == (e.text[0] != '\0'));
    monitored_check();
}

static void take_file(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("events", 0);
    char text[64];

    MUST(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(text, sizeof(text), "events=/proc/self/fd/%d", fd);
    fault_disarm();
    take(text);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = monitored_text(bytes, size);

    monitored_begin();
    take(text);
    take_file(bytes, size);
    free(text);
    return 0;
}
