/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reason of a wake-up is fixed when the vcpu blocks again, and the VM exit
 * that tells the time of the entry may end even later, with the next wake-up.
 * So a path stays open until both are known, beside the path of the next
 * wake-up.
 */
#include "xenalyze/account/interrupt-path.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/grow.h"
#include "xenalyze/account/vcpu-array.h"

const char *path_part_name(enum path_part part)
{
    static const char *const names[] = {
        [PATH_HANDLER] = "handler", [PATH_WAIT] = "wait",
        [PATH_ENTRY] = "entry",
    };

    assert(part < PATH_PARTS);
    return names[part];
}

static struct path_vcpu *get_path_vcpu(struct interrupt_paths *p,
                                       const struct vcpu *v)
{
    return vcpu_array_get(&p->vcpus, &p->nr_vcpus, v, &p->pool.arena,
                          sizeof(struct path_vcpu), STATS_LINE, &p->failed);
}

static struct wake_path *get_wake_path(struct interrupt_paths *p,
                                       struct block_waker *w)
{
    if ( !w->path )
        w->path = arena_zalloc(&p->pool.arena, sizeof(*w->path), STATS_LINE);
    p->failed |= !w->path;
    return w->path;
}

/* --- complete paths ------------------------------------------------------- */

static void add_path(struct interrupt_paths *p, const struct path_open *o)
{
    uint64_t begin = o->begin ? o->begin : o->woken;
    uint64_t end = o->entered ? o->entered : o->runs;
    const uint64_t parts[PATH_PARTS] = {
        [PATH_HANDLER] = o->woken - begin, [PATH_WAIT] = o->runs - o->woken,
        [PATH_ENTRY] = end - o->runs,
    };
    struct wake_path *path = get_wake_path(p, o->waker);

    assert(o->is_open && o->runs && !o->is_lost);
    debug_assert(begin <= o->woken && o->woken <= o->runs && o->runs <= end);
    if ( !path )
        return;
    stats_add(&path->whole, &p->pool, end - begin, begin);
    for ( unsigned int i = 0; i < PATH_PARTS; i++ )
        stats_add(&path->parts[i], &p->pool, parts[i], begin);
    path->elsewhere += o->is_elsewhere;
}

static void count_unknown(struct interrupt_paths *p, struct path_open *o)
{
    struct wake_path *path = o->is_open && o->waker
                             ? get_wake_path(p, o->waker) : NULL;

    if ( path )
        path->unknown++;
    o->is_open = false;
}

/* The callback of the block reasons: the vcpu blocks again. */
static void fix_path(void *state, const struct block_vcpu *b,
                     struct block_waker *w)
{
    struct interrupt_paths *p = state;
    struct path_vcpu *v = b->index < p->nr_vcpus ? p->vcpus[b->index] : NULL;
    struct path_open *o = v ? &v->now : NULL;

    if ( !o || !o->is_open || o->woken != b->open.to )
        return;
    o->waker = w;
    if ( b->open.has_irq && b->open.irq_from && b->open.irq_from <= o->woken )
        o->begin = b->open.irq_from;
    count_unknown(p, &v->before);
    if ( o->is_lost )
        count_unknown(p, o);
    else if ( !o->runs )
        debug_assert(!o->entered);      /* the segment ends */
    else if ( !v->is_hvm || o->entered )
        add_path(p, o);
    else
        v->before = *o;
    o->is_open = false;
}

/* --- wake-ups ------------------------------------------------------------- */

static void open_path(struct path_vcpu *v, const struct fact_runstate *f)
{
    v->now = (struct path_open){
        .is_open = true, .woken = f->to, .pcpu = f->next_pcpu,
    };
    v->is_pending = false;
}

static void run_path(struct path_open *o, const struct fact_runstate *f)
{
    if ( !o->is_open || o->is_lost || o->runs || f->to < o->woken )
        return;
    o->runs = f->to;
    o->is_elsewhere = o->pcpu != f->next_pcpu;
}

/* Nothing is known about the vcpu from now on. */
static void lose_path(struct path_vcpu *v, unsigned int state)
{
    bool is_complete = v->now.runs && (!v->is_hvm || v->now.entered);

    v->is_pending = false;
    v->now.is_lost |= state == STATE_LOST && !is_complete;
    v->now.is_open &= state == STATE_LOST || is_complete;
}

