/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of stacks is bounded: beyond the last key of the map, exits share
 * one stack.
 *
 * An exit in which its vcpu blocks has two weights: the time off the pcpu is a
 * frame of its own, since a guest that idles would hide all other exits.
 */
#include "xenalyze/viewers/stacks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/account/account.h"

/* --- keys ----------------------------------------------------------------- */

#define KEY_OFF_CPU 1u

_Static_assert(EXIT_CAUSES <= 1u << 9, "a cause has 9 bits");

static uint64_t stack_key(const struct fact_exit *f, bool off_cpu)
{
    return (uint64_t)f->vcpu->domain->id << 34 | (uint64_t)f->vcpu->id << 18 |
           (uint64_t)f->cause << 9 | (uint64_t)f->handler << 1 | off_cpu;
}

/* --- facts ---------------------------------------------------------------- */

static void stacks_begin(void *state, const struct fact_begin *f)
{
    struct stacks *s = state;

    if ( !f->segment )
        s->clock = *f->clock;
}

/* The domain of a vcpu that no record of the scheduler has named is unknown. */
static bool is_known(const struct fact_exit *f)
{
    return f->vcpu->domain->id != XT_DOMAIN_DEFAULT;
}

static void stacks_exit(void *state, const struct fact_exit *f)
{
    struct stacks *s = state;

    if ( is_known(f) )
        stats_map_add(&s->map, &s->pool, stack_key(f, false), f->cycles,
                      f->start);
}

static void stacks_exit_block(void *state, const struct fact_exit_block *f)
{
    struct stacks *s = state;

    assert(f->exit);
    if ( is_known(f->exit) )
        stats_map_add(&s->map, &s->pool, stack_key(f->exit, true), f->cycles,
                      f->exit->start);
}

static int stacks_clone(void **shard, const void *state)
{
    const struct stacks *s = state;
    struct stacks *new = *shard = fault_calloc(1, sizeof(*new));

    if ( !new )
        return -ENOMEM;
    stacks_init(new, s->options);
    return 0;
}

static int stacks_merge(void *state, void *shard)
{
    struct stacks *s = state, *from = shard;
    int rc;

    assert(s != from);
    stats_map_merge(&s->map, &s->pool, &from->map);
    rc = from->pool.failed || s->pool.failed ? -ENOMEM : 0;
    stacks_fini(from);
    free(from);
    return rc;
}

void stacks_init(struct stacks *s, const struct viewer_options *options)
{
    *s = (struct stacks){ .options = options };
    stats_pool_init(&s->pool);
}

void stacks_fini(struct stacks *s)
{
    stats_pool_fini(&s->pool);
}

struct sink stacks_sink(struct stacks *s)
{
    static const struct sink_ops ops = {
        .name = "stacks", .clone = stacks_clone, .merge = stacks_merge,
        .begin = stacks_begin, .exit = stacks_exit,
        .exit_block = stacks_exit_block,
    };

    return (struct sink){ &ops, s };
}

/* --- stacks --------------------------------------------------------------- */

static void push_frame(struct stack *stack, const char *text)
{
    assert(stack->nr < STACK_FRAMES);
    snprintf(stack->frames[stack->nr++], STACK_FRAME_MAX, "%s", text);
}

static void name_frames(const struct stacks *s, uint64_t key,
                        struct stack *stack)
{
    const struct xt_domain_names *names = s->options->names;
    unsigned int handler = key >> 1 & 0xff;
    char label[XT_LABEL_MAX], name[EXIT_REPORT_NAME];

    _Static_assert(XT_LABEL_MAX <= STACK_FRAME_MAX, "labels fit");
    stack->domain = key >> 34;
    push_frame(stack, xt_domain_label(names, stack->domain, label));
    push_frame(stack, xt_vcpu_label(names, stack->domain, key >> 18 & 0xffff,
                                   label));
    push_frame(stack, exit_report_name(key >> 9 & 0x1ff, name));
    if ( handler && handler_name(handler) )
        push_frame(stack, handler_name(handler));
    if ( key & KEY_OFF_CPU )
        push_frame(stack, "off the pcpu");
}

/* The cycles of a row on the pcpu: without those of the next row, if any. */
static uint64_t get_cycles(const struct stacks *s, size_t i)
{
    const struct stats_row *row = s->rows[i];
    uint64_t sum = row->stats.sum, off = 0;

    if ( !(row->key & KEY_OFF_CPU) && i + 1 < s->map.used &&
         s->rows[i + 1]->key == (row->key | KEY_OFF_CPU) )
        off = s->rows[i + 1]->stats.sum;
    return sum > off ? sum - off : 0;
}

int stacks_close(struct stacks *s)
{
    assert(!s->rows);
    s->rows = stats_map_by_key(&s->map, &s->pool);
    s->nr = s->rows ? s->map.used + !!s->map.others : 0;
    return s->pool.failed ? -ENOMEM : 0;
}

bool stacks_get(const struct stacks *s, size_t i, struct stack *stack)
{
    uint64_t cycles;

    assert(i < s->nr);
    stack->nr = 0;
    if ( i == s->map.used )
    {
        cycles = s->map.others->sum;
        stack->domain = UINT32_MAX;
        push_frame(stack, "others");
    }
    else
    {
        cycles = get_cycles(s, i);
        name_frames(s, s->rows[i]->key, stack);
    }
    stack->ns = xt_clock_duration(&s->clock, cycles);
    return stack->ns;
}
