/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hypervisor in memory: rings, their directory, and a log with one word for
 * each operation.  Tests act as Xen with fake_put(), and as a faulty Xen by
 * writing into the memory.
 */
#ifndef TESTS_UNIT_XENTRACE_FAKE_H
#define TESTS_UNIT_XENTRACE_FAKE_H

#include <stdbool.h>

#include "common/log.h"
#include "xentrace/hypervisor.h"
#include "xentrace/pcpu-ring.h"

#include "tests/unit/libxentrace/make-trace.h"

#define FAKE_CPUS 3u
#define FAKE_PAGES 2u
#define FAKE_DATA_SIZE (FAKE_PAGES * HV_PAGE_SIZE - 8)
#define FAKE_FRAMES 16u
#define FAKE_INFO_MFN 1u        /* one page of t_info */
#define FAKE_LIST 64u           /* start of the frame lists, in words */
#define FAKE_COMMANDS 6u

struct fake
{
    struct hv hv;               /* first */
    struct hv_info info;
    unsigned char (*frames)[HV_PAGE_SIZE];
    char log[2000];
    int mapped;                 /* number of mappings */

    bool sized, enabled;
    uint32_t evt_mask, masked;  /* values returned by get_info and `state` */
    int refuse[FAKE_COMMANDS];  /* -errno of each control operation */
    int refuse_map, refuse_virq;
    uint64_t lost;              /* records of pcpu 1, returned by `state` */
    const char *domain[4];      /* by id; "": no name yet; NULL: no domain */
    bool no_state;              /* `state` is unknown, as to stock Xen */

    /* Put into the ring of pcpu 0. */
    const struct make *records_at_enable, *records_at_disable;

    /* Called by ack_virq, to change something at that point. */
    void (*on_ack)(struct fake *f);
    unsigned int acks;
    int virq[2];                /* a pipe that is always readable */
};

/* With rings, or without: then set_size creates rings. */
void fake_init(struct fake *f, bool sized);
void fake_fini(struct fake *f);

/* Create the rings. */
void fake_size(struct fake *f);

struct t_buf *fake_ring(struct fake *f, unsigned int cpu);
uint16_t *fake_info(struct fake *f);   /* t_info as an array of 16-bit fields */

/* Append these bytes at prod. */
void fake_put(struct fake *f, unsigned int cpu, const struct make *m);

/* A log that writes into memory. */
struct log_capture
{
    struct log log;
    char *text;
    size_t size;
};

void log_capture_init(struct log_capture *h);
void log_capture_fini(struct log_capture *h);
unsigned int log_capture_count(struct log_capture *h, const char *word);

#endif /* TESTS_UNIT_XENTRACE_FAKE_H */
