/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk keeps a stack of vcpus, each with a bound: the begin of the time in
 * which the vcpu below is blocked.  At a blocked time that another vcpu ends,
 * the other vcpu is pushed; at its bound a vcpu is popped.
 *
 * Each vcpu has a list of its steps, the last first, and the walk a cursor in
 * each list, since the time of the walk only decreases.  So a walk visits each
 * step once.
 */
#include "xenalyze/account/critical-path.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"

#define FIRST_ROOM 1024u

const char *critical_state_name(enum critical_state state)
{
    static const char *const names[] = {
        [CRITICAL_RUNS] = "runs", [CRITICAL_WAITS] = "waits",
        [CRITICAL_SLEEPS] = "sleeps", [CRITICAL_UNKNOWN] = "unknown",
        [CRITICAL_DROPPED] = "dropped",
    };

    assert(state < CRITICAL_STATES);
    return names[state];
}

/* --- steps ---------------------------------------------------------------- */

static bool grow_steps(struct critical_steps *s)
{
    size_t room = s->room ? 2 * s->room : FIRST_ROOM;
    struct critical_step *steps = fault_realloc(s->steps,
                                                room * sizeof(*steps));

    if ( !steps )
        return false;
    s->steps = steps;
    s->room = room;
    return true;
}

/* Returns the number of the step; 0: no memory. */
static uint64_t add_step(struct critical_steps *s,
                         const struct critical_step *step)
{
    debug_assert(step->from < step->to);
    if ( s->nr == s->room && !grow_steps(s) )
        return 0;
    s->steps[s->nr++] = *step;
    return s->dropped + s->nr;
}

/* NULL: there is no such step, or it was dropped. */
static struct critical_step *get_step(const struct critical_steps *s,
                                      uint64_t number)
{
    debug_assert(number <= s->dropped + s->nr);
    return number > s->dropped ? &s->steps[number - s->dropped - 1] : NULL;
}

static void drop_steps(struct critical_steps *s, size_t nr)
{
    assert(nr <= s->nr);
    if ( nr < s->nr )
        memmove(s->steps, s->steps + nr, (s->nr - nr) * sizeof(*s->steps));
    s->nr -= nr;
    s->dropped += nr;
}

static struct critical_vcpu *get_critical_vcpu(struct critical_path *p,
                                               const struct vcpu *vcpu)
{
    struct critical_vcpu *v =
        grow_get_object(&p->vcpus, &p->nr_vcpus, vcpu->index, &p->pool.arena,
                        sizeof(*v), _Alignof(struct critical_vcpu));

    p->failed |= !v;
    if ( !v || v->vcpu )
        return v;
    v->domain = vcpu->domain->id;
    v->id = vcpu->id;
    v->vcpu = vcpu;
    if ( v->domain == p->domain && v->id == p->vcpu )
        p->target = v;
    return v;
}

/* NULL: none, or not seen yet. */
static struct critical_vcpu *
find_critical_vcpu(const struct critical_path *p, const struct vcpu *vcpu)
{
    return vcpu && vcpu->index < p->nr_vcpus ? p->vcpus[vcpu->index] : NULL;
}

/* --- the path ------------------------------------------------------------- */

#define OTHER_BITS 40u
#define REASON_BITS 4u
#define INDEX_SHIFT 48u

#define OTHER_IDLE (GUESTS_MAX_VCPUS + 1)

_Static_assert(GUESTS_MAX_VCPUS <= 1u << 16, "an index in 16 bits");
_Static_assert(CRITICAL_STATES <= 16 && BLOCK_REASONS <= 1u << REASON_BITS,
               "state and reason in 8 bits");

/* The interrupt or the other vcpu. */
static uint64_t get_other_key(const struct critical_step *s)
{
    if ( s->state == CRITICAL_SLEEPS && s->reason == BLOCK_DEVICE )
        return s->irq;
    if ( s->is_other_idle )
        return OTHER_IDLE;
    /* The vcpu that ends a pause is not the reason. */
    return s->other && s->reason != BLOCK_PAUSED ? s->other->index + 1 : 0;
}

/* Vcpu, state, reason, and the other, as one number. */
static uint64_t get_part_key(const struct critical_vcpu *v,
                             const struct critical_step *s)
{
    return (uint64_t)v->vcpu->index << INDEX_SHIFT |
           (uint64_t)(s->state << REASON_BITS | s->reason) << OTHER_BITS |
           get_other_key(s);
}

