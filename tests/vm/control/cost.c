/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measure the cost of a record in instructions.  Needs one CPU, and QEMU with
 * -icount shift=0, where the TSC counts instructions.  The same hypercall is
 * run with tracing off, masked out, and traced; the difference is the record.
 */
#include <stdio.h>
#include <string.h>

#include <xen/sysctl.h>

#include "tb.h"

#define OP(name) XEN_SYSCTL_TBUFOP_ ## name
#define CALLS 16
#define TRIES 3000

static uint64_t rdtsc(void)
{
    uint32_t lo, hi;

    __asm__ volatile ( "rdtsc" : "=a" (lo), "=d" (hi) );

    return lo | (uint64_t)hi << 32;
}

/* The minimum excludes interrupts, page ends and the high-water mark. */
static double measure(struct tb_view *v)
{
    uint64_t min = -1, t;
    unsigned int i, n;

    for ( i = 0; i < TRIES; i++ )
    {
        v->buf[0]->cons = v->buf[0]->prod;
        t = rdtsc();
        for ( n = 0; n < CALLS; n++ )
            tb_number(0, i);
        t = rdtsc() - t;
        if ( t < min )
            min = t;
    }

    return (double)min / CALLS;
}

/* A PV kernel adds a hypercall to return, so one call makes several records. */
static double records_per_call(struct tb_view *v)
{
    struct tb_seen s = { 0 };
    unsigned int n;

    v->buf[0]->cons = v->buf[0]->prod;
    for ( n = 1; n <= 1000; n++ )
        tb_number(1, n);
    tb_drain(v, 0, &s, true);

    return s.records / 1000.0;
}

/* TSC ticks per instruction, from a thousand nops. */
static double ticks_per_instruction(void)
{
    uint64_t t = rdtsc();

    __asm__ volatile ( ".rept 1000\nnop\n.endr" );

    return (rdtsc() - t) / 1000.0;
}

int main(void)
{
    double off, masked, on, records;
    struct tb_view v;

    if ( tb_open() || tb_op(OP(set_size), 64) || tb_map(&v, 1) )
    {
        fprintf(stderr, "cost: no rings of 64 pages\n");
        return 1;
    }
    tb_op(OP(disable), 0);
    off = measure(&v);
    tb_op(OP(set_evt_mask), TRC_HVM);
    tb_op(OP(enable), 0);
    masked = measure(&v);
    tb_op(OP(set_evt_mask), TRC_PV_ENTRY);
    on = measure(&v);
    records = records_per_call(&v);
    printf("ticks per instruction %.3f\nhypercalls per call %.2f\n"
           "a hypercall, tracing off %.1f\nmasked out %.1f\ntraced %.1f\n",
           ticks_per_instruction(), records, off / records,
           (masked - off) / records, (on - off) / records);

    return 0;
}
