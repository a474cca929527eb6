/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of a trace file: main.c reads the file and prints the result, walk.c
 * decodes records, rules.c checks each record, abi.c has the ABI of each event.
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

/* Expectations of the file, from the command line. */
struct expected {
    uint32_t data_size;         /* bytes per ring; 0: unknown */
    long cpu;                   /* -1: any */
    uint32_t mask, event;
    bool losses, zero_pads;
    unsigned long records;
    const char *volumes;        /* file for the bytes per class */
    struct wanted {
        uint32_t first, last;   /* range of events */
        bool rare;              /* may be among the lost records */
    } wanted[MAX_WANTED];
    unsigned int nr_wanted;
    struct domain {
        uint32_t id;
        bool runs;              /* has to run */
    } domain[MAX_WANTED];
    unsigned int nr_domains;
};

struct pcpu {
    uint64_t tsc;
    uint64_t bytes[CLASSES], lost_bytes;
    bool padded;                /* a pad was seen */
    uint64_t since_pad;         /* bytes since that pad */
    bool switched;              /* a switch was seen since the last loss */
    uint32_t runs[2];           /* current domain, vcpu */
    bool inside;                /* a guest was entered since the last loss */
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

enum abi_match { FIT_YES, FIT_UNKNOWN, FIT_SHAPE };
enum abi_match abi_compare(const struct record *r);

void __attribute__((format(printf, 3, 4)))
report_error(struct check *c, size_t at, const char *format, ...);

void check_file(struct check *c);
void check_record(struct check *c, const struct record *r);

#endif
