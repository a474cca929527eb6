/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of trigger types, and all that does not depend on the type: the
 * list of --snapshot-on, its messages, the walk over the records, and the worst
 * reason for a snapshot.
 */
#include "xentrace/trigger.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <public/trace.h>

#include "common/closest-word.h"
#include "common/num.h"
#include "common/opts.h"
#include "libxentrace/libxentrace.h"
#include "libxentrace/meta-event.h"
#include "xentrace/trigger-type.h"

typedef const struct trigger_type *(*trigger_row)(void);

/* In the order of their checks.  trigger_event takes any word: last. */
static const trigger_row rows[] = {
    trigger_lost,
    trigger_runnable,
    trigger_exit,
    trigger_event,
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(NR_ROWS == TRIGGER_TYPES, "trigger.h has room for each type");

const struct trigger_type *trigger_type_at(unsigned int i)
{
    return i < NR_ROWS ? rows[i]() : NULL;
}

/* --- command line --------------------------------------------------------- */

/* "lost>N, runnable>TIME, ..." */
static void list_syntaxes(char *text, size_t size)
{
    size_t used = 0;

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        used += snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                         rows[i]()->syntax);
        assert(used < size);
    }
}

/* The trigger that a mistyped word resembles, as in --help; or NULL. */
static const char *find_closest_trigger(const char *text)
{
    size_t length = strcspn(text, ":>=");
    struct closest_word c;

    closest_word_init(&c, text, length + (text[length] == '>'));
    for ( size_t i = 0; i < NR_ROWS; i++ )
        if ( *rows[i]()->word )
            closest_word_compare(&c, rows[i]()->word);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( !xt_event_is_meta(xt_catalogue_events[i].id) )
            closest_word_compare(&c, xt_catalogue_events[i].name);
    for ( size_t i = 0; i < NR_ROWS; i++ )
        if ( c.best == rows[i]()->word )
            return rows[i]()->syntax;
    return c.best;
}

static int explain_unknown(const char *text, struct err *e)
{
    const char *closest = find_closest_trigger(text);
    char syntaxes[120];

    if ( closest )
        return err_usage(e, "--snapshot-on=%.80s: no such trigger or event; is "
                         "%s meant?", text, closest);
    list_syntaxes(syntaxes, sizeof(syntaxes));
    return err_usage(e, "--snapshot-on=%.80s: no such trigger or event;"
                     " give %s", text, syntaxes);
}

int triggers_parse(struct triggers *t, const char *text, struct err *e)
{
    struct trigger *trigger = &t->list[t->nr];
    const struct trigger_type *type;
    size_t i = 0;
    int rc;

    if ( t->nr == TRIGGERS_MAX )
        return err_usage(e, "--snapshot-on: give at most %u triggers",
                         TRIGGERS_MAX);
    while ( strncmp(text, rows[i]()->word, strlen(rows[i]()->word)) )
        i++;
    assert(i < NR_ROWS);
    type = rows[i]();
    *trigger = (struct trigger){ .type = type, .text = text };
    rc = type->parse(trigger, text + strlen(type->word), e);
    if ( rc )
        return rc == -ENOENT ? explain_unknown(text, e) : rc;
    t->nr++;
    return 0;
}

int trigger_parse_time(struct trigger *trigger, const char *text,
                       struct err *e)
{
    const char *example = trigger->type->example;

    if ( opts_time(text, &trigger->limit) )
        return err_usage(e, "--snapshot-on=%.80s: give a time, as in %s",
                         trigger->text, example);
    if ( text[strspn(text, "0123456789abcdefABCDEFxX")] == '\0' )
        return err_usage(e, "--snapshot-on=%.80s: give a unit, as in %s",
                         trigger->text, example);
    return 0;
}

void triggers_help(char *text, size_t size)
{
    size_t used = strlen(text);

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        used += snprintf(text + used, size - used, "  %-22s%s\n",
                         rows[i]()->syntax, rows[i]()->help);
        assert(used < size);
    }
}

/* --- open and close ------------------------------------------------------- */

static bool has_type(const struct triggers *t,
                     const struct trigger_type *type)
{
    for ( unsigned int i = 0; i < t->nr; i++ )
        if ( t->list[i].type == type )
            return true;
    return false;
}

static int check_clock(const struct triggers *t, struct err *e)
{
    for ( unsigned int i = 0; !t->hz && i < t->nr; i++ )
        if ( t->list[i].type->compares_time )
            return err_set(e, -ENOTSUP, "--snapshot-on=%.80s: Xen does not "
                           "report the frequency of its clock, so times cannot "
                           "be compared", t->list[i].text);
    return 0;
}

int triggers_open(struct triggers *t, unsigned int nr_cpus, uint64_t hz,
                  struct err *e)
{
    assert(nr_cpus > 0 && !t->nr_watches);
    t->hz = hz;
    t->nr_cpus = nr_cpus;
    if ( check_clock(t, e) )
        return e->code;
    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        struct trigger_watch watch = { .type = rows[i]() };

