/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flame graphs for speedscope: a sampled profile per domain, where a sample is
 * a stack of indices of frames, and its weight nanoseconds.
 *
 * Frames with the same text are one frame, wherever they are: speedscope sums
 * them up in its view "sandwich".
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/viewers/stacks.h"
#include "xenalyze/viewers/viewer-text.h"

struct speedscope
{
    FILE *out;
    const char *trace;
    char (*frames)[STACK_FRAME_MAX];    /* each text once */
    size_t nr, room;
    uint32_t *slots;            /* hash table: index + 1 of a frame, or 0 */
    size_t nr_slots;            /* a power of two, at least 2 * room */
};

/* --- frames --------------------------------------------------------------- */

static size_t find_frame(const struct speedscope *x, const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    size_t i;

    assert(x->nr < x->nr_slots);
    for ( const char *p = text; *p; p++ )
        hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    i = hash & (x->nr_slots - 1);
    while ( x->slots[i] && strcmp(x->frames[x->slots[i] - 1], text) )
        i = (i + 1) & (x->nr_slots - 1);
    return i;
}

static bool grow_frames(struct speedscope *x)
{
    size_t room = x->room ? 2 * x->room : 64;
    uint32_t *slots = fault_calloc(2 * room, sizeof(*slots));
    void *frames = slots ? fault_realloc(x->frames, room * sizeof(*x->frames))
                         : NULL;

    if ( !frames )
    {
        free(slots);
        return false;
    }
    free(x->slots);
    x->frames = frames;
    x->slots = slots;
    x->room = room;
    x->nr_slots = 2 * room;
    for ( size_t i = 0; i < x->nr; i++ )
        x->slots[find_frame(x, x->frames[i])] = i + 1;
    return true;
}

static bool collect_frame(struct speedscope *x, const char *text)
{
    size_t slot;

    if ( x->nr == x->room && !grow_frames(x) )
        return false;
    slot = find_frame(x, text);
    if ( x->slots[slot] )
        return true;
    memcpy(x->frames[x->nr], text, STACK_FRAME_MAX);
    x->slots[slot] = ++x->nr;
    return true;
}

static int collect_frames(struct speedscope *x, const struct stacks *s)
{
    struct stack stack;

    for ( size_t i = 0; i < s->nr; i++ )
        for ( unsigned int k = 0; stacks_get(s, i, &stack) && k < stack.nr;
              k++ )
            if ( !collect_frame(x, stack.frames[k]) )
                return -ENOMEM;
    return 0;
}

static void write_frames(const struct speedscope *x)
{
    for ( size_t i = 0; i < x->nr; i++ )
    {
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", x->out);
        viewer_write_json(x->out, x->frames[i]);
        putc('}', x->out);
    }
}

/* --- profiles ------------------------------------------------------------- */

static void write_sample(const struct speedscope *x, const struct stack *stack)
{
    assert(stack->nr);
    for ( unsigned int i = 0; i < stack->nr; i++ )
        fprintf(x->out, "%s%" PRIu32, i ? "," : "[",
                x->slots[find_frame(x, stack->frames[i])] - 1);
    putc(']', x->out);
}

/*
 * Write the samples, or the weights, of the stacks of one domain, from `i` on.
 * Returns the next domain's first stack, and in *total the sum of weights.
 */
static size_t write_samples(const struct speedscope *x, const struct stacks *s,
                            size_t i, bool weights, uint64_t *total)
{
    const char *before = "";
    struct stack stack;
    uint32_t domain;

    stacks_get(s, i, &stack);
    domain = stack.domain;
    for ( *total = 0; i < s->nr; i++ )
    {
        bool is_used = stacks_get(s, i, &stack);

        if ( stack.domain != domain )
            break;
        if ( !is_used )
            continue;
        fputs(before, x->out);
        before = ",";
        if ( weights )
            fprintf(x->out, "%" PRIu64, stack.ns);
        else
            write_sample(x, &stack);
        *total += stack.ns;
    }
    return i;
}

static void write_profiles(const struct speedscope *x, const struct stacks *s)
{
    struct stack stack;
    uint64_t total;

    for ( size_t i = 0, next; i < s->nr; i = next )
    {
        fputs(i ? ",\n{\"type\":\"sampled\",\"name\":"
                : "\n{\"type\":\"sampled\",\"name\":", x->out);
        stacks_get(s, i, &stack);
        viewer_write_json(x->out, stack.frames[0]);
        fputs(",\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[",
              x->out);
        write_samples(x, s, i, false, &total);
        fputs("],\"weights\":[", x->out);
        next = write_samples(x, s, i, true, &total);
        fprintf(x->out, "],\"endValue\":%" PRIu64 "}", total);
    }
}

static int speedscope_write(struct stacks *s, FILE *out)
{
    struct speedscope x = { .out = out };
    int rc = collect_frames(&x, s);

    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\""
          ",\n\"exporter\":\"xenalyze\",\"name\":", out);
    viewer_write_json(out, s->options->trace);
    fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
    write_frames(&x);
    fputs("]},\n\"profiles\":[", out);
    if ( !rc )
        write_profiles(&x, s);
    fputs("]}\n", out);
    free(x.frames);
    free(x.slots);
    return rc;
}

const struct stacks_ops speedscope_ops = { .write = speedscope_write };