static uint64_t get_bits(uint64_t key, unsigned int from, unsigned int nr)
{
    debug_assert(nr < 64 && from + nr <= 64);
    return key >> from & ((UINT64_C(1) << nr) - 1);
}

static struct critical_row make_row(const struct critical_path *p, uint64_t key,
                                const struct stats *stats)
{
    const struct critical_vcpu *v = p->vcpus[key >> INDEX_SHIFT], *other = NULL;
    uint64_t number = get_bits(key, 0, OTHER_BITS);
    struct critical_row row = {
        .domain = v->domain, .id = v->id, .stats = stats,
        .state = get_bits(key, OTHER_BITS + REASON_BITS, 4),
        .reason = get_bits(key, OTHER_BITS, REASON_BITS),
    };

    row.has_irq = row.state == CRITICAL_SLEEPS && row.reason == BLOCK_DEVICE;
    row.irq = row.has_irq ? number : 0;
    row.is_other_idle = !row.has_irq && number == OTHER_IDLE;
    if ( !row.has_irq && number && number <= p->nr_vcpus )
        other = p->vcpus[number - 1];
    row.has_other = other;
    row.other_domain = other ? other->domain : 0;
    row.other_id = other ? other->id : 0;
    return row;
}

struct path_frame
{
    struct critical_vcpu *vcpu;
    uint64_t bound;
};

struct path_walk
{
    uint64_t at;                /* the path is known from here on */
    uint64_t key, from, to;     /* the earliest part; from == to: none */
    unsigned int depth;
    struct path_frame frames[CRITICAL_MAX_DEPTH];
};

/* A walk goes backwards: keep its parts for on_part(). */
static void keep_path_piece(struct critical_path *p, const struct path_walk *w)
{
    size_t room = p->pieces_room ? 2 * p->pieces_room : FIRST_ROOM;
    struct critical_piece *pieces = p->pieces;

    if ( p->nr_pieces == p->pieces_room )
    {
        pieces = fault_realloc(pieces, room * sizeof(*pieces));
        p->failed |= !pieces;
        if ( !pieces )
            return;
        p->pieces = pieces;
        p->pieces_room = room;
    }
    pieces[p->nr_pieces++] = (struct critical_piece){ w->key, w->from, w->to };
}

static void emit_pieces(struct critical_path *p)
{
    for ( ; p->nr_pieces; p->nr_pieces-- )
    {
        const struct critical_piece *c = &p->pieces[p->nr_pieces - 1];
        const struct critical_part part = {
            make_row(p, c->key, NULL), c->from, c->to };

        debug_assert(part.from < part.to);
        p->on_part(p->on_part_arg, &part);
    }
}

static void add_part(struct critical_path *p, const struct path_walk *w)
{
    const struct stats_top_row row = { w->to - w->from, w->from, w->key };

    if ( w->from == w->to )
        return;
    if ( p->on_part )
        keep_path_piece(p, w);
    stats_map_add(&p->parts, &p->pool, w->key, w->to - w->from, w->from);
    stats_top_add(&p->longest, &row);
    p->span += w->to - w->from;
}

/* The path down to time `from` is the vcpu's step. */
static void take_step(struct critical_path *p, struct path_walk *w,
                      const struct critical_vcpu *v,
                      const struct critical_step *step, uint64_t from)
{
    uint64_t key = get_part_key(v, step);

    debug_assert(from < w->at);
    if ( w->from == w->to || key != w->key )
    {
        add_part(p, w);
        w->key = key;
        w->to = w->at;
    }
    w->from = w->at = from;
}

/* The vcpu's step that begins before `at`; NULL: there is none. */
static const struct critical_step *find_step(const struct critical_path *p,
                                             struct critical_vcpu *v,
                                             uint64_t at)
{
    const struct critical_step *s = get_step(&p->steps, v->cursor);

    while ( s && s->from >= at )
    {
        v->cursor = s->previous;
        s = get_step(&p->steps, v->cursor);
    }
    return s;
}

/* The vcpu whose path leads to the end of this step; NULL: none is known. */
static struct critical_vcpu *find_blocker(const struct critical_path *p,
                                          const struct critical_step *s)
{
    struct critical_vcpu *v;

    if ( s->state != CRITICAL_SLEEPS ||
         (s->reason != BLOCK_EVENT && s->reason != BLOCK_SIBLING &&
          s->reason != BLOCK_EMULATED) )
        return NULL;
    v = find_critical_vcpu(p, s->other);
    return v && v->last && !v->on_path ? v : NULL;
}

