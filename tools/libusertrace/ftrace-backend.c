/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ftrace back end: lines in the kernel's trace buffer, among the kernel's
 * own events, through the file trace_marker.  One write is one entry.
 *
 * A program without permission (root) to write there still runs: the library
 * reports the reason once, and discards the lines.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "libusertrace/backends.h"
#include "libusertrace/line.h"
#include "libusertrace/reporter.h"
#include "libusertrace/trace/text.h"

/* Overrides the mount point: another instance, or a test's folder. */
#define FOLDER_ENV "USERTRACE_TRACEFS"

#define FOLDER_MAX 3000u

static _Atomic int marker_fd = -1;

/* The mount point of tracefs; debugfs has tracefs in a subfolder. */
static int find_mount(char *folder)
{
    FILE *mounts = setmntent("/proc/mounts", "r");
    char text[FOLDER_MAX + 1000];
    struct mntent mount;
    int rc = -ENOENT;

    while ( mounts && rc && getmntent_r(mounts, &mount, text, sizeof(text)) )
    {
        if ( strlen(mount.mnt_dir) > FOLDER_MAX - 16 )
            continue;
        if ( !strcmp(mount.mnt_type, "tracefs") )
            rc = snprintf(folder, FOLDER_MAX, "%s", mount.mnt_dir) < 0;
        else if ( !strcmp(mount.mnt_type, "debugfs") )
            rc = snprintf(folder, FOLDER_MAX, "%s/tracing", mount.mnt_dir) < 0;
    }
    if ( mounts )
        endmntent(mounts);
    return rc;
}

static int find_folder(char *folder, struct err *e)
{
    const char *asked = getenv(FOLDER_ENV);

    if ( asked && strlen(asked) < FOLDER_MAX )
        return snprintf(folder, FOLDER_MAX, "%s", asked) < 0;
    if ( !asked && !find_mount(folder) )
        return 0;
    return err_set(e, -ENOENT, "tracefs is not mounted: as root, mount -t "
                   "tracefs tracefs /sys/kernel/tracing");
}

static int open_tracefs_file(const char *folder, const char *name)
{
    char path[FOLDER_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return fault_open(path, O_WRONLY | O_CLOEXEC, 0);
}

static int enable_tracing(const char *folder, struct err *e)
{
    int fd = open_tracefs_file(folder, "tracing_on"), rc = 0;

    if ( fd < 0 )
        return err_sys(e, -errno, "Could not open ftrace 'tracing_on' file");
    if ( fault_write(fd, "1", 1) != 1 )
        rc = err_sys(e, -errno, "Could not write to 'tracing_on' file");
    close(fd);
    return rc;
}

int ut_ftrace_init(struct err *e)
{
    char folder[FOLDER_MAX];
    int rc = find_folder(folder, e);

    assert(marker_fd < 0);
    if ( !rc )
        rc = enable_tracing(folder, e);
    if ( rc == -EACCES || rc == -EPERM )
    {
        ut_report("warning: %s: ftrace output is disabled", e->text);
        *e = (struct err)ERR_INIT;
        return 0;
    }
    if ( rc )
        return rc;
    marker_fd = open_tracefs_file(folder, "trace_marker");
    if ( marker_fd < 0 )
        return err_sys(e, -errno, "Could not open ftrace 'trace_marker' file");
    return 0;
}

/*
 * The kernel splits a long entry into several.  Cut the line here instead, so
 * one event is one entry, with a newline at its end.
 */
#define ENTRY_MAX 1000u

void usertrace_ftrace(const char *format, ...)
{
    struct ut_line line;
    int saved = errno;
    va_list args;

    if ( marker_fd < 0 )
        return;
    va_start(args, format);
    ut_line_format(&line, "", format, args);
    va_end(args);
    if ( line.length > ENTRY_MAX )
    {
        line.length = ENTRY_MAX;
        line.text[ENTRY_MAX - 1] = '\n';
    }
    ut_line_write(marker_fd, line.text, line.length);
    ut_line_fini(&line);
    errno = saved;
}
