/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks: the time of VM exits by domain, vcpu, reason and handler, for flame
 * graphs; private header of viewers/.
 */
#ifndef XENALYZE_VIEWERS_STACKS_H
#define XENALYZE_VIEWERS_STACKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "xenalyze/stats/stats.h"
#include "xenalyze/viewers/viewer.h"

#define STACK_FRAMES 5u         /* domain, vcpu, reason, handler, "off ..." */
#define STACK_FRAME_MAX 64u

/* One stack, root first. */
struct stack
{
    uint32_t domain;
    unsigned int nr;
    char frames[STACK_FRAMES][STACK_FRAME_MAX];
    uint64_t ns;                /* weight */
};

struct stacks
{
    const struct viewer_options *options;
    struct stats_pool pool;
    struct stats_map map;       /* cycles, by stack_key() */
    struct xt_clock clock;
    struct stats_row **rows;    /* in the order of keys, from stacks_close() */
    size_t nr;                  /* number of stacks */
};

/* The format of a flame graph writes all stacks at the end of the trace. */
struct stacks_ops
{
    /* The stacks are closed.  0 or -ENOMEM. */
    int (*write)(struct stacks *s, FILE *out);
};

void stacks_init(struct stacks *s, const struct viewer_options *options);
void stacks_fini(struct stacks *s);
struct sink stacks_sink(struct stacks *s);

/* At the end of the trace.  0 or -ENOMEM. */
int stacks_close(struct stacks *s);

/*
 * Stack `i` below s->nr, in the order of domains, vcpus and reasons.  False:
 * the stack has no weight.
 */
bool stacks_get(const struct stacks *s, size_t i, struct stack *stack);

/* The formats. */
extern const struct stacks_ops collapsed_ops, speedscope_ops;

#endif /* XENALYZE_VIEWERS_STACKS_H */
