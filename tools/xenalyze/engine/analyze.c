/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Create the machines, read the trace by pcpu or by time, and call the sinks
 * at the begin and the end of each segment.
 */
#include "xenalyze/engine/engine-private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/debug.h"
#include "common/fault.h"
#include "xenalyze/engine/crop.h"

/* --- shards --------------------------------------------------------------- */

static bool selects_sink(const struct sink *sink, bool ordered, bool unordered)
{
    return sink->ops->ordered ? ordered : unordered;
}

/*
 * Connect sinks of a shard, those that are ordered or not, and then a further
 * one, unless NULL.
 */
static int connect_sinks(struct analysis *a, struct emit *emit,
                         const struct shard *s, bool ordered, bool unordered,
                         const struct sink *further)
{
    struct sink *sinks = arena_array(&a->arena, a->nr_sinks + 1,
                                     sizeof(*sinks), _Alignof(struct sink));
    size_t nr = 0;

    assert(ordered || unordered);
    for ( size_t i = 0; sinks && i < a->nr_sinks; i++ )
        if ( selects_sink(&s->sinks[i], ordered, unordered) )
            sinks[nr++] = s->sinks[i];
    if ( sinks && further )
        sinks[nr++] = *further;
    return sinks ? emit_init(emit, &a->arena, sinks, nr) : -ENOMEM;
}

static bool wants_moments(const struct analysis *a)
{
    for ( size_t i = 0; i < a->nr_sinks; i++ )
    {
        assert(!a->sinks[i].ops->moment || a->sinks[i].ops->ordered);
        if ( a->sinks[i].ops->moment )
            return true;
    }
    return false;
}

/*
 * All sinks, and the one that makes moments for them; but a queue makes those
 * of pcpus that are read separately.
 */
static int connect_all_sinks(struct analysis *a, struct emit *emit,
                             const struct shard *s)
{
    struct sink moments = fact_moment_sink(a);

    return connect_sinks(a, emit, s, true, true,
                         a->by_time && wants_moments(a) ? &moments : NULL);
}

/*
 * The machines of pcpus emit to the sinks of the shard; if the pcpus are read
 * separately, a queue subscribes for the ordered ones.
 */
static int connect_shard(struct analysis *a, struct shard *s)
{
    struct sink queue;
    int rc;

    if ( a->by_time )
        return connect_all_sinks(a, &s->emit, s);
    queue = fact_queue_sink(&s->queue, s->sinks, a->nr_sinks,
                            a->options->bounded ? a->options->from : 0);
    rc = connect_sinks(a, &s->emit, s, false, true, &queue);
    fact_queue_connect(&s->queue, &s->emit);
    s->muted = emit_mute(&s->emit);
    return rc;
}

/* The global machine emits to all sinks, in the thread of shard 0. */
static int connect_global(struct analysis *a)
{
    int rc = connect_all_sinks(a, &a->global.emit, &a->shards[0]);

    return rc ? rc : connect_sinks(a, &a->global.ordered, &a->shards[0], true,
                                   false, NULL);
}

static int open_shard(struct analysis *a, unsigned int nr)
{
    struct shard *s = &a->shards[nr];
    int rc = 0;

    assert(nr < a->nr_shards);
    /* Each sink can be split and merged, or neither. */
    for ( size_t i = 0; i < a->nr_sinks; i++ )
        assert(!a->sinks[i].ops->clone == !a->sinks[i].ops->merge);
    s->sinks = arena_array(&a->arena, a->nr_sinks, sizeof(*s->sinks),
                           _Alignof(struct sink));
    if ( !s->sinks && a->nr_sinks )
        return -ENOMEM;
    for ( size_t i = 0; !rc && i < a->nr_sinks; i++ )
    {
        s->sinks[i].ops = a->sinks[i].ops;
        if ( !nr )
            s->sinks[i].state = a->sinks[i].state;
        else if ( a->sinks[i].ops->clone && !a->sinks[i].ops->ordered )
            rc = a->sinks[i].ops->clone(&s->sinks[i].state,
                                        a->sinks[i].state);
    }
    return rc ? rc : connect_shard(a, s);
}

