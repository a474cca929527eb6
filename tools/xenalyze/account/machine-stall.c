/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each record ends a silence.  Of most records no fact comes, but of all that
 * are at the ends of a gap that is long enough for a stall.  Such a fact comes
 * when the gap ends, and the one before a VM exit with the entry: its begin may
 * show that a silence was shorter.
 */
#include "xenalyze/account/machine-stall.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "xenalyze/account/vcpu-array.h"

#define LEAST_NS 100000u
#define RESUME_NS 50000u
#define MEMORY_NS 2000000000u
#define LEAST_TYPICAL 1024u     /* silences, before one is too long */
#define LONG_FACTOR 16u             /* times the median */
#define UPDATE 256u             /* silences between two medians */
#define MAX_CELL (4u * 56)      /* a silence of years is damage */

void machine_stalls_init(struct machine_stalls *m)
{
    assert(!m->vcpus && !m->pcpus);
    m->next_typical = LEAST_TYPICAL;
    m->confirm_at = UINT64_MAX;
    stats_pool_init(&m->pool);
}

void machine_stalls_fini(struct machine_stalls *m)
{
    free(m->vcpus);
    free(m->pcpus);
    stats_pool_fini(&m->pool);
}

static struct stall_vcpu *get_stall_vcpu(struct machine_stalls *m,
                                         const struct vcpu *v)
{
    return vcpu_array_get(&m->vcpus, &m->nr_vcpus, v, &m->pool.arena,
                          sizeof(struct stall_vcpu),
                          _Alignof(struct stall_vcpu), &m->failed);
}

static struct stall_pcpu *get_stall_pcpu(struct machine_stalls *m,
                                         uint32_t pcpu)
{
    if ( grow_to_index(&m->pcpus, &m->nr_pcpus, pcpu, sizeof(*m->pcpus)) )
        return &m->pcpus[pcpu];
    m->failed = true;
    return NULL;
}

/* --- typical gaps --------------------------------------------------------- */

/* Four cells for each power of two. */
static unsigned int silence_cell(uint64_t cycles)
{
    unsigned int octave = 63 - __builtin_clzll(cycles | 4);

    return 4 * octave + (cycles >> (octave - 2) & 3);
}

static uint64_t silence_limit(unsigned int cell)
{
    unsigned int octave = cell / 4;

    return octave < 2 ? 4 : (uint64_t)(5 + cell % 4) << (octave - 2);
}

/* Old silences count less. */
static void halve_weights(struct machine_stalls *m)
{
    m->weight = 0;
    for ( unsigned int cell = 0; cell < SILENCE_CELLS; cell++ )
    {
        m->weights[cell] /= 2;
        m->weight += m->weights[cell];
    }
}

COLD
static void find_typical(struct machine_stalls *m)
{
    unsigned int cell = 0, last = SILENCE_CELLS - 1;
    uint64_t sum = 0;
    double mean = 0;

    debug_assert(m->weight);
    m->next_typical = m->nr_typical + UPDATE;
    /* Most cells, at both ends, are empty. */
    while ( cell < last && !m->weights[cell] )
        cell++;
    while ( cell < last && !m->weights[last] )
        last--;
    /* Divisions are slow. */
    for ( unsigned int i = cell; i <= last; i++ )
        if ( m->weights[i] )
            mean += (double)m->weights[i] / (double)m->weight *
                    (double)silence_limit(i < MAX_CELL ? i : MAX_CELL);
    while ( cell < last && (sum += m->weights[cell]) < m->weight / 2 )
        cell++;
    m->limit = silence_limit(cell < MAX_CELL ? cell : MAX_CELL) * LONG_FACTOR;
    /* Less than half of each silence that is too long. */
    m->expected = mean < (double)m->limit ? (uint64_t)(mean / 2)
                                          : m->limit / 2;
    if ( m->weight >= m->memory )
        halve_weights(m);
}

/* A busy pcpu had gaps of this length, or of less, in the time `weight`. */
static void add_typical(struct machine_stalls *m, uint64_t gap, uint64_t weight)
{
    if ( !gap || weight > m->memory )
        return;
    m->weights[silence_cell(gap)] += weight;
    m->weight += weight;
    if ( ++m->nr_typical >= m->next_typical )
        find_typical(m);
}

