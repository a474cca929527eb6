/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of programs as one stream.  Whenever the order (event-order.h) has
 * room, the file that is furthest behind is read; otherwise its earliest event
 * leaves.
 */
#include "xenalyze/programs/programs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <public/trace.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/utf8.h"
#include "xenalyze/programs/clock-pairs.h"
#include "xenalyze/programs/event-order.h"
#include "xenalyze/programs/name-table.h"
#include "xenalyze/programs/program-source.h"

#define PROCESSES_MAX 4096u             /* further ones share one number */
#define SECOND INT64_C(1000000000)
#define WALL_TOLERANCE (60 * SECOND)    /* dom0 may correct its clock */

/* A file that is read. */
struct input
{
    struct source source;
    uint64_t time;              /* time stamp of its last event */
    uint64_t first;             /* its first event, for an estimate */
    bool ended;
};

struct process
{
    struct program_process shown;
    const struct input *from;
};

struct programs
{
    struct input *inputs;
    size_t nr;
    struct clock_pairs pairs;
    struct event_order order;
    struct name_table names;
    struct process *processes;  /* PROCESSES_MAX */
    uint32_t nr_processes, last_process;
    bool wants_text;
    struct programs *origin;    /* if this is a copy */
};

/* The kind of a file, by its first bytes; NULL: no trace of a program. */
static const struct source_kind *find_source_kind(const char *path)
{
    const struct source_kind *const kinds[] = {
        source_simple(), source_trace_dat(), source_log(), source_ftrace(),
    };

    for ( size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++ )
        if ( kinds[i]->recognises(path) )
            return kinds[i];
    return NULL;
}

/*
 * Does the file begin with a window, as most traces of Xen do?  If the file
 * cannot be opened, its reader will say so.
 */
static bool begins_with_window(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint32_t header = 0;
    bool is_window;

    if ( fd < 0 )
        return false;
    is_window = read(fd, &header, sizeof(header)) == sizeof(header) &&
                TRC_HD_TO_EVENT(header) == TRC_TRACE_CPU_CHANGE;
    close(fd);
    return is_window;
}

/* Opening and closing a named pipe would break the pipe for its writer. */
bool programs_is_trace(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode) &&
           !begins_with_window(path) && find_source_kind(path);
}

/* --- open and close ------------------------------------------------------- */

static void set_label(struct source *s)
{
    const char *slash = strrchr(s->path, '/');
    const char *name = slash && slash[1] ? slash + 1 : s->path;
    size_t length = utf8_cut(name, SOURCE_LABEL_MAX - 1);

    memcpy(s->label, name, length);
    s->label[length] = '\0';
    utf8_clean(s->label);
}

/* A file is opened now, so that a wrong one is an error before any output. */
static int open_input(struct input *in, const char *path,
                      const char *declarations, struct err *e)
{
    struct source *s = &in->source;

    *s = (struct source){ .path = path, .declarations = declarations,
                          .kind = find_source_kind(path) };
    if ( !s->kind )
        return err_set(e, -EINVAL, "%s is no trace of a program", path);
    set_label(s);
    return s->kind->open(s, e);
}

/* Without files, which have room; NULL: no memory. */
static struct programs *programs_new(size_t nr)
{
    struct programs *p = fault_calloc(1, sizeof(*p));

    if ( !p )
        return NULL;
    name_table_init(&p->names);
    p->inputs = fault_calloc(nr, sizeof(*p->inputs));
    p->processes = fault_calloc(PROCESSES_MAX, sizeof(*p->processes));
    if ( p->inputs && p->processes )
        return p;
    programs_close(p);
    return NULL;
}

int programs_open(struct programs **programs, const char *const *paths,
                  size_t nr, const char *declarations, struct err *e)
{
    struct programs *p = programs_new(nr);
    int rc = p ? 0 : err_sys(e, -ENOMEM, "cannot read %s", paths[0]);

    assert(nr && paths);
    *programs = p;
    for ( ; !rc && p->nr < nr; p->nr += !rc )
        rc = open_input(&p->inputs[p->nr], paths[p->nr], declarations, e);
    if ( rc )
    {
        programs_close(p);
        *programs = NULL;
    }
    return rc;
}

static void keep_most(uint64_t *most, uint64_t number)
{
    if ( number > *most )
        *most = number;
}

/* Let the origin know what the copy has read. */
static void report_to_origin(const struct programs *p)
{
    assert(p->origin->nr == p->nr);
    for ( size_t i = 0; i < p->nr; i++ )
    {
        const struct source *from = &p->inputs[i].source;
        struct source *to = &p->origin->inputs[i].source;

        keep_most(&to->lost, from->lost);
        keep_most(&to->gaps, from->gaps);
        keep_most(&to->skipped, from->skipped);
        keep_most(&to->undeclared, from->undeclared);
    }
    keep_most(&p->origin->order.late, p->order.late);
}

