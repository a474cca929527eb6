/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the triggers read of records: runstate changes, VM entries and exits,
 * the count of lost records.  Layouts are those of libxentrace/readers.h.
 */
#ifndef XENTRACE_TRIGGER_DECODE_H
#define XENTRACE_TRIGGER_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include <public/trace.h>

#include "libxentrace/libxentrace.h"
#include "libxentrace/readers.h"

#define TRIGGER_SUBCLASS 0x0ffff000u

static inline bool trigger_is_runstate(const struct xt_record *r)
{
    return xt_is_sched_runstate_change(r->event);
}

static inline bool trigger_becomes_runnable(const struct xt_record *r)
{
    return xt_id_sched_runstate_change_to(r->event) ==
           XT_VALUE(runstate, runnable);
}

/* Domain << 16 | vcpu, of a runstate change with at least one word. */
static inline uint32_t trigger_vcpu_id(const struct xt_record *r)
{
    return xt_vcpu_key(xt_field_load(r, XT_AT(sched_runstate_change, dom)),
                       xt_field_load(r, XT_AT(sched_runstate_change, vcpu)));
}

static inline bool trigger_is_entry_or_exit(const struct xt_record *r)
{
    return (r->event & TRIGGER_SUBCLASS) == TRC_HVM_ENTRYEXIT;
}

/* An exit of Intel or, since 4.19 with an id of its own, of AMD. */
static inline bool trigger_is_vm_exit(const struct xt_record *r)
{
    uint32_t event = r->event & ~(TRC_64_FLAG | TRC_HVM_NESTEDFLAG);

    return event == TRC_HVM_VMEXIT || event == TRC_HVM_SVM_EXIT;
}

/* A note of Xen's about records that it lost; *lost is their number. */
static inline bool trigger_is_loss(const struct xt_record *r, uint64_t *lost)
{
    if ( r->event != TRC_LOST_RECORDS )
        return false;
    *lost = xt_field_load(r, XT_AT(lost_records, lost));
    return xt_field_present(r, XT_AT(lost_records, lost));
}

#endif /* XENTRACE_TRIGGER_DECODE_H */
