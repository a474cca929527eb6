/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of the ground-truth log. All lines are written under the lock of
 * struct sim; exits of interrupt handlers are buffered in their pcpu for its
 * thread.
 */
#include "xensim/workload/ground-truth.h"

#include <asm/hardirq.h>

static bool is_disabled(const struct sim_cpu *p)
{
    return !p->sim->truth.file;
}

static const char *const states[] = {
    "running", "runnable", "blocked", "offline",
};
static const char *const reasons[] = {
    "timer", "interrupt", "event", "unpause", "up", "repin",
};

static void put_vcpu(struct json_lines *t, const struct sim_vcpu *v)
{
    json_line_number(t, ",\"dom\":", dom_of(v));
    json_line_number(t, ",\"vcpu\":", v->id);
}

static void write_runstate(struct json_lines *t, const struct sim_vcpu *v,
                           uint64_t to)
{
    ASSERT(v->state < ARRAY_SIZE(states));
    json_line_begin(t, "runstate");
    put_vcpu(t, v);
    json_line_text(t, ",\"state\":", states[v->state]);
    json_line_number(t, ",\"cpu\":", v->cpu->id);
    json_line_number(t, ",\"from\":", v->since);
    json_line_number(t, ",\"to\":", to);
    if ( v->continued )
        json_line_number(t, ",\"continued\":", v->continued);
    json_line_end(t);
}

void truth_log_runstate(struct sim_cpu *p, const struct sim_vcpu *v)
{
    if ( !is_disabled(p) )
        write_runstate(&p->sim->truth, v, p->stamp);
}

static void begin_exit_line(struct json_lines *t, const char *what,
                            const struct sim_vcpu *v, const struct open_exit *x)
{
    ASSERT(x->at && x->name);
    json_line_begin(t, what);
    put_vcpu(t, v);
    json_line_number(t, ",\"cpu\":", x->cpu);
    json_line_number(t, ",\"reason\":", x->reason);
    json_line_text(t, ",\"name\":", x->name);
    if ( x->handler )
        json_line_text(t, ",\"handler\":", x->handler);
    json_line_number(t, ",\"at\":", x->at);
}

static void write_exit_storm(struct json_lines *t, const struct sim_vcpu *v)
{
    const struct exit_storm *storm = &v->exit_storm;

    if ( !storm->exits )
        return;
    ASSERT(storm->from && storm->from <= storm->to);
    json_line_begin(t, "exit_storm");
    put_vcpu(t, v);
    json_line_text(t, ",\"name\":", "IO_INSTRUCTION");
    json_line_number(t, ",\"port\":", SIM_COM1);
    json_line_number(t, ",\"from\":", storm->from);
    json_line_number(t, ",\"to\":", storm->to);
    json_line_number(t, ",\"exits\":", storm->exits);
    json_line_number(t, ",\"rip\":", SIM_STORM_RIP);
    json_line_end(t);
}

void truth_log_exit_storm(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( !is_disabled(p) )
        write_exit_storm(&p->sim->truth, v);
    v->exit_storm.exits = 0;
}

static void write_spin(struct json_lines *t, const struct sim_vcpu *v)
{
    const struct spin *spin = &v->spin;

    if ( !spin->exits )
        return;
    ASSERT(spin->from && spin->from <= spin->to);
    json_line_begin(t, "spin");
    put_vcpu(t, v);
    json_line_number(t, ",\"from\":", spin->from);
    json_line_number(t, ",\"to\":", spin->to);
    json_line_number(t, ",\"exits\":", spin->exits);
    json_line_end(t);
}

void truth_log_spin(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( !is_disabled(p) )
        write_spin(&p->sim->truth, v);
    v->spin.exits = 0;
}

static void write_open_state(struct json_lines *t, const struct sim_vcpu *v)
{
    ASSERT(v->state < ARRAY_SIZE(states));
    json_line_begin(t, "still");
    put_vcpu(t, v);
    json_line_text(t, ",\"state\":", states[v->state]);
    json_line_number(t, ",\"cpu\":", v->cpu->id);
    json_line_number(t, ",\"from\":", v->since);
    if ( v->continued )
        json_line_number(t, ",\"continued\":", v->continued);
    json_line_end(t);
    write_exit_storm(t, v);
    write_spin(t, v);
    if ( !v->exit.at )
        return;
    begin_exit_line(t, "outside", v, &v->exit);
    json_line_end(t);
}

void truth_log_last_state(struct sim_cpu *p, const struct sim_vcpu *v)
{
    if ( !is_disabled(p) && (v->up || is_idle(v)) )
        write_open_state(&p->sim->truth, v);
}