/* Merge the clones into their sinks. */
static int merge_shard(struct analysis *a, unsigned int nr)
{
    struct shard *s = &a->shards[nr];
    int rc = 0, first = 0;

    for ( size_t i = 0; nr && s->sinks && i < a->nr_sinks; i++ )
    {
        if ( s->sinks[i].state )
            rc = s->sinks[i].ops->merge(a->sinks[i].state,
                                        s->sinks[i].state);
        s->sinks[i].state = NULL;
        first = first ? first : rc;
    }
    return first;
}

/* Does the sink subscribe to facts that are delivered in all threads? */
static bool wants_local(const struct sink_ops *ops)
{
#define WANTS(kind) || ops->kind
    return !ops->ordered && (false EMIT_LOCAL_KINDS(WANTS));
#undef WANTS
}

/*
 * A sink that is ordered, or subscribes only to global facts, needs no clone():
 * its facts are always delivered on thread 0.
 */
static unsigned int count_threads(const struct analysis *a)
{
    long nr = a->options->threads;

    for ( size_t i = 0; i < a->nr_sinks; i++ )
        if ( !a->sinks[i].ops->clone && wants_local(a->sinks[i].ops) )
            return 1;
    if ( !nr )
        nr = sysconf(_SC_NPROCESSORS_ONLN);
    return nr < 1 ? 1 : nr > ANALYZE_MAX_THREADS ? ANALYZE_MAX_THREADS : nr;
}

/* --- segments ------------------------------------------------------------- */

int segment_begin(struct analysis *a, uint64_t first, unsigned int nr_pcpus)
{
    struct fact_begin f = {
        .segment = a->segment, .first = first, .nr_pcpus = nr_pcpus,
        .clock = &a->clock, .dialect = &a->info.dialect,
        .host = a->options->host, .guests = &a->guests,
    };

    assert(!a->nr_pcpus);
    a->moment_gap = xt_clock_cycles(&a->clock, FACT_MOMENT_NS);
    span_begin_segment(a);
    xt_info_set_origin(&a->info, &a->clock, first);
    for ( size_t i = 0; i < a->nr_sinks; i++ )
        if ( a->sinks[i].ops->begin )
            a->sinks[i].ops->begin(a->sinks[i].state, &f);
    for ( unsigned int nr = 0; nr < a->nr_shards; nr++ )
    {
        int rc = nr ? open_shard(a, nr) : 0;

        fact_queue_reset(&a->shards[nr].queue, a->moment_gap);
        if ( rc )
            return rc;
    }
    global_begin(&a->global, first);
    return 0;
}

static int grow_pcpus(struct analysis *a, unsigned int nr)
{
    size_t more = nr - a->nr_pcpus;
    struct pcpu **pcpus = fault_realloc(a->pcpus, nr * sizeof(*pcpus));
    bool *has_records;

    assert(nr > a->nr_pcpus);
    if ( !pcpus )
        return -ENOMEM;
    a->pcpus = pcpus;
    has_records = fault_realloc(a->has_records, nr * sizeof(*has_records));
    if ( !has_records )
        return -ENOMEM;
    a->has_records = has_records;
    memset(pcpus + a->nr_pcpus, 0, more * sizeof(*pcpus));
    memset(has_records + a->nr_pcpus, 0, more * sizeof(*has_records));
    a->nr_pcpus = nr;
    return 0;
}

struct pcpu *segment_pcpu_slow(struct analysis *a, unsigned int id)
{
    struct pcpu *p;

    if ( id >= a->nr_pcpus && grow_pcpus(a, id + 1) )
        return NULL;
    p = a->pcpus[id];
    if ( p )
        return p;
    p = arena_zalloc(&a->pcpu_arena, sizeof(*p) + CACHELINE_PAIR,
                     CACHELINE_PAIR);
    if ( !p )
        return NULL;
    p->id = p->fact.pcpu = p->volume.pcpu = id;
    p->volume.first = UINT64_MAX;
    p->fact.state = PCPU_UNKNOWN;
    p->emit = &a->shards[0].emit;
    p->scratch = &a->shards[0].scratch[0];
    p->guests = &a->guests;
    p->dialect = &a->info.dialect;
    p->time = p->fact.since = a->global.first;
    p->has_slept = a->has_sleep_states;
    p->default_vcpu = guests_get_vcpu(&a->guests, XT_DOMAIN_DEFAULT, id);
    p->gaps.next = wants_moments(a) ? 0 : UINT64_MAX;
    p->wants_wake_to_halt = emit_wants_wake_to_halt(&a->global.emit);
    p->levels = a->options->levels ? a->options->levels : 2;
    if ( a->options->bounded && span_open_pcpu(a, p) )
        return NULL;
    snapshots_find(a, p);
    a->pcpus[id] = p;
    a->has_records[id] = true;
    return p;
}