void programs_close(struct programs *p)
{
    if ( !p )
        return;
    if ( p->origin )
        report_to_origin(p);
    for ( size_t i = 0; i < p->nr; i++ )
        p->inputs[i].source.kind->close(&p->inputs[i].source);
    for ( uint32_t i = 0; i < p->nr_processes; i++ )
        free((char *)p->processes[i].shown.label);
    event_order_fini(&p->order);
    clock_pairs_fini(&p->pairs);
    name_table_fini(&p->names);
    free(p->processes);
    free(p->inputs);
    free(p);
}

/* --- the clock, and the boot ---------------------------------------------- */

static bool is_other_boot(const struct source *s, const struct xt_info *info)
{
    const unsigned char *boot = (const unsigned char *)info->boot;

    return s->has_boot && info->has_boot &&
           memcmp(s->boot, boot, sizeof(s->boot));
}

/* The difference of both clocks changes only as dom0 sets its wall clock. */
static bool is_other_wall(const struct source *s, const struct clock_pair *pair)
{
    int64_t apart = (int64_t)((s->wall - s->mono) - (pair->wall - pair->mono));

    return s->has_wall && pair->wall &&
           (apart > WALL_TOLERANCE || apart < -WALL_TOLERANCE);
}

static int check_boot(const struct programs *p, const struct source *s,
                      const struct xt_trace *trace, const struct xt_info *info,
                      const struct log *log, struct err *e)
{
    const char *name = xt_trace_name(trace);

    assert(s->kind && name);
    if ( is_other_boot(s, info) )
        return err_set(e, -EINVAL, "%s is from another boot of the host than "
                       "%s: the boot id differs; analyze them one by one",
                       s->path, name);
    if ( (s->has_boot && info->has_boot) || s->clock == SOURCE_WALL )
        return 0;
    if ( p->pairs.nr && is_other_wall(s, p->pairs.all) )
        return err_set(e, -EINVAL, "%s is from another boot of the host than "
                       "%s: the wall clock differs; analyze them one by one",
                       s->path, name);
    log_info(log, "assuming that %s is from the same boot of the host as the "
             "trace of Xen: %s", s->path, s->has_boot
             ? "the trace of Xen has no boot id" : s->has_wall && p->pairs.nr
             ? "it has no boot id, and its wall clock agrees"
             : "it has no boot id and no wall clock");
    return 0;
}

/* The identity of a file follows its first event. */
static int read_identity(struct programs *p, struct input *in, struct err *e)
{
    struct source_event event;
    int rc = in->source.kind->read(&in->source, false, &event, e);

    assert(p->nr);
    return rc < 0 ? rc : 0;
}

int programs_set_clock(struct programs *p, struct xt_trace *trace,
                       const struct xt_info *info, uint64_t hz,
                       const struct log *log, struct err *e)
{
    struct xt_clock clock;
    int rc = 0;

    assert(!p->pairs.nr);
    xt_info_clock(info, hz, &clock);
    xt_trace_visit_metadata(trace, clock_pairs_add, &p->pairs);
    clock_pairs_finish(&p->pairs, &clock);
    if ( p->pairs.failed )
        return err_sys(e, -ENOMEM, "cannot keep the clocks");
    for ( size_t i = 0; !rc && i < p->nr; i++ )
    {
        rc = programs_begin(p, false, e);
        rc = rc ? rc : read_identity(p, &p->inputs[i], e);
        rc = rc ? rc : check_boot(p, &p->inputs[i].source, trace, info, log,
                                  e);
    }
    if ( !rc && !p->pairs.nr )
        return PROGRAMS_NO_PAIRS;
    return rc;
}

/* --- the clock from causes ------------------------------------------------ */

/* A line through no pair but an estimated one. */
static void set_estimated_pair(struct programs *p,
                               const struct clock_offset *offset,
                               const struct xt_clock *clock)
{
    uint64_t mono = p->inputs->first;
    uint64_t error = offset->error < UINT32_MAX / 2 ? offset->error
                                                    : UINT32_MAX / 2;
    struct xt_meta m = {
        .event = TRC_META_CLOCK,
        .clock = { .tsc = xt_clock_cycles(clock, mono) + offset->cycles,
                   .mono = mono, .uncertainty = 2 * error },
    };

    clock_pairs_add(&p->pairs, &m);
    clock_pairs_finish(&p->pairs, clock);
}

