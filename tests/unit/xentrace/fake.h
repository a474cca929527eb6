/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hypervisor in memory: rings, their directory, and a log of everything
 * that it was asked, one word a question.  Tests play Xen (fake_put) and bad
 * Xen: they just write into its memory.
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
#define FAKE_LIST 64u           /* where its lists begin, in words */
#define FAKE_COMMANDS 6u

struct fake
{
    struct hv hv;               /* first */
    struct hv_info info;
    unsigned char (*frames)[HV_PAGE_SIZE];
    char log[2000];
    int mapped;                 /* mappings that stand */

    bool sized, enabled;
    uint32_t evt_mask, masked;  /* what get_info and `state` say of masks */
    int refuse[FAKE_COMMANDS];  /* -errno for each control operation */
    int refuse_map, refuse_virq;
    uint64_t lost;              /* of pcpu 1; what `state` says */
    const char *domain[4];      /* by id: "" has no name yet; NULL: no domain */
    bool no_state;              /* it knows no `state`, as stock's */

    const struct make *last_words;      /* of pcpu 0, put there by disable */

    /* Called when the virq is taken, so that something can happen. */
    void (*on_ack)(struct fake *f);
    unsigned int acks;
    int virq[2];                /* a pipe that is always readable */
};

/* With rings already, or so that set_size makes them. */
void fake_init(struct fake *f, bool sized);
void fake_fini(struct fake *f);

/* The rings come to be. */
void fake_size(struct fake *f);

struct t_buf *fake_ring(struct fake *f, unsigned int cpu);
uint16_t *fake_info(struct fake *f);        /* t_info as its 16-bit fields */

/* Put these bytes where prod is. */
void fake_put(struct fake *f, unsigned int cpu, const struct make *m);

/* A log that writes into memory. */
struct heard
{
    struct log log;
    char *text;
    size_t size;
};

void heard_init(struct heard *h);
void heard_fini(struct heard *h);
unsigned int heard_times(struct heard *h, const char *word);

#endif /* TESTS_UNIT_XENTRACE_FAKE_H */
