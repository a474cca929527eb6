/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text with a line for each event:
 *
 *     4711@1767225600.123456:dma_start sector 7        log back end of trace
 *                                                      points; wall clock
 *     qemu-4711  [001] d..2.  12.345678: name: args    ftrace: trace-cmd
 *     <idle>-0   [000]  29630000012: name: args        report, trace_pipe
 *
 * A time of ftrace with a point is in seconds of CLOCK_MONOTONIC (trace-cmd
 * record -C mono); a time without a point is the time-stamp counter (x86-tsc).
 * A trace.dat is read as the text that trace-cmd report makes of it, with the
 * clock that it names.  Lines of another form are skipped and counted, except
 * for the head of a file of ftrace, and for lines about lost events:
 *
 *     CPU:1 [123 EVENTS DROPPED]                       trace-cmd report
 *     CPU:1 [LOST 123 EVENTS]                          trace_pipe
 */
#include "xenalyze/programs/program-source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/utf8.h"
#include "xenalyze/programs/trace-cmd.h"

#define LINE_MAX_BYTES 2048u    /* a longer line is cut */
#define HEAD_LINES 64u          /* the first event is among these lines ... */
#define HEAD_LINE_BYTES 65536u  /* ... each of at most so many bytes */
#define BILLION UINT64_C(1000000000)

struct text_file
{
    FILE *in;
    char line[LINE_MAX_BYTES];
    size_t length;              /* bytes of the line in the file */
    uint64_t lost;              /* events, since the last one */
    bool has_held, has_any;
    struct source_event held;   /* the next one, if has_held */
    uint64_t last;              /* time of the last event, if has_any */
    enum source_clock clock;    /* clock of a trace.dat */
    struct trace_cmd child;     /* reader of a trace.dat: writes to `in` */
};

typedef bool parse_fn(struct source *s, char *line, struct source_event *e);

/* --- numbers -------------------------------------------------------------- */

/* Parse digits at *at, of which there is at least one, and move *at. */
static bool parse_digits(char **at, uint64_t *number)
{
    char *end;

    if ( **at < '0' || **at > '9' )
        return false;
    errno = 0;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return !errno;
}

/* Parse "12.345678" as nanoseconds; the parser reads up to 9 decimals. */
static bool parse_seconds(char **at, uint64_t *ns)
{
    uint64_t seconds, scale = BILLION;

    if ( !parse_digits(at, &seconds) || **at != '.' ||
         seconds > UINT64_MAX / BILLION - 1 )
        return false;
    *ns = seconds * BILLION;
    for ( ++*at; **at >= '0' && **at <= '9'; ++*at )
    {
        scale /= 10;
        *ns += (uint64_t)(**at - '0') * scale;
    }
    return scale < BILLION;
}

/* End the word at `at`; returns a pointer to the text behind the blanks. */
static char *end_word(char *at)
{
    size_t length = strcspn(at, " \t");
    char *rest = at + length;

    rest += strspn(rest, " \t");
    at[length] = '\0';
    return rest;
}

/* --- the log back end ----------------------------------------------------- */

static bool parse_log(struct source *s, char *line, struct source_event *e)
{
    uint64_t pid;

    if ( !parse_digits(&line, &pid) || pid > UINT32_MAX || *line++ != '@' ||
         !parse_seconds(&line, &e->time) || *line++ != ':' || !*line )
        return false;
    assert(s->state);
    s->clock = SOURCE_WALL;
    e->pid = pid;
    e->name = line;
    e->text = end_word(line);
    return *e->name;
}

/* --- ftrace --------------------------------------------------------------- */

/* Parse "COMM-PID" up to the pointer `end`; the last '-' ends the name. */
static bool parse_task(char *task, char *end, struct source_event *e)
{
    uint64_t pid;
    char *dash;

    while ( end > task && (end[-1] == ' ' || end[-1] == '\t') )
        end--;
    *end = '\0';
    dash = strrchr(task, '-');
    if ( !dash || dash == task )
        return false;
    *dash++ = '\0';
    if ( !parse_digits(&dash, &pid) || pid > UINT32_MAX )
        return false;
    e->process = task;
    e->pid = pid;
    return true;
}

