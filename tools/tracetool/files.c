/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interrupted build must not leave an incomplete header that is newer than
 * its source.  So the text is written to a temporary file beside the target,
 * and renamed.  The target always gets a new time stamp, even if the text is
 * unchanged: otherwise make would run the rule in every build.
 */
#include "tracetool/files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"

static bool is_dash(const char *path)
{
    return !strcmp(path, "-");
}

/* If the output is forgotten, the last input would be overwritten. */
static int check_output(const char *output, struct err *e)
{
    static const char name[] = "trace-events";
    size_t length = strlen(output), n = sizeof(name) - 1;
    struct stat st;

    if ( length < n || strcmp(output + length - n, name) || stat(output, &st) )
        return 0;
    return err_usage(e, "%s: the last name is that of the output, and "
                     "this is a file of events: add a name behind it", output);
}

static int check_input(const char *path, const char *output, struct err *e)
{
    struct stat in, out;

    /* A missing file is reported when it is opened. */
    if ( is_dash(path) ? fstat(STDIN_FILENO, &in) : stat(path, &in) )
        return 0;
    if ( !S_ISREG(in.st_mode) || is_dash(output) || stat(output, &out) ||
         in.st_dev != out.st_dev || in.st_ino != out.st_ino )
        return 0;
    return err_usage(e, "%s is an input and the output: name another "
                     "output, last", is_dash(path) ? "standard input" : path);
}

int tt_input_check(char *const *paths, size_t nr, const char *output,
                   struct err *e)
{
    int rc = check_output(output, e);
    size_t i;

    for ( i = 0; i < nr && !rc; i++ )
        rc = check_input(paths[i], output, e);
    return rc;
}

int tt_output_begin(struct tt_output *out, struct err *e)
{
    *out = (struct tt_output){ .file = NULL };
    if ( !fault_hit(FAULT_ALLOC) )
        out->file = open_memstream(&out->text, &out->length);
    return out->file ? 0 : err_sys(e, -errno, "cannot write anything");
}

void tt_output_drop(struct tt_output *out)
{
    if ( out->file )
        fclose(out->file);
    out->file = NULL;
    free(out->text);
    out->text = NULL;
}

static int write_fd(const struct tt_output *out, int fd, const char *name,
                    struct err *e)
{
    size_t done = 0;
    ssize_t n;

    assert(!out->file && fd >= 0);
    assert(out->text || !out->length);
    while ( done < out->length )
    {
        n = fault_write(fd, out->text + done, out->length - done);
        if ( n < 0 && errno != EINTR )
            return err_sys(e, -errno, "cannot write %s", name);
        if ( n > 0 )
            done += n;
    }
    return 0;
}

/* Devices and pipes are written directly, never replaced. */
static int write_device(const struct tt_output *out, const char *path,
                        struct err *e)
{
    int fd = fault_open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
    int rc;

    if ( fd < 0 )
        return err_sys(e, -errno, "cannot open %s", path);
    rc = write_fd(out, fd, path, e);
    if ( close(fd) && !rc )
        rc = err_sys(e, -errno, "cannot write %s", path);
    return rc;
}

/* A file of a crashed run has another number. */
static int open_beside(const char *path, char *temporary, size_t size)
{
    unsigned int n;
    int fd = -1;

    assert(strlen(path) < size);
    for ( n = 0; fd < 0 && n < 100; n++ )
    {
        snprintf(temporary, size, "%s.%ld-%u", path, (long)getpid(), n);
        fd = fault_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        0666);
        if ( fd < 0 && errno != EEXIST )
            break;
    }
    return fd;
}

/* old: attributes of the existing file, or NULL */
static int write_beside(const struct tt_output *out, const char *path,
                        const struct stat *old, char *temporary, size_t size,
                        struct err *e)
{
    int fd = open_beside(path, temporary, size), rc;

    if ( fd < 0 )
        return err_sys(e, -errno, "cannot create a file beside %s", path);
    rc = write_fd(out, fd, path, e);
    if ( !rc && old && fchmod(fd, old->st_mode & 0777) )
        rc = err_sys(e, -errno, "cannot give %s its mode again", path);
    if ( close(fd) && !rc )
        rc = err_sys(e, -errno, "cannot write %s", path);
    if ( !rc && rename(temporary, path) )
        rc = err_sys(e, -errno, "cannot replace %s", path);
    if ( rc )
        unlink(temporary);
    return rc;
}

static int replace_output(const struct tt_output *out, const char *path,
                          const struct stat *old, struct err *e)
{
    /* Replace the target of a symbolic link, not the link. */
    char *real = old ? realpath(path, NULL) : NULL;
    size_t size = strlen(real ? real : path) + 32;
    char *temporary = fault_malloc(size);
    int rc;

    if ( temporary )
        rc = write_beside(out, real ? real : path, old, temporary, size, e);
    else
        rc = err_sys(e, -ENOMEM, "cannot write %s", path);
    fault_free(temporary);
    free(real);
    return rc;
}

static int write_path(const struct tt_output *out, const char *path,
                      struct err *e)
{
    struct stat st;
    bool there = !stat(path, &st);

    if ( is_dash(path) || !strcmp(path, "/dev/stdout") )
        return write_fd(out, STDOUT_FILENO, "standard output", e);
    if ( there && S_ISDIR(st.st_mode) )
        return err_set(e, -EISDIR, "%s is a folder: name a file in it", path);
    if ( there && !S_ISREG(st.st_mode) )
        return write_device(out, path, e);
    return replace_output(out, path, there ? &st : NULL, e);
}

int tt_output_end(struct tt_output *out, const char *path, struct err *e)
{
    int bad, rc;

    assert(out->file && path);
    bad = ferror(out->file) | fclose(out->file);
    out->file = NULL;
    rc = bad ? err_sys(e, -ENOMEM, "cannot write %s", path) :
               write_path(out, path, e);
    tt_output_drop(out);
    return rc;
}
