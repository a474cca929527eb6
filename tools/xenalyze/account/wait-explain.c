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

enum pcpu_use wait_current_use(const struct wait_pcpu *p)
{
    if ( p->asleep )
        return USE_ASLEEP;
    if ( !p->current )
        return USE_UNKNOWN;
    if ( vcpu_is_idle(p->current) )
        return USE_IDLE;
    return p->limited ? USE_LIMITED : USE_RUN;
}

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

        if ( use_is_idle(u->spans[i].use) )
            add_interval(w, begin, end);
        begin = end;
    }
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
    struct wait_times times;    /* of the vcpu, with this wait ... */
    struct wait_times calm;     /* ... and since its last wait */
    struct wait_longest_run rival;      /* 0 cycles: none; valid with pieces */
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

/* The same for a cause that the wait may not have. */
static inline void add_some_cause(struct wait_parts *x, enum wait_cause cause,
                                  uint64_t cycles)
{
    if ( cycles )
        add_cause(x, cause, NULL, cycles);
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

/* The part of the span from `from` to `to`. */
static inline void explain_span(struct wait_parts *x, const struct pcpu_span *s,
                                uint64_t from, uint64_t to)
{
    debug_assert(from <= to);
    if ( x->is_capped )
        explain_capped_span(x, s, from, to);
    else if ( from < to )
        explain_use(x, s, from, to);
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

/*
 * The known spans of a wait without a cap and without pieces, while no other
 * pcpu was idle.  Returns the time up to which the wait is explained.
 */
static uint64_t explain_spans_fast(struct wait_parts *x)
{
    const struct pcpu_uses *u = &x->p->uses;
    const struct pcpu_span *last = u->spans + u->nr, *s = last;
    const uint64_t to = x->to;
    const uint16_t own = x->v->domain;
    uint64_t at = x->from, unknown = 0, rivals = 0, siblings = 0;

    debug_assert(!x->is_capped && !x->pieces);
    /* Spans end before the present, so these are parts of the wait. */
    while ( s > u->spans && s[-1].to > at )
        s--;
    for ( ; s < last && s->to <= to; at = s++->to )
    {
        uint64_t cycles = s->to - at;

        if ( s->use == USE_UNKNOWN )
            unknown += cycles;
        else if ( s->use != USE_RUN )
            explain_use_slow(x, s, at, s->to);
        else if ( s->domain == own )
            siblings += cycles;
        else
        {
            rivals += cycles;
            note_rival_domain(x->w, x->v, s->domain, cycles);
        }
    }
    x->sums->others_ran += rivals + siblings;
    add_some_cause(x, WAIT_UNKNOWN, unknown);
    add_some_cause(x, WAIT_RIVAL, rivals);
    add_some_cause(x, WAIT_SIBLING, siblings);
    if ( s == last || at >= to )
        return at;
    explain_use(x, s, at, to);
    return to;
}

/* Any wait, likewise. */
static uint64_t explain_spans_slow(struct wait_parts *x)
{
    static const struct pcpu_span unknown = { .use = USE_UNKNOWN };
    const struct pcpu_uses *u = &x->p->uses;
    uint64_t at = x->from, end;

    if ( u->has_begun && at < u->begin )
    {
        end = u->begin < x->to ? u->begin : x->to;
        explain_span(x, &unknown, at, end);
        at = end;
    }
    for ( uint32_t i = pcpu_uses_find(u, at); i < u->nr && at < x->to; i++ )
    {
        const struct pcpu_span *s = &u->spans[i];

        end = s->to < x->to ? s->to : x->to;
        explain_span(x, s, at, end);
        at = end;
    }
    return at;
}

/* Every cycle of the wait: known spans, the one in progress, or unknown. */
static void explain_spans(struct wait_parts *x)
{
    const struct pcpu_uses *u = &x->p->uses;
    bool is_fast = !x->is_capped && !x->pieces && u->nr &&
                   x->from >= u->begin && all_pcpus_are_busy(x->w, x->from);
    uint64_t at = is_fast ? explain_spans_fast(x) : explain_spans_slow(x);
    struct pcpu_span current;

    if ( at >= x->to )
        return;
    current = make_current_span(x->p, x->to);
    explain_span(x, &current, at, x->to);
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
static void find_idle_elsewhere(struct wait_parts *x)
{
    uint64_t idle = x->w->idle_cycles - x->v->idle_before;
    uint64_t ran = x->sums->others_ran, here = (x->to - x->from) - ran;

    debug_assert(ran <= x->to - x->from);
    if ( idle > here )
        x->sums->idle_elsewhere = idle - here < ran ? idle - here : ran;
}

/* All but the causes. */
static inline void add_other_sums(struct wait_sums *to,
                                  const struct wait_sums *s)
{
    debug_assert(s->parked <= s->waited);
    to->waited += s->waited;
    to->parked += s->parked;
    to->others_ran += s->others_ran;
    to->idle_elsewhere += s->idle_elsewhere;
    to->limited_siblings += s->limited_siblings;
}

/* Add the wait to the sums of its vcpu and of its stretch. */
static void add_wait_sums(const struct wait_parts *x)
{
    struct wait_sums *all = &x->v->sums, *now = &x->v->stretches->now.sums;

    debug_assert(x->sums->waited == x->to - x->from);
    for ( uint32_t left = x->found; left; left &= left - 1 )
    {
        unsigned int i = __builtin_ctz(left);
        uint64_t cycles = x->sums->causes[i];

        all->causes[i] += cycles;
        now->causes[i] += cycles;
        if ( cycles > x->v->worst[i].cycles )
            x->v->worst[i] = (struct wait_moment){ cycles, x->from, x->to };
    }
    add_other_sums(all, x->sums);
    add_other_sums(now, x->sums);
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

/* The times of the vcpu, and those since its last wait. */
static void find_times(struct wait_parts *x)
{
    const struct wait_times *before = &x->v->stretches->before;

    debug_assert(x->from <= x->to);
    x->times = wait_times_of(x->v);
    /* The runstates have this wait already; sums may have overflowed. */
    x->calm.known = x->times.known - (x->to - x->from + before->known);
    x->calm.ran = x->times.ran - before->ran;
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

/* The stretch of the wait, which goes on or begins. */
static void begin_wait(struct wait_parts *x)
{
    struct wait_stretches *s = x->v->stretches;

    debug_assert(s);
    if ( stretch_begin_loss(&s->search, &x->w->scale, x->from,
                            find_calm_cost(&x->calm)) )
        s->now = (struct wait_stretch){ .sums = { 0 } };
    else
    {
        s->now.times.known += x->calm.known;
        s->now.times.ran += x->calm.ran;
    }
}

/* The rise of the score by the wait; the score has paid for calm time. */
static double find_gain(const struct wait_parts *x)
{
    double waited = (double)x->sums->waited;
    double gain = (1 - WANTED_COST - KNOWN_COST) * waited;

    if ( x->sums->waited >= x->w->calm )
        return gain;
    gain = (1 - SHORT_COST) * waited - SHORT_COST * (double)x->calm.known;
    return gain > 0 ? gain : 0;
}

static void end_wait(const struct wait_parts *x)
{
    struct wait_stretches *s = x->v->stretches;

    debug_assert(s->search.is_open);
    s->before = x->times;
    s->now.times.known += x->sums->waited;
    if ( stretch_end_loss(&s->search, x->to, x->sums->waited, find_gain(x)) )
        s->worst = s->now;
}

static uint64_t sum_causes(const struct wait_parts *x)
{
    uint64_t sum = 0;

    debug_assert(!(x->found >> WAIT_CAUSES));
    for ( uint32_t left = x->found; left; left &= left - 1 )
        sum += x->sums->causes[__builtin_ctz(left)];
    debug_assert(x->sums->others_ran <= sum);
    return sum;
}

void wait_explain(struct wait_causes *w, struct wait_vcpu *v,
                  const struct fact_runstate *f, uint64_t from)
{
    static const struct wait_pcpu nothing_known;
    struct wait_sums sums = { .waited = 0 };
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

    if ( !v->stretches && !add_stretches(w, v) )
        return;
    find_times(&x);
    begin_wait(&x);
    x.pieces = find_room_for_pieces(&x);
    explain_spans(&x);
    sums.waited = f->to - from;
    debug_assert(sum_causes(&x) == sums.waited);
    if ( f->state == STATE_OFFLINE )
        sums.parked = sums.waited;
    find_idle_elsewhere(&x);
    add_wait_sums(&x);
    if ( is_complete && (!f->before_first_run || f->why != WHY_NONE) )
    {
        stats_add(&v->waits, &w->pool, sums.waited, from);
        if ( sums.waited >= w->calm )
            period_add(&v->period, &w->pool, from);
    }
    end_wait(&x);
    if ( x.pieces )
        keep_worst_wait(&x);
}