/* Parse the timestamp field, which ends with ':'; fields of flags precede. */
static bool parse_ftrace_time(struct source *s, char **at,
                              struct source_event *e)
{
    for ( unsigned int word = 0; word < 3; word++ )
    {
        char *time = *at, *again = *at;
        bool is_seconds = parse_seconds(&time, &e->time) && *time == ':';

        if ( is_seconds || (parse_digits(&again, &e->time) && *again == ':') )
        {
            s->clock = is_seconds ? SOURCE_MONOTONIC : SOURCE_TSC;
            *at = (is_seconds ? time : again) + 1;
            return true;
        }
        *at += strcspn(*at, " \t");
        *at += strspn(*at, " \t");
    }
    return false;
}

static bool parse_ftrace(struct source *s, char *line, struct source_event *e)
{
    char *task = line + strspn(line, " \t"), *cpu = strstr(task, " ["), *at;
    size_t length;

    if ( !cpu || cpu[2] < '0' || cpu[2] > '9' || !strchr(cpu, ']') )
        return false;
    at = strchr(cpu, ']') + 1;
    at += strspn(at, " \t");
    if ( !parse_task(task, cpu, e) || !parse_ftrace_time(s, &at, e) )
        return false;
    at += strspn(at, " \t");
    length = strcspn(at, ":");
    if ( !length || at[length] != ':' )
        return false;
    at[length] = '\0';
    e->name = at;
    e->text = at + length + 1 + strspn(at + length + 1, " \t");
    return true;
}

/* --- lines ---------------------------------------------------------------- */

/*
 * Read a line without its end.  False: the end of the file, an error, or a line
 * of more than `limit` bytes, which is not read to its end.
 */
static bool read_line(struct text_file *f, size_t limit)
{
    size_t used = 0;
    int c;

    f->length = 0;
    while ( (c = getc_unlocked(f->in)) != EOF && c != '\n' )
    {
        if ( f->length++ == limit )
            return false;
        if ( used < sizeof(f->line) - 1 )
            f->line[used++] = c ? c : '?';
    }
    if ( used && f->line[used - 1] == '\r' )
        used--;
    assert(used < sizeof(f->line));
    f->line[used] = '\0';
    return f->length || c != EOF;
}

/* Lines in front of the events: number of CPUs "cpus=4", "# tracer: nop". */
static bool is_head(const char *line)
{
    return *line == '#' || !*line || !strncmp(line, "cpus=", 5);
}

static int open_text(struct source *s, struct err *e)
{
    struct text_file *f = fault_calloc(1, sizeof(*f));
    int fd = f ? fault_open(s->path, O_RDONLY | O_CLOEXEC, 0) : -1;
    int rc = f ? -errno : -ENOMEM;

    assert(!s->state);
    if ( fd >= 0 )
    {
        f->in = fdopen(fd, "r");
        rc = -errno;
    }
    if ( fd >= 0 && f->in )
    {
        s->state = f;
        return 0;
    }
    if ( fd >= 0 )
        close(fd);
    free(f);
    return err_sys(e, rc, "cannot read %s", s->path);
}

static void close_text(struct source *s)
{
    struct text_file *f = s->state;

    if ( f && f->child.pid )
        trace_cmd_close(&f->child);
    else if ( f )
        fclose(f->in);
    free(f);
    s->state = NULL;
}

/* Does the line say that events were lost?  The number may be unknown. */
static bool note_lost(struct text_file *f)
{
    unsigned long long nr = 1;
    int end = 0;

    if ( strncmp(f->line, "CPU:", 4) )
        return false;
    if ( sscanf(f->line, "CPU:%*u [%llu EVENTS DROPPED]%n", &nr, &end) < 1 )
        sscanf(f->line, "CPU:%*u [LOST %llu EVENTS]%n", &nr, &end);
    if ( !end )
        sscanf(f->line, "CPU:%*u [EVENTS DROPPED]%n", &end);
    f->lost += end && nr && nr < UINT64_MAX - f->lost ? nr : end != 0;
    return end;
}