void truth_log_wake(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct json_lines *t = &p->sim->truth;
    uint64_t at = v->woken_at;

    v->woken_at = 0;
    if ( is_disabled(p) || !at )
        return;
    ASSERT(v->woken_by < ARRAY_SIZE(reasons));
    json_line_begin(t, "wake");
    put_vcpu(t, v);
    json_line_number(t, ",\"at\":", at);
    json_line_text(t, ",\"by\":", reasons[v->woken_by]);
    if ( v->waker )
    {
        json_line_number(t, ",\"waker_dom\":", dom_of(v->waker));
        json_line_number(t, ",\"waker_vcpu\":", v->waker->id);
    }
    json_line_number(t, ",\"on\":", v->woken_on);
    json_line_number(t, ",\"cpu\":", p->id);
    json_line_number(t, ",\"latency\":", p->stamp - at);
    json_line_end(t);
}

void truth_log_io(struct sim_cpu *p, const struct sim_vcpu *v,
                  const struct sim_vcpu *backend)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    json_line_begin(t, "io");
    put_vcpu(t, v);
    json_line_number(t, ",\"sent\":", v->io.sent);
    json_line_number(t, ",\"mapped\":", v->io.mapped);
    json_line_number(t, ",\"unmapped\":", v->io.unmapped);
    json_line_number(t, ",\"answered\":", v->io.answered);
    json_line_number(t, ",\"by\":", backend->id);
    json_line_end(t);
}

void truth_log_emulated(struct sim_cpu *p, const struct sim_vcpu *v,
                        const struct sim_vcpu *backend)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    ASSERT(v->exit.at);
    json_line_begin(t, "emulated");
    put_vcpu(t, v);
    json_line_number(t, ",\"exit\":", v->exit.at);
    json_line_number(t, ",\"answered\":", p->stamp);
    json_line_number(t, ",\"by\":", backend->id);
    json_line_end(t);
}

void truth_log_program(struct sim_cpu *p, const struct sim_vcpu *backend,
                       const char *event, uint32_t pid)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    json_line_begin(t, "program");
    put_vcpu(t, backend);
    json_line_number(t, ",\"pid\":", pid);
    json_line_text(t, ",\"event\":", event);
    json_line_number(t, ",\"at\":", true_now(p));
    json_line_end(t);
}

void truth_log_interrupt(struct sim_cpu *p, unsigned int irq, uint64_t from,
                         const struct sim_vcpu *woken)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    ASSERT(from <= p->stamp);
    json_line_begin(t, "interrupt");
    json_line_number(t, ",\"cpu\":", p->id);
    json_line_number(t, ",\"irq\":", irq);
    if ( woken )
        put_vcpu(t, woken);
    json_line_number(t, ",\"from\":", from);
    json_line_number(t, ",\"to\":", p->stamp);
    json_line_end(t);
}

void truth_log_injection(struct sim_cpu *p, uint8_t vector)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) || !p->sim->config.virtual_time )
        return;
    json_line_begin(t, "injection");
    put_vcpu(t, p->runs);
    json_line_number(t, ",\"vector\":", vector);
    json_line_number(t, ",\"at\":", p->stamp);
    json_line_end(t);
}

void truth_log_timer(struct sim_cpu *p, const struct sim_vcpu *v)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) || !p->sim->config.virtual_time )
        return;
    ASSERT(v->apic_due && v == p->runs);
    json_line_begin(t, "timer");
    put_vcpu(t, v);
    json_line_number(t, ",\"due\":", v->apic_due);
    json_line_number(t, ",\"at\":", p->stamp);
    json_line_end(t);
}

void truth_log_stall(struct sim *s, uint64_t from, uint64_t to)
{
    if ( !s->truth.file )
        return;
    ASSERT(from <= to);
    json_line_begin(&s->truth, "stall");
    json_line_number(&s->truth, ",\"from\":", from);
    json_line_number(&s->truth, ",\"to\":", to);
    json_line_end(&s->truth);
}

void truth_begin_span(struct sim_cpu *p, struct sim_spans *spans)
{
    if ( !spans->open )
        spans->open = p->stamp;
}

static void end_span_at(struct sim_spans *spans, uint64_t time)
{
    if ( spans->open && spans->room )
        spans->all[spans->nr++ % spans->room] =
            (struct sim_span){ spans->open, time };
    spans->open = 0;
}

void truth_end_span(struct sim_cpu *p, struct sim_spans *spans)
{
    end_span_at(spans, p->stamp);
}

void truth_begin_park(struct sim_cpu *p, struct sim_vcpu *v)
{
    truth_begin_span(p, &v->parks);
}

