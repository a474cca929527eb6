/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The argument of --trace and the variable TRACE of the environment:
 * [[enable=]PATTERN][,events=FILE][,file=FILE][,ring=SIZE][,mode=drop|block],
 * and qmp=PATH or hmp=PATH for a monitor.  A comma inside a value is doubled.
 *
 * Differences from QEMU: a file= stays in force until another replaces it; a
 * line of an events file may have any length, keeps its last letter, and loses
 * blanks and carriage returns at its end.
 */
#define _GNU_SOURCE             /* strsep */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/reporter.h"
#include "libusertrace/trace/monitor.h"

#define TRACE_ENV "TRACE"

enum key
{
    ENABLE, EVENTS, FILE_NAME, RING, MODE, QMP, HMP, HMP_0_14, NR_KEYS
};

static const char *const keys[NR_KEYS] = {
    "enable", "events", "file", "ring", "mode", "qmp", "hmp", "hmp-0.14",
};

struct option
{
    char *text;                 /* owned; the values are parts of it */
    char *value[NR_KEYS];       /* NULL: not given */
};

/* ---- its parts ---------------------------------------------------------- */

/*
 * Terminate a value at the next single comma, and reduce ",," to ",".  Returns
 * the text behind the comma.
 */
static char *terminate_value(char *text)
{
    char *to = text;

    for ( ; *text && (*text != ',' || text[1] == ','); text++ )
    {
        text += *text == ',';
        *to++ = *text;
    }
    text += *text == ',';
    *to = '\0';
    return text;
}

static int find_key(const char *name, size_t length)
{
    int key;

    for ( key = 0; key < NR_KEYS; key++ )
        if ( strlen(keys[key]) == length && !strncmp(keys[key], name, length) )
            break;
    return key;
}

/* Only the first part may omit its key. */
static int parse_part(struct option *o, char *part, bool is_first,
                      struct err *e)
{
    size_t length = strcspn(part, "=,");
    bool has_key = part[length] == '=';
    int key = has_key ? find_key(part, length) : is_first ? ENABLE : NR_KEYS;

    if ( key == NR_KEYS )
        return err_set(e, -EINVAL, "Invalid parameter '%.*s': use "
                       "[enable=]PATTERN, events=FILE, file=FILE, ring=SIZE, "
                       "mode=drop, mode=block, qmp=PATH or hmp=PATH",
                       (int)(length < 80 ? length : 80), part);
    o->value[key] = has_key ? part + length + 1 : part;
    return 0;
}

static int split_parts(struct option *o, struct err *e)
{
    char *part = o->text, *next;
    bool is_first = true;
    int rc = 0;

    while ( !rc && *part )
    {
        rc = parse_part(o, part, is_first, e);
        next = terminate_value(part);
        is_first = false;
        part = next;
    }
    return rc;
}

/* ---- what they ask for -------------------------------------------------- */

static bool is_help(const char *pattern)
{
    return !strcmp(pattern, "help") || !strcmp(pattern, "?");
}

/*
 * 1 if the pattern asked for help.  An unknown name is only a warning, as in
 * QEMU.
 */
static int apply_pattern(const char *pattern, const char *where)
{
    struct err e = ERR_INIT;

    if ( is_help(pattern) )
    {
        trace_list_events(stdout);
        return 1;
    }
    if ( usertrace_enable(pattern, &e) )
        ut_report("%swarning: %s", where, e.text);
    return 0;
}

static int apply_events_line(char *line, const char *path, unsigned int number)
{
    size_t length = strlen(line);
    char where[300];

    while ( length && strchr(" \t\r\n", line[length - 1]) )
        line[--length] = '\0';
    line += strspn(line, " \t");
    if ( !*line || *line == '#' )
        return 0;
    snprintf(where, sizeof(where), "%.200s:%u: ", path, number);
    return apply_pattern(line, where);
}

static int apply_events_file(const char *path, struct err *e)
{
    FILE *in = fault_hit(FAULT_OPEN) ? NULL : fopen(path, "re");
    unsigned int number = 0;
    char *line = NULL;
    size_t room = 0;
    int rc = 0;

    if ( !in )
        return err_sys(e, -errno, "%.200s", path);
    while ( !rc && getline(&line, &room, in) >= 0 )
        rc = apply_events_line(line, path, ++number);
    if ( !rc && ferror(in) )
        rc = err_sys(e, -EIO, "%.200s", path);
    free(line);
    fclose(in);
    return rc;
}

static int apply_file_name(const char *path, struct err *e)
{
    if ( usertrace_has_backend("simple") )
        return usertrace_file_set(path, e);
    if ( usertrace_has_backend("log") )
        return usertrace_log_file(path, e);
    return err_set(e, -ENOTSUP, "--trace file=...: option not supported by the "
                   "selected tracing backends");
}

