/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lost>N: the records that Xen lost on all pcpus together, counted from the
 * start of the capture or from the last time that the trigger fired.
 */
#include "xentrace/trigger-type.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/opts.h"
#include "xentrace/trigger-decode.h"

static int lost_parse(struct trigger *trigger, const char *text,
                      struct err *e)
{
    if ( !opts_number(text, &trigger->limit) )
        return 0;
    return err_usage(e, "--snapshot-on=lost>%.80s: give a number of "
                     "records, as in lost>1000", text);
}

static void *lost_open(unsigned int nr_cpus)
{
    (void)nr_cpus;
    return fault_calloc(1, sizeof(uint64_t));
}

static void lost_record(struct triggers *t, void *state, unsigned int cpu,
                        const struct xt_record *r, uint64_t tsc)
{
    const struct trigger *trigger;
    uint64_t *lost = state, more;

    (void)cpu;
    (void)tsc;
    if ( !trigger_is_loss(r, &more) )
        return;
    *lost += more;
    trigger = trigger_find_exceeded(t, trigger_lost(), *lost);
    if ( !trigger )
        return;
    trigger_fire(t, trigger, &(struct trigger_firing){
                     .tsc = r->tsc, .value = *lost, .vcpu = TRIGGER_NO_VCPU,
                 }, "%" PRIu64 " record%s lost", *lost,
                 *lost == 1 ? " was" : "s were");
    *lost = 0;
}

const struct trigger_type *trigger_lost(void)
{
    static const struct trigger_type type = {
        .word = "lost>",
        .syntax = "lost>N",
        .help = "Xen lost more than N records",
        .example = "lost>1000",
        .events = { TRC_LOST_RECORDS },
        .parse = lost_parse,
        .open = lost_open,
        .close = free,
        .record = lost_record,
    };

    return &type;
}