int segment_enter(struct analysis *a, struct pcpu *p)
{
    if ( !p->begun || p->in_global )
        return 0;
    debug_assert(p->first <= p->time);
    p->in_global = true;
    return global_add_pcpu(&a->global, p->id, p->first);
}

int segment_changes(struct analysis *a, struct pcpu *p)
{
    int rc = p->changes.failed ? -ENOMEM : segment_enter(a, p);

    for ( size_t i = 0; !rc && i < p->changes.nr; i++ )
        global_apply(&a->global, &p->changes.items[i]);
    p->changes.nr = 0;
    return rc;
}

static void sum_segment(struct analysis *a, struct fact_end *f,
                        uint64_t *anomalies)
{
    for ( unsigned int i = 0; i < a->nr_pcpus; i++ )
    {
        const struct pcpu *p = a->pcpus[i];

        if ( !p )
            continue;
        assert(p->ended && !p->changes.nr);
        if ( p->begun && p->first < f->first )
            f->first = p->first;
        if ( p->begun && p->time > f->last )
            f->last = p->time;
        f->records += p->span_volume.records;
        f->records_read += p->volume.records;
        f->sched_records += p->volume.times[VOLUME_SCHED];
        assert(!p->begun || p->first <= p->time);
        f->open_exits += p->volume.open_exits;
        span_add_anomalies(a, p, anomalies);
    }
    span_add_anomalies(a, NULL, anomalies);
}

static void free_pcpus(struct analysis *a)
{
    for ( unsigned int i = 0; i < a->nr_pcpus; i++ )
        if ( a->pcpus[i] )
        {
            free(a->pcpus[i]->changes.items);
            free(a->pcpus[i]->name);
        }
    free(a->pcpus);
    free(a->has_records);
    free(a->anomalies);
    a->anomalies = NULL;
    a->nr_anomalies = 0;
    arena_reset(&a->pcpu_arena);
    a->pcpus = NULL;
    a->has_records = NULL;
    a->nr_pcpus = 0;
}

void segment_drop(struct analysis *a)
{
    free_pcpus(a);
    for ( unsigned int i = 0; i < GUESTS_HASH_SIZE; i++ )
        for ( struct vcpu *v = a->guests.vcpu_hash[i]; v; v = v->next )
        {
            memset(v->machine, 0, sizeof(struct vcpu_state));
            memset(v->domain->machine, 0, sizeof(struct domain_state));
        }
}

/* Emit the losses that only the collector reports. */
static void emit_unreported_losses(struct analysis *a, const struct fact_end *f)
{
    const struct xt_losses *losses = &a->global.losses;
    bool has_times = f->first <= f->last;

    for ( unsigned int i = 0; i < losses->nr_cpus; i++ )
    {
        const struct pcpu *p = i < a->nr_pcpus ? a->pcpus[i] : NULL;
        struct fact_loss loss = {
            .pcpu = i, .at_end = true,
            .from = has_times ? f->first : a->global.first,
            .to = has_times ? f->last : a->global.first,
            .records = xt_losses_get_unreported(losses, i,
                                                p ? p->volume.lost : 0),
        };

        if ( p && p->begun )
            loss.from = p->time;
        assert(loss.from <= loss.to);
        if ( loss.records )
            emit_loss(&a->global.emit, &loss);
    }
}