/* A silence that is no stall: all pcpus had a gap. */
static void add_silence(struct machine_stalls *m, const struct machine_stall *s)
{
    add_typical(m, (s->to - s->from) * s->pcpus, s->to - s->from);
}

/* --- stalls --------------------------------------------------------------- */

static uint64_t stall_length(const struct machine_stall *s)
{
    return s->to - s->from;
}

/* Replaces the shortest stall, if the list is full. */
static void keep_stall(struct machine_stalls *m, const struct machine_stall *s)
{
    uint32_t at = 0;

    assert(s->from < s->to && m->nr_longest <= MACHINE_STALLS);
    if ( m->nr_longest < MACHINE_STALLS )
    {
        m->longest[m->nr_longest++] = *s;
        return;
    }
    for ( uint32_t i = 1; i < MACHINE_STALLS; i++ )
        if ( stall_length(&m->longest[i]) < stall_length(&m->longest[at]) )
            at = i;
    if ( stall_length(s) > stall_length(&m->longest[at]) )
        m->longest[at] = *s;
}

static void stop_vcpu(struct machine_stalls *m, const struct machine_stall *s,
                      const struct vcpu *vcpu)
{
    struct stall_vcpu *v = get_stall_vcpu(m, vcpu);
    uint64_t lost = stall_length(s);

    if ( !v )
        return;
    v->lost += lost;
    v->stalls++;
    stretch_begin_loss(&v->search, &m->scale, s->from,
                       stretch_cost(&v->search, s->from));
    stretch_end_loss(&v->search, s->to, lost,
                     (1 - STRETCH_CALM) * (double)lost);
}

/* No silence has come near the candidate. */
COLD
static void confirm_candidate(struct machine_stalls *m)
{
    struct machine_stall s = m->candidate;

    assert(m->confirm_at != UINT64_MAX);
    m->confirm_at = UINT64_MAX;
    /* Outside of the selected span, gaps only show what is typical. */
    s.from = fact_span_limit(&m->span, s.from);
    s.to = fact_span_limit(&m->span, s.to);
    if ( s.from == s.to )
        return;
    keep_stall(m, &s);
    stats_add(&m->lengths, &m->pool, stall_length(&s), s.from);
    period_add(&m->period, &m->pool, s.to);
    for ( uint32_t i = 0; i < m->nr_pcpus; i++ )
        if ( m->pcpus[i].held )
            stop_vcpu(m, &s, m->pcpus[i].held);
}

/* `b` is the later one. */
static bool is_near(const struct machine_stall *a,
                    const struct machine_stall *b)
{
    uint64_t length = stall_length(a) < stall_length(b) ? stall_length(a)
                                                        : stall_length(b);

    return a->to && b->from - a->to < length;
}

/* The pcpus have gone on together. */
static void end_silence(struct machine_stalls *m)
{
    const struct machine_stall *s = &m->silence;

    m->is_silence = false;
    if ( m->is_near )
    {
        add_silence(m, s);
        return;
    }
    m->candidate = *s;
    m->confirm_at = s->to + stall_length(s);
    for ( uint32_t i = 0; i < m->nr_pcpus; i++ )
        m->pcpus[i].held = m->pcpus[i].stopped;
}

static void decide_candidate(struct machine_stalls *m)
{
    const struct machine_stall *s = &m->candidate;

    if ( m->confirm_at == UINT64_MAX )
        return;
    if ( !is_near(s, &m->silence) )
    {
        confirm_candidate(m);
        return;
    }
    m->confirm_at = UINT64_MAX;
    add_silence(m, s);
}

COLD
static void begin_silence(struct machine_stalls *m, uint64_t last,
                          uint64_t time)
{
    m->is_silence = true;
    m->silence = (struct machine_stall){ last, time, m->nr_busy };
    m->is_near = is_near(&m->before, &m->silence);
    m->before = m->silence;
    decide_candidate(m);
    /* A long silence is longer than the expected one. */
    m->silence.from += m->expected / m->nr_busy;
    debug_assert(m->silence.from < time);
    m->nr_resumed = 0;
    for ( uint32_t i = 0; i < m->nr_pcpus; i++ )
    {
        m->pcpus[i].stopped = m->pcpus[i].current;
        m->pcpus[i].has_resumed = false;
    }
}