void truth_end_park(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct json_lines *t = &p->sim->truth;

    if ( !is_disabled(p) && v->parks.open )
    {
        json_line_begin(t, "parked");
        put_vcpu(t, v);
        json_line_number(t, ",\"from\":", v->parks.open);
        json_line_number(t, ",\"to\":", true_now(p));
        json_line_end(t);
    }
    end_span_at(&v->parks, true_now(p));
}

/* The last span but `back`; NULL: it does not reach behind `from`. */
static const struct sim_span *find_span(const struct sim_spans *spans,
                                        unsigned int back, uint64_t from)
{
    const struct sim_span *span;

    if ( back >= min(spans->nr, spans->room) )
        return NULL;
    span = &spans->all[(spans->nr - 1 - back) % spans->room];
    return span->to > from ? span : NULL;
}

/* Cycles of the spans between `from` and `to`. */
static uint64_t overlap(const struct sim_spans *spans, uint64_t from,
                        uint64_t to)
{
    const struct sim_span *span;
    uint64_t sum = 0;

    for ( unsigned int i = 0; (span = find_span(spans, i, from)); i++ )
    {
        uint64_t a = max(span->from, from), b = min(span->to, to);

        if ( a < b )
            sum += b - a;
    }
    if ( spans->open && spans->open < to )
        sum += to - max(spans->open, from);
    return sum;
}

/* Cycles of the spans between `from` and `to` in which v was not parked. */
static uint64_t overlap_unparked(const struct sim_spans *spans,
                                 const struct sim_vcpu *v, uint64_t from,
                                 uint64_t to)
{
    uint64_t sum = overlap(spans, from, to);
    const struct sim_span *park;

    for ( unsigned int i = 0; (park = find_span(&v->parks, i, from)); i++ )
    {
        uint64_t a = max(park->from, from), b = min(park->to, to);

        if ( a < b )
            sum -= overlap(spans, a, b);
    }
    return sum;
}

void truth_log_wait(struct sim_cpu *p, const struct sim_vcpu *v)
{
    struct json_lines *t = &p->sim->truth;
    bool was_parked = v->state == OFFLINE && v->unparked_at > v->since;
    uint64_t from = v->since, runs = p->stamp;

    if ( is_disabled(p) || (v->state != RUNNABLE && !was_parked) )
        return;
    json_line_begin(t, "wait");
    put_vcpu(t, v);
    json_line_number(t, ",\"cpu\":", p->id);
    json_line_number(t, ",\"from\":", v->since);
    json_line_number(t, ",\"to\":", runs);
    json_line_number(t, ",\"capped\":", overlap(&v->parks, from, runs));
    json_line_number(t, ",\"limited\":",
                     overlap_unparked(&p->limits, v, from, runs));
    json_line_number(t, ",\"asleep\":",
                     overlap_unparked(&p->sleeps, v, from, runs));
    json_line_end(t);
}

void truth_log_migration(struct sim_cpu *p, const struct sim_vcpu *v,
                         const struct sim_cpu *to)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    json_line_begin(t, "migration");
    put_vcpu(t, v);
    json_line_number(t, ",\"from\":", v->cpu->id);
    json_line_number(t, ",\"to\":", to->id);
    json_line_number(t, ",\"at\":", p->stamp);
    json_line_end(t);
}

/* ---- exits ------------------------------------------------------------ */

static void write_exit(struct sim_cpu *p, const struct deferred_exit *x)
{
    struct json_lines *t = &p->sim->truth;

    begin_exit_line(t, "exit", x->vcpu, &x->exit);
    json_line_number(t, ",\"cycles\":", x->cycles);
    json_line_number(t, ",\"entered\":", p->id);
    json_line_end(t);
}

/*
 * Handlers nest, so an interrupting handler fills its slot before the
 * interrupted one continues, and the thread reads the slots only after both.
 */
static void defer_exit(struct sim_cpu *p, const struct deferred_exit *x)
{
    uint32_t slot = __atomic_fetch_add(&p->nr_deferred, 1, __ATOMIC_RELAXED);

    ASSERT(in_irq() || in_nmi_handler());
    if ( slot < DEFERRED_MAX )
        p->deferred_exits[slot] = *x;
}

void truth_log_exit(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct deferred_exit x = {
        .exit = v->exit, .cycles = p->stamp - v->exit.at, .vcpu = v,
    };

    v->exit.at = 0;
    if ( is_disabled(p) || !x.exit.at )
        return;
    if ( !p->sim->config.virtual_time && (in_irq() || in_nmi_handler()) )
        defer_exit(p, &x);
    else
        write_exit(p, &x);
}

