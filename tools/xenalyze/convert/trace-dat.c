/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to events, and the parts of the file around the pages.
 *
 * A switch is two changes of runstates on one pcpu: a vcpu leaves, and another
 * begins to run.  The event has the time of the latter.  One selected change is
 * enough for an event, so a selected vcpu has an end of each run.
 */
#include "xenalyze/convert/trace-dat.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/grow.h"
#include "libxentrace/readers.h"
#include "xenalyze/convert/ftrace-formats.h"
#include "xenalyze/convert/ftrace-pages.h"
#include "xenalyze/convert/record-walk.h"
#include "xenalyze/model/model.h"

/* A task's number is an int; 0 is the idle task.  Vcpus are above 2^17. */
#define PID_IDLE 0
#define PID_UNKNOWN 1
#define MAX_DOMAIN (XT_DOMAIN_IDLE - 16u)       /* guests are below */

/* States of the task that leaves, as in Linux. */
enum { TASK_RUNNABLE = 0, TASK_SLEEPING = 1, TASK_STOPPED = 4 };

struct task                     /* a vcpu */
{
    int32_t pid;                /* 0: not named yet */
    char label[XT_LABEL_MAX];
};

/* The vcpu that has left a pcpu, before another begins to run. */
struct switch_begin
{
    uint32_t vcpu;
    int32_t state;
    bool is_open, is_selected;
};

struct trace_dat
{
    const struct trace_dat_options *o;
    struct record_walk walk;
    struct ftrace_formats formats;
    struct ftrace_pages pages;
    struct guests tasks;
    struct switch_begin *left;  /* by pcpu */
    unsigned int nr_left;
    uint64_t *noted;            /* by pcpu: losses of LOST records */
    unsigned int nr_noted;
    unsigned int segment;
};

/* --- tasks ---------------------------------------------------------------- */

static const struct task idle_task = { .pid = PID_IDLE, .label = "idle" };
static const struct task unknown_task = { .pid = PID_UNKNOWN,
                                          .label = "unknown" };

static const struct task *get_task(struct trace_dat *t, uint32_t id)
{
    unsigned int domain = id >> 16, vcpu = id & 0xffff;
    const struct vcpu *v = NULL;
    struct task *task;

    if ( domain == XT_DOMAIN_IDLE )
        return &idle_task;
    if ( domain < MAX_DOMAIN )
        v = guests_get_vcpu(&t->tasks, domain, vcpu);
    if ( !v )
        return &unknown_task;
    task = v->machine;
    if ( !task->pid )
        xt_vcpu_label(t->o->names, domain, vcpu, task->label);
    task->pid = (domain + 2) << 16 | vcpu;
    assert(task->pid > 1 << 16);
    return task;
}

/* As many whole characters as fit, and zeros. */
static void put_comm(char comm[FTRACE_COMM], const struct task *task)
{
    size_t length = strlen(task->label);

    if ( length >= FTRACE_COMM )
        for ( length = FTRACE_COMM - 1;
              length && (task->label[length] & 0xc0) == 0x80; )
            length--;
    memcpy(comm, task->label, length);
    memset(comm + length, 0, FTRACE_COMM - length);
}

/* --- events --------------------------------------------------------------- */

static uint64_t get_event_time(const struct trace_dat *t, uint64_t time)
{
    int64_t ns = xt_clock_ns(&t->o->clock, time);

    return ns > 0 ? ns : 0;
}

static struct ftrace_common get_common(unsigned int class,
                                       const struct task *current)
{
    assert(class && class <= UINT16_MAX);
    return (struct ftrace_common){ .class = class, .pid = current->pid };
}