/* Read the first events of the first file, in cycles. */
static int read_cycles(struct programs *p, const struct xt_clock *clock,
                       uint64_t *events, size_t *nr, struct err *e)
{
    struct source *s = &p->inputs->source;
    struct source_event event;
    int rc = programs_begin(p, false, e);

    assert(p->nr);
    *nr = 0;
    while ( !rc && *nr < CLOCK_OFFSET_EVENTS &&
            (rc = s->kind->read(s, false, &event, e)) > 0 )
    {
        rc = 0;
        if ( event.lost )
            continue;
        if ( !*nr )
            p->inputs->first = event.time;
        events[(*nr)++] = xt_clock_cycles(clock, event.time);
    }
    return rc < 0 ? rc : 0;
}

#define FEWEST_FITTING 8u

static int use_offset(struct programs *p, const struct clock_offset *offset,
                      size_t nr, const struct xt_clock *clock,
                      const struct log *log, struct err *e)
{
    const char *path = p->inputs->source.path;
    char error[NUM_CLOCK_MAX];

    assert(offset->fitting <= nr);
    if ( offset->fitting < FEWEST_FITTING || offset->fitting < nr / 2 )
        return err_set(e, -EINVAL, "%s has no place in the trace of Xen, which "
                       "has no readings of dom0's clock: %zu of %zu events can "
                       "be within accesses to emulated devices", path,
                       offset->fitting, nr);
    set_estimated_pair(p, offset, clock);
    if ( !p->pairs.nr )
        return err_sys(e, -ENOMEM, "cannot keep the clocks");
    *num_duration(error, programs_clock_error(p)) = '\0';
    log_info(log, "the trace of Xen has no readings of dom0's clock: its "
             "offset is estimated from accesses to emulated devices, with an "
             "error of %s; %zu of %zu events of %s fit", error,
             offset->fitting, nr, path);
    return 0;
}

int programs_estimate_clock(struct programs *p, struct clock_span *spans,
                            size_t nr, const struct xt_clock *clock,
                            const struct log *log, struct err *e)
{
    uint64_t *events = fault_calloc(CLOCK_OFFSET_EVENTS, sizeof(*events));
    struct clock_offset offset;
    size_t nr_events = 0;
    int rc = events ? read_cycles(p, clock, events, &nr_events, e)
                    : err_sys(e, -ENOMEM, "cannot compare the clocks");

    assert(!p->pairs.nr);
    if ( !rc && clock_offset_find(events, nr_events, spans, nr, &offset) )
        rc = err_sys(e, -ENOMEM, "cannot compare the clocks");
    rc = rc ? rc : use_offset(p, &offset, nr_events, clock, log, e);
    free(events);
    return rc;
}

/* --- copies --------------------------------------------------------------- */

static int copy_input(struct input *in, const struct input *from,
                      struct err *e)
{
    const struct source *s = &from->source;

    return open_input(in, s->path, s->declarations, e);
}

int programs_copy(struct programs **copy, struct programs *from,
                  struct err *e)
{
    struct programs *p = programs_new(from->nr);
    int rc = p ? clock_pairs_copy(&p->pairs, &from->pairs) : -ENOMEM;

    assert(from->pairs.nr);
    if ( rc )
        err_sys(e, rc, "cannot read %s", from->inputs->source.path);
    for ( ; !rc && p->nr < from->nr; p->nr += !rc )
        rc = copy_input(&p->inputs[p->nr], &from->inputs[p->nr], e);
    if ( rc )
    {
        programs_close(p);
        p = NULL;
    }
    else
        p->origin = from;
    *copy = p;
    return rc;
}

uint64_t programs_clock_error(const struct programs *p)
{
    return clock_pairs_error(&p->pairs);
}

/* --- processes ------------------------------------------------------------ */

static bool is_process(const struct process *process, const struct input *in,
                       uint32_t pid)
{
    return process->from == in && process->shown.pid == pid;
}

/* 0 or -ENOMEM. */
static int find_process(struct programs *p, const struct input *in,
                        const struct source_event *event, uint32_t *number)
{
    uint32_t pid = event->pid;
    uint32_t i = 0;

    *number = p->last_process;
    if ( p->nr_processes &&
         is_process(&p->processes[p->last_process], in, pid) )
        return 0;
    while ( i < p->nr_processes && !is_process(&p->processes[i], in, pid) )
        i++;
    if ( i == PROCESSES_MAX )
        i = PROCESSES_MAX - 1;
    if ( i == p->nr_processes )
    {
        char *label = fault_strdup(event->process ? event->process
                                                  : in->source.label);

        if ( !label )
            return -ENOMEM;
        p->processes[p->nr_processes++] = (struct process){
            { label, pid, in->source.path }, in };
    }
    *number = p->last_process = i;
    return 0;
}