        if ( !has_type(t, watch.type) )
            continue;
        assert(watch.type->record);
        if ( watch.type->open )
        {
            watch.state = watch.type->open(nr_cpus);
            if ( !watch.state )
                return err_sys(e, -ENOMEM, "cannot check for triggers");
        }
        t->watch[t->nr_watches++] = watch;
    }
    return 0;
}

void triggers_close(struct triggers *t)
{
    for ( unsigned int i = 0; i < t->nr_watches; i++ )
        if ( t->watch[i].type->close )
            t->watch[i].type->close(t->watch[i].state);
    t->nr_watches = 0;
}

/* --- firing --------------------------------------------------------------- */

/* A value without a limit, as in lost>0, counts as it is. */
static uint64_t get_severity(const struct trigger *trigger, uint64_t value)
{
    unsigned __int128 severity = (unsigned __int128)value * 1000 /
                                 (trigger->limit ? trigger->limit : 1);

    return severity < UINT64_MAX ? severity : UINT64_MAX;
}

void trigger_fire(struct triggers *t, const struct trigger *trigger,
                  const struct trigger_firing *firing, const char *fmt, ...)
{
    uint64_t severity = get_severity(trigger, firing->value);
    va_list args;

    assert(t->nr > 0);
    if ( t->firings++ && severity <= t->cause.severity )
        return;
    t->cause.tsc = firing->tsc;
    t->cause.severity = severity;
    t->cause.trigger = trigger->text;
    t->cause.vcpu = firing->vcpu;
    va_start(args, fmt);
    vsnprintf(t->cause.text, sizeof(t->cause.text), fmt, args);
    va_end(args);
}

const struct trigger *trigger_find_exceeded(const struct triggers *t,
                                            const struct trigger_type *type,
                                            uint64_t value)
{
    const struct trigger *found = NULL;

    for ( unsigned int i = 0; i < t->nr; i++ )
        if ( t->list[i].type == type && value > t->list[i].limit &&
             (!found || t->list[i].limit < found->limit) )
            found = &t->list[i];
    return found;
}

static uint64_t to_ns(const struct triggers *t, uint64_t cycles)
{
    return t->hz ? (unsigned __int128)cycles * 1000000000u / t->hz : 0;
}

const struct trigger *trigger_find_too_long(const struct triggers *t,
                                            const struct trigger_type *type,
                                            uint64_t from, uint64_t to)
{
    return to > from ? trigger_find_exceeded(t, type, to_ns(t, to - from))
                     : NULL;
}

void trigger_fire_if_too_long(struct triggers *t,
                              const struct trigger_type *type, uint64_t from,
                              uint64_t to, uint32_t vcpu, const char *what)
{
    const struct trigger *trigger = trigger_find_too_long(t, type, from, to);
    struct trigger_firing firing = { .tsc = to, .vcpu = vcpu };
    char length[NUM_HUMAN_MAX + 8];

    if ( !trigger )
        return;
    firing.value = to_ns(t, to - from);
    *num_duration(length, firing.value) = '\0';
    trigger_fire(t, trigger, &firing, "%s %s", what, length);
}

void trigger_cause_format(const struct trigger_cause *cause,
                          const struct xt_domain_names *names,
                          char text[TRIGGER_TEXT_MAX])
{
    const char *tail = strchr(cause->text, *TRIGGER_VCPU);
    unsigned int domain = cause->vcpu >> 16, number = cause->vcpu & 0xffff;
    char label[XT_LABEL_MAX];

    if ( !tail )
    {
        snprintf(text, TRIGGER_TEXT_MAX, "%s", cause->text);
        return;
    }
    assert(cause->vcpu != TRIGGER_NO_VCPU);
    if ( number == TRIGGER_NO_NUMBER )
        xt_domain_label(names, domain, label);
    else
        xt_vcpu_label(names, domain, number, label);
    snprintf(text, TRIGGER_TEXT_MAX, "%.*s%s%s", (int)(tail - cause->text),
             cause->text, label, tail + 1);
}

/* Xen writes the records of class GEN, such as losses, with any mask. */
uint32_t trigger_needed_bits(const struct trigger *trigger, unsigned int i)
{
    uint32_t event = trigger->type->events[i];

    assert(i < TRIGGER_EVENTS);
    if ( trigger->event )
        event = i ? 0 : trigger->event->id;
    return event >> TRC_CLS_SHIFT == TRC_GEN >> TRC_CLS_SHIFT
           ? 0 : event & TRC_ALL;
}

/* --- records -------------------------------------------------------------- */

void triggers_window(struct triggers *t, unsigned int cpu,
                     const struct iovec *spans, int nr_spans)
{
    uint64_t tsc = 0;

    assert(t->nr_watches <= TRIGGER_TYPES);
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
            for ( unsigned int k = 0; k < t->nr_watches; k++ )
                t->watch[k].type->record(t, t->watch[k].state, cpu, &r, tsc);
        }
    }
}

uint64_t triggers_pass(struct triggers *t, uint64_t now)
{
    uint64_t firings;

    for ( unsigned int i = 0; i < t->nr_watches; i++ )
        if ( t->watch[i].type->pass )
            t->watch[i].type->pass(t, t->watch[i].state, now);
    firings = t->firings;
    t->firings = 0;
    return firings;
}