static int add_switch(struct trace_dat *t, const struct walked_record *w,
                      uint32_t from, int32_t state, uint32_t to)
{
    const struct task *prev = get_task(t, from), *next = get_task(t, to);
    struct ftrace_switch out = {
        .common = get_common(FTRACE_SWITCH, prev), .prev_pid = prev->pid,
        .prev_prio = FTRACE_PRIO, .prev_state = state, .next_pid = next->pid,
        .next_prio = FTRACE_PRIO,
    };

    _Static_assert(sizeof(out) % 4 == 0, "an event is a number of words");
    put_comm(out.prev_comm, prev);
    put_comm(out.next_comm, next);
    return ftrace_pages_add(&t->pages, w->cpu, get_event_time(t, w->time), &out,
                            sizeof(out));
}

static int add_waking(struct trace_dat *t, const struct walked_record *w,
                      uint32_t vcpu)
{
    const struct task *task = get_task(t, vcpu);
    struct ftrace_waking out = {
        .common = get_common(FTRACE_WAKING, get_task(t, w->vcpu)),
        .pid = task->pid,
    };

    _Static_assert(sizeof(out) % 4 == 0, "an event is a number of words");
    put_comm(out.comm, task);
    return ftrace_pages_add(&t->pages, w->cpu, get_event_time(t, w->time), &out,
                            sizeof(out));
}

static int add_record(struct trace_dat *t, const struct walked_record *w)
{
    unsigned char bytes[FTRACE_EVENT_MAX] = { 0 }, *end;
    const struct xt_event *event;
    unsigned int class = ftrace_formats_use(&t->formats, t->o->catalogue,
                                            w->record, &event);
    struct ftrace_common common = get_common(class, get_task(t, w->vcpu));

    memcpy(bytes, &common, sizeof(common));
    end = ftrace_put_fields(event, w->record, bytes, bytes + sizeof(common));
    assert(end <= bytes + sizeof(bytes));
    return ftrace_pages_add(&t->pages, w->cpu, get_event_time(t, w->time),
                            bytes, end - bytes);
}

/* --- changes of runstates ------------------------------------------------- */

static int32_t get_task_state(unsigned int state)
{
    return state == STATE_RUNNABLE ? TASK_RUNNABLE
         : state == STATE_BLOCKED ? TASK_SLEEPING : TASK_STOPPED;
}

/* A vcpu begins to run.  The same vcpu again is no switch. */
static int end_switch(struct trace_dat *t, const struct walked_record *w,
                      uint32_t vcpu)
{
    struct switch_begin *left = &t->left[w->cpu];
    uint32_t from = left->is_open ? left->vcpu : w->vcpu;
    int32_t state = left->is_open ? left->state : TASK_RUNNABLE;
    bool is_selected = w->is_selected || (left->is_open && left->is_selected);

    left->is_open = false;
    if ( from == vcpu || !is_selected )
        return 0;
    return add_switch(t, w, from, state, vcpu);
}

static int follow_change(struct trace_dat *t, const struct walked_record *w)
{
    const struct xt_record *r = w->record;
    unsigned int from = xt_id_sched_runstate_change_from(r->event);
    unsigned int to = xt_id_sched_runstate_change_to(r->event);
    uint32_t vcpu;

    if ( !xt_is_sched_runstate_change(r->event) ||
         r->words < XT_WORDS(sched_runstate_change) )
        return 0;
    vcpu = xt_record_word(r, 0);        /* domain in the upper half */
    if ( to == STATE_RUNNING )
        return end_switch(t, w, vcpu);
    if ( from == STATE_RUNNING )
        t->left[w->cpu] = (struct switch_begin){
            .vcpu = vcpu, .state = get_task_state(to), .is_open = true,
            .is_selected = w->is_selected,
        };
    if ( to != STATE_RUNNABLE || from == STATE_RUNNING || !w->is_selected )
        return 0;
    return add_waking(t, w, vcpu);
}

/* --- records -------------------------------------------------------------- */

static int note_loss(struct trace_dat *t, const struct walked_record *w)
{
    uint64_t lost = xt_field_load(w->record, XT_AT(lost_records, lost));

    t->left[w->cpu].is_open = false;
    if ( !w->is_selected )
        return 0;
    if ( !grow_to_index(&t->noted, &t->nr_noted, w->cpu, sizeof(*t->noted)) )
        return -ENOMEM;
    t->noted[w->cpu] += lost;
    return ftrace_pages_lose(&t->pages, w->cpu, lost);
}