COLD
static void resume_pcpu(struct machine_stalls *m, uint32_t pcpu,
                        uint64_t time)
{
    uint32_t need = (3 * m->silence.pcpus + 3) / 4;
    struct stall_pcpu *p = pcpu < m->nr_pcpus ? &m->pcpus[pcpu] : NULL;

    if ( time - m->silence.to > m->resume )
    {
        /* The pcpus go on one by one. */
        add_silence(m, &m->silence);
        m->is_silence = false;
        return;
    }
    if ( !p || !p->stopped || p->has_resumed )
        return;
    p->has_resumed = true;
    if ( ++m->nr_resumed >= need )
        end_silence(m);
}

/* While the pcpus go on as usual, silences of the machine are shorter. */
static bool is_too_long(const struct machine_stalls *m, uint64_t gap)
{
    debug_assert(gap >= m->least);
    return m->nr_busy > 1 && m->limit && gap <= m->memory &&
           gap * m->nr_busy > m->limit;
}

/* Inline: called for each change of a runstate. */
static inline void note_record(struct machine_stalls *m, uint32_t pcpu,
                               uint64_t time)
{
    uint64_t last = m->last, gap = time - last;

    if ( time > last )
    {
        m->last = time;
        if ( gap >= m->least )
        {
            if ( last && is_too_long(m, gap) )
                begin_silence(m, last, time);
        }
        else if ( time >= m->confirm_at )
            confirm_candidate(m);
    }
    if ( m->is_silence && time >= m->silence.to )
        resume_pcpu(m, pcpu, time);
}

/* --- facts ---------------------------------------------------------------- */

static inline void set_current(struct machine_stalls *m, struct stall_pcpu *p,
                               const struct vcpu *v)
{
    debug_assert(m->nr_busy >= (p->current != NULL));
    m->nr_busy += (v != NULL) - (p->current != NULL);
    p->current = v;
    p->since = m->last;
}

/* The next pcpu of a vcpu that runs is known. */
static inline void stall_move_vcpu(struct machine_stalls *m,
                                   const struct fact_runstate *f)
{
    if ( f->state == STATE_RUNNING && f->next == STATE_RUNNING &&
         m->pcpus[f->next_pcpu].current == f->vcpu )
    {
        m->pcpus[f->next_pcpu].since = m->last;
        return;
    }
    if ( f->state == STATE_RUNNING && f->pcpu < m->nr_pcpus &&
         m->pcpus[f->pcpu].current == f->vcpu )
        set_current(m, &m->pcpus[f->pcpu], NULL);
    if ( f->next == STATE_RUNNING && !vcpu_is_idle(f->vcpu) )
        set_current(m, &m->pcpus[f->next_pcpu], f->vcpu);
}

COLD
static void stall_runstate_slow(struct machine_stalls *m,
                                const struct fact_runstate *f)
{
    bool is_known = f->next < STATE_LOST;

    /* No record is the begin of a loss, or the end of the segment. */
    if ( is_known )
        note_record(m, f->next_pcpu, f->to);
    if ( f->next != STATE_RUNNING || get_stall_pcpu(m, f->next_pcpu) )
        stall_move_vcpu(m, f);
}

/* Does the record only set the time of the latest one? */
static inline bool ends_no_silence(const struct machine_stalls *m,
                                   uint64_t time)
{
    return time >= m->last && time - m->last < m->least &&
           time < m->confirm_at && !m->is_silence;
}

static void stall_add_runstate(void *state, const struct fact_runstate *f)
{
    struct machine_stalls *m = state;

    if ( f->next < STATE_LOST && f->next_pcpu < m->nr_pcpus &&
         ends_no_silence(m, f->to) )
    {
        m->last = f->to;
        stall_move_vcpu(m, f);
    }
    else
        stall_runstate_slow(m, f);
}

/* A record at `time` is known now: a silence in progress was shorter. */
COLD
static void shorten_silence(struct machine_stalls *m, struct machine_stall *s,
                            uint64_t time)
{
    debug_assert(s->from < time && time < s->to);
    s->from = time;
    if ( stall_length(s) >= m->least &&
         stall_length(s) * s->pcpus > m->limit )
        return;
    add_silence(m, s);
    if ( s == &m->silence )
        m->is_silence = false;
    else
        m->confirm_at = UINT64_MAX;
}