/* A single moment has no time to report, unless it is the whole segment. */
static void check_overlap(const struct analyze_options *o,
                          const struct fact_end *f)
{
    uint64_t from = o->from > f->first ? o->from : f->first;
    uint64_t until = o->until < f->last ? o->until : f->last;

    if ( o->overlaps && o->bounded &&
         (from < until || (from == until && f->first == f->last)) )
        *o->overlaps = true;
}

/* The pcpus of the host, and those of them that have no record. */
static void count_silent_pcpus(const struct analysis *a,
                               struct fact_disorder *f)
{
    const struct xt_meta *m = NULL;

    while ( a->options->host &&
            (m = xt_host_next(a->options->host, TRC_META_CPU, m)) )
    {
        const struct pcpu *p = m->cpu.cpu < a->nr_pcpus ? a->pcpus[m->cpu.cpu]
                                                        : NULL;

        f->nr_host++;
        f->nr_silent += !p || !p->begun;
    }
    assert(f->nr_silent <= f->nr_host);
}

/*
 * Missing bytes, and copies of a capture, contradict other records as well,
 * whatever the clocks are.
 */
static struct fact_disorder get_disorder(struct analysis *a, uint64_t records)
{
    const struct xt_damage *damage = xt_trace_damage(a->trace);
    struct disorder *d = &a->global.disorder;
    uint64_t least = xt_clock_cycles(&a->clock, FACT_DISORDER_NS);
    struct fact_disorder f;

    if ( damage->times[XT_DAMAGE_TWICE] )
        disorder_init(d);
    if ( xt_damage_grade(damage) != XT_GRADE_NONE )
        disorder_forget_doubts(d);
    f = disorder_conclude(d, least, records);
    assert(!fact_disorder_error(&f) || f.pcpus[0] != f.pcpus[1]);
    count_silent_pcpus(a, &f);
    return f;
}

int segment_end(struct analysis *a, struct err *e)
{
    uint64_t anomalies[ANOMALY_KINDS] = { 0 };
    struct fact_end f = {
        .segment = a->segment, .first = UINT64_MAX, .anomalies = anomalies,
        .damage = xt_trace_damage(a->trace), .losses = &a->global.losses,
    };
    int rc = guests_sort(&a->guests);

    f.nr_pcpus = a->nr_pcpus;
    f.has_records = a->has_records;
    sum_segment(a, &f, anomalies);
    f.disorder = get_disorder(a, f.sched_records);
    check_overlap(a->options, &f);
    if ( !rc )
        emit_unreported_losses(a, &f);
    if ( !rc )
        global_end(&a->global, f.last);
    for ( unsigned int nr = 1; nr < a->nr_shards; nr++ )
    {
        int merged = merge_shard(a, nr);

        rc = rc ? rc : merged;
    }
    for ( size_t i = 0; !rc && i < a->nr_sinks; i++ )
        if ( a->sinks[i].ops->end )
            rc = a->sinks[i].ops->end(a->sinks[i].state, &f, e);
    free_pcpus(a);
    a->segment++;
    return rc;
}

/* --- a trace -------------------------------------------------------------- */

/* Errors are found again, except a lack of memory. */
static int find_stream(struct analysis *a)
{
    struct err unmapped = ERR_INIT;
    unsigned int nr;
    int rc = xt_trace_cpus(a->trace, &nr, &unmapped);

    a->by_time = rc == -ESPIPE;
    return rc == -ENOMEM ? rc : 0;
}

static int setup_analysis(struct analysis *a, struct err *e)
{
    int rc = 0;

    if ( a->options->info )
        a->info = *a->options->info;
    else
        rc = xt_trace_info(a->trace, &a->info, e);
    rc = rc ? rc : find_stream(a);
    if ( rc )
        return rc;
    xt_info_clock(&a->info, a->options->hz, &a->clock);
    a->facts_from = crop_find_begin(a->options, &a->clock, a->sinks,
                                    a->nr_sinks);
    a->stop = crop_choose_stop(a->options, &a->clock, a->sinks, a->nr_sinks);
    a->nr_shards = a->by_time ? 1 : count_threads(a);
    assert(a->nr_shards && a->nr_shards <= ANALYZE_MAX_THREADS);
    a->shards = arena_array(&a->arena, a->nr_shards, sizeof(*a->shards),
                            _Alignof(struct shard));
    if ( !a->shards )
        return -ENOMEM;
    /* Once for all segments: arenas keep their memory when reset. */
    for ( unsigned int nr = 0; nr < a->nr_shards; nr++ )
        for ( unsigned int i = 0; i < 2; i++ )
            arena_init(&a->shards[nr].scratch[i], 0);
    rc = open_shard(a, 0);
    rc = rc ? rc : connect_global(a);
    a->global.guests = &a->guests;
    a->global_emit = a->global.emit;
    return rc;
}

