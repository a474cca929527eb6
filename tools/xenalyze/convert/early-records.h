/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records before a moment that a reader needs to know the states of vcpus
 * and pcpus at that moment.
 *
 *      kept for each vcpu, pcpu     all records
 *     - - - - - - - - - - - - - -|- - - - - - - - -|  the moment
 *                                W
 *
 * From W on, all records are kept.  W is when the longest awake of the vcpus
 * that run or wait at the moment was woken: so waits that end later have their
 * begin, waker and rivals.  Before W, records are kept for
 *
 *     each vcpu     the last record that puts the vcpu on a pcpu, and the
 *                   changes of its state behind that record
 *     each pcpu     the last records of C-states, and of a frequency; the last
 *                   interrupt, as a sign that these are traced; a VM exit
 *                   without an entry; the last LOST record, which makes vcpus
 *                   off their pcpus unknown; the last record of an idle pcpu,
 *                   which begins its silence, if it is offline
 *     each domain   its creation or destruction, whichever is later
 *
 * The vcpus of a domain that has ended are forgotten.
 *
 * Memory is bounded: the records behind W are in a ring of a fixed size, so W
 * is not earlier than that; of more vcpus than GUESTS_MAX_VCPUS no record is
 * kept.
 */
#ifndef XENALYZE_CONVERT_EARLY_RECORDS_H
#define XENALYZE_CONVERT_EARLY_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/internal.h"

struct early_record
{
    uint64_t number;            /* in the order of time */
    uint64_t time;
    uint16_t cpu;
    uint8_t size;
    unsigned char bytes[XT_RECORD_MAX_BYTES];
};

#define EARLY_PER_VCPU 6u

struct early_vcpu
{
    uint32_t id;                /* domain << 16 | vcpu */
    uint32_t next;              /* hash chain: index + 1, or 0 */
    bool is_awake;              /* runs or waits, by the newest record */
    bool has_open_exit;         /* blocked in a VM exit */
    bool is_known;              /* since a record, unless its life has ended */
    bool runs;                  /* by the kept records */
    bool waits;                 /* likewise */
    uint8_t nr;                 /* kept records */
    uint8_t last_state;         /* for early-damage.c: the state + 1, or 0 */
    bool is_suspect;            /* likewise: contradicted by a record */
    uint64_t awake_since;
    struct early_record records[EARLY_PER_VCPU];
};

/* Records of a pcpu that replace earlier ones of their kind. */
enum early_slot
{
    EARLY_FREQUENCY, EARLY_SLEEP, EARLY_WAKE_UP, EARLY_IRQ, EARLY_EXIT,
    EARLY_LOSS,
    EARLY_LAST,                 /* any record with a time, if not busy */
    EARLY_SLOTS,
};

struct early_pcpu
{
    bool has_records;
    bool in_exit;               /* between a VM exit and the entry */
    bool is_busy;               /* by the records that have left the ring */
    uint32_t current;           /* likewise: index of the vcpu + 1, or 0 */
    struct early_record slots[EARLY_SLOTS];     /* size 0: none */
};

struct early_domain
{
    bool dying;                 /* destroyed; its vcpus may still run */
    struct early_record life;   /* size 0: none */
};

struct early_records
{
    struct early_record *ring;
    uint64_t begin, end;        /* numbers of its records */
    struct early_vcpu *vcpus;
    uint32_t nr_vcpus, room_vcpus;
    uint32_t *buckets;          /* hash table of vcpus: index + 1 */
    uint32_t nr_buckets;        /* a power of 2 */
    struct early_pcpu *pcpus;
    unsigned int nr_pcpus;
    struct early_domain *domains;       /* by id */
    unsigned int nr_domains;
};

/* 0 or -ENOMEM. */
int early_init(struct early_records *h);
void early_fini(struct early_records *h);

/* Forget everything. */
void early_reset(struct early_records *h);

/* Follow a record, before the moment or behind it.  0 or -ENOMEM. */
int early_follow(struct early_records *h, unsigned int cpu, uint64_t time,
                   const struct xt_record *r);

/*
 * Does the record concern a VM exit that is open?  True for the next record of
 * a vcpu that is blocked in an exit, and for a loss, which ends all of these.
 */
bool early_ends_exit(struct early_records *h, const struct xt_record *r);

/* Has the pcpu had any record? */
bool early_has_pcpu(const struct early_records *h, unsigned int cpu);

/* Is a VM exit of this pcpu open; of how many blocked vcpus? */
bool early_in_exit(const struct early_records *h, unsigned int cpu);
uint32_t early_count_open_exits(const struct early_records *h);

/* Keep a record before the moment, which has been followed.  0 or -ENOMEM. */
int early_keep(struct early_records *h, unsigned int cpu, uint64_t time,
                 const void *bytes, size_t size);

/*
 * Follow and keep a record that is so long before the moment that the ring
 * would not have it, for a fraction of the cost: before any call of
 * early_keep().  0 or -ENOMEM.
 */
int early_pass(struct early_records *h, unsigned int cpu, uint64_t time,
               const struct xt_record *r, const void *bytes, size_t size);

/* A change of a vcpu's state; false: another record. */
struct vcpu_change
{
    uint32_t id;
    unsigned int from, to;
};

bool early_read_change(const struct xt_record *r, struct vcpu_change *c);

/* The vcpu; NULL: no record has named it. */
struct early_vcpu *early_find_vcpu(const struct early_records *h, uint32_t id);

/* The vcpu, added if new; NULL: too many vcpus, or *rc is -ENOMEM. */
struct early_vcpu *early_get_vcpu(struct early_records *h, uint32_t id,
                                  int *rc);

typedef int early_fn(void *arg, const struct early_record *r);

/*
 * Deliver the kept records, in no order and some twice, except those in the
 * ring.  0 or the first failure of the callback.
 */
int early_visit(const struct early_records *h, early_fn *fn, void *arg);

/*
 * Deliver the kept records before W, then those from W on.  0, -ENOMEM, or the
 * first failure of a callback.
 */
int early_deliver(struct early_records *h, early_fn *before, early_fn *behind,
                    void *arg);

#endif /* XENALYZE_CONVERT_EARLY_RECORDS_H */
