/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EVENT, EVENT:FIELD=VALUE, EVENT:FIELD>VALUE: an event of the catalogue was
 * traced, with such a value in one of its fields.  The value of a domain may be
 * its name.  This type has no word of its own: its row is the last one and
 * takes the arguments that are left.
 */
#include "xentrace/trigger-type.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <public/trace.h>

#include "common/opts.h"
#include "libxentrace/meta-event.h"

#define NAME_MAX_BYTES 64u

/* Copy the first `length` bytes of `from`; false: `name` is too small. */
static bool copy_name(char name[NAME_MAX_BYTES], const char *from,
                      size_t length)
{
    if ( length >= NAME_MAX_BYTES )
        return false;
    memcpy(name, from, length);
    name[length] = '\0';
    return true;
}

/* "domain" is the field "dom" of most events. */
static int find_event_field(const struct xt_event *event, const char *name)
{
    if ( !strcmp(name, "domain") )
        name = "dom";
    for ( unsigned int i = 0; i < event->nr_fields; i++ )
        if ( !strcmp(event->fields[i].name, name) )
            return i;
    return -1;
}

/* Is the field of this name a domain? */
static bool is_domain(const char *name)
{
    return !strcmp(name, "domain") || !strcmp(name, "dom") ||
           !strcmp(name, "prev_dom") || !strcmp(name, "next_dom");
}

static int parse_value(struct trigger *trigger, const char *field,
                       const char *value)
{
    int rc = opts_number(value, &trigger->value);

    if ( !rc || !*value || trigger->comparison != '=' || !is_domain(field) )
        return rc;
    trigger->domain = value;
    return 0;
}

static int parse_field(struct trigger *trigger, const char *text,
                       struct err *e)
{
    size_t length = strcspn(text, "=>");
    char name[NAME_MAX_BYTES];

    assert(trigger->event);
    trigger->comparison = text[length];
    if ( !trigger->comparison || !copy_name(name, text, length) ||
         parse_value(trigger, name, text + length + 1) )
        return err_usage(e, "--snapshot-on=%s:%.80s: write FIELD=NUMBER"
                         " or FIELD>NUMBER behind the colon",
                         trigger->event->name, text);
    trigger->field = find_event_field(trigger->event, name);
    if ( trigger->field < 0 )
        return err_usage(e, "%s has no field \"%s\"; see "
                         "xen-trace-events(7) for its fields",
                         trigger->event->name, name);
    return 0;
}

/* Records of the collector, and ids of class GEN that no record has. */
static bool is_never_traced(const struct xt_event *event)
{
    return xt_event_is_meta(event->id) || event->id == TRC_TRACE_CPU_CHANGE ||
           (event->unused &&
            event->id >> TRC_CLS_SHIFT == TRC_GEN >> TRC_CLS_SHIFT);
}

static int event_parse(struct trigger *trigger, const char *text,
                       struct err *e)
{
    size_t length = strcspn(text, ":");
    char name[NAME_MAX_BYTES];

    trigger->field = -1;
    trigger->event = copy_name(name, text, length)
                     ? xt_catalogue_by_name(name) : NULL;
    if ( !trigger->event )
        return -ENOENT;
    if ( is_never_traced(trigger->event) )
        return err_usage(e, "--snapshot-on=%.80s: Xen never traces this "
                         "record; see xentrace list for its events",
                         trigger->text);
    return text[length] ? parse_field(trigger, text + length + 1, e) : 0;
}

/*
 * The declaration that fits the record; NULL: another event.  The trigger has
 * the first one of its name, and other versions of Xen may have longer records.
 */
static const struct xt_event *find_version(const struct trigger *trigger,
                                           const struct xt_record *r)
{
    const struct xt_event *event = trigger->event;

    if ( (r->event & ~event->id_fields) != event->id )
        return NULL;
    if ( !xt_event_fits(event, r->words) )
        event = xt_catalogue_find_slow(event, r->words);
    return event && xt_event_fits(event, r->words) ? event : NULL;
}

static bool has_value(const struct trigger *trigger,
                      const struct xt_event *event, const struct xt_record *r)
{
    int field = trigger->field;
    uint64_t value;

    if ( field < 0 )
        return true;
    assert(trigger->comparison == '=' || trigger->comparison == '>');
    if ( event != trigger->event )
        field = find_event_field(event, trigger->event->fields[field].name);
    if ( field < 0 || !xt_field_get(event, field, r, &value) )
        return false;
    return trigger->comparison == '=' ? value == trigger->value
                                      : value > trigger->value;
}

/* The value of a field of this name; false: there is none. */
static bool find_value(const struct xt_event *event, const char *name,
                       const struct xt_record *r, uint64_t *value)
{
    int field = find_event_field(event, name);

    return field >= 0 && xt_field_get(event, field, r, value) &&
           *value < TRIGGER_NO_NUMBER;
}

/* The vcpu or the domain of a record, as far as its fields have one. */
static uint32_t find_record_vcpu(const struct xt_event *event,
                                 const struct xt_record *r)
{
    uint64_t domain, vcpu;

    if ( !find_value(event, "dom", r, &domain) )
        return TRIGGER_NO_VCPU;
    if ( !find_value(event, "vcpu", r, &vcpu) )
        vcpu = TRIGGER_NO_NUMBER;
    return domain << 16 | vcpu;
}

static void fire_event(struct triggers *t, const struct trigger *trigger,
                       const struct xt_event *event, const struct xt_record *r,
                       uint64_t tsc)
{
    struct trigger_firing firing = { .tsc = tsc,
                                     .vcpu = find_record_vcpu(event, r) };

    trigger_fire(t, trigger, &firing, "%s was traced%s", event->name,
                 firing.vcpu == TRIGGER_NO_VCPU ? "" : " for " TRIGGER_VCPU);
}

static void event_record(struct triggers *t, void *state, unsigned int cpu,
                         const struct xt_record *r, uint64_t tsc)
{
    (void)state;
    (void)cpu;
    for ( unsigned int i = 0; i < t->nr; i++ )
    {
        const struct trigger *trigger = &t->list[i];
        const struct xt_event *event;

        if ( trigger->type != trigger_event() )
            continue;
        event = find_version(trigger, r);
        if ( event && has_value(trigger, event, r) )
            fire_event(t, trigger, event, r, tsc);
    }
}

const struct trigger_type *trigger_event(void)
{
    static const struct trigger_type type = {
        .word = "",
        .syntax = "EVENT[:FIELD=VALUE]",
        .help = "EVENT was traced (with FIELD=VALUE or FIELD>VALUE)",
        .example = "hvm_cpuid:leaf=0x40000000",
        .parse = event_parse,
        .record = event_record,
    };

    return &type;
}
