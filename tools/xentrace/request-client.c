/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each command first asks all sockets of the directory for their status, so
 * that it can choose by the output file, and name the choices.  A socket that
 * refuses connections belongs to a dead process, and is removed.
 */
#define _GNU_SOURCE /* prctl */

#include "xentrace/request-client.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/unix-socket.h"

#define STATUS_MS 2000u     /* patience for all answers to "status" */
#define MARK_MS 30000u
#define RETRY_MS 5
#define PATH_SHOWN 37u      /* bytes of a path in a list of captures */

/* A running xentrace. */
struct capture
{
    pid_t pid;
    int fd;                 /* -1: no connection */
    char *status;           /* answer to "status"; NULL: none */
};

struct capture_list
{
    char dir[CONTROL_PATH_MAX];
    struct capture *all;    /* in the order of pids */
    size_t nr, room;
};

static uint64_t read_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* --- messages ------------------------------------------------------------- */

static int send_message(int fd, const char *word, const char *text)
{
    char message[CONTROL_MESSAGE_MAX];
    int length = snprintf(message, sizeof(message), "%s%s%s", word,
                          text ? " " : "", text ? text : "");

    assert(length > 0 && (size_t)length < sizeof(message));
    return send(fd, message, length, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Wait until `end_ms`, or for ever if it is UINT64_MAX. */
static int wait_for_message(int fd, uint64_t end_ms)
{
    struct pollfd pfd = { .fd = fd, .events = POLLIN };
    uint64_t now = read_ms();
    int left = end_ms > now ? (int)(end_ms - now) : 0, rc;

    if ( end_ms == UINT64_MAX )
        left = -1;

    do
        rc = poll(&pfd, 1, left);
    while ( rc < 0 && errno == EINTR );
    return rc > 0 ? 0 : rc ? -errno : -ETIMEDOUT;
}

/*
 * Receive an answer: the text that follows its head, in *text, which the caller
 * frees.  Returns 1 if the answer is an error, 0 if not, or -errno.
 */
static int read_answer(int fd, uint64_t end_ms, char **text)
{
    char message[CONTROL_MESSAGE_MAX + 1];
    const char *head = CONTROL_OK;
    ssize_t got;
    int rc = wait_for_message(fd, end_ms), is_error;

    *text = NULL;
    if ( rc )
        return rc;
    got = recv(fd, message, sizeof(message) - 1, MSG_DONTWAIT);
    if ( got <= 0 )
        return got ? -errno : -ECONNRESET;
    message[got] = '\0';
    is_error = !strncmp(message, CONTROL_ERROR, strlen(CONTROL_ERROR));
    if ( is_error )
        head = CONTROL_ERROR;
    if ( strncmp(message, head, strlen(head)) )
        return -EPROTO;
    *text = fault_strdup(message + strlen(head));
    return *text ? is_error : -ENOMEM;
}

/* --- list ----------------------------------------------------------------- */

/* Connect; while the backlog is full, try again until `end_ms`. */
static int connect_until(const char *path, uint64_t end_ms)
{
    int fd = unix_socket_connect(SOCK_SEQPACKET, path);

    while ( fd == -EAGAIN && read_ms() < end_ms )
    {
        poll(NULL, 0, RETRY_MS);
        fd = unix_socket_connect(SOCK_SEQPACKET, path);
    }
    return fd;
}

/* "4711.sock" to 4711; 0: another file. */
static pid_t parse_socket_name(const char *name)
{
    char *end;
    long pid = strtol(name, &end, 10);

    return isdigit((unsigned char)*name) && !strcmp(end, ".sock") && pid > 0 &&
           pid <= INT_MAX ? pid : 0;
}

static int add_capture(struct capture_list *l, pid_t pid, int fd)
{
    size_t room = 2 * l->room + 16;
    struct capture *all;

    if ( l->nr == l->room )
    {
        all = fault_realloc(l->all, room * sizeof(*all));
        if ( !all )
            return -ENOMEM;
        l->all = all;
        l->room = room;
    }
    l->all[l->nr++] = (struct capture){ .pid = pid, .fd = fd };
    return 0;
}

/* Connect to the socket of this name; a stale one is removed. */
static int add_socket(struct capture_list *l, pid_t pid, uint64_t end_ms)
{
    char path[CONTROL_PATH_MAX];
    struct err ignored = ERR_INIT;
    int rc = control_socket_path(path, l->dir, pid, &ignored), fd;

    if ( rc )
        return rc;
    fd = connect_until(path, end_ms);
    if ( fd == -ECONNREFUSED )
        unix_socket_remove_stale(path);
    if ( fd == -ECONNREFUSED || fd == -ENOENT )
        return 0;
    if ( fd >= 0 )
        send_message(fd, control_request_word(REQUEST_STATUS), NULL);
    rc = add_capture(l, pid, fd < 0 ? -1 : fd);
    if ( rc && fd >= 0 )
        close(fd);
    return rc;
}

static int compare_pids(const void *a, const void *b)
{
    const struct capture *x = a, *y = b;

    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* One time limit for all of them, so a hanging one does not delay others. */
static int read_statuses(struct capture_list *l, uint64_t end_ms)
{
    int rc = 0;

    for ( size_t i = 0; rc != -ENOMEM && i < l->nr; i++ )
    {
        struct capture *c = &l->all[i];

        rc = c->fd < 0 ? 0 : read_answer(c->fd, end_ms, &c->status);
        if ( rc )
        {
            free(c->status);
            c->status = NULL;
        }
    }
    return rc == -ENOMEM ? rc : 0;
}

static int read_directory(struct capture_list *l, uint64_t end_ms,
                          struct err *e)
{
    DIR *dir = opendir(l->dir);
    struct dirent *d;
    int rc = 0;
    pid_t pid;

    if ( !dir )
        return err_sys(e, -errno, "%.150s", l->dir);
    while ( !rc && (d = readdir(dir)) )
    {
        pid = parse_socket_name(d->d_name);
        rc = pid ? add_socket(l, pid, end_ms) : 0;
    }
    closedir(dir);
    if ( l->nr )
        qsort(l->all, l->nr, sizeof(*l->all), compare_pids);
    return rc ? err_sys(e, rc, "cannot list the running captures") : 0;
}

static int list_captures(struct capture_list *l, struct err *e)
{
    uint64_t end_ms = read_ms() + STATUS_MS;
    struct err missing = ERR_INIT;
    int rc = control_socket_dir(l->dir, e);

    if ( rc )
        return rc;
    rc = control_socket_check_dir(l->dir, false, &missing);
    if ( rc == -ENOENT )
        return 0;
    if ( rc )
        return err_set(e, rc, "%s", missing.text);
    rc = read_directory(l, end_ms, e);
    if ( !rc && read_statuses(l, end_ms) )
        rc = err_sys(e, -ENOMEM, "cannot list the running captures");
    return rc;
}

static void free_captures(struct capture_list *l)
{
    for ( size_t i = 0; i < l->nr; i++ )
    {
        if ( l->all[i].fd >= 0 )
            close(l->all[i].fd);
        free(l->all[i].status);
    }
    free(l->all);
}

/* --- choice --------------------------------------------------------------- */

/* The output in a status, "/tmp/trace.bin"; returns its length. */
static size_t find_output(const struct capture *c, const char **output)
{
    static const char key[] = "output: ";

    *output = "";
    if ( !c->status || strncmp(c->status, key, sizeof(key) - 1) )
        return 0;
    *output = c->status + sizeof(key) - 1;
    return strcspn(*output, "\n");
}

static bool is_chosen(const struct request_plan *p, const struct capture *c)
{
    char path[PATH_MAX];
    const char *output;
    size_t length;

    if ( p->pid )
        return c->pid == (pid_t)p->pid;
    if ( !p->file )
        return true;
    control_output_path(path, p->file);
    length = find_output(c, &output);
    return length && strlen(path) == length && !memcmp(path, output, length);
}

/* Append text; what does not fit is cut. */
static void append_fragment(char *text, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void append_fragment(char *text, size_t size, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;

    assert(used < size);
    va_start(args, fmt);
    vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}

/* "4711 (/tmp/a.bin), 4712 (/tmp/b.bin)" */
static void format_captures(const struct capture_list *l, char *text,
                            size_t size)
{
    const char *output;
    size_t length, i;

    *text = '\0';
    for ( i = 0; i < l->nr && strlen(text) + 64 < size; i++ )
    {
        length = find_output(&l->all[i], &output);
        append_fragment(text, size, "%s%d", i ? ", " : "", (int)l->all[i].pid);
        if ( length > PATH_SHOWN )
            append_fragment(text, size, " (...%.*s)", (int)PATH_SHOWN,
                            output + length - PATH_SHOWN);
        else if ( length )
            append_fragment(text, size, " (%.*s)", (int)length, output);
    }
    if ( i < l->nr )
        append_fragment(text, size, " and %zu more", l->nr - i);
}

static int explain_choice(const struct capture_list *l,
                          const struct request_plan *p, size_t nr,
                          struct err *e)
{
    char names[180];

    format_captures(l, names, sizeof(names));
    if ( !l->nr )
        return err_set(e, -ESRCH, "no xentrace of this user is running (none "
                       "listens in %.100s)", l->dir);
    if ( nr )
        return err_set(e, -EINVAL, "several are running: %s; add --pid N or "
                       "the output FILE", names);
    if ( p->pid )
        return err_set(e, -ESRCH, "--pid %u: no such xentrace; there is %s",
                       p->pid, names);
    return err_set(e, -ESRCH, "%.40s: no xentrace writes there; there is %s",
                   p->file, names);
}

/* The only capture that the plan chooses; NULL: *e says why not. */
static const struct capture *choose_capture(const struct capture_list *l,
                                            const struct request_plan *p,
                                            struct err *e)
{
    const struct capture *found = NULL;
    size_t nr = 0;

    for ( size_t i = 0; i < l->nr; i++ )
        if ( is_chosen(p, &l->all[i]) )
        {
            found = &l->all[i];
            nr++;
        }
    if ( nr == 1 )
        return found;
    explain_choice(l, p, nr, e);
    return NULL;
}

/* --- commands ------------------------------------------------------------- */

static void print_status(const struct capture *c, FILE *out)
{
    const char *line = c->status ? c->status : "";

    fprintf(out, "xentrace %d\n", (int)c->pid);
    if ( !c->status )
        fprintf(out, "  does not answer: it is busy, or about to end\n");
    while ( *line )
    {
        int length = strcspn(line, "\n"), name = strcspn(line, ":\n");

        fprintf(out, "  %.*s:%*s%.*s\n", name, line,
                name < 11 ? 11 - name : 1, "",
                length > name + 2 ? length - name - 2 : 0, line + name + 2);
        line += length + (line[length] == '\n');
    }
}

static int run_status(const struct capture_list *l,
                      const struct request_plan *p, FILE *out, struct err *e)
{
    size_t nr = 0;

    for ( size_t i = 0; i < l->nr; i++ )
        if ( is_chosen(p, &l->all[i]) )
        {
            if ( nr++ )
                putc('\n', out);
            print_status(&l->all[i], out);
        }
    return nr ? 0 : explain_choice(l, p, nr, e);
}

/* The failure of a request without an answer. */
static int explain_silence(const struct capture *c, int rc, struct err *e)
{
    if ( rc == -ECONNRESET )
        return err_set(e, rc, "capture %d has ended without an answer",
                       (int)c->pid);
    return err_sys(e, rc, "capture %d does not answer", (int)c->pid);
}

static int run_request(const struct capture_list *l,
                       const struct capture *c, const struct request_plan *p,
                       FILE *out, struct err *e)
{
    /* A snapshot and the end of a capture may take long. */
    uint64_t end_ms = p->kind == REQUEST_MARK ? read_ms() + MARK_MS
                                              : UINT64_MAX;
    char path[CONTROL_PATH_MAX], *text = NULL;
    int rc = control_socket_path(path, l->dir, c->pid, e), fd;

    if ( rc )
        return rc;
    if ( !c->status )
        return explain_silence(c, -ETIMEDOUT, e);
    fd = connect_until(path, end_ms);
    if ( fd < 0 )
        return explain_silence(c, fd, e);
    rc = send_message(fd, control_request_word(p->kind), p->text);
    if ( !rc )
        rc = read_answer(fd, end_ms, &text);
    close(fd);
    if ( rc < 0 )
        explain_silence(c, rc, e);
    else if ( rc )
        rc = err_set(e, -EIO, "capture %d: %.220s", (int)c->pid, text);
    else
        fprintf(out, "%s\n", text);
    free(text);
    return rc;
}

int request_run(const struct request_plan *p, FILE *out, struct err *e)
{
    struct capture_list l = { .nr = 0 };
    const struct capture *c;
    int rc;

    assert(p->kind != REQUEST_NONE);
    assert(!p->text || strlen(p->text) <= CONTROL_TEXT_MAX);
    /* competing_readers_find() must not take this process for a reader. */
    prctl(PR_SET_NAME, "xentrace-ask");
    rc = list_captures(&l, e);
    if ( !rc && p->kind == REQUEST_STATUS )
        rc = run_status(&l, p, out, e);
    else if ( !rc )
    {
        c = choose_capture(&l, p, e);
        rc = c ? run_request(&l, c, p, out, e) : e->code;
    }
    free_captures(&l);
    if ( !rc && (fflush(out) || ferror(out)) )
        rc = err_sys(e, errno ? -errno : -EIO,
                     "cannot write to the standard output");
    return rc;
}
