/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory of its own, with mode 0700, protects the sockets in /tmp, too: no
 * other user can offer a socket there under the number of a process.
 */
#include "xentrace/control-socket.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const words[REQUEST_KINDS] = {
    [REQUEST_NONE] = "",
    [REQUEST_STATUS] = "status",
    [REQUEST_STOP] = "stop",
    [REQUEST_SNAPSHOT] = "snapshot",
    [REQUEST_MARK] = "mark",
};

const char *control_request_word(enum request_kind kind)
{
    assert(kind < REQUEST_KINDS);
    return words[kind];
}

bool control_is_one_line(const char *text)
{
    for ( ; *text; text++ )
        if ( (unsigned char)*text < ' ' || *text == 0x7f )
            return false;
    return true;
}

/* --- directory ------------------------------------------------------------ */

/* An empty environment variable counts as unset. */
static const char *get_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

int control_socket_dir(char dir[CONTROL_PATH_MAX], struct err *e)
{
    const char *given = get_variable("XENTRACE_CONTROL_DIR");
    const char *run = get_variable("XDG_RUNTIME_DIR");
    const char *tmp = get_variable("TMPDIR");
    int length;

    if ( given )
        length = snprintf(dir, CONTROL_PATH_MAX, "%s", given);
    else if ( !geteuid() )
        length = snprintf(dir, CONTROL_PATH_MAX, "/run/xentrace");
    else if ( run )
        length = snprintf(dir, CONTROL_PATH_MAX, "%s/xentrace", run);
    else
        length = snprintf(dir, CONTROL_PATH_MAX, "%s/xentrace-%u",
                          tmp ? tmp : "/tmp", (unsigned int)geteuid());
    assert(length >= 0);
    if ( (size_t)length < CONTROL_PATH_MAX )
        return 0;
    return err_set(e, -ENAMETOOLONG, "the directory of the control sockets has "
                   "a path of more than %u bytes", CONTROL_PATH_MAX - 1);
}

int control_socket_check_dir(const char *dir, bool create, struct err *e)
{
    struct stat st;

    assert(*dir);
    if ( create && mkdir(dir, 0700) && errno != EEXIST )
        return err_sys(e, -errno, "cannot make the directory %.150s", dir);
    if ( lstat(dir, &st) )
        return err_sys(e, -errno, "%.150s", dir);
    if ( !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022 )
        return err_set(e, -EACCES, "%.150s is not a directory that only you "
                       "can write to", dir);
    return 0;
}

int control_socket_path(char path[CONTROL_PATH_MAX], const char *dir, pid_t pid,
                        struct err *e)
{
    int length = snprintf(path, CONTROL_PATH_MAX, "%s/%d.sock", dir, (int)pid);

    assert(pid > 0 && length > 0);
    return (size_t)length < CONTROL_PATH_MAX ? 0 :
        err_set(e, -ENAMETOOLONG, "%.150s: the path is too long", dir);
}

/* --- output --------------------------------------------------------------- */

/* The folder of `output`, resolved; false: there is no such folder. */
static bool resolve_folder(char folder[PATH_MAX], const char *output,
                           const char *slash)
{
    char given[PATH_MAX];

    if ( !slash )
        return realpath(".", folder);
    if ( (size_t)(slash - output) >= sizeof(given) )
        return false;
    snprintf(given, sizeof(given), "%.*s", (int)(slash - output + 1), output);
    return realpath(given, folder);
}

void control_output_path(char path[PATH_MAX], const char *output)
{
    const char *slash = output ? strrchr(output, '/') : NULL;
    char folder[PATH_MAX];
    int length;

    *path = '\0';
    if ( !output || !strcmp(output, "-") )
        return;
    if ( !resolve_folder(folder, output, slash) )
        length = snprintf(path, PATH_MAX, "%s", output);
    else
        length = snprintf(path, PATH_MAX, "%s/%s",
                          strcmp(folder, "/") ? folder : "",
                          slash ? slash + 1 : output);
    assert(length > 0);
}
