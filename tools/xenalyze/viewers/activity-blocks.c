/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of one nanosecond are one change.
 */
#include "xenalyze/viewers/activity-blocks.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/debug.h"
#include "xenalyze/viewers/activity.h"

/* --- reasons -------------------------------------------------------------- */

static void name_reason(const struct activities *a,
                        const struct block_source *s, char *name, size_t size)
{
    static const char *const texts[BLOCK_REASONS] = {
        [BLOCK_TIMER] = "timer", [BLOCK_SIBLING] = "vcpu of its domain",
        [BLOCK_EVENT] = "event from", [BLOCK_EMULATED] = "device model in",
        [BLOCK_DEVICE] = "interrupt", [BLOCK_PAUSED] = "paused",
        [BLOCK_OPEN] = "blocked to the end", [BLOCK_UNKNOWN] = "unknown",
    };
    const struct xt_domain_names *names = a->options->names;
    char label[XT_LABEL_MAX], device[XT_IRQ_TEXT_MAX] = "";

    debug_assert(s->reason < BLOCK_REASONS);
    if ( s->has_irq && names )
        xt_host_irq_device(&names->host, s->irq, device);
    if ( s->has_domain )
        snprintf(name, size, "%s %s", texts[s->reason],
                 xt_domain_label(names, s->domain, label));
    else if ( s->has_irq )
        snprintf(name, size, "irq %" PRIu32 "%s%s", s->irq,
                 *device ? " " : "", device);
    else
        snprintf(name, size, "%s", texts[s->reason]);
}

static bool is_same_source(const struct block_source *a,
                           const struct block_source *b)
{
    return a->reason == b->reason && a->domain == b->domain &&
           a->irq == b->irq;
}

/* A name that was displaced has another number later. */
static const struct activity_reason *find_name(struct activity_blocks *b,
                                               const struct block_source *s)
{
    struct activities *a = b->activities;
    struct activity_reason *r = &b->names[(s->reason + s->domain * 8u +
                                           s->irq * 8u) % ACTIVITY_REASONS];

    if ( *r->name && is_same_source(&r->source, s) )
        return r;
    r->source = *s;
    r->number = 0;
    if ( a->nr_block_names < ACTIVITY_BLOCKS - 1 )
        r->number = ++a->nr_block_names;
    name_reason(a, s, r->name, sizeof(r->name));
    return r;
}

static void show_block(void *arg, const struct block_vcpu *v,
                       const struct block_source *s, uint64_t from,
                       uint64_t to)
{
    struct activity_blocks *b = arg;
    struct activities *a = b->activities;
    const struct activity_reason *reason = find_name(b, s);
    struct activity_block out = {
        .from = activities_get_time(a, from),
        .to = activities_get_time(a, to),
        .number = reason->number, .name = reason->name,
    };

    out.vcpu = activities_announce_block(a, v->index, &out.is_first);
    if ( !out.vcpu || out.from >= out.to )
        return;
    a->ops->block(a->state, &out);
}

void activity_blocks_init(struct activity_blocks *b, struct activities *a)
{
    assert(a->ops->block);
    memset(b, 0, sizeof(*b));
    b->activities = a;
    b->reasons.on_reason = show_block;
    b->reasons.on_reason_arg = b;
    block_reasons_init(&b->reasons);
}

void activity_blocks_fini(struct activity_blocks *b)
{
    block_reasons_fini(&b->reasons);
}

/* --- waiting vcpus -------------------------------------------------------- */

/* A wait that begins and ends at one time changes nothing. */
static void show_waiting(struct activities *a)
{
    if ( a->waiting.now.nr != a->waiting.nr_shown )
        a->ops->waiting(a->state, &a->waiting.now);
    a->waiting.nr_shown = a->waiting.now.nr;
}

void activities_note_waiting(struct activities *a, uint64_t time, int change)
{
    assert(change == 1 || (change == -1 && a->waiting.now.nr));
    if ( time > a->waiting.now.time )
    {
        show_waiting(a);
        a->waiting.now.time = time;
    }
    a->waiting.now.nr += change;
}

void activities_end_waiting(struct activities *a)
{
    show_waiting(a);
    a->waiting.now.nr = 0;
    a->waiting.now.time = a->last;
    show_waiting(a);
}
