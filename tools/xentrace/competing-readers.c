/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers are found by process name, because only Xen knows which process has
 * mapped a page.
 */
#include "xentrace/competing-readers.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const readers[] = { "xentrace", "xenbaked" };

#define NR_READERS (sizeof(readers) / sizeof(readers[0]))

/* Read the name of a process; "" if the process has ended. */
static void read_process_name(const char *pid, char *name, int size)
{
    char path[64];
    FILE *f;

    *name = '\0';
    snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
    f = fopen(path, "re");
    if ( !f )
        return;
    if ( !fgets(name, size, f) )
        *name = '\0';
    name[strcspn(name, "\n")] = '\0';
    fclose(f);
}

static bool is_reader(const char *name)
{
    for ( size_t i = 0; i < NR_READERS; i++ )
        if ( !strcmp(readers[i], name) )
            return true;
    return false;
}

bool competing_readers_find(char *names, size_t size)
{
    DIR *proc = opendir("/proc");
    struct dirent *d;
    size_t used = 0;
    char name[32];

    assert(size > 0);
    *names = '\0';
    while ( proc && (d = readdir(proc)) )
    {
        if ( !isdigit((unsigned char)d->d_name[0]) ||
             atoi(d->d_name) == getpid() )
            continue;
        read_process_name(d->d_name, name, sizeof(name));
        if ( is_reader(name) && used < size )
            used += snprintf(names + used, size - used, "%s%s (%s)",
                             used ? ", " : "", name, d->d_name);
    }
    if ( proc )
        closedir(proc);
    return used;
}
