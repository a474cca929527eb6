/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack samples of VM exits in Perfetto: where the guest was; part of
 * perfetto.h.
 *
 * In each SAMPLE_NS of a vcpu, one exit is the sample, chosen at random, and
 * its weight is the number of exits: the sum of all weights is exact, and no
 * pattern of the guest that repeats with the period hides an exit.
 */
#ifndef XENALYZE_VIEWERS_PERFETTO_SAMPLES_H
#define XENALYZE_VIEWERS_PERFETTO_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_NS 1000000u
#define SAMPLE_NAMES 4096u      /* a power of 2 */

enum sample_name
{
    SAMPLE_NO_NAME,
    SAMPLE_DOMAIN,              /* value: the number of its process */
    SAMPLE_REASON,              /* the cause of the exit */
    SAMPLE_ADDRESS,             /* the address, or that of its symbol */
    SAMPLE_STACK,               /* numbers of the three above */
};

/* A defined name, frame or stack; its number is that of the slot + 1. */
struct sample_slot
{
    uint64_t value;
    uint8_t kind;
};

/* A vcpu's exits since `from`, and the chosen one. */
struct sample_vcpu
{
    const struct activity_vcpu *vcpu;
    uint64_t from, nr;          /* nr 0: none */
    uint64_t time, rip;
    uint32_t pcpu, random;
    uint16_t cause;
    bool wide;
};

struct perfetto_samples
{
    struct sample_vcpu *vcpus;  /* by number */
    uint32_t nr_vcpus;
    bool has_sequence;          /* a packet is written */
    bool is_cleared;            /* the next packet has to clear all names */
    unsigned int used;
    struct sample_slot slots[SAMPLE_NAMES];
    bool failed;                /* out of memory */
};

struct perfetto;
struct activity_exit;

void perfetto_sample(struct perfetto *x, const struct activity_exit *a);

/* Write the samples in progress. */
void perfetto_end_samples(struct perfetto *x);

#endif /* XENALYZE_VIEWERS_PERFETTO_SAMPLES_H */