/* "256K", "1M" or bytes */
static int apply_ring_size(const char *text, struct err *e)
{
    static const char units[] = "kmg";
    char *end;
    unsigned long long bytes = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    int rc = -EINVAL;

    if ( unit && bytes <= UINT32_MAX )
    {
        bytes <<= 10 * (unit - units + 1);
        end++;
    }
    if ( *text >= '0' && *text <= '9' && !*end && bytes <= SIZE_MAX )
        rc = usertrace_ring_size(bytes, NULL);
    return rc ? err_set(e, rc, "ring=%.80s: give the size of a thread's "
                        "ring as 64K to 1G", text) : 0;
}

static int apply_mode(const char *text, struct err *e)
{
    bool blocks = !strcmp(text, "block") || !strcmp(text, "lossless");

    if ( !blocks && strcmp(text, "drop") )
        return err_set(e, -EINVAL, "mode=%.80s: use mode=drop, or mode=block "
                       "to wait when a ring is full", text);
    usertrace_ring_mode(blocks ? USERTRACE_BLOCK : USERTRACE_DROP);
    return 0;
}

/*
 * "%d" becomes the process id: a program and its child processes share one
 * environment. exit() closes the server.
 */
static int open_monitor(enum usertrace_protocol protocol, const char *path,
                        struct err *e)
{
    const char *mark = strstr(path, "%d");
    struct usertrace_server *server;
    char text[512];

    if ( mark && strlen(path) < sizeof(text) - 16 )
    {
        snprintf(text, sizeof(text), "%.*s%d%s", (int)(mark - path), path,
                 (int)getpid(), mark + 2);
        path = text;
    }
    return usertrace_server_open(&server, protocol, path, e);
}

static int open_monitors(const struct option *o, struct err *e)
{
    static const enum usertrace_protocol protocols[NR_KEYS] = {
        [QMP] = USERTRACE_QMP, [HMP] = USERTRACE_HMP,
        [HMP_0_14] = USERTRACE_HMP_0_14,
    };
    int rc = 0;

    for ( int key = QMP; !rc && key < NR_KEYS; key++ )
        if ( o->value[key] )
            rc = open_monitor(protocols[key], o->value[key], e);
    return rc;
}

static int apply_option(const struct option *o, struct err *e)
{
    int rc = 0;

    if ( o->value[RING] )
        rc = apply_ring_size(o->value[RING], e);
    if ( !rc && o->value[MODE] )
        rc = apply_mode(o->value[MODE], e);
    if ( !rc && o->value[ENABLE] )
        rc = apply_pattern(o->value[ENABLE], "");
    if ( !rc && o->value[EVENTS] )
        rc = apply_events_file(o->value[EVENTS], e);
    if ( !rc && o->value[FILE_NAME] )
        rc = apply_file_name(o->value[FILE_NAME], e);
    if ( !rc )
        rc = open_monitors(o, e);
    return rc;
}

int usertrace_option(const char *text, struct err *e)
{
    struct option o = { .text = fault_strdup(text) };
    int rc;

    if ( !o.text )
        return err_sys(e, -ENOMEM, "--trace");
    rc = split_parts(&o, e);
    if ( !rc )
        rc = apply_option(&o, e);
    fault_free(o.text);
    return rc;
}

void trace_opt_parse(const char *text)
{
    struct err e = ERR_INIT;
    int rc = usertrace_option(text, &e);

    if ( rc < 0 )
        ut_report("%s", e.text);
    if ( rc )
        exit(rc < 0);
}

/* ---- all in one --------------------------------------------------------- */

/* TRACE holds options, separated by ";". */
static int apply_environment(const char *text, struct err *e)
{
    char *copy = fault_strdup(text), *rest = copy, *one;
    int rc = copy ? 0 : err_sys(e, -ENOMEM, TRACE_ENV);

    while ( rc >= 0 && (one = strsep(&rest, ";")) != NULL )
        rc = usertrace_option(one, e);
    fault_free(copy);
    return rc < 0 ? rc : 0;
}

static int init_from_environment(struct err *e)
{
    const char *text = getenv(TRACE_ENV);
    int rc = 0;

    if ( !trace_init_backends() )
        rc = err_set(e, -EIO, "this program cannot be traced");
    if ( !rc && text )
        rc = apply_environment(text, e);
    if ( !rc )
        trace_init_file();
    return rc;
}

/*
 * A caller without a struct err cannot print the reason, so it is reported
 * here.
 */
int usertrace_init(struct err *e)
{
    struct err own = ERR_INIT;
    int rc = init_from_environment(e ? e : &own);

    if ( rc && !e )
        ut_report(TRACE_ENV ": %s", own.text);
    return rc;
}