/* Events were lost before this one, which is held back. */
static void insert_lost(struct text_file *f, struct source_event *event)
{
    assert(f->lost && !f->has_held);
    f->held = *event;
    f->has_held = true;
    event->lost = f->lost;
    f->lost = 0;
}

static int read_text(struct source *s, parse_fn *parse,
                     struct source_event *event, struct err *e)
{
    struct text_file *f = s->state;

    if ( f->has_held )
    {
        *event = f->held;
        f->has_held = false;
        return 1;
    }
    while ( read_line(f, SIZE_MAX) )
    {
        *event = (struct source_event){ .text = "" };
        if ( is_head(f->line) || note_lost(f) )
            continue;
        utf8_clean(f->line);
        if ( parse(s, f->line, event) )
        {
            f->has_any = true;
            f->last = event->time;
            if ( f->lost )
                insert_lost(f, event);
            return 1;
        }
        s->gaps++;
        s->skipped += f->length;
    }
    if ( ferror(f->in) )
        return err_sys(e, -EIO, "cannot read %s", s->path);
    if ( !f->lost || !f->has_any )
        return 0;
    *event = (struct source_event){ .time = f->last, .lost = f->lost,
                                    .text = "" };
    f->lost = 0;
    return 1;
}

/* Is the first line behind the head an event?  The parser decides. */
static bool recognises_text(const char *path, parse_fn *parse)
{
    struct source s = { .path = path };
    struct source_event event;
    bool is_event = false;

    if ( open_text(&s, NULL) )
        return false;
    for ( unsigned int i = 0; i < HEAD_LINES; i++ )
    {
        struct text_file *f = s.state;

        if ( !read_line(f, HEAD_LINE_BYTES) )
            break;
        if ( is_head(f->line) || note_lost(f) )
            continue;
        is_event = parse(&s, f->line, &event);
        break;
    }
    close_text(&s);
    return is_event;
}

static bool recognises_log(const char *path)
{
    return recognises_text(path, parse_log);
}

static bool recognises_ftrace(const char *path)
{
    return recognises_text(path, parse_ftrace);
}

static int read_log(struct source *s, bool wants_text,
                    struct source_event *event, struct err *e)
{
    (void)wants_text;
    return read_text(s, parse_log, event, e);
}

static int read_ftrace(struct source *s, bool wants_text,
                       struct source_event *event, struct err *e)
{
    (void)wants_text;
    return read_text(s, parse_ftrace, event, e);
}

const struct source_kind *source_log(void)
{
    static const struct source_kind kind = {
        .recognises = recognises_log, .open = open_text, .read = read_log,
        .close = close_text,
    };

    return &kind;
}

const struct source_kind *source_ftrace(void)
{
    static const struct source_kind kind = {
        .recognises = recognises_ftrace, .open = open_text,
        .read = read_ftrace, .close = close_text,
    };

    return &kind;
}

/* --- trace.dat ------------------------------------------------------------ */

static int open_trace_dat(struct source *s, struct err *e)
{
    struct text_file *f = fault_calloc(1, sizeof(*f));
    int rc = f ? trace_cmd_find_clock(s->path, &f->clock, e)
               : err_sys(e, -ENOMEM, "cannot read %s", s->path);

    assert(!s->state);
    rc = rc ? rc : trace_cmd_report(&f->child, s->path, e);
    if ( rc )
    {
        free(f);
        return rc;
    }
    f->in = f->child.out;
    s->state = f;
    return 0;
}

/* All times are numbers, whatever the clock is. */
static int read_trace_dat(struct source *s, bool wants_text,
                          struct source_event *event, struct err *e)
{
    struct text_file *f = s->state;
    int rc = read_text(s, parse_ftrace, event, e);

    (void)wants_text;
    s->clock = f->clock;
    if ( rc || f->has_any )
        return rc;
    return err_set(e, -EINVAL, "%s has no event that trace-cmd can read",
                   s->path);
}

const struct source_kind *source_trace_dat(void)
{
    static const struct source_kind kind = {
        .recognises = trace_cmd_recognises, .open = open_trace_dat,
        .read = read_trace_dat, .close = close_text,
    };

    return &kind;
}
