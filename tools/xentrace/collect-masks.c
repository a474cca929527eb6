/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event mask and the pcpu mask of a capture.
 *
 * Xen has one of each, and keeps them when tracing ends.  A capture sets the
 * masks of -e and -c, adds the events that its triggers depend on, and at the
 * end puts the masks back: the next capture, which may be another person's,
 * would lack events for no visible reason.
 */
#include "xentrace/collect-private.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <public/trace.h>

#include "common/fault.h"
#include "xentrace/trigger-type.h"

/* Xen compares the class and the subclass of an event separately. */
static bool is_selected(uint32_t mask, uint32_t bits)
{
    uint32_t both = mask & bits;

    return both >> TRC_CLS_SHIFT && both >> TRC_SUBCLS_SHIFT & 0xf;
}

/* The name of the class with exactly these bits; "events" without one. */
static const char *find_class_name(uint32_t bits)
{
    for ( size_t i = 0; i < xt_catalogue_nr_classes; i++ )
        if ( xt_catalogue_classes[i].mask == bits )
            return xt_catalogue_classes[i].name;
    return "events";
}

/* Add the events that a trigger depends on to the mask. */
static uint32_t add_trigger_events(const struct collect *c,
                                   const struct trigger *trigger, uint32_t mask)
{
    char added[TRIGGER_EVENTS * 24] = "";
    uint32_t before = mask;

    for ( unsigned int i = 0; i < TRIGGER_EVENTS; i++ )
    {
        uint32_t bits = trigger_needed_bits(trigger, i);
        size_t used = strlen(added);

        if ( !bits || is_selected(mask, bits) )
            continue;
        snprintf(added + used, sizeof(added) - used, "%s%s",
                 used ? ", " : "", find_class_name(bits));
        mask |= bits;
    }
    if ( mask != before )
        log_info(c->log, "--snapshot-on %.80s needs events that are not "
                 "selected (%s): the event mask is %#x instead of %#x",
                 trigger->text, added, mask, before);
    return mask;
}

/* The mask to set: that of -e and the events of triggers; 0: none. */
static uint32_t choose_evt_mask(struct collect *c)
{
    const struct triggers *t = c->plan->triggers;
    uint32_t before = c->plan->evt_mask ? c->plan->evt_mask
                                        : c->masks.evt_before;
    uint32_t mask = before;

    for ( unsigned int i = 0; (mask || c->masks.evt_known) && t && i < t->nr;
          i++ )
        mask = add_trigger_events(c, &t->list[i], mask);
    return mask == before ? c->plan->evt_mask : mask;
}

/* Without an answer, the mask at boot: stock's Xen cannot report its own. */
static int read_cpu_mask(struct collect *c, struct err *e)
{
    struct err ignored = ERR_INIT;
    size_t size = (c->nr_cpus + 7) / 8;

    c->masks.cpus_before = fault_calloc(1, size);
    if ( !c->masks.cpus_before )
        return err_sys(e, -ENOMEM, "cannot allocate a pcpu mask");
    if ( tbuf_get_cpu_mask(c->hv, c->masks.cpus_before, c->nr_cpus, &ignored) )
        memset(c->masks.cpus_before, 0xff, size);
    return 0;
}

static int set_cpu_mask(struct collect *c, struct err *e)
{
    int rc = read_cpu_mask(c, e);

    if ( !rc )
        rc = tbuf_set_cpu_mask(c->hv, c->cpu_bits, c->nr_cpus, e);
    c->masks.cpus_are_set = !rc;
    return rc;
}

int collect_set_masks(struct collect *c, struct err *e)
{
    struct err ignored = ERR_INIT;
    struct tbuf_info info;
    int rc = 0;

    assert(!c->masks.evt_is_set && !c->masks.cpus_before);
    if ( (c->plan->evt_mask || c->plan->triggers) &&
         !tbuf_get_info(c->hv, &info, &ignored) )
    {
        c->masks.evt_before = info.evt_mask;
        c->masks.evt_known = true;
    }
    c->masks.evt = choose_evt_mask(c);
    if ( c->masks.evt )
    {
        rc = tbuf_set_evt_mask(c->hv, c->masks.evt, e);
        c->masks.evt_is_set = !rc;
    }
    if ( !rc && c->cpu_bits )
        rc = set_cpu_mask(c, e);
    return rc;
}

/* Another program may have set a mask of its own in the meantime. */
static bool is_still_ours(struct collect *c)
{
    struct err ignored = ERR_INIT;
    struct tbuf_info info;

    assert(c->masks.evt_is_set);
    return !tbuf_get_info(c->hv, &info, &ignored) &&
           info.evt_mask == c->masks.evt;
}

void collect_restore_masks(struct collect *c)
{
    struct masks *m = &c->masks;
    struct err why = ERR_INIT;

    if ( c->plan->keep_masks || c->plan->leave_enabled )
        return;
    if ( m->evt_is_set && m->evt_known && m->evt_before != m->evt &&
         is_still_ours(c) )
        tbuf_set_evt_mask(c->hv, m->evt_before, &why);
    if ( m->cpus_are_set && !why.code )
        tbuf_set_cpu_mask(c->hv, m->cpus_before, c->nr_cpus, &why);
    m->evt_is_set = m->cpus_are_set = false;
    if ( why.code )
        log_err(c->log, LOG_LEVEL_WARNING, &why);
}

void collect_free_masks(struct collect *c)
{
    free(c->masks.cpus_before);
    c->masks = (struct masks){ .evt = 0 };
}

static bool traces_all_cpus(const struct collect *c)
{
    unsigned int cpu = 0;

    if ( !c->cpu_bits )
        return !c->state.nr_masked;
    while ( cpu < c->nr_cpus && c->cpu_bits[cpu / 8] >> cpu % 8 & 1 )
        cpu++;
    return cpu == c->nr_cpus;
}

static void warn_about_triggers(const struct collect *c)
{
    const struct triggers *t = c->plan->triggers;

    for ( unsigned int i = 0; t && i < t->nr; i++ )
        if ( t->list[i].type->follows_vcpus && !traces_all_cpus(c) )
            log_warning(c->log, "--snapshot-on %s: some pcpus are not traced, "
                        "and a vcpu that ran there counts as waiting; "
                        "use -c all unless vcpus are pinned", t->list[i].text);
}

void collect_warn_about_masks(const struct collect *c)
{
    warn_about_triggers(c);
    if ( !c->masks.evt && c->rings.evt_mask != TRC_ALL )
        log_warning(c->log, "Xen's event mask is %#x, and -e is not given: "
                    "only those events are traced; use -e all for all",
                    c->rings.evt_mask);
    if ( !c->cpu_bits && c->state.nr_masked )
        log_warning(c->log, "Xen's pcpu mask leaves %u of %u pcpus out, and "
                    "-c is not given: use -c all for all", c->state.nr_masked,
                    c->state.nr_online);
}
