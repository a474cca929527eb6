/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interrupted build must not leave an incomplete header that is newer than
 * its source, so the target is replaced when the text is complete.  The target
 * always gets a new time stamp, even if the text is unchanged: otherwise make
 * would run the rule in every build.
 */
#include "tracetool/files.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/output-file.h"

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

static int write_file(const struct tt_output *out, const char *path,
                      struct err *e)
{
    struct output_file file;
    int rc = output_file_open_fd(&file, path, e);

    if ( rc )
        return rc;
    rc = write_fd(out, file.fd, path, e);
    if ( !rc )
        return output_file_commit(&file, e);
    output_file_discard(&file);
    return rc;
}

static int write_path(const struct tt_output *out, const char *path,
                      struct err *e)
{
    struct stat st;

    if ( is_dash(path) || !strcmp(path, "/dev/stdout") )
        return write_fd(out, STDOUT_FILENO, "standard output", e);
    if ( !stat(path, &st) && S_ISDIR(st.st_mode) )
        return err_set(e, -EISDIR, "%s is a folder: name a file in it", path);
    return write_file(out, path, e);
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
