/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collapsed stacks, the input of flamegraph.pl and others: a line per stack,
 * frames joined by ";", a blank, nanoseconds.
 */
#include <assert.h>
#include <inttypes.h>

#include "xenalyze/viewers/stacks.h"
#include "xenalyze/viewers/viewer-text.h"

static void write_stack(const struct stack *stack, FILE *out)
{
    assert(stack->nr && stack->ns);
    for ( unsigned int i = 0; i < stack->nr; i++ )
    {
        if ( i )
            putc(';', out);
        viewer_write_frame(out, stack->frames[i]);
    }
    fprintf(out, " %" PRIu64 "\n", stack->ns);
}

static int collapsed_write(struct stacks *s, FILE *out)
{
    struct stack stack;

    for ( size_t i = 0; i < s->nr; i++ )
        if ( stacks_get(s, i, &stack) )
            write_stack(&stack, out);
    return 0;
}

const struct stacks_ops collapsed_ops = { .write = collapsed_write };
