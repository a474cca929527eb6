/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wait is explained when it ends, by the spans of its pcpu that it overlaps,
 * and by the idle time of other pcpus.
 */
#include "xenalyze/account/wait-explain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"
#include "xenalyze/account/wait-matrix.h"
#include "xenalyze/account/wait-private.h"

/* --- idle pcpus ----------------------------------------------------------- */

static void add_interval(struct wait_causes *w, uint64_t from, uint64_t to)
{
    size_t room = w->idles_room ? 2 * w->idles_room : 64;
    struct wait_interval *larger;

    debug_assert(from < to);
    if ( w->nr_idles == w->idles_room )
    {
        larger = fault_realloc(w->idles, room * sizeof(*larger));
        w->failed |= !larger;
        if ( !larger )
            return;
        w->idles = larger;
        w->idles_room = room;
    }
    w->idles[w->nr_idles++] = (struct wait_interval){ from, to };
}

/* Collect the idle time of a pcpu between `from` and `to`. */
static void add_idle_time(struct wait_causes *w, const struct wait_pcpu *p,
                          uint64_t from, uint64_t to)
{
    const struct pcpu_uses *u = &p->uses;
    uint64_t begin = u->begin > from ? u->begin : from;
    uint32_t i = u->nr;

    /* A busy pcpu has not been idle for longer than most waits last. */
    if ( p->idle_until > from )
        i = pcpu_uses_find(u, from);
    else if ( u->nr && u->end > begin )
        begin = u->end;
    for ( ; i < u->nr && begin < to; i++ )
    {
        uint64_t end = u->spans[i].to < to ? u->spans[i].to : to;

        if ( begin < pcpu_span_from(u, i) )
            begin = pcpu_span_from(u, i);
        if ( use_is_idle(u->spans[i].use) && begin < end )
            add_interval(w, begin, end);
        begin = end;
    }
    if ( begin < p->since )
        begin = p->since;
    if ( begin < to && u->end <= begin && use_is_idle(wait_current_use(p)) )
        add_interval(w, begin, to);
}

