/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows come pcpu by pcpu, and a vcpu that waits on one may run on another:
 * so changes of runstate are collected for a pass, put in order, and only then
 * looked at.  All else concerns one pcpu and is looked at as it comes.
 */
#include "xentrace/trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/opts.h"
#include "libxentrace/record.h"

#define RUNSTATE_RUNNABLE 1u
#define IDLE_DOMAIN 0x7fffu     /* its vcpus always could run */
#define NAME_MAX_BYTES 64u

/* --- what a user writes -------------------------------------------------- */

/* `name` up to `length` bytes as a text of its own; false: too long. */
static bool cut(char *to, const char *from, size_t length)
{
    if ( length >= NAME_MAX_BYTES )
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static int find_field(const struct xt_event *event, const char *name)
{
    for ( unsigned int i = 0; i < event->nr_fields; i++ )
        if ( !strcmp(event->fields[i].name, name) )
            return i;
    return -1;
}

static int parse_field(struct trigger *t, const char *text, struct err *e)
{
    size_t length = strcspn(text, "=>");
    char name[NAME_MAX_BYTES];

    t->how = text[length];
    if ( !t->how || !cut(name, text, length) ||
         opts_number(text + length + 1, &t->value) )
        return err_set(e, -EINVAL, "\"%.80s\": write FIELD=NUMBER or "
                       "FIELD>NUMBER", text);
    t->field = find_field(t->event, name);
    if ( t->field < 0 )
        return err_set(e, -EINVAL, "%s has no field \"%s\"; "
                       "xen-trace-events(7) has those that it has",
                       t->event->name, name);
    return 0;
}

static int parse_event(struct trigger *t, const char *text, struct err *e)
{
    size_t length = strcspn(text, ":");
    char name[NAME_MAX_BYTES];

    t->kind = TRIGGER_EVENT;
    t->field = -1;
    t->event = cut(name, text, length) ? xt_catalogue_by_name(name) : NULL;
    if ( !t->event )
        return err_set(e, -EINVAL, "--snapshot-on=%.80s: there are lost>N, "
                       "runnable>TIME, exit>TIME, EVENT and EVENT:FIELD=VALUE",
                       text);
    return text[length] ? parse_field(t, text + length + 1, e) : 0;
}

static const struct
{
    const char *word;
    enum trigger_kind kind;
    int (*parse)(const char *text, uint64_t *value);
} words[] = {
    { "lost>", TRIGGER_LOST, opts_number },
    { "runnable>", TRIGGER_RUNNABLE, opts_time },
    { "exit>", TRIGGER_EXIT, opts_time },
};

#define NR_WORDS (sizeof(words) / sizeof(words[0]))

int triggers_parse(struct triggers *t, const char *text, struct err *e)
{
    struct trigger *one = &t->list[t->nr];
    size_t length;

    if ( t->nr == TRIGGERS_MAX )
        return err_set(e, -E2BIG, "--snapshot-on: at most %u of them",
                       TRIGGERS_MAX);
    *one = (struct trigger){ .field = -1 };
    t->nr++;
    for ( size_t i = 0; i < NR_WORDS; i++ )
    {
        length = strlen(words[i].word);
        if ( strncmp(text, words[i].word, length) )
            continue;
        one->kind = words[i].kind;
        if ( words[i].parse(text + length, &one->limit) )
            return err_set(e, -EINVAL, "--snapshot-on=%.80s: that is no "
                           "number, or no time", text);
        return 0;
    }
    return parse_event(one, text, e);
}

/* --- there and away ------------------------------------------------------ */

int triggers_open(struct triggers *t, unsigned int nr_cpus, uint64_t hz,
                  struct err *e)
{
    t->hz = hz;
    t->nr_cpus = nr_cpus;
    t->outside = fault_calloc(nr_cpus, sizeof(*t->outside));
    return t->outside ? 0 : err_sys(e, -ENOMEM, "cannot watch for a trigger");
}

void triggers_close(struct triggers *t)
{
    free(t->outside);
    free(t->vcpus);
    free(t->changes);
    t->outside = NULL;
    t->vcpus = NULL;
    t->changes = NULL;
    t->max_vcpus = t->nr_vcpus = t->max_changes = t->nr_changes = 0;
}

/* --- firing -------------------------------------------------------------- */

static void fire(struct triggers *t, uint64_t tsc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The first one is what the snapshot is about. */
static void fire(struct triggers *t, uint64_t tsc, const char *fmt, ...)
{
    va_list args;

    if ( t->fired )
        return;
    t->fired = true;
    t->tsc = tsc;
    va_start(args, fmt);
    vsnprintf(t->why, sizeof(t->why), fmt, args);
    va_end(args);
}

static uint64_t to_ns(const struct triggers *t, uint64_t cycles)
{
    return t->hz ? (unsigned __int128)cycles * 1000000000u / t->hz : 0;
}

static bool is_long(const struct triggers *t, enum trigger_kind kind,
                    uint64_t from, uint64_t to)
{
    for ( unsigned int i = 0; i < t->nr; i++ )
        if ( t->list[i].kind == kind && to > from &&
             to_ns(t, to - from) > t->list[i].limit )
            return true;
    return false;
}

/* So long: longer than a trigger of that kind wants?  Say so. */
static void check_length(struct triggers *t, enum trigger_kind kind,
                         uint64_t from, uint64_t to, const char *who)
{
    char length[NUM_HUMAN_MAX + 8];

    if ( t->fired || !is_long(t, kind, from, to) )
        return;
    *num_duration(length, to_ns(t, to - from)) = '\0';
    fire(t, to, "%s for %s", who, length);
}

/* --- vcpus --------------------------------------------------------------- */

static struct trigger_vcpu *slot(const struct triggers *t, uint32_t id)
{
    unsigned int i = id * 2654435761u % t->max_vcpus;

    while ( t->vcpus[i].used && t->vcpus[i].id != id )
        i = (i + 1) % t->max_vcpus;
    return &t->vcpus[i];
}

/* At most half full, so that searching ends. */
static bool grow(struct triggers *t)
{
    struct triggers larger = *t;

    if ( 2 * t->nr_vcpus < t->max_vcpus )
        return true;
    larger.max_vcpus = t->max_vcpus ? 2 * t->max_vcpus : 64;
    larger.vcpus = fault_calloc(larger.max_vcpus, sizeof(*larger.vcpus));
    if ( !larger.vcpus )
        return false;
    for ( unsigned int i = 0; i < t->max_vcpus; i++ )
        if ( t->vcpus[i].used )
            *slot(&larger, t->vcpus[i].id) = t->vcpus[i];
    free(t->vcpus);
    t->vcpus = larger.vcpus;
    t->max_vcpus = larger.max_vcpus;
    return true;
}

static void apply(struct triggers *t, const struct trigger_change *c)
{
    struct trigger_vcpu *v;
    char who[48];

    if ( !grow(t) )
        return;
    v = slot(t, c->id);
    if ( !v->used )
        t->nr_vcpus++;
    snprintf(who, sizeof(who), "d%uv%u was runnable", c->id >> 16,
             c->id & 0xffff);
    if ( v->used && v->waits && !v->told && !c->waits )
        check_length(t, TRIGGER_RUNNABLE, v->since, c->tsc, who);
    if ( !v->used || v->waits != c->waits )
    {
        v->since = c->tsc;
        v->told = false;
    }
    v->used = true;
    v->id = c->id;
    v->waits = c->waits;
}

/* Those that wait still; each wait is told of once. */
static void look_at_waiting(struct triggers *t, uint64_t now)
{
    char who[48];

    for ( unsigned int i = 0; i < t->max_vcpus; i++ )
    {
        struct trigger_vcpu *v = &t->vcpus[i];

        if ( !v->used || !v->waits || v->told ||
             !is_long(t, TRIGGER_RUNNABLE, v->since, now) )
            continue;
        snprintf(who, sizeof(who), "d%uv%u has been runnable", v->id >> 16,
                 v->id & 0xffff);
        check_length(t, TRIGGER_RUNNABLE, v->since, now, who);
        v->told = true;
    }
}

/* Among what was lost, anybody may have got a pcpu. */
static void forget_waiting(struct triggers *t)
{
    for ( unsigned int i = 0; i < t->max_vcpus; i++ )
        t->vcpus[i].waits = false;
}

static int by_time(const void *a, const void *b)
{
    const struct trigger_change *x = a, *y = b;

    return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

static void note_change(struct triggers *t, const struct xt_record *r)
{
    unsigned int max = t->max_changes ? 2 * t->max_changes : 256;
    struct trigger_change *changes;

    if ( !r->words || !r->has_tsc ||
         xt_record_word(r, 0) >> 16 == IDLE_DOMAIN )
        return;
    if ( t->nr_changes == t->max_changes )
    {
        changes = fault_realloc(t->changes, max * sizeof(*changes));
        if ( !changes )
            return;
        t->changes = changes;
        t->max_changes = max;
    }
    t->changes[t->nr_changes++] = (struct trigger_change){
        .tsc = r->tsc, .id = xt_record_word(r, 0),
        .waits = (r->event >> 4 & 3) == RUNSTATE_RUNNABLE,
    };
}

/* --- records ------------------------------------------------------------- */

/* Minor without the flag of 64 bits: entry 1, exit 2, AMD's exit 3. */
static bool is_exit(uint32_t event)
{
    uint32_t minor = event & 0xfff & ~(TRC_64_FLAG | TRC_HVM_NESTEDFLAG);

    return minor == 2 || minor == 3;
}

static void look_at_exit(struct triggers *t, unsigned int cpu,
                         const struct xt_record *r, uint64_t tsc)
{
    char who[48];

    if ( is_exit(r->event) )
        t->outside[cpu] = tsc;
    else if ( t->outside[cpu] )
    {
        snprintf(who, sizeof(who), "a guest was outside on pcpu %u", cpu);
        check_length(t, TRIGGER_EXIT, t->outside[cpu], tsc, who);
        t->outside[cpu] = 0;
    }
}

static bool has_value(const struct trigger *t, const struct xt_record *r)
{
    uint64_t value;

    if ( t->field < 0 )
        return true;
    if ( !xt_field_get(t->event, t->field, r, &value) )
        return false;
    return t->how == '=' ? value == t->value : value > t->value;
}

static void look_at_event(struct triggers *t, const struct xt_record *r,
                          uint64_t tsc)
{
    for ( unsigned int i = 0; i < t->nr; i++ )
    {
        const struct trigger *one = &t->list[i];

        if ( one->kind == TRIGGER_EVENT &&
             (r->event & ~one->event->id_fields) == one->event->id &&
             xt_event_fits(one->event, r->words) && has_value(one, r) )
            fire(t, tsc, "%s was traced", one->event->name);
    }
}

static void look_at_lost(struct triggers *t, const struct xt_record *r)
{
    if ( r->words < 1 )
        return;
    t->lost += xt_record_word(r, 0);
    forget_waiting(t);
    for ( unsigned int i = 0; i < t->nr; i++ )
        if ( t->list[i].kind == TRIGGER_LOST && t->lost > t->list[i].limit )
        {
            fire(t, r->tsc, "%" PRIu64 " records were lost", t->lost);
            t->lost = 0;
        }
}

static void look(struct triggers *t, unsigned int cpu,
                 const struct xt_record *r, uint64_t tsc)
{
    uint32_t subclass = r->event & 0x0ffff000;

    if ( r->event == TRC_LOST_RECORDS )
        look_at_lost(t, r);
    else if ( subclass == TRC_SCHED_MIN && (r->event & 0xf) == 1 )
    {
        t->outside[cpu] = 0;
        note_change(t, r);
    }
    else if ( subclass == TRC_HVM_ENTRYEXIT )
        look_at_exit(t, cpu, r, tsc);
    look_at_event(t, r, tsc);
}

void triggers_window(struct triggers *t, unsigned int cpu,
                     const struct iovec *spans, int nr_spans)
{
    uint64_t tsc = 0;

    if ( cpu >= t->nr_cpus )
        return;
    for ( int i = 0; i < nr_spans; i++ )
    {
        const unsigned char *at = spans[i].iov_base;
        const unsigned char *end = at + spans[i].iov_len;
        struct xt_record r;

        for ( size_t n; (n = xt_record_decode(&r, at, end)); at += n )
        {
            if ( xt_record_is_timed(&r) )
                tsc = r.tsc;
            look(t, cpu, &r, tsc);
        }
    }
}

bool triggers_pass(struct triggers *t, uint64_t now)
{
    bool fired;

    if ( t->nr_changes )
        qsort(t->changes, t->nr_changes, sizeof(*t->changes), by_time);
    for ( unsigned int i = 0; i < t->nr_changes; i++ )
        apply(t, &t->changes[i]);
    t->nr_changes = 0;
    look_at_waiting(t, now);
    fired = t->fired;
    t->fired = false;
    return fired;
}