static int put_record(void *arg, const struct walked_record *w)
{
    struct trace_dat *t = arg;
    int rc = 0;

    if ( w->segment != t->segment && t->nr_left )
        memset(t->left, 0, t->nr_left * sizeof(*t->left));
    t->segment = w->segment;
    if ( !grow_to_index(&t->left, &t->nr_left, w->cpu, sizeof(*t->left)) )
        return -ENOMEM;
    if ( w->record->event == TRC_LOST_RECORDS &&
         w->record->words >= XT_WORDS(lost_records) )
        rc = note_loss(t, w);
    if ( !rc && w->is_selected )
        rc = add_record(t, w);
    return rc ? rc : follow_change(t, w);
}

/* Losses that only the collector has counted, behind the last record. */
static int add_unreported(struct trace_dat *t, unsigned int cpu)
{
    uint64_t noted = cpu < t->nr_noted ? t->noted[cpu] : 0;
    struct ftrace_loss out = {
        .common = get_common(FTRACE_LOSS, &unknown_task),
        .records = xt_losses_get_unreported(&t->walk.losses, cpu, noted),
    };
    int rc;

    if ( !out.records || !t->pages.cpus[cpu].page )
        return 0;
    t->formats.is_used[FTRACE_LOSS] = true;
    rc = ftrace_pages_lose(&t->pages, cpu, out.records);
    return rc ? rc : ftrace_pages_add(&t->pages, cpu,
                                      get_event_time(t, t->walk.last), &out,
                                      sizeof(out));
}

/* --- the file ------------------------------------------------------------- */

static void write_number32(uint32_t number, FILE *out)
{
    fwrite(&number, sizeof(number), 1, out);
}

static void write_number64(uint64_t number, FILE *out)
{
    fwrite(&number, sizeof(number), 1, out);
}

/* A name with its NUL, and a text behind its size. */
static void write_header(const char *name, const char *text, FILE *out)
{
    fwrite(name, 1, strlen(name) + 1, out);
    write_number64(strlen(text), out);
    fputs(text, out);
}

static void write_begin(FILE *out)
{
    static const char magic[] = "\x17\x08\x44tracing6\0\0\x08";

    /* The literal's own NUL is not in the file. */
    fwrite(magic, 1, sizeof(magic) - 1, out);
    write_number32(FTRACE_PAGE, out);
    _Static_assert(FTRACE_PAGE - FTRACE_PAGE_HEADER == 4080, "see below");
    write_header("header_page",
                 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n",
                 out);
    write_header("header_event",
                 "# compressed entry header\n"
                 "\ttype_len    :    5 bits\n"
                 "\ttime_delta  :   27 bits\n"
                 "\tarray       :   32 bits\n\n"
                 "\tpadding     : type == 29\n"
                 "\ttime_extend : type == 30\n"
                 "\ttime_stamp : type == 31\n"
                 "\tdata max type_len  == 28\n", out);
    write_number32(0, out);     /* events of ftrace itself */
}

static void print_tasks(const struct trace_dat *t, FILE *out)
{
    fprintf(out, "%d %s\n", PID_UNKNOWN, unknown_task.label);
    for ( uint32_t d = 0; d < t->tasks.nr_domains; d++ )
    {
        const struct domain *domain = t->tasks.domains[d];

        for ( uint32_t v = 0; v < domain->nr_vcpus; v++ )
        {
            const struct task *task = domain->vcpus[v]->machine;

            if ( task->pid )
                fprintf(out, "%" PRId32 " %s\n", task->pid, task->label);
        }
    }
}

static int write_tasks(struct trace_dat *t, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *tasks = NULL;

    if ( !guests_sort(&t->tasks) )
        tasks = open_memstream(&text, &size);
    if ( !tasks )
        return -ENOMEM;
    print_tasks(t, tasks);
    if ( fclose(tasks) )
    {
        free(text);
        return -ENOMEM;
    }
    write_number64(size, out);
    fwrite(text, 1, size, out);
    free(text);
    return 0;
}

