/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kind of a file, by its first bytes.  A pipe cannot be read again, so its
 * kind stays unknown.
 */
#include "xenalyze/not-trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"

#define HEAD 512u               /* bytes that are looked at */

struct signature
{
    const char *bytes;
    size_t size;
    const char *text;
};

static const struct signature signatures[] = {
    { "\x1f\x8b", 2, "gzip compressed it: unpack it with gzip -d" },
    { "\xfd" "7zXZ", 5, "xz compressed it: unpack it with xz -d" },
    { "BZh", 3, "bzip2 compressed it: unpack it with bzip2 -d" },
    { "PK\x03\x04", 4, "it is a zip archive: unpack it with unzip" },
    { "\x7f" "ELF", 4, "it is an ELF file, a program or an object file" },
    { "\x89PNG", 4, "it is a PNG picture" },
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xb4\x29\xa4\x0a\xcb\x77\xb1\xf2", 16,
      "a program wrote it with the back end simple: use simpletrace" },
    { "\x03\xf0\x01", 3, "it ends before its first record; capture it again" },
};

static bool is_text(const char *head, size_t size)
{
    for ( size_t i = 0; i < size; i++ )
        if ( (unsigned char)head[i] < ' ' && !strchr("\t\n\r\f\033", head[i]) )
            return false;
    return size && memchr(head, '\n', size);
}

static const char *name_kind(const char *head, size_t size, bool is_begin)
{
    for ( size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++ )
        if ( size >= signatures[i].size &&
             !memcmp(head, signatures[i].bytes, signatures[i].size) )
            return signatures[i].text;
    if ( is_text(head, size) )
        return "it is text";
    if ( !size && !is_begin )
        return "it has no record; unpack it if it is compressed";
    return is_begin ? "its first 256 MiB have no record; xentrace captures "
                      "traces" : "it has no record; xentrace captures traces";
}

/* The first bytes of standard input, if it is a file; 0: there are none. */
static size_t read_stdin_head(char head[HEAD])
{
    struct stat st;
    ssize_t size = -1;

    if ( !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) )
        size = pread(STDIN_FILENO, head, HEAD, 0);
    return size < 0 ? 0 : size;
}

/* The first bytes of a regular file; 0: there are none. */
static size_t read_head(const char *path, char head[HEAD])
{
    struct stat st;
    ssize_t size = -1;
    int fd;

    if ( !path || !strcmp(path, "-") )
        return read_stdin_head(head);
    if ( stat(path, &st) || !S_ISREG(st.st_mode) )
        return 0;
    fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    if ( fd < 0 )
        return 0;
    size = fault_read(fd, head, HEAD);
    close(fd);
    return size < 0 ? 0 : size;
}

static int explain_empty(const char *name, struct err *e)
{
    return err_set(e, -EINVAL, "%s is empty: capture a trace with xentrace",
                   name);
}

/* `is_begin`: only the first bytes were searched, as far as a window goes. */
static int explain_kind(const char *name, const char *head, size_t size,
                        bool is_begin, struct err *e)
{
    _Static_assert(XT_WINDOW_MAX == 256u << 20, "the text of name_kind()");

    return err_set(e, -EINVAL, "%s is not a trace of Xen: %s", name,
                   name_kind(head, size, is_begin));
}

int not_trace_explain_file(const char *path, bool is_empty, struct err *e)
{
    char head[HEAD];

    if ( is_empty )
        return explain_empty(path, e);
    return explain_kind(path, head, read_head(path, head), false, e);
}

int not_trace_explain_begin(const char *path, struct err *e)
{
    char head[HEAD];

    return explain_kind(!strcmp(path, "-") ? "standard input" : path, head,
                        read_head(path, head), true, e);
}

int not_trace_explain(const struct run *run, struct err *e)
{
    char head[HEAD];

    if ( !xt_trace_position(run->trace) )
        return explain_empty(run->name, e);
    return explain_kind(run->name, head, read_head(run->config->path, head),
                        xt_trace_position(run->trace) > XT_WINDOW_MAX, e);
}