void truth_log_deferred(struct sim_cpu *p)
{
    uint32_t nr;

    ASSERT(!in_irq() && !in_nmi_handler());
    /* An exit added during the loop has the slot behind the written ones. */
    for ( uint32_t i = 0; ; )
    {
        nr = min(__atomic_load_n(&p->nr_deferred, __ATOMIC_RELAXED),
                 (uint32_t)DEFERRED_MAX);
        for ( ; i < nr; i++ )
            write_exit(p, &p->deferred_exits[i]);
        nr = __atomic_load_n(&p->nr_deferred, __ATOMIC_RELAXED);
        if ( (nr == i || i == DEFERRED_MAX) &&
             __atomic_compare_exchange_n(&p->nr_deferred, &nr, 0, false,
                                         __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED) )
        {
            p->dropped_exits += nr - i;
            return;
        }
    }
}

/* ---- machine ---------------------------------------------------------- */

void truth_log_domain(struct sim_cpu *p, const struct sim_dom *d,
                      const char *event)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    json_line_begin(t, "domain");
    json_line_number(t, ",\"dom\":", d->id);
    json_line_text(t, ",\"event\":", event);
    json_line_text(t, ",\"name\":", d->name);
    if ( d->pin.first <= d->pin.last )
    {
        json_line_number(t, ",\"first\":", d->pin.first);
        json_line_number(t, ",\"last\":", d->pin.last);
    }
    json_line_number(t, ",\"at\":", true_now(p));
    json_line_end(t);
}

void truth_log_cpu(struct sim_cpu *p, const char *event)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    json_line_begin(t, "cpu");
    json_line_number(t, ",\"cpu\":", p->id);
    json_line_text(t, ",\"event\":", event);
    json_line_number(t, ",\"at\":", true_now(p));
    json_line_end(t);
}

void truth_log_clock(struct sim_cpu *p)
{
    struct json_lines *t = &p->sim->truth;

    if ( is_disabled(p) )
        return;
    json_line_begin(t, "clock");
    json_line_number(t, ",\"cpu\":", p->id);
    json_line_signed(t, ",\"offset\":", p->clock.offset);
    json_line_signed(t, ",\"ppb\":", p->clock.drift);
    json_line_number(t, ",\"at\":", true_now(p));
    json_line_end(t);
}

static void log_machine(struct sim *s)
{
    const struct workload_config *c = &s->config;
    struct json_lines *t = &s->truth;

    json_line_begin(t, "machine");
    json_line_number(t, ",\"version\":", 1);
    json_line_number(t, ",\"khz\":", s->khz);
    json_line_number(t, ",\"cpus\":", c->cpus);
    json_line_number(t, ",\"seed\":", c->seed);
    json_line_text(t, ",\"clock\":", c->virtual_time ? "virtual" : "real");
    json_line_text(t, ",\"scheduler\":",
                   c->scheduler == SIM_NULL ? "null" : "credit2");
    json_line_text(t, ",\"vendor\":", c->vendor == SIM_AMD ? "amd" : "intel");
    json_line_text(t, ",\"layout\":", c->layout ==
                   SIM_MASTER ? "master" : "4.17");
    json_line_number(t, ",\"at\":", s->start);
    json_line_end(t);
}

void truth_log_start(struct sim *s)
{
    if ( !s->truth.file )
        return;
    log_machine(s);
    for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
        if ( s->cpus[cpu].clock.offset || s->cpus[cpu].clock.drift )
            truth_log_clock(&s->cpus[cpu]);
}

/* ---- end -------------------------------------------------------------- */

static void log_counts(struct json_lines *t, const struct sim_cpu *p)
{
    json_line_begin(t, "books");
    json_line_number(t, ",\"cpu\":", p->id);
    json_line_number(t, ",\"emitted\":", p->emitted);
    json_line_number(t, ",\"unsure\":", p->unsure);
    json_line_number(t, ",\"lost\":", p->lost);
    json_line_number(t, ",\"untold\":", p->dropped_exits);
    json_line_end(t);
}

void truth_log_end(struct sim *s)
{
    struct json_lines *t = &s->truth;

    if ( !t->file )
        return;
    for ( unsigned int i = 0; i < s->nr_doms; i++ )
        for ( unsigned int k = 0; s->doms[i].alive && k < s->doms[i].nr; k++ )
            if ( s->doms[i].vcpus[k].up )
                write_open_state(t, &s->doms[i].vcpus[k]);
    for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
    {
        truth_log_deferred(&s->cpus[cpu]);
        if ( s->cpus[cpu].online )
            write_open_state(t, &s->cpus[cpu].idle);
        log_counts(t, &s->cpus[cpu]);
    }
    json_lines_flush(t);
}