/* The place and the size of each CPU's pages, and the pages. */
static int write_pages(struct trace_dat *t, uint64_t header)
{
    FILE *out = t->o->out;
    uint64_t at = header + 4 + 10 + 16u * t->pages.nr_cpus;
    uint64_t place = (at + FTRACE_PAGE - 1) / FTRACE_PAGE * FTRACE_PAGE;
    uint64_t padding = place - at;
    int rc = 0;

    write_number32(t->pages.nr_cpus, out);
    fwrite("flyrecord", 1, 10, out);
    for ( unsigned int i = 0; i < t->pages.nr_cpus; i++ )
    {
        uint64_t size = t->pages.cpus[i].nr * FTRACE_PAGE;

        write_number64(place, out);
        write_number64(size, out);
        place += size;
    }
    while ( padding-- )
        putc(0, out);
    for ( unsigned int i = 0; !rc && i < t->pages.nr_cpus; i++ )
        rc = ftrace_pages_copy(&t->pages, i, out);
    return rc;
}

/* The part before the pages is made in memory, since its size is needed. */
static int write_head(struct trace_dat *t, uint64_t *size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *head = open_memstream(&text, &length);
    int rc;

    if ( !head )
        return -ENOMEM;
    write_begin(head);
    rc = ftrace_formats_write(&t->formats, t->o->catalogue, head);
    write_number32(0, head);    /* symbols */
    write_number32(0, head);    /* formats of trace_printk() */
    rc = rc ? rc : write_tasks(t, head);
    if ( fclose(head) && !rc )
        rc = -ENOMEM;
    if ( !rc )
        fwrite(text, 1, length, t->o->out);
    *size = length;
    free(text);
    return rc;
}

static int finish_file(struct trace_dat *t)
{
    uint64_t size = 0;
    int rc = 0;

    for ( unsigned int i = 0; !rc && i < t->pages.nr_cpus; i++ )
        rc = add_unreported(t, i);
    rc = rc ? rc : ftrace_pages_end(&t->pages);
    rc = rc ? rc : write_head(t, &size);
    return rc ? rc : write_pages(t, size);
}

static int init_trace_dat(struct trace_dat *t)
{
    const struct trace_dat_options *o = t->o;
    int rc;

    t->walk = (struct record_walk){
        .source = o->source, .filter = o->filter, .catalogue = o->catalogue,
        .hz = xt_clock_hz(&o->clock), .output = o->output,
        .passes_all = true, .record = put_record, .arg = t,
        .progress = o->progress, .progress_arg = o->progress_arg,
    };
    ftrace_pages_init(&t->pages);
    rc = ftrace_formats_init(&t->formats);
    return rc ? rc : record_walk_init(&t->walk);
}

static void fini_trace_dat(struct trace_dat *t)
{
    ftrace_pages_fini(&t->pages);
    ftrace_formats_fini(&t->formats);
    record_walk_fini(&t->walk);
    guests_fini(&t->tasks);
    free(t->left);
    free(t->noted);
}

int trace_dat_write(const struct trace_dat_options *o, uint64_t *written,
                    struct err *e)
{
    struct trace_dat t = { .o = o };
    int rc = guests_init(&t.tasks, 0, sizeof(struct task));

    if ( rc )
        return err_sys(e, rc, "cannot write %s", o->output);
    rc = init_trace_dat(&t);
    if ( rc )
        err_sys(e, rc, "cannot write %s", o->output);
    rc = rc ? rc : record_walk_run(&t.walk, e);
    *written = t.walk.nr;
    if ( !rc && t.walk.nr )
    {
        rc = finish_file(&t);
        if ( rc )
            err_sys(e, rc, "cannot write %s", o->output);
    }
    fini_trace_dat(&t);
    return rc;
}
