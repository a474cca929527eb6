/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of programs as activities: each thread has a row of moments.  The
 * events are read when the time of the trace is known, so their order does not
 * depend on the order of facts.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/programs/programs.h"
#include "xenalyze/viewers/activity.h"

#define PROCESS_LABEL_MAX 64u

struct thread
{
    struct activity_thread shown;
    char process_label[PROCESS_LABEL_MAX];
    char label[PROCESS_LABEL_MAX + sizeof(" thread 4294967295")];
};

struct program_rows
{
    struct activities *a;
    struct programs *programs;
    struct thread *threads;     /* ACTIVITY_THREADS */
    uint32_t nr;
};

static bool has_process_row(const struct program_rows *r, uint32_t process)
{
    for ( uint32_t i = 0; i < r->nr; i++ )
        if ( r->threads[i].shown.process == process )
            return true;
    return false;
}

static void name_thread(struct thread *t, const struct program_process *process)
{
    if ( process->pid )
        snprintf(t->process_label, sizeof(t->process_label), "%s/%" PRIu32,
                 process->label, process->pid);
    else
        snprintf(t->process_label, sizeof(t->process_label), "%s",
                 process->label);
    if ( t->shown.tid )
        snprintf(t->label, sizeof(t->label), "%s thread %" PRIu32,
                 t->process_label, t->shown.tid);
    else
        snprintf(t->label, sizeof(t->label), "%s", t->process_label);
    t->shown.process_label = t->process_label;
    t->shown.label = t->label;
}

static const struct activity_thread *add_thread(struct program_rows *r,
                                                const struct program_event *e)
{
    struct thread *t = &r->threads[r->nr];

    assert(r->nr < ACTIVITY_THREADS);
    t->shown = (struct activity_thread){
        .number = r->nr, .process = e->process, .tid = e->tid,
        .is_first_of_process = !has_process_row(r, e->process),
    };
    r->nr++;
    name_thread(t, programs_process(r->programs, e->process));
    if ( r->a->ops->thread )
        r->a->ops->thread(r->a->state, &t->shown);
    return &t->shown;
}

/* Find or create the row of the event's thread. */
static const struct activity_thread *find_program_thread(struct program_rows *r,
                                                const struct program_event *e)
{
    for ( uint32_t i = 0; i < r->nr; i++ )
        if ( r->threads[i].shown.process == e->process &&
             r->threads[i].shown.tid == e->tid )
            return &r->threads[i].shown;
    return r->nr < ACTIVITY_THREADS ? add_thread(r, e)
                                    : &r->threads[r->nr - 1].shown;
}

static void show_event(struct program_rows *r, const struct program_event *e,
                       uint64_t time)
{
    char lost[32];
    struct activity_program out = {
        .thread = find_program_thread(r, e), .time = time, .text = e->text,
        .name = "events lost",
    };

    if ( e->lost )
    {
        snprintf(lost, sizeof(lost), "%" PRIu64, e->lost);
        out.text = lost;
    }
    else
    {
        out.number = e->name + 1;
        out.name = programs_event_name(r->programs, e->name);
    }
    r->a->ops->program(r->a->state, &out);
}

static int show_events(struct program_rows *r, struct err *e)
{
    const struct activities *a = r->a;
    const struct program_event *event;
    int rc;

    while ( (rc = programs_next(r->programs, &event, e)) > 0 )
    {
        int64_t ns = xt_clock_ns(&a->clock, event->time);
        uint64_t time = a->base + (ns > 0 ? ns : 0);

        if ( ns > 0 && time > a->last )
            return 0;
        if ( ns >= 0 && time >= a->earliest )
            show_event(r, event, time);
    }
    return rc;
}

int activities_add_programs(struct activities *a, struct err *e)
{
    struct program_rows r = { .a = a };
    int rc = programs_copy(&r.programs, a->options->programs, e);

    assert(a->ops->program && !a->has_programs);
    r.threads = fault_calloc(ACTIVITY_THREADS, sizeof(*r.threads));
    if ( !rc && !r.threads )
        rc = err_sys(e, -ENOMEM, "cannot export events of programs");
    rc = rc ? rc : programs_begin(r.programs, true, e);
    rc = rc ? rc : show_events(&r, e);
    programs_close(r.programs);
    free(r.threads);
    return rc;
}