static void path_add_runstate(void *state, const struct fact_runstate *f)
{
    struct interrupt_paths *p = state;
    struct path_vcpu *v;

    if ( vcpu_is_idle(f->vcpu) )
        return;
    v = get_path_vcpu(p, f->vcpu);
    if ( !v )
        return;
    if ( f->state == STATE_BLOCKED &&
         (f->next == STATE_RUNNABLE || f->next == STATE_RUNNING) )
        open_path(v, f);
    if ( f->next == STATE_RUNNING )
        run_path(&v->now, f);
    if ( f->state == STATE_RUNNING && v->before.is_open && !v->before.blocked )
        v->before.blocked = f->to;
    if ( f->next == STATE_LOST || f->next == STATE_NO_DATA )
        lose_path(v, f->next);
}

/* The entry before this exit ends the path of the run that it is in. */
static void enter_path(struct interrupt_paths *p, struct path_open *o,
                       uint64_t entered)
{
    if ( !o->is_open || !o->runs || o->is_lost || o->entered ||
         entered < o->runs )
        return;
    if ( o->blocked && entered > o->blocked )
    {
        count_unknown(p, o);
        return;
    }
    o->entered = entered;
    if ( !o->waker )
        return;
    add_path(p, o);
    o->is_open = false;
}

static void path_add_exit(void *state, const struct fact_exit *f)
{
    struct interrupt_paths *p = state;
    struct path_vcpu *v = get_path_vcpu(p, f->vcpu);

    if ( !v )
        return;
    v->is_hvm = true;
    if ( !f->guest || f->guest > f->start )
        return;
    enter_path(p, &v->before, f->start - f->guest);
    enter_path(p, &v->now, f->start - f->guest);
}

/* --- vectors -------------------------------------------------------------- */

static void inject_vector(struct interrupt_paths *p, struct path_vcpu *v,
                          const struct fact_handle *f)
{
    const struct fact_exit *x = f->exit;
    bool was_pending = v->is_pending && v->pending_to <= x->start &&
                       v->pending_from <= v->pending_to;
    uint64_t from = was_pending ? v->pending_from : x->start;

    stats_map_add(&v->vectors, &p->pool, f->at, x->start + x->cycles - from,
                  from);
    stats_map_add(&v->masked, &p->pool, f->at,
                  was_pending ? x->start - v->pending_to : 0, from);
    v->is_pending = false;
}

static void path_add_handle(void *state, const struct fact_handle *f)
{
    struct interrupt_paths *p = state;
    const struct fact_exit *x = f->exit;
    struct path_vcpu *v;

    if ( (f->kind != HANDLE_INJECT && f->kind != HANDLE_WINDOW) || !x ||
         x->end != EXIT_ENTERED || f->at >= BLOCK_VECTORS )
        return;
    v = get_path_vcpu(p, f->vcpu);
    if ( !v )
        return;
    if ( f->kind == HANDLE_INJECT )
        inject_vector(p, v, f);
    else if ( !v->is_pending )
    {
        v->is_pending = true;
        v->pending_from = x->start;
        v->pending_to = x->start + x->cycles;
    }
}

/* --- segments ------------------------------------------------------------- */

/* Times of the next segment cannot be compared. */
static int path_end(void *state, const struct fact_end *f, struct err *e)
{
    struct interrupt_paths *p = state;

    (void)f;
    for ( uint32_t i = 0; i < p->nr_vcpus; i++ )
        if ( p->vcpus[i] )
        {
            p->vcpus[i]->before.is_open = p->vcpus[i]->now.is_open = false;
            p->vcpus[i]->is_pending = false;
        }
    return p->failed || p->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep paths of interrupts") : 0;
}

void interrupt_paths_init(struct interrupt_paths *p)
{
    assert(!p->vcpus);
    block_reasons_init(&p->blocks);
    p->blocks.on_block = fix_path;
    p->blocks.on_block_arg = p;
    stats_pool_init(&p->pool);
}

void interrupt_paths_fini(struct interrupt_paths *p)
{
    block_reasons_fini(&p->blocks);
    free(p->vcpus);
    stats_pool_fini(&p->pool);
}

void interrupt_paths_get_sinks(struct interrupt_paths *p,
                               struct sink sinks[INTERRUPT_PATH_SINKS])
{
    static const struct sink_ops ops = {
        .name = "interrupt paths", .ordered = true, .end = path_end,
        .runstate = path_add_runstate, .exit = path_add_exit,
        .handle = path_add_handle,
    };

    assert(p->blocks.on_block_arg == p);
    sinks[0] = block_reasons_sink(&p->blocks);
    sinks[1] = (struct sink){ &ops, p };
}

void interrupt_paths_close(struct interrupt_paths *p)
{
    block_reasons_close(&p->blocks);
    vcpu_array_sort(&p->vcpus, &p->nr_vcpus);
}