uint32_t programs_nr_processes(const struct programs *p)
{
    return p->nr_processes;
}

const struct program_process *programs_process(const struct programs *p,
                                               uint32_t number)
{
    assert(number < p->nr_processes);
    return &p->processes[number].shown;
}

uint32_t programs_nr_event_names(const struct programs *p)
{
    return p->names.nr;
}

const char *programs_event_name(const struct programs *p, uint32_t number)
{
    assert(number < p->names.nr);
    return p->names.names[number];
}

/* --- events --------------------------------------------------------------- */

/* Sources are opened anew: a reader has no way back. */
static int reopen_input(struct input *in, struct err *e)
{
    struct source *s = &in->source;

    s->kind->close(s);
    s->events = s->lost = s->skipped = s->gaps = s->undeclared = 0;
    in->ended = false;
    in->time = 0;
    return s->kind->open(s, e);
}

int programs_begin(struct programs *p, bool wants_text, struct err *e)
{
    int rc = 0;

    event_order_reset(&p->order);
    p->wants_text = wants_text;
    for ( size_t i = 0; !rc && i < p->nr; i++ )
        rc = reopen_input(&p->inputs[i], e);
    return rc;
}

static struct input *find_input_behind(struct programs *p)
{
    struct input *behind = NULL;

    for ( size_t i = 0; i < p->nr; i++ )
        if ( !p->inputs[i].ended &&
             (!behind || p->inputs[i].time < behind->time) )
            behind = &p->inputs[i];
    return behind;
}

static uint64_t get_time_stamp(const struct programs *p, const struct input *in,
                               uint64_t time)
{
    if ( in->source.clock == SOURCE_TSC )
        return time;
    if ( in->source.clock == SOURCE_WALL )
        time = clock_pairs_mono(&p->pairs, time);
    return clock_pairs_tsc(&p->pairs, time);
}

static int add_source_event(struct programs *p, struct input *in,
                     const struct source_event *from)
{
    struct program_event event = {
        .time = get_time_stamp(p, in, from->time), .tid = from->tid,
        .lost = from->lost, .text = from->text,
    };

    in->source.events += !from->lost;
    in->source.lost += from->lost;
    in->time = event.time;
    if ( find_process(p, in, from, &event.process) ||
         (!from->lost && name_table_add(&p->names, from->name, &event.name)) )
        return -ENOMEM;
    return event_order_add(&p->order, &event);
}

/* Read an event of a file into the order; its end is remembered. */
static int read_event(struct programs *p, struct input *in, struct err *e)
{
    struct source_event event;
    int rc = in->source.kind->read(&in->source, p->wants_text, &event, e);

    assert(!in->ended);
    in->ended = rc <= 0;
    if ( rc > 0 )
        rc = add_source_event(p, in, &event);
    if ( rc == -ENOMEM && !in->ended )
        err_sys(e, rc, "cannot read %s", in->source.path);
    return rc;
}

int programs_next(struct programs *p, const struct program_event **event,
                  struct err *e)
{
    struct input *in;
    int rc = 0;

    while ( !rc && !event_order_is_full(&p->order) &&
            (in = find_input_behind(p)) )
        rc = read_event(p, in, e);
    if ( rc )
        return rc;
    *event = event_order_next(&p->order);
    return *event != NULL;
}

/* --- warnings ------------------------------------------------------------- */

static void warn_input(const struct source *s, const struct log *log)
{
    if ( s->lost )
        log_warning(log, "%s: the program lost %" PRIu64 " events", s->path,
                    s->lost);
    if ( s->gaps )
        log_warning(log, "%s: skipped %" PRIu64 " damaged bytes in %" PRIu64
                    " places", s->path, s->skipped, s->gaps);
    if ( s->undeclared )
        log_warning(log, "%s: %" PRIu64 " events do not match a declaration, "
                    "and their arguments are printed as bytes: give the "
                    "program's file of events with --program-events", s->path,
                    s->undeclared);
}

void programs_warn(const struct programs *p, const struct log *log)
{
    char error[NUM_CLOCK_MAX];

    for ( size_t i = 0; i < p->nr; i++ )
        warn_input(&p->inputs[i].source, log);
    if ( p->pairs.nr > 1 && programs_clock_error(p) >= 1000 )
    {
        *num_duration(error, programs_clock_error(p)) = '\0';
        log_warning(log, "times of programs may be off by %s: readings of "
                    "dom0's clock contradict each other", error);
    }
    if ( p->order.late )
        log_warning(log, "%" PRIu64 " events of programs come more than %u "
                    "events late, and are shown at a later time",
                    p->order.late, EVENT_ORDER_MAX);
}
