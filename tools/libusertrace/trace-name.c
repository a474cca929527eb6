/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child process has the absolute path of its parent: a daemon changes its
 * working directory to "/" after it has forked.  All descendants of a process
 * use the same root, however often they fork: FILE-PID.
 */
#include "libusertrace/trace-name.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"

#define DEFAULT_ROOT "trace"

void ut_trace_name_set(struct ut_trace_name *n, char *given)
{
    fault_free(n->given);
    fault_free(n->root);
    *n = (struct ut_trace_name){ .given = given };
}

/* "a/trace-PID" -> "a/trace" */
static char *make_default_root(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? slash - path + 1 : 0;
    char *root = fault_malloc(folder + sizeof(DEFAULT_ROOT));

    if ( !root )
        return NULL;
    memcpy(root, path, folder);
    memcpy(root + folder, DEFAULT_ROOT, sizeof(DEFAULT_ROOT));
    return root;
}

char *ut_trace_name_make_root(const struct ut_trace_name *n, const char *path)
{
    return n->root ? fault_strdup(n->root) :
           n->given ? fault_strdup(path) : make_default_root(path);
}

/* Without memory, the child writes to the default file. */
void ut_trace_name_set_child(struct ut_trace_name *n, const char *path)
{
    char *root;

    assert(path);
    if ( n->root )
        return;
    root = ut_trace_name_make_root(n, path);
    ut_trace_name_set(n, NULL);
    n->root = root;
}

int ut_trace_name_format(const struct ut_trace_name *n, char *text, size_t size,
                         struct err *e)
{
    int length;

    if ( n->given )
        length = snprintf(text, size, "%s", n->given);
    else
        length = snprintf(text, size, "%s-%d",
                          n->root ? n->root : DEFAULT_ROOT, (int)getpid());
    if ( length < 0 || (size_t)length >= size )
        return err_set(e, -ENAMETOOLONG, "the name of the trace file is too "
                       "long: at most %zu bytes", size - 1);
    return 0;
}

int ut_trace_name_format_absolute(const struct ut_trace_name *n, char *path,
                                  struct err *e)
{
    char name[PATH_MAX], folder[PATH_MAX];
    int length, rc = ut_trace_name_format(n, name, sizeof(name), e);

    if ( rc )
        return rc;
    if ( *name == '/' || !getcwd(folder, sizeof(folder)) )
    {
        memcpy(path, name, strlen(name) + 1);
        return 0;
    }
    length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    if ( length < 0 || length >= PATH_MAX )
        return err_set(e, -ENAMETOOLONG, "trace file %.150s: its absolute path "
                       "is too long", name);
    return 0;
}

/* ---- older files --------------------------------------------------------- */

/* "path" or "path.N"; false if too long. */
static bool format_numbered_name(char *text, const char *path, unsigned int nr)
{
    int n = nr ? snprintf(text, PATH_MAX, "%s.%u", path, nr) :
                 snprintf(text, PATH_MAX, "%s", path);

    return n > 0 && n < PATH_MAX;
}

void ut_trace_name_shift(const char *path, unsigned int keep)
{
    char from[PATH_MAX], to[PATH_MAX];
    unsigned int nr = 0;

    while ( (!keep || nr < keep) && format_numbered_name(from, path, nr) &&
            !access(from, F_OK) )
        nr++;
    for ( ; nr && format_numbered_name(from, path, nr - 1) &&
            format_numbered_name(to, path, nr);
          nr-- )
        rename(from, to);
}