static void push_vcpu(struct path_walk *w, struct critical_vcpu *v,
                      uint64_t bound)
{
    assert(w->depth < CRITICAL_MAX_DEPTH && !v->on_path);
    v->on_path = true;
    w->frames[w->depth++] = (struct path_frame){ v, bound };
}

static uint64_t max_time(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* One step back, above the bound of the top frame. */
static void walk_step(struct critical_path *p, struct path_walk *w)
{
    struct path_frame *top = &w->frames[w->depth - 1];
    struct critical_vcpu *v = top->vcpu, *blocker;
    const struct critical_step *s = find_step(p, v, w->at);
    const struct critical_step none = {
        .state = !s && v->cursor ? CRITICAL_DROPPED : CRITICAL_UNKNOWN,
        .reason = BLOCK_UNKNOWN,
    };

    if ( !s || s->to < w->at )
    {
        take_step(p, w, v, &none, s ? max_time(s->to, top->bound)
                                    : top->bound);
        return;
    }
    /* A blocked time is left at its end only, by the wake-up. */
    blocker = s->to == w->at && w->depth < CRITICAL_MAX_DEPTH
              ? find_blocker(p, s) : NULL;
    if ( blocker )
        push_vcpu(w, blocker, max_time(s->from, top->bound));
    else
        take_step(p, w, v, s, max_time(s->from, top->bound));
}

/* The path of the target between two times, at which steps of it end. */
static void walk_path(struct critical_path *p, uint64_t from, uint64_t to)
{
    struct path_walk w = { .at = to };

    for ( uint32_t i = 0; i < p->nr_vcpus; i++ )
        if ( p->vcpus[i] )
            p->vcpus[i]->cursor = p->vcpus[i]->last;
    push_vcpu(&w, p->target, from);
    while ( w.depth )
        if ( w.at > w.frames[w.depth - 1].bound )
            walk_step(p, &w);
        else
            w.frames[--w.depth].vcpu->on_path = false;
    add_part(p, &w);
    emit_pieces(p);
    debug_assert(w.at == from || from > to);
}

/* Complete the path up to the end of one of the target's steps. */
static void complete_path(struct critical_path *p,
                          const struct critical_step *s)
{
    if ( !s || s->to <= p->done )
        return;
    walk_path(p, p->done, s->to);
    p->done = s->to;
}

/*
 * Make room: the path of the older half of the steps is computed; then no step
 * before its end is needed.  If the target has no end of a step there, keep at
 * least half of the steps.
 */
static void drop_older_half(struct critical_path *p)
{
    struct critical_steps *s = &p->steps;
    uint64_t middle = s->steps[s->nr / 2].to;
    const struct critical_step *step = p->target ? get_step(s, p->target->last)
                                             : NULL;
    size_t nr = 0;

    while ( step && step->to > middle )
        step = get_step(s, step->previous);
    complete_path(p, step);
    while ( nr < s->nr / 2 && s->steps[nr].to <= p->done )
        nr++;
    drop_steps(s, nr > s->nr / 4 ? nr : s->nr / 2);
}

/* --- facts ---------------------------------------------------------------- */

static const uint8_t critical_states[STATES] = {
    [STATE_RUNNING] = CRITICAL_RUNS, [STATE_RUNNABLE] = CRITICAL_WAITS,
    [STATE_BLOCKED] = CRITICAL_SLEEPS, [STATE_OFFLINE] = CRITICAL_SLEEPS,
    [STATE_LOST] = CRITICAL_UNKNOWN, [STATE_QUEUED] = CRITICAL_UNKNOWN,
    [STATE_INIT] = CRITICAL_UNKNOWN, [STATE_NO_DATA] = CRITICAL_UNKNOWN,
};

/* Is this time within the vcpu's last access to a device? */
static bool is_in_access(const struct critical_vcpu *v, uint64_t from,
                         uint64_t to)
{
    debug_assert(from <= to);
    return from >= v->access && to - v->access <= v->access_length;
}

/* The reason as far as it follows from the states. */
static enum block_reason guess_reason(const struct critical_vcpu *v,
                                      const struct fact_runstate *f)
{
    if ( f->state == STATE_OFFLINE )
        return is_in_access(v, f->from, f->to) ? BLOCK_EMULATED : BLOCK_PAUSED;
    if ( f->state != STATE_BLOCKED )
        return BLOCK_UNKNOWN;
    return f->next == STATE_OFFLINE ? BLOCK_PAUSED
           : f->next == STATES ? BLOCK_OPEN : BLOCK_UNKNOWN;
}

static void path_add_runstate(void *state, const struct fact_runstate *f)
{
    struct critical_path *p = state;
    struct critical_vcpu *v;
    struct critical_step step;

    debug_assert(f->state < STATES);
    /* Contradicting records may end a state before its begin. */
    if ( vcpu_is_idle(f->vcpu) || f->from >= f->to )
        return;
    v = get_critical_vcpu(p, f->vcpu);
    if ( !v )
        return;
    if ( p->steps.nr >= p->max_steps )
        drop_older_half(p);
    step = (struct critical_step){
        .from = f->from, .to = f->to, .previous = v->last,
        .state = critical_states[f->state], .reason = guess_reason(v, f),
        .was_paused = f->state == STATE_OFFLINE,
    };
    if ( step.state == CRITICAL_WAITS && v->wait_from == f->from &&
         v->wait_to == f->to )
    {
        step.other = v->rival;
        step.is_other_idle = v->is_rival_idle;
    }
    if ( v == p->target && !p->has_begun )
    {
        p->has_begun = true;
        p->done = f->from;
    }
    v->last = add_step(&p->steps, &step);
    p->failed |= !v->last;
}

/* All idle vcpus are one: NULL, with *is_idle. */
static const struct vcpu *find_longest_rival(const struct fact_wait *f,
                                             bool *is_idle)
{
    const struct fact_rival *longest = NULL;

    for ( uint32_t i = 0; i < f->nr_rivals; i++ )
        if ( !longest || f->rivals[i].cycles > longest->cycles )
            longest = &f->rivals[i];
    *is_idle = longest && vcpu_is_idle(longest->vcpu);
    return longest && !*is_idle ? longest->vcpu : NULL;
}

/* Comes before the runstate of the wait, and after that of the sleep. */
static void path_add_wait(void *state, const struct fact_wait *f)
{
    struct critical_path *p = state;
    struct critical_vcpu *v;
    struct critical_step *s;

    if ( vcpu_is_idle(f->vcpu) )
        return;
    v = get_critical_vcpu(p, f->vcpu);
    if ( !v )
        return;
    v->wait_from = f->from;
    v->wait_to = f->to;
    v->rival = find_longest_rival(f, &v->is_rival_idle);
    if ( v->rival )
        get_critical_vcpu(p, v->rival);        /* for its name */
    s = get_step(&p->steps, v->last);
    if ( s && s->was_paused && s->to == f->from && f->waker &&
         !vcpu_is_idle(f->waker) )
        s->other = f->waker;
}

static void path_add_open_wait(void *state, const struct fact_open_wait *f)
{
    path_add_wait(state, &f->wait);
}

/* The callback of the block reasons: the vcpu blocks again. */
static void note_reason(void *state, const struct block_vcpu *b,
                        struct block_waker *w)
{
    struct critical_path *p = state;
    const struct block_open *o = &b->open;
    const struct critical_vcpu *v = b->index < p->nr_vcpus
                                    ? p->vcpus[b->index] : NULL;
    struct critical_step *s = v ? get_step(&p->steps, v->last) : NULL;

    while ( s && s->from > o->from )
        s = get_step(&p->steps, s->previous);
    if ( !s || s->from != o->from || s->to != o->to ||
         s->state != CRITICAL_SLEEPS )
        return;
    s->reason = w->source.reason;
    s->irq = o->irq;
    s->other = o->in_interrupt || o->has_irq ? NULL : o->waker;
    if ( s->other )
        get_critical_vcpu(p, s->other);          /* for its name */
}

/*
 * A pause in an access to a device is the time of the device model.  Comes
 * before the runstate of the pause if a wake-up ended both, else after.
 */
static void path_add_exit_block(void *state, const struct fact_exit_block *f)
{
    struct critical_path *p = state;
    struct critical_vcpu *v = find_critical_vcpu(p, f->exit->vcpu);
    struct critical_step *s = v ? get_step(&p->steps, v->last) : NULL;

    if ( !v || !f->is_access )
        return;
    v->access = f->exit->start;
    v->access_length = f->exit->cycles;
    for ( ; s && s->from >= v->access; s = get_step(&p->steps, s->previous) )
        if ( s->was_paused && is_in_access(v, s->from, s->to) )
            s->reason = BLOCK_EMULATED;
}

static void path_begin(void *state, const struct fact_begin *f)
{
    struct critical_path *p = state;

    if ( !f->segment )
        p->clock = *f->clock;
}

/* Times of the next segment cannot be compared. */
static void forget_times(struct critical_vcpu *v)
{
    assert(!v->on_path);
    v->last = 0;
    v->wait_to = v->access_length = 0;
}

static int path_end(void *state, const struct fact_end *f, struct err *e)
{
    struct critical_path *p = state;

    (void)f;
    if ( p->has_begun )
        complete_path(p, get_step(&p->steps, p->target->last));
    drop_steps(&p->steps, p->steps.nr);
    p->has_begun = false;
    for ( uint32_t i = 0; i < p->nr_vcpus; i++ )
        if ( p->vcpus[i] )
            forget_times(p->vcpus[i]);
    return p->failed || p->pool.failed || p->blocks.failed
           ? err_sys(e, -ENOMEM, "cannot keep the critical path") : 0;
}

int critical_path_init(struct critical_path *p, size_t nr_longest)
{
    assert(!p->vcpus && !p->steps.steps);
    block_reasons_init(&p->blocks);
    p->blocks.on_block = note_reason;
    p->blocks.on_block_arg = p;
    stats_pool_init(&p->pool);
    p->max_steps = CRITICAL_MAX_STEPS;
    return stats_top_init(&p->longest, nr_longest);
}

void critical_path_fini(struct critical_path *p)
{
    block_reasons_fini(&p->blocks);
    free(p->vcpus);
    free(p->steps.steps);
    free(p->pieces);
    stats_top_fini(&p->longest);
    stats_pool_fini(&p->pool);
}

void critical_path_get_sinks(struct critical_path *p,
                             struct sink sinks[CRITICAL_PATH_SINKS])
{
    static const struct sink_ops ops = {
        .name = "critical path", .ordered = true, .begin = path_begin,
        .end = path_end, .runstate = path_add_runstate,
        .wait = path_add_wait, .open_wait = path_add_open_wait,
        .exit_block = path_add_exit_block,
    };

    assert(p->blocks.on_block_arg == p && p->max_steps >= 4);
    sinks[0] = block_reasons_sink(&p->blocks);
    sinks[1] = (struct sink){ &ops, p };
}

/* --- the result ----------------------------------------------------------- */

/* A value for each member of the order; most time first. */
static int compare_critical_rows(const void *x, const void *y)
{
    const struct critical_row *a = x, *b = y;
    const uint64_t values[][2] = {
        { b->stats->sum, a->stats->sum }, { a->domain, b->domain },
        { a->id, b->id }, { a->state, b->state }, { a->reason, b->reason },
        { a->other_domain, b->other_domain }, { a->other_id, b->other_id },
        { a->irq, b->irq }, { a->is_other_idle, b->is_other_idle },
    };

    assert(a->stats && b->stats);
    for ( size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++ )
        if ( values[i][0] != values[i][1] )
            return values[i][0] < values[i][1] ? -1 : 1;
    return 0;
}

static void make_rows(struct critical_path *p)
{
    struct stats_row **parts = stats_map_by_key(&p->parts, &p->pool);

    p->rows = arena_array(&p->pool.arena, p->parts.used, sizeof(*p->rows),
                          _Alignof(struct critical_row));
    p->failed |= !p->rows || (p->parts.used && !parts);
    if ( p->failed )
        return;
    for ( size_t i = 0; i < p->parts.used; i++ )
        p->rows[i] = make_row(p, parts[i]->key, &parts[i]->stats);
    p->nr_rows = p->parts.used;
    qsort(p->rows, p->nr_rows, sizeof(*p->rows), compare_critical_rows);
}

static void make_longest_parts(struct critical_path *p)
{
    stats_top_sort(&p->longest);
    p->longest_parts = arena_array(&p->pool.arena, p->longest.used,
                                   sizeof(*p->longest_parts),
                                   _Alignof(struct critical_part));
    p->failed |= !p->longest_parts;
    if ( p->failed )
        return;
    p->nr_longest = p->longest.used;
    for ( size_t i = 0; i < p->nr_longest; i++ )
    {
        const struct stats_top_row *r = &p->longest.rows[i];

        debug_assert(r->key);
        p->longest_parts[i] = (struct critical_part){
            make_row(p, r->tag, NULL), r->at, r->at + r->key };
    }
}

void critical_path_close(struct critical_path *p)
{
    assert(!p->rows && !p->longest_parts);
    make_rows(p);
    if ( !p->failed )
        make_longest_parts(p);
}
