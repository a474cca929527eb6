/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event ids and words that triggers decode by hand: runstate changes, VM
 * entries and exits, the count of lost records.  No other file of the
 * triggers knows the layout of a record.
 */
#ifndef XENTRACE_TRIGGER_DECODE_H
#define XENTRACE_TRIGGER_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include <public/trace.h>

#include "libxentrace/record.h"

#define TRIGGER_SUBCLASS 0x0ffff000u
#define TRIGGER_RUNSTATE_RUNNABLE 1u
#define TRIGGER_IDLE_DOMAIN 0x7fffu

/* TRC_SCHED_MIN, 1: the id also holds the old and the new runstate. */
static inline bool trigger_is_runstate(const struct xt_record *r)
{
    return (r->event & TRIGGER_SUBCLASS) == TRC_SCHED_MIN &&
           (r->event & 0xf) == 1;
}

static inline bool trigger_becomes_runnable(const struct xt_record *r)
{
    return (r->event >> 4 & 3) == TRIGGER_RUNSTATE_RUNNABLE;
}

/* Domain << 16 | vcpu, of a runstate change with at least one word. */
static inline uint32_t trigger_vcpu_id(const struct xt_record *r)
{
    return xt_record_word(r, 0);
}

/* The vcpus of the idle domain are runnable whenever they do not run. */
static inline bool trigger_is_idle(uint32_t vcpu_id)
{
    return vcpu_id >> 16 == TRIGGER_IDLE_DOMAIN;
}

static inline bool trigger_is_entry_or_exit(const struct xt_record *r)
{
    return (r->event & TRIGGER_SUBCLASS) == TRC_HVM_ENTRYEXIT;
}

/* Minor without its flags: entry 1, exit 2, AMD's exit 3. */
static inline bool trigger_is_vm_exit(const struct xt_record *r)
{
    uint32_t minor = r->event & 0xfff & ~(TRC_64_FLAG | TRC_HVM_NESTEDFLAG);

    return minor == 2 || minor == 3;
}

/* A note of Xen's about records that it lost; *lost is their number. */
static inline bool trigger_is_loss(const struct xt_record *r, uint64_t *lost)
{
    if ( r->event != TRC_LOST_RECORDS || r->words < 1 )
        return false;
    *lost = xt_record_word(r, 0);
    return true;
}

#endif /* XENTRACE_TRIGGER_DECODE_H */
