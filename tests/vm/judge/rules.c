/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for each record, alone and in the context of earlier records of its
 * pcpu.  A LOST record resets this context.
 */
#include <inttypes.h>

#include "judge.h"

/* SVM's exit codes: up to 0x403, and three negative ones. */
#define MAX_EXIT 0x403

#define GUEST_EVENT (TRC_GUEST | 0x123)
#define GUEST_MARK 0x600df00d

static bool in_mask(uint32_t event, uint32_t mask)
{
    uint32_t class = event >> TRC_CLS_SHIFT & 0xfff;
    uint32_t subclass = event >> TRC_SUBCLS_SHIFT & 0xf;

    return (mask >> TRC_CLS_SHIFT & class) &&
           (mask >> TRC_SUBCLS_SHIFT & subclass);
}

static void check_id(struct check *c, const struct record *r)
{
    enum abi_match abi_match = abi_compare(r);

    if ( abi_match == FIT_UNKNOWN && r->event != c->expected->event )
        report_error(c, r->at, "%#x: no such event", r->event);
    if ( abi_match == FIT_SHAPE )
        report_error(c, r->at, "%#x: %u words, %s time stamp", r->event,
                     r->words,
                     r->timed ? "a" : "no");
    if ( !in_mask(r->event, c->expected->mask) && !in_mask(r->event, TRC_GEN) )
        report_error(c, r->at, "%#x: not in the mask", r->event);
}

static void check_wanted(struct check *c, const struct record *r)
{
    const struct expected *e = c->expected;
    unsigned int i;

    for ( i = 0; i < e->nr_wanted; i++ )
        c->seen_wanted[i] += r->event >= e->wanted[i].first &&
                             r->event <= e->wanted[i].last;
}

static void check_time(struct check *c, const struct record *r)
{
    if ( r->timed && r->tsc < c->now->tsc )
        report_error(c, r->at, "%#x: time goes back by %" PRIu64, r->event,
                     c->now->tsc - r->tsc);
}

static void check_lost(struct check *c, const struct record *r)
{
    uint64_t first = r->word[2] | (uint64_t)r->word[3] << 32;

    if ( r->event != TRC_LOST_RECORDS || r->words != 4 || !r->timed )
        return;
    c->lost_records++;
    c->lost += r->word[0];
    c->now->lost_bytes += r->size;
    c->now->switched = c->now->inside = false;
    if ( !r->word[0] )
        report_error(c, r->at, "LOST of none");
    if ( first < c->now->tsc || first > r->tsc )
        report_error(c, r->at, "LOST since a time out of range");
}

static void check_pad(struct check *c, const struct record *r)
{
    uint32_t ring = c->expected->data_size, i;

    if ( r->event != TRC_TRACE_WRAP_BUFFER )
        return;
    c->pads++;
    for ( i = 0; i < r->words; i++ )
        if ( r->word[i] && c->expected->zero_pads )
            report_error(c, r->at, "a pad holds %#x", r->word[i]);
    if ( ring && c->now->padded && c->now->since_pad % ring )
        report_error(c, r->at,
                     "a pad %" PRIu64 " bytes after the last, not n * %u",
                     c->now->since_pad, ring);
    c->now->padded = true;
    c->now->since_pad = 0;
}

/* Only dom0, domains given as options, and the pcpu's idle vcpu may run. */
static void check_vcpu(struct check *c, const struct record *r, uint32_t domain,
                       uint32_t vcpu)
{
    const struct expected *e = c->expected;
    bool abi_events = domain == 0 || domain == IDLE_DOMAIN;
    unsigned int i;

    for ( i = 0; i < e->nr_domains; i++ )
    {
        c->seen_domain[i] += domain == e->domain[i].id;
        abi_events = abi_events || domain == e->domain[i].id;
    }
    if ( !abi_events || vcpu >= MAX_CPUS ||
         (domain == IDLE_DOMAIN && vcpu != c->cpu) )
        report_error(c, r->at, "%#x: domain %u vcpu %u", r->event, domain,
                     vcpu);
}

/* Each switch is from the vcpu that the previous switch was to. */
static void check_switch(struct check *c, const struct record *r)
{
    struct pcpu *p = c->now;

    if ( r->event != TRC_SCHED_SWITCH || r->words != 4 )
        return;
    check_vcpu(c, r, r->word[0], r->word[1]);
    check_vcpu(c, r, r->word[2], r->word[3]);
    if ( p->switched && (r->word[0] != p->runs[0] || r->word[1] != p->runs[1]) )
        report_error(c, r->at, "d%uv%u switched from, but d%uv%u ran",
                     r->word[0],
                     r->word[1], p->runs[0], p->runs[1]);
    c->switches++;
    p->switched = true;
    p->runs[0] = r->word[2];
    p->runs[1] = r->word[3];
}

/* No guest is entered twice without an exit in between. */
static void check_guest(struct check *c, const struct record *r)
{
    struct pcpu *p = c->now;
    bool leaves = r->event == TRC_HVM_VMEXIT || r->event == TRC_HVM_VMEXIT64;

    if ( r->event == TRC_HVM_VMENTRY )
    {
        if ( p->inside )
            report_error(c, r->at, "a guest is entered twice without an exit");
        p->inside = true;
    }
    if ( leaves )
        p->inside = false;
    if ( leaves && r->word[0] > MAX_EXIT && r->word[0] < -3u )
        report_error(c, r->at, "VM exit for reason %#x", r->word[0]);
    if ( r->event == GUEST_EVENT &&
         (r->words != 2 || r->word[0] != GUEST_MARK || r->word[1] != 8) )
        report_error(c, r->at, "a guest event of %u words, %#x %#x", r->words,
                     r->word[0], r->word[1]);
}

void check_record(struct check *c, const struct record *r)
{
    uint32_t class = r->event >> TRC_CLS_SHIFT & 0xfff;
    unsigned int i;

    c->records++;
    c->now->since_pad += r->size;
    for ( i = 0; i < CLASSES; i++ )
        if ( class >> i & 1 )
            c->now->bytes[i] += r->size;
    check_id(c, r);
    check_wanted(c, r);
    check_time(c, r);
    check_lost(c, r);
    check_pad(c, r);
    check_switch(c, r);
    check_guest(c, r);
    if ( r->timed )
        c->now->tsc = r->tsc;
}
