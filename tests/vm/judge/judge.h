/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judging a trace file: main.c reads it and tells, walk.c takes it apart,
 * rules.c has what must be true of each record, abi.c what the ABI says of it.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <public/trace.h>

#define MAX_CPUS 64
#define PAGE_BYTES 4096
#define MAX_WANTED 8
#define CLASSES 12              /* bits of a class */
#define IDLE_DOMAIN 0x7fff

/* What is expected of this file. */
struct expected {
    uint32_t data_size;         /* of a ring; 0: not known */
    long cpu;                   /* -1: any */
    uint32_t mask, event;
    bool losses, zero_pads;
    unsigned long records;
    const char *volumes;        /* write them there */
    struct wanted {
        uint32_t first, last;   /* an event of these */
        bool rare;              /* it may be among those that were lost */
    } wanted[MAX_WANTED];
    unsigned int nr_wanted;
    struct domain {
        uint32_t id;
        bool runs;              /* it must */
    } domain[MAX_WANTED];
    unsigned int nr_domains;
};

struct pcpu {
    uint64_t tsc;
    uint64_t bytes[CLASSES], lost_bytes;
    bool padded;                /* a pad was seen, and since then: */
    uint64_t since_pad;
    bool switched;              /* a switch was seen, nothing was lost since: */
    uint32_t runs[2];           /* domain, vcpu */
    bool inside;                /* entered a guest, nothing was lost since */
};

struct check {
    const struct expected *expected;
    const uint8_t *data;
    size_t size;
    struct pcpu pcpu[MAX_CPUS];
    struct pcpu *now;
    unsigned long cpu;
    unsigned long records, windows, pads, lost_records, lost, switches, wrong;
    unsigned long seen_wanted[MAX_WANTED], seen_domain[MAX_WANTED];
};

struct record {
    size_t at;
    uint32_t event, words, size;
    bool timed;
    uint64_t tsc;
    uint32_t word[TRACE_EXTRA_MAX];
};

enum fit { FIT_YES, FIT_UNKNOWN, FIT_SHAPE };
enum fit abi_fit(const struct record *r);

void __attribute__((format(printf, 3, 4)))
complain(struct check *c, size_t at, const char *format, ...);

void check_file(struct check *c);
void check_record(struct check *c, const struct record *r);

#endif
