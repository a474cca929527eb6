/* SPDX-License-Identifier: GPL-2.0-only */
#include "xensim/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool stat_folder(const char *name, size_t length, struct stat *st)
{
    char *folder = length ? strndup(name, length) : strdup(".");
    bool found = folder && !stat(folder, st);

    free(folder);
    return found;
}

/* Are two names of files that do not exist yet one name in one folder? */
static bool is_same_entry(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    const char *end_a = slash_a ? slash_a + 1 : a;
    const char *end_b = slash_b ? slash_b + 1 : b;
    struct stat folder_a, folder_b;

    return !strcmp(end_a, end_b) && stat_folder(a, end_a - a, &folder_a) &&
           stat_folder(b, end_b - b, &folder_b) &&
           folder_a.st_dev == folder_b.st_dev &&
           folder_a.st_ino == folder_b.st_ino;
}

bool outfile_is_same(const char *a, const char *b)
{
    struct stat file_a, file_b;
    bool has_a = !stat(a, &file_a), has_b = !stat(b, &file_b);

    if ( !has_a && !has_b )
        return is_same_entry(a, b);
    return has_a && has_b && S_ISREG(file_a.st_mode) &&
           file_a.st_dev == file_b.st_dev && file_a.st_ino == file_b.st_ino;
}

int outfile_open(struct output_file *f, const char *name, struct err *e)
{
    *f = (struct output_file){ .fd = -1 };
    return name ? output_file_open(f, name, e) : 0;
}

int outfile_close(struct output_file *f, int rc, struct err *e)
{
    if ( !rc && f->out )
        return output_file_commit(f, e);
    output_file_discard(f);
    return rc;
}