static void finish_analysis(struct analysis *a)
{
    free_pcpus(a);
    arena_fini(&a->pcpu_arena);
    global_fini(&a->global);
    for ( unsigned int nr = 0; a->shards && nr < a->nr_shards; nr++ )
    {
        merge_shard(a, nr);
        for ( unsigned int i = 0; i < 2; i++ )
            arena_fini(&a->shards[nr].scratch[i]);
    }
    guests_fini(&a->guests);
    arena_fini(&a->arena);
}

/* --- sleep states --------------------------------------------------------- */

#define SLEEP_SCAN 4096u        /* records of all pcpus together, at most */
#define SLEEP_SCAN_LEAST 32u    /* of each pcpu */

static bool pcpu_has_sleep_states(struct analysis *a, unsigned int pcpu,
                                  unsigned int most)
{
    struct xt_record r;
    struct xt_walk w;
    bool found = false;

    xt_trace_begin_walk(a->trace, pcpu, &w);
    while ( !found && most-- && xt_walk_next(&w, &r) )
        found = r.event == TRC_PM_IDLE_ENTRY;
    /* Damage is found once. */
    xt_trace_end_walk(a->trace, &w);
    return found;
}

/*
 * Do pcpus write records when they sleep?  A pcpu that was busy before it
 * became silent has no such record of its own.  A stream cannot tell.
 */
static int find_sleep_states(struct analysis *a, struct err *e)
{
    unsigned int nr, most;
    int rc = a->by_time ? 0 : xt_trace_cpus(a->trace, &nr, e);

    if ( rc || a->by_time || !nr )
        return rc;
    assert(!a->nr_pcpus);
    most = SLEEP_SCAN / nr > SLEEP_SCAN_LEAST ? SLEEP_SCAN / nr
                                              : SLEEP_SCAN_LEAST;
    for ( unsigned int i = 0; i < nr && !a->has_sleep_states; i++ )
        a->has_sleep_states = pcpu_has_sleep_states(a, i, most);
    return 0;
}

int analyze_trace(struct xt_trace *trace, const struct analyze_options *options,
                  const struct sink *sinks, size_t nr_sinks, struct err *e)
{
    struct analysis *a = fault_calloc(1, sizeof(*a));
    struct sink *cropped = NULL;
    int rc;

    assert(options && (sinks || !nr_sinks));
    if ( !a )
        return err_sys(e, -ENOMEM, "cannot analyze %s", xt_trace_name(trace));
    a->trace = trace;
    a->options = options;
    a->sinks = sinks;
    a->nr_sinks = nr_sinks;
    arena_init(&a->arena, 0);
    arena_init(&a->pcpu_arena, 0);
    rc = guests_init(&a->guests, sizeof(struct domain_state),
                     sizeof(struct vcpu_state));
    if ( rc )
        goto no_guests;
    if ( crop_is_needed(options) )
        rc = crop_sinks(&a->arena, options, sinks, nr_sinks, &cropped);
    a->sinks = cropped ? cropped : sinks;
    rc = rc ? rc : setup_analysis(a, e);
    rc = rc ? rc : analyze_clocks(a, e);
    rc = rc ? rc : find_sleep_states(a, e);
    rc = rc ? rc : snapshots_read(a);
    if ( !rc )
        rc = a->by_time ? analyze_by_time(a, e) : analyze_by_pcpu(a, e);
    if ( !rc && (a->guests.failed || a->global.failed ||
                 a->global.waits.failed) )
        rc = -ENOMEM;
    finish_analysis(a);
    if ( rc )
        err_sys(e, rc, "cannot analyze %s", xt_trace_name(trace));
no_guests:
    free(a);
    return rc;
}
