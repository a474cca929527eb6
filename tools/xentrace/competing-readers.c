/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers are found by process name, because only Xen knows which process has
 * mapped a page, and by the files that processes map: the device of Xen's
 * memory, or the memory of one xensim.
 */
#include "xentrace/competing-readers.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
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

/* --- mappings ------------------------------------------------------------- */

/* A mapped file. */
struct file_id
{
    unsigned int major, minor;
    unsigned long inode;        /* 0: none */
};

/* A line of /proc/PID/maps. */
struct map_line
{
    unsigned long from, to;
    struct file_id file;
};

static bool parse_map(const char *line, struct map_line *m)
{
    return sscanf(line, "%lx-%lx %*s %*x %x:%x %lu", &m->from, &m->to,
                  &m->file.major, &m->file.minor, &m->file.inode) == 5;
}

static bool is_same_mapping(const struct file_id *a, const struct file_id *b)
{
    return a->inode == b->inode && a->major == b->major &&
           a->minor == b->minor;
}

/* The file that this process maps at an address; inode 0: none is known. */
static struct file_id find_own_file(const void *address)
{
    FILE *f = address ? fopen("/proc/self/maps", "re") : NULL;
    struct file_id found = { .inode = 0 };
    struct map_line m;
    char line[512];

    while ( f && fgets(line, sizeof(line), f) )
        if ( parse_map(line, &m) && m.from <= (uintptr_t)address &&
             (uintptr_t)address < m.to )
            found = m.file;
    if ( f )
        fclose(f);
    return found;
}

/* False: the process does not map the file, or has ended. */
static bool may_map_file(const char *pid, const struct file_id *file)
{
    char path[64], line[512];
    struct map_line m;
    bool found = false;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
    f = fopen(path, "re");
    if ( !f )
        return errno == EACCES || errno == EPERM;
    while ( !found && fgets(line, sizeof(line), f) )
        found = parse_map(line, &m) && is_same_mapping(&m.file, file);
    fclose(f);
    return found;
}

/* --- processes ------------------------------------------------------------ */

bool competing_readers_find(const void *mapping, char *names, size_t size)
{
    struct file_id file = find_own_file(mapping);
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
        if ( is_reader(name) && used < size &&
             (!file.inode || may_map_file(d->d_name, &file)) )
            used += snprintf(names + used, size - used, "%s%s (%s)",
                             used ? ", " : "", name, d->d_name);
    }
    if ( proc )
        closedir(proc);
    return used;
}