static int compare_intervals(const void *a, const void *b)
{
    const struct wait_interval *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

static void merge_intervals(struct wait_causes *w)
{
    size_t nr = 0;

    if ( w->nr_idles )
        qsort(w->idles, w->nr_idles, sizeof(*w->idles), compare_intervals);
    for ( size_t i = 0; i < w->nr_idles; i++ )
        if ( nr && w->idles[i].from <= w->idles[nr - 1].to )
        {
            if ( w->idles[i].to > w->idles[nr - 1].to )
                w->idles[nr - 1].to = w->idles[i].to;
        }
        else
            w->idles[nr++] = w->idles[i];
    w->nr_idles = nr;
}

/* Is no pcpu idle since a time?  The usual case on a busy machine. */
static inline bool all_pcpus_are_busy(const struct wait_causes *w,
                                      uint64_t since)
{
    return !w->nr_running_idle && w->idle_until <= since;
}

/* Collect the time in which another pcpu that the vcpu may use was idle. */
static void find_idle_pcpus(struct wait_causes *w, const struct wait_vcpu *v,
                            uint32_t pcpu, uint64_t from, uint64_t to)
{
    debug_assert(v->nr_pcpus <= WAIT_PCPUS);
    w->nr_idles = 0;
    if ( all_pcpus_are_busy(w, from) )
        return;
    for ( uint32_t i = 0; i < v->nr_pcpus; i++ )
        if ( v->pcpus[i] != pcpu && v->pcpus[i] < w->nr_pcpus )
            add_idle_time(w, &w->pcpus[v->pcpus[i]], from, to);
    merge_intervals(w);
}

/* --- one wait ------------------------------------------------------------- */

/* The longest run of a vcpu of another domain during a wait. */
struct wait_longest_run
{
    uint64_t cycles;
    uint16_t domain;
};

/* A wait that is being explained. */
struct wait_parts
{
    struct wait_causes *w;
    struct wait_vcpu *v;
    const struct wait_pcpu *p;
    uint64_t from, to;          /* begin and end of the wait */
    uint32_t next_cap;          /* first of v->caps that may matter */
    bool is_capped;             /* v->caps are those of this wait */
    size_t next_idle;           /* first of w->idles that may matter */
    bool has_idles;             /* w->idles are those of this wait */
    uint32_t pcpu;
    bool is_complete;           /* the vcpu ran on `pcpu` afterwards */
    struct wait_sums *sums;
    uint32_t found;             /* bits of the causes in it: most waits have
                                   two or three */
    struct wait_longest_run rival;      /* 0 cycles: none */
    struct wait_pieces *pieces; /* NULL: the wait is too short for the list */
};

/* The next cycles of the wait.  `rival` NULL: no other vcpu ran. */
static inline void add_cause(struct wait_parts *x, enum wait_cause cause,
                             const struct vcpu *rival, uint64_t cycles)
{
    debug_assert(cause < WAIT_CAUSES);
    x->sums->causes[cause] += cycles;
    x->found |= 1u << cause;
    if ( x->pieces )
        wait_pieces_add(x->pieces, cause, rival, cycles);
}

/* NULL: no memory. */
static inline struct wait_rival *get_rival(struct wait_causes *w,
                                           struct wait_vcpu *v,
                                           uint16_t domain)
{
    const struct wait_rival_index *x = v->rival_index;
    unsigned int number = x ? x->chains[domain % WAIT_RIVALS] : 0;

    if ( number && wait_rival_row(x, number - 1)->domain == domain )
        return wait_rival_row(x, number - 1);
    return wait_find_rival(w, v, domain);
}

/* Give the row with the least time to the domain. */
COLD
static unsigned int replace_top_rival(struct wait_top_rivals *r,
                                      uint16_t domain)
{
    unsigned int least = 0, shift;

    for ( unsigned int i = 1; i < WAIT_TOP_RIVALS; i++ )
        if ( r->cycles[i] < r->cycles[least] )
            least = i;
    shift = least * WAIT_DOMAIN_BITS;
    r->domains &= ~((uint64_t)UINT16_MAX << shift);
    r->domains |= (uint64_t)domain << shift;
    return least;
}

/*
 * The row of the domain, or the row with the least time.  All rows are compared
 * at once, without a branch, since which of them fits cannot be predicted.  An
 * unused row fits domain 0, behind the row that it may have.
 */
static inline unsigned int find_top_rival(struct wait_top_rivals *r,
                                          uint16_t domain)
{
    const uint64_t ones = UINT64_MAX / UINT16_MAX;
    uint64_t differs = r->domains ^ domain * ones;
    /* The highest bit of each row without a difference, and maybe of rows
       above the first such row. */
    uint64_t fits = (differs - ones) & ~differs &
                    ones << (WAIT_DOMAIN_BITS - 1);

    return fits ? (unsigned int)__builtin_ctzll(fits) / WAIT_DOMAIN_BITS
                : replace_top_rival(r, domain);
}

/* A vcpu of another domain ran. */
static inline void note_rival_domain(struct wait_causes *w,
                                     struct wait_vcpu *v, uint16_t domain,
                                     uint64_t cycles)
{
    struct wait_top_rivals *tops = &v->stretches->now.rivals;
    unsigned int top = find_top_rival(tops, domain);
    struct wait_rival **row = &v->stretches->rows[top], *r = *row;

    debug_assert(domain != v->domain);
    tops->cycles[top] += cycles;
    /* The row may have been given to another domain. */
    if ( !r || r->domain != domain )
        r = *row = get_rival(w, v, domain);
    if ( r )
        r->cycles += cycles;
    else
        v->other_rivals += cycles;
}

/* Another vcpu ran: its domain is noted for any cause. */
static inline void note_rival(struct wait_parts *x, uint16_t domain,
                              uint64_t cycles)
{
    x->sums->others_ran += cycles;
    if ( domain == x->v->domain )
        return;
    note_rival_domain(x->w, x->v, domain, cycles);
    /* The longest single run names the rival of the wait. */
    if ( cycles > x->rival.cycles )
        x->rival = (struct wait_longest_run){ cycles, domain };
}

/* Another vcpu ran from `from` to `to`, and another pcpu was idle. */
static void explain_run_slow(struct wait_parts *x, enum wait_cause cause,
                             const struct vcpu *rival, uint64_t from,
                             uint64_t to)
{
    const struct wait_causes *w = x->w;

    debug_assert(from < to && x->has_idles);
    while ( from < to )
    {
        const struct wait_interval *idle =
            x->next_idle < w->nr_idles ? &w->idles[x->next_idle] : NULL;
        uint64_t end = to;

        if ( !idle || idle->from >= to )
        {
            add_cause(x, cause, rival, to - from);
            return;
        }
        if ( idle->to <= from )
        {
            x->next_idle++;
            continue;
        }
        if ( idle->from > from )
        {
            add_cause(x, cause, rival, idle->from - from);
            from = idle->from;
        }
        end = idle->to < to ? idle->to : to;
        add_cause(x, WAIT_PLACEMENT, rival, end - from);
        from = end;
    }
}

/* Another vcpu ran from `from` to `to`: was another pcpu idle meanwhile? */
static inline void explain_run(struct wait_parts *x, const struct pcpu_span *s,
                               uint64_t from, uint64_t to)
{
    enum wait_cause cause = s->domain == x->v->domain ? WAIT_SIBLING
                                                      : WAIT_RIVAL;

    debug_assert(from < to && s->vcpu);
    if ( !x->has_idles )
        find_idle_pcpus(x->w, x->v, x->pcpu, x->from, x->to);
    x->has_idles = true;
    if ( x->next_idle < x->w->nr_idles )
        explain_run_slow(x, cause, s->vcpu, from, to);
    else
        add_cause(x, cause, s->vcpu, to - from);
}

static const struct wait_cap *find_next_cap(struct wait_parts *x, uint64_t from)
{
    while ( x->next_cap < x->v->nr_caps &&
            x->v->caps[x->next_cap].to <= from )
        x->next_cap++;
    return x->is_capped && x->next_cap < x->v->nr_caps
           ? &x->v->caps[x->next_cap] : NULL;
}

/* The last tickle of the pcpu before the time after `to` in which it acts. */
static uint64_t find_tickle(struct wait_parts *x, uint64_t to)
{
    const struct wait_cap *cap = find_next_cap(x, to - 1);

    debug_assert(to > x->from);
    return cap && cap->from >= to && cap->pcpu == x->pcpu ? cap->tickled
                                                               : x->p->tickled;
}

/* The pcpu learns of the vcpu when the scheduler tickles the pcpu. */
static void explain_idle(struct wait_parts *x, enum wait_cause cause,
                         uint64_t from, uint64_t to)
{
    uint64_t tickled = find_tickle(x, to);

    if ( x->w->has_tickles && tickled > from && tickled <= x->to )
    {
        uint64_t idle = (tickled < to ? tickled : to) - from;

        add_cause(x, WAIT_IDLE, NULL, idle);
        from += idle;
    }
    add_cause(x, cause, NULL, to - from);
}

/* Any use but those of explain_use(). */
static void explain_use_slow(struct wait_parts *x, const struct pcpu_span *s,
                             uint64_t from, uint64_t to)
{
    debug_assert(from < to);
    switch ( (enum pcpu_use)s->use )
    {
    case USE_LOST:
        add_cause(x, WAIT_LOST, NULL, to - from);
        break;
    case USE_IDLE:
        explain_idle(x, x->w->has_power ? WAIT_XEN : WAIT_IDLE, from, to);
        break;
    case USE_ASLEEP:
        explain_idle(x, WAIT_SLEEP, from, to);
        break;
    case USE_XEN:
        add_cause(x, WAIT_XEN, NULL, to - from);
        break;
    case USE_LIMITED:
        note_rival(x, s->domain, to - from);
        add_cause(x, WAIT_RATELIMIT, s->vcpu, to - from);
        if ( s->domain == x->v->domain )
            x->sums->limited_siblings += to - from;
        break;
    case USE_UNKNOWN:
    case USE_RUN:
        break;
    }
}

/* Most spans of a busy pcpu are runs, and the switches between them. */
static inline void explain_use(struct wait_parts *x, const struct pcpu_span *s,
                               uint64_t from, uint64_t to)
{
    debug_assert(from < to);
    if ( s->use == USE_UNKNOWN )
        add_cause(x, WAIT_UNKNOWN, NULL, to - from);
    else if ( s->use == USE_RUN )
    {
        note_rival(x, s->domain, to - from);
        explain_run(x, s, from, to);
    }
    else
        explain_use_slow(x, s, from, to);
}

/* A cap is the cause before the use of the pcpu. */
COLD
static void explain_capped_span(struct wait_parts *x,
                                const struct pcpu_span *s, uint64_t from,
                                uint64_t to)
{
    debug_assert(x->is_capped);
    while ( from < to )
    {
        const struct wait_cap *cap = s->use == USE_LOST
                                     ? NULL : find_next_cap(x, from);
        uint64_t end = to;

        if ( cap && cap->from <= from )
        {
            end = cap->to < to ? cap->to : to;
            add_cause(x, WAIT_CAP, NULL, end - from);
        }
        else
        {
            if ( cap && cap->from < to )
                end = cap->from;
            explain_use(x, s, from, end);
        }
        from = end;
    }
}

/* The part of the span from `from` to `to`, with its gap up to `begin`. */
static void explain_span(struct wait_parts *x, const struct pcpu_span *s,
                         uint64_t begin, uint64_t from, uint64_t to)
{
    static const struct pcpu_span unknown = { .use = USE_UNKNOWN };
    uint64_t middle = begin < from ? from : begin < to ? begin : to;

    debug_assert(from <= to);
    if ( x->is_capped )
    {
        explain_capped_span(x, &unknown, from, middle);
        explain_capped_span(x, s, middle, to);
        return;
    }
    if ( from < middle )
        explain_use(x, &unknown, from, middle);
    if ( middle < to )
        explain_use(x, s, middle, to);
}

/* Behind the last span, up to `to`. */
static struct pcpu_span make_current_span(const struct wait_pcpu *p,
                                          uint64_t to)
{
    return (struct pcpu_span){
        .to = to, .vcpu = p->current, .use = wait_current_use(p),
        .domain = p->current ? p->current->domain->id : 0,
    };
}

/* Every cycle of the wait: known spans, the one in progress, or unknown. */
static void explain_spans(struct wait_parts *x)
{
    static const struct pcpu_span unknown = { .use = USE_UNKNOWN };
    const struct pcpu_uses *u = &x->p->uses;
    uint64_t at = x->from, end;
    struct pcpu_span current;

    if ( u->has_begun && at < u->begin )
    {
        end = u->begin < x->to ? u->begin : x->to;
        explain_span(x, &unknown, at, at, end);
        at = end;
    }
    for ( uint32_t i = pcpu_uses_find(u, at); i < u->nr && at < x->to; i++ )
    {
        const struct pcpu_span *s = &u->spans[i];

        end = s->to < x->to ? s->to : x->to;
        explain_span(x, s, pcpu_span_from(u, i), at, end);
        at = end;
    }
    if ( at >= x->to )
        return;
    current = make_current_span(x->p, x->to);
    explain_span(x, &current, x->p->since, at, x->to);
}

/* The wait is long enough for the list: its pieces are those to fill in. */
static struct wait_pieces *find_room_for_pieces(const struct wait_parts *x)
{
    const struct wait_causes *w = x->w;

    debug_assert(w->nr_worst <= w->worst_room && x->from <= x->to);
    if ( x->to - x->from <= w->too_short ||
         !wait_is_asked(w, x->v->domain, x->v->id) )
        return NULL;
    wait_pieces_begin(&w->pieces[w->worst_room], x->from);
    return &w->pieces[w->worst_room];
}

static struct wait_worst describe_worst_wait(const struct wait_parts *x)
{
    struct wait_worst wait = {
        .from = x->from, .to = x->to, .domain = x->v->domain,
        .vcpu = x->v->id, .pcpu = x->pcpu, .has_rival = x->rival.cycles,
        .rival = x->rival.domain, .rival_cycles = x->rival.cycles,
        .is_complete = x->is_complete,
    };

    assert(x->pieces && x->from <= x->to);
    memcpy(wait.causes, x->sums->causes, sizeof(wait.causes));
    return wait;
}

COLD
static void keep_worst_wait(const struct wait_parts *x)
{
    struct wait_causes *w = x->w;
    uint64_t length = x->to - x->from;
    size_t i = w->nr_worst;

    assert(w->pieces && i <= w->worst_room);
    wait_pieces_end(&w->pieces[w->worst_room]);
    if ( i < w->worst_room )
        w->nr_worst++;
    else
        i--;
    for ( ; i && w->worst[i - 1].to - w->worst[i - 1].from < length; i-- )
    {
        w->worst[i] = w->worst[i - 1];
        w->pieces[i] = w->pieces[i - 1];
    }
    w->worst[i] = describe_worst_wait(x);
    w->pieces[i] = w->pieces[w->worst_room];
    i = w->worst_room - 1;
    if ( w->nr_worst > i )
        w->too_short = w->worst[i].to - w->worst[i].from;
}

/* Time in which others ran here while any other pcpu was idle. */
static inline uint64_t find_idle_elsewhere(const struct wait_causes *w,
                                           const struct wait_vcpu *v,
                                           uint64_t length, uint64_t ran)
{
    uint64_t idle = w->idle_cycles - v->idle_before, here = length - ran;

    debug_assert(ran <= length);
    if ( idle <= here )
        return 0;
    return idle - here < ran ? idle - here : ran;
}

/* Cycles of a wait with one cause. */
static inline void add_cause_sum(struct wait_vcpu *v, enum wait_cause cause,
                                 uint64_t cycles, uint64_t from, uint64_t to)
{
    v->stretches->now.sums.causes[cause] += cycles;
    if ( cycles > v->worst[cause].cycles )
        v->worst[cause] = (struct wait_moment){ cycles, from, to };
}

/* Add the wait to the sums of its stretch. */
static void add_wait_sums(const struct wait_parts *x)
{
    struct wait_sums *now = &x->v->stretches->now.sums;
    const struct wait_sums *s = x->sums;

    debug_assert(s->waited == x->to - x->from && s->parked <= s->waited);
    for ( uint32_t left = x->found; left; left &= left - 1 )
    {
        unsigned int i = __builtin_ctz(left);

        add_cause_sum(x->v, i, s->causes[i], x->from, x->to);
    }
    now->waited += s->waited;
    now->parked += s->parked;
    now->others_ran += s->others_ran;
    now->idle_elsewhere += s->idle_elsewhere;
    now->limited_siblings += s->limited_siblings;
    if ( x->w->long_ns &&
         xt_clock_duration(&x->w->clock, x->sums->causes[WAIT_PLACEMENT]) >
         x->w->long_ns )
        x->v->long_placements++;
}

/* --- stretches ------------------------------------------------------------ */

/*
 * A long wait is a loss beyond 10 % of the time in which the vcpu wanted to
 * run, and beyond 1 % of all time.  A wait of a calm host is only a loss beyond
 * 10 % of all time: the vcpu may run as shortly as such waits last.
 */
#define WANTED_COST 0.1
#define KNOWN_COST 0.01
#define SHORT_COST 0.1

/* When a wait ends: the times of its vcpu. */
struct wait_end_times
{
    struct wait_times all;      /* with this wait ... */
    struct wait_times calm;     /* ... and since the last one */
};

static inline struct wait_end_times find_end_times(const struct wait_vcpu *v,
                                                   uint64_t length)
{
    const struct wait_times *before = &v->stretches->before;
    struct wait_end_times t = { .all = wait_times_of(v) };

    /* The runstates have this wait already; sums may have overflowed. */
    t.calm.known = t.all.known - (length + before->known);
    t.calm.ran = t.all.ran - before->ran;
    return t;
}

static double find_calm_cost(const struct wait_times *calm)
{
    return WANTED_COST * (double)calm->ran + KNOWN_COST * (double)calm->known;
}

COLD
static bool add_stretches(struct wait_causes *w, struct wait_vcpu *v)
{
    v->stretches = arena_new(&w->pool.arena, struct wait_stretches);
    w->failed |= !v->stretches;
    return v->stretches;
}

static void add_sums(struct wait_sums *to, const struct wait_sums *s)
{
    to->waited += s->waited;
    to->parked += s->parked;
    for ( unsigned int i = 0; i < WAIT_CAUSES; i++ )
        to->causes[i] += s->causes[i];
    to->others_ran += s->others_ran;
    to->idle_elsewhere += s->idle_elsewhere;
    to->limited_siblings += s->limited_siblings;
}

COLD
void wait_end_stretch(struct wait_vcpu *v)
{
    if ( !v->stretches )
        return;
    add_sums(&v->sums, &v->stretches->now.sums);
    v->stretches->now = (struct wait_stretch){ .sums = { 0 } };
}

/* The stretch of the wait goes on or begins. */
static inline void begin_wait(const struct wait_causes *w, struct wait_vcpu *v,
                              uint64_t from, const struct wait_times *calm)
{
    struct wait_stretches *s = v->stretches;

    debug_assert(s);
    if ( stretch_begin_loss(&s->search, &w->scale, from,
                            find_calm_cost(calm)) )
        wait_end_stretch(v);
    else
    {
        s->now.times.known += calm->known;
        s->now.times.ran += calm->ran;
    }
}

/* The rise of the score by the wait; the score has paid for calm time. */
static inline double find_gain(const struct wait_causes *w, uint64_t length,
                               uint64_t calm)
{
    double waited = (double)length;
    double gain = (1 - WANTED_COST - KNOWN_COST) * waited;

    if ( length >= w->calm )
        return gain;
    gain = (1 - SHORT_COST) * waited - SHORT_COST * (double)calm;
    return gain > 0 ? gain : 0;
}

static inline void end_wait(const struct wait_causes *w, struct wait_vcpu *v,
                            uint64_t to, uint64_t length,
                            const struct wait_end_times *t)
{
    struct wait_stretches *s = v->stretches;

    debug_assert(s->search.is_open);
    s->before = t->all;
    s->now.times.known += length;
    if ( stretch_end_loss(&s->search, to, length,
                          find_gain(w, length, t->calm.known)) )
        s->worst = s->now;
}

/* --- any wait ------------------------------------------------------------- */

static uint64_t sum_causes(const struct wait_parts *x)
{
    uint64_t sum = 0;

    debug_assert(!(x->found >> WAIT_CAUSES));
    for ( uint32_t left = x->found; left; left &= left - 1 )
        sum += x->sums->causes[__builtin_ctz(left)];
    debug_assert(x->sums->others_ran <= sum);
    return sum;
}

NOINLINE
static void explain_slow(struct wait_causes *w, struct wait_vcpu *v,
                         const struct fact_runstate *f, uint64_t from)
{
    static const struct wait_pcpu nothing_known;
    struct wait_sums sums = { .waited = f->to - from };
    bool is_complete = f->next == STATE_RUNNING;
    bool is_known = is_complete || (f->next == STATES &&
                                    f->next_pcpu != FACT_NO_PCPU);
    uint32_t pcpu = is_known ? f->next_pcpu : f->pcpu;
    struct wait_parts x = {
        .w = w, .v = v, .from = from, .to = f->to, .sums = &sums,
        .p = pcpu < w->nr_pcpus ? &w->pcpus[pcpu] : &nothing_known,
        .pcpu = pcpu, .is_complete = is_complete,
        .is_capped = v->is_capped && v->capped_state == f->state,
    };

    x.pieces = find_room_for_pieces(&x);
    explain_spans(&x);
    assert(sum_causes(&x) == sums.waited);
    if ( f->state == STATE_OFFLINE )
        sums.parked = sums.waited;
    sums.idle_elsewhere = find_idle_elsewhere(w, v, sums.waited,
                                              sums.others_ran);
    add_wait_sums(&x);
    if ( x.pieces )
        keep_worst_wait(&x);
}

/* --- a wait for a busy pcpu ----------------------------------------------- */

/*
 * No pcpu was idle, and all spans of this one are runs, or switches, which are
 * unknown.  There is no cap, and the wait is too short for the list.
 */
static inline bool is_busy_wait(const struct wait_causes *w,
                                const struct wait_vcpu *v,
                                const struct fact_runstate *f, uint64_t from)
{
    const struct wait_pcpu *p;

    if ( f->state != STATE_RUNNABLE || f->next != STATE_RUNNING ||
         f->next_pcpu >= w->nr_pcpus || v->is_capped ||
         f->to - from > w->too_short )
        return false;
    p = &w->pcpus[f->next_pcpu];
    return p->uses.nr && from >= p->uses.begin && from >= p->lost_until &&
           !p->asleep && all_pcpus_are_busy(w, from);
}

struct busy_cycles
{
    uint64_t unknown, rivals, siblings;
    uint64_t limited, limited_siblings; /* parts of rivals and siblings: under
                                           the rate limit */
};

/* The pcpu was used like this for some cycles. */
static inline void add_busy_use(struct busy_cycles *b, struct wait_causes *w,
                                struct wait_vcpu *v,
                                const struct pcpu_span *s, uint64_t cycles)
{
    debug_assert(s->use == USE_UNKNOWN || s->use >= USE_RUN);
    if ( s->use == USE_UNKNOWN )
        b->unknown += cycles;
    else if ( s->domain != v->domain )
    {
        b->rivals += cycles;
        if ( s->use == USE_LIMITED )
            b->limited += cycles;
        note_rival_domain(w, v, s->domain, cycles);
    }
    else
    {
        b->siblings += cycles;
        if ( s->use == USE_LIMITED )
            b->limited_siblings += cycles;
    }
}

/* The first or last span of a wait, with its gap up to `begin`. */
static inline void add_cut_span(struct busy_cycles *b, struct wait_causes *w,
                                struct wait_vcpu *v,
                                const struct pcpu_span *s, uint64_t begin,
                                uint64_t from, uint64_t to)
{
    uint64_t middle = begin < from ? from : begin < to ? begin : to;

    debug_assert(from < to);
    b->unknown += middle - from;
    if ( middle < to )
        add_busy_use(b, w, v, s, to - middle);
}

static inline struct busy_cycles add_busy_spans(struct wait_causes *w,
                                                struct wait_vcpu *v,
                                                const struct wait_pcpu *p,
                                                uint64_t from, uint64_t to)
{
    const struct pcpu_uses *u = &p->uses;
    const struct pcpu_span *first = u->spans, *end = first + u->nr;
    const struct pcpu_span *last = end, *s;
    struct busy_cycles b = { .unknown = 0 };
    struct pcpu_span current;

    /* Spans end before the present, so most or all end with the wait. */
    while ( last > first && last[-1].to > to )
        last--;
    for ( s = last; s - first > 4 && s[-4].to > from; )
        s -= 4;
    while ( s > first && s[-1].to > from )
        s--;
    if ( s < last )
    {
        add_cut_span(&b, w, v, s, pcpu_span_from(u, s - first), from, s->to);
        from = s->to;
        while ( ++s < last )
        {
            b.unknown += s->gap;
            add_busy_use(&b, w, v, s, s->to - from - s->gap);
            from = s->to;
        }
    }
    if ( from >= to )
        return b;
    if ( last < end )
        add_cut_span(&b, w, v, last, pcpu_span_from(u, last - first), from,
                     to);
    else if ( !p->current )
        b.unknown += to - from;
    else
    {
        current = make_current_span(p, to);
        add_cut_span(&b, w, v, &current, p->since, from, to);
    }
    return b;
}

static void explain_fast(struct wait_causes *w, struct wait_vcpu *v,
                         const struct wait_pcpu *p, uint64_t from, uint64_t to)
{
    const struct busy_cycles b = add_busy_spans(w, v, p, from, to);
    struct wait_sums *now = &v->stretches->now.sums;
    uint64_t limited = b.limited + b.limited_siblings;
    uint64_t ran = b.rivals + b.siblings;

    debug_assert(b.unknown + ran == to - from);
    add_cause_sum(v, WAIT_UNKNOWN, b.unknown, from, to);
    add_cause_sum(v, WAIT_RIVAL, b.rivals - b.limited, from, to);
    add_cause_sum(v, WAIT_SIBLING, b.siblings - b.limited_siblings, from, to);
    add_cause_sum(v, WAIT_RATELIMIT, limited, from, to);
    now->waited += to - from;
    now->others_ran += ran;
    now->idle_elsewhere += find_idle_elsewhere(w, v, to - from, ran);
    now->limited_siblings += b.limited_siblings;
}

void wait_explain(struct wait_causes *w, struct wait_vcpu *v,
                  const struct fact_runstate *f, uint64_t from)
{
    uint64_t length = f->to - from;
    struct wait_end_times t;

    debug_assert(from <= f->to);
    if ( !v->stretches && !add_stretches(w, v) )
        return;
    t = find_end_times(v, length);
    begin_wait(w, v, from, &t.calm);
    if ( is_busy_wait(w, v, f, from) )
        explain_fast(w, v, &w->pcpus[f->next_pcpu], from, f->to);
    else
        explain_slow(w, v, f, from);
    if ( f->next == STATE_RUNNING &&
         (!f->before_first_run || f->why != WHY_NONE) )
    {
        stats_add(&v->waits, &w->pool, length, from);
        if ( length >= w->calm )
            period_add(&v->period, &w->pool, from);
    }
    end_wait(w, v, f->to, length, &t);
}