static void note_gap_begin(struct machine_stalls *m, uint64_t time)
{
    if ( m->is_silence && time > m->silence.from && time < m->silence.to )
        shorten_silence(m, &m->silence, time);
    if ( m->confirm_at != UINT64_MAX && time > m->candidate.from &&
         time < m->candidate.to )
        shorten_silence(m, &m->candidate, time);
}

/* A gap of a busy pcpu that is no part of a long silence is typical. */
static void note_gap(struct machine_stalls *m, const struct fact_moment *f)
{
    struct stall_pcpu *p = get_stall_pcpu(m, f->pcpu);
    bool is_part = f->from <= m->before.from && f->to >= m->before.to &&
                   m->before.to;
    uint64_t since;

    if ( !p )
        return;
    since = p->reported > p->since ? p->reported : p->since;
    if ( p->current && p->reported && p->since <= f->from && m->nr_busy > 1 &&
         !is_part )
        add_typical(m, f->to - f->from, (f->to - since) / m->nr_busy);
    p->reported = f->to;
}

static void stall_add_moment(void *state, const struct fact_moment *f)
{
    struct machine_stalls *m = state;

    note_gap_begin(m, f->from);
    note_record(m, f->pcpu, f->from);
    if ( f->to != f->from )
        note_record(m, f->pcpu, f->to);
    note_gap(m, f);
}

/* --- segments ------------------------------------------------------------- */

static void stall_begin(void *state, const struct fact_begin *f)
{
    struct machine_stalls *m = state;

    m->span = fact_begin_span(f);
    if ( f->segment )
        return;
    m->clock = *f->clock;
    m->scale = stretch_scale_make(f->clock);
    m->least = xt_clock_cycles(f->clock, LEAST_NS);
    m->resume = xt_clock_cycles(f->clock, RESUME_NS);
    m->memory = xt_clock_cycles(f->clock, MEMORY_NS);
}

/* Times of the next segment cannot be compared. */
static int stall_end(void *state, const struct fact_end *f, struct err *e)
{
    struct machine_stalls *m = state;

    (void)f;
    if ( m->confirm_at != UINT64_MAX )
        confirm_candidate(m);
    for ( uint32_t i = 0; i < m->nr_vcpus; i++ )
        if ( m->vcpus[i] )
            stretch_close(&m->vcpus[i]->search, &m->scale);
    for ( uint32_t i = 0; i < m->nr_pcpus; i++ )
        m->pcpus[i] = (struct stall_pcpu){ .current = NULL };
    period_interrupt(&m->period);
    m->is_silence = false;
    m->before = (struct machine_stall){ 0, 0, 0 };
    m->nr_busy = 0;
    m->last = m->nr_typical = m->weight = m->limit = m->expected = 0;
    memset(m->weights, 0, sizeof(m->weights));
    m->next_typical = LEAST_TYPICAL;
    return m->failed || m->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep stalls of the machine") : 0;
}

struct sink machine_stalls_sink(struct machine_stalls *m)
{
    static const struct sink_ops ops = {
        .name = "machine stalls", .ordered = true, .early_facts = true,
        .begin = stall_begin, .end = stall_end, .runstate = stall_add_runstate,
        .moment = stall_add_moment,
    };

    return (struct sink){ &ops, m };
}

/* --- order ---------------------------------------------------------------- */

static int compare_stalls(const void *a, const void *b)
{
    const struct machine_stall *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

void machine_stalls_close(struct machine_stalls *m)
{
    assert(stats_events(&m->lengths) >= m->nr_longest);
    vcpu_array_sort(&m->vcpus, &m->nr_vcpus);
    if ( m->nr_longest )
        qsort(m->longest, m->nr_longest, sizeof(m->longest[0]),
              compare_stalls);
}

const struct stall_vcpu *machine_stalls_find(const struct machine_stalls *m,
                                             uint16_t domain, uint16_t id)
{
    return vcpu_array_find(m->vcpus, m->nr_vcpus, domain, id);
}
