/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Causes of waits: facts in, numbers out.
 *
 * A script has a fact per line, in the order in which a sink gets them; dDvV is
 * a vcpu, `idle` an idle vcpu, pP a pcpu:
 *
 *     pcpu p0 10 20 d2v0      from 10 to 20 the vcpu ran on the pcpu; or idle,
 *                             lost, unknown
 *     runs d1v0 p0 10         d1v0 runs on p0 from 10 on, after another state
 *     wait d1v0 p0 10 20      runnable from 10 to 20, then runs on p0
 *     off d1v0 p0 10 20       offline from 10 to 20, then runs on p0
 *     open d1v0 p0 10 20      runnable from 10 to 20, the end of the trace
 *     left d1v0 p0 20 1       d1v0 ran on p0 and is now in state 1
 *     woken d1v0 p0 10        d1v0 was blocked and is now runnable
 *     sleep p0 12             the pcpu enters a sleep state; or wakes
 *     irq p0 15 3             an interrupt was handled, for 3 cycles
 *     limit p0 12 d2v0        record of credit2's rate limit
 *     decide p0 15            record of credit2's next decision
 *     burn d1v0 12 0          credit2: budget left; or rtburn
 *     queue d1v0 15           credit2: put into the queue; or rtfill
 *     check d1v0 p0 12        credit2: a candidate for the pcpu; or load, its
 *                             load has changed; or chosen
 *     pause d1v0 20           record of a vcpu that sleeps; or resume, wakes
 *     tickle p0 14
 *     end                     of the segment
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"

struct why_test
{
    struct guests guests;
    struct wait_causes waits;
    struct sink sink;
    struct xt_clock clock;
    unsigned int segment;
};

struct why_line
{
    char kind[16], vcpu[16];
    uint32_t pcpu;
    uint64_t n[2];
};

static struct vcpu *get_named(struct why_test *t, const char *name)
{
    unsigned int domain, id;

    if ( !strcmp(name, "idle") )
        return guests_get_vcpu(&t->guests, XT_DOMAIN_IDLE, 0);
    if ( sscanf(name, "d%uv%u", &domain, &id) != 2 )
        return NULL;
    return guests_get_vcpu(&t->guests, domain, id);
}

static void feed_state(struct why_test *t, const struct why_line *l,
                       unsigned int state, unsigned int next)
{
    t->sink.ops->runstate(t->sink.state, &(struct fact_runstate){
        .vcpu = get_named(t, l->vcpu), .from = l->n[0], .to = l->n[1],
        .pcpu = l->pcpu, .next_pcpu = l->pcpu, .state = state,
        .next = next });
}

/* The vcpu ran from n[0] to n[1]; or records were lost, or nothing is known. */
static void feed_pcpu(struct why_test *t, const struct why_line *l)
{
    if ( get_named(t, l->vcpu) )
        feed_state(t, l, STATE_RUNNING, STATE_BLOCKED);
    else if ( !strcmp(l->vcpu, "lost") )
        t->sink.ops->loss(t->sink.state, &(struct fact_loss){
            .pcpu = l->pcpu, .from = l->n[0], .to = l->n[1] });
}

static void feed_runstate(struct why_test *t, const struct why_line *l)
{
    struct why_line runs = *l;

    runs.n[1] = runs.n[0];
    if ( !strcmp(l->kind, "runs") )
        feed_state(t, &runs, STATE_BLOCKED, STATE_RUNNING);
    else if ( !strcmp(l->kind, "left") )
    {
        runs.n[1] = runs.n[0];
        feed_state(t, &runs, STATE_RUNNING, l->n[1]);
    }
    else if ( !strcmp(l->kind, "woken") )
        feed_state(t, &runs, STATE_BLOCKED, STATE_RUNNABLE);
    else if ( !strcmp(l->kind, "open") )
        feed_state(t, l, STATE_RUNNABLE, STATES);
    else
        feed_state(t, l, *l->kind == 'w' ? STATE_RUNNABLE : STATE_OFFLINE,
                   STATE_RUNNING);
}

static void feed_power(struct why_test *t, const struct why_line *l)
{
    t->sink.ops->power(t->sink.state, &(struct fact_power){
        .pcpu = l->pcpu, .time = l->n[0],
        .kind = *l->kind == 's' ? POWER_SLEEP : POWER_WAKE });
}

static void feed_irq(struct why_test *t, const struct why_line *l)
{
    t->sink.ops->irq(t->sink.state, &(struct fact_irq){
        .pcpu = l->pcpu, .time = l->n[0], .kind = IRQ_HANDLED,
        .has_cycles = true, .cycles = l->n[1] });
}

static void feed_words(struct why_test *t, const struct why_line *l,
                       uint32_t event, const uint32_t *words, unsigned int nr)
{
    const struct xt_record r = {
        .event = event, .words = nr, .payload = (const unsigned char *)words,
    };

    t->sink.ops->event(t->sink.state, &(struct fact_event){
        .pcpu = l->pcpu, .time = l->n[0], .record = &r });
}

static void feed_scheduler(struct why_test *t, const struct why_line *l)
{
    static const struct { const char *kind; uint32_t event; } events[] = {
        { "limit", 0x22216 }, { "decide", 0x22215 }, { "burn", 0x22203 },
        { "queue", 0x22202 }, { "tickle", 0x22206 }, { "rtburn", 0x22803 },
        { "rtfill", 0x22804 }, { "check", 0x22217 }, { "chosen", 0x22214 },
        { "load", 0x2220b }, { "pause", TRC_SCHED_SLEEP },
        { "resume", TRC_SCHED_WAKE },
    };
    const struct vcpu *v = get_named(t, l->vcpu);
    uint32_t words[7] = { v ? (uint32_t)v->domain->id << 16 | v->id
                            : l->pcpu };
    size_t i = 0;

    while ( strcmp(events[i].kind, l->kind) )
        i++;
    if ( !strcmp(l->kind, "burn") )
        words[2] = l->n[1];
    if ( !strcmp(l->kind, "pause") || !strcmp(l->kind, "resume") )
    {
        words[0] = v->domain->id;
        words[1] = v->id;
    }
    if ( !strcmp(l->kind, "rtburn") )
        words[1] = l->n[1];
    if ( !strcmp(l->kind, "load") )
        words[2] = words[0];
    feed_words(t, l, events[i].event, words, 7);
    /* A short record has no effect. */
    if ( !strstr("limit decide check chosen", l->kind) )
        feed_words(t, l, events[i].event, words, 0);
}

static void feed_end(struct why_test *t)
{
    struct err e = ERR_INIT;

    ck_assert_int_eq(t->sink.ops->end(t->sink.state, &(struct fact_end){
        .segment = t->segment, .first = 0, .last = 100 }, &e), 0);
    t->segment++;
    t->sink.ops->begin(t->sink.state, &(struct fact_begin){
        .segment = t->segment, .clock = &t->clock, .guests = &t->guests });
}

/* The words of a line in any order: a vcpu, a pcpu, numbers. */
static void parse_why_line(struct why_line *l, const char *text)
{
    char word[16];
    unsigned int nr = 0;
    int used;

    *l = (struct why_line){ .vcpu = "" };
    ck_assert_int_eq(sscanf(text, "%15s%n", l->kind, &used), 1);
    for ( text += used; sscanf(text, " %15[^ \n]%n", word, &used) == 1 &&
          *text == ' '; text += used )
        if ( *word == 'p' )
            l->pcpu = word[1] - '0';
        else if ( *word >= '0' && *word <= '9' )
            sscanf(word, "%lu", &l->n[nr++]);
        else
            snprintf(l->vcpu, sizeof(l->vcpu), "%s", word);
}

static void feed_why_line(struct why_test *t, const char *text)
{
    static const struct
    {
        const char *kinds;
        void (*feed)(struct why_test *t, const struct why_line *l);
    } feeds[] = {
        { "pcpu", feed_pcpu },
        { "runs wait off open left woken", feed_runstate },
        { "sleep wakes", feed_power }, { "irq", feed_irq },
        { "", feed_scheduler },
    };
    struct why_line l;
    size_t i = 0;

    parse_why_line(&l, text);
    if ( !strcmp(l.kind, "end") )
    {
        feed_end(t);
        return;
    }
    while ( *feeds[i].kinds && !strstr(feeds[i].kinds, l.kind) )
        i++;
    feeds[i].feed(t, &l);
}

static void begin_test(struct why_test *t)
{
    memset(t, 0, sizeof(*t));
    ck_assert_int_eq(guests_init(&t->guests, 8, 8), 0);
    xt_clock_init(&t->clock, SECOND, SECOND, 0);
    wait_causes_init(&t->waits);
    t->sink = wait_causes_sink(&t->waits);
    t->sink.ops->begin(t->sink.state, &(struct fact_begin){
        .clock = &t->clock, .guests = &t->guests });
}

static void end_test(struct why_test *t)
{
    wait_causes_fini(&t->waits);
    guests_fini(&t->guests);
}

/* "d1v0 rival 3 cap 2": causes of a vcpu in the order of the enum. */
static void print_why(const struct why_test *t, char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for ( uint32_t i = 0; i < t->waits.nr_vcpus; i++ )
    {
        const struct wait_vcpu *v = t->waits.vcpus[i];
        uint64_t sum = 0;

        if ( !v->sums.waited )
            continue;
        used += snprintf(text + used, size - used, "d%uv%u", v->domain, v->id);
        for ( unsigned int k = 0; k < WAIT_CAUSES; k++ )
            if ( v->sums.causes[k] )
                used += snprintf(text + used, size - used, " %s %lu",
                                 wait_cause_name(k), v->sums.causes[k]);
        for ( const struct wait_rival *r = v->rivals; r; r = r->next )
            used += snprintf(text + used, size - used, " d%u=%lu", r->domain,
                             r->cycles);
        used += snprintf(text + used, size - used, "\n");
        for ( unsigned int k = 0; k < WAIT_CAUSES; k++ )
            sum += v->sums.causes[k];
        ck_assert_uint_eq(sum, v->sums.waited);
    }
}

static void expect_why(const char *script, const char *expected)
{
    struct why_test t;
    char text[1000];

    begin_test(&t);
    for ( ; *script; script += strcspn(script, "\n") + 1 )
        feed_why_line(&t, script);
    wait_causes_close(&t.waits);
    print_why(&t, text, sizeof(text));
    same_text(text, expected);
    end_test(&t);
}

START_TEST(rivals_and_siblings)
{
    expect_why("pcpu p0 0 10 d2v0\npcpu p0 10 14 d1v1\npcpu p0 14 20 d3v0\n"
               "wait d1v0 p0 5 20\n",
               "d1v0 rival 11 sibling 4 d3=6 d2=5\n");
    /* Without a cause, before the first span, and behind the last one. */
    expect_why("pcpu p0 10 20 d2v0\nwait d1v0 p0 5 25\n",
               "d1v0 rival 10 unknown 10 d2=10\n");
    expect_why("wait d1v0 p3 5 25\n", "d1v0 unknown 20\n");
    /* The vcpu that runs at the end of the trace is known. */
    expect_why("pcpu p0 0 10 d3v0\nruns d2v0 p0 10\nopen d1v0 p0 5 25\n",
               "d1v0 rival 20 d2=15 d3=5\n");
    expect_why("wait d1v0 p0 5 5\n", "");
}
END_TEST

/* The pcpu switches from one vcpu to the next: in whole, or cut by the wait. */
START_TEST(gaps_between_runs)
{
    static const char runs[] = "runs d2v0 p0 0\npcpu p0 0 10 d2v0\n"
                               "runs d3v0 p0 14\n";
    static const struct { const char *wait, *expected; } waits[] = {
        { "wait d1v0 p0 5 30\n", "d1v0 rival 11 unknown 14 d3=6 d2=5\n" },
        { "wait d1v0 p0 12 30\n", "d1v0 rival 6 unknown 12 d3=6\n" },
        { "wait d1v0 p0 16 30\n", "d1v0 rival 4 unknown 10 d3=4\n" },
        { "wait d1v0 p0 5 12\n", "d1v0 rival 5 unknown 2 d2=5\n" },
        { "wait d1v0 p0 11 13\n", "d1v0 unknown 2\n" },
        { "wait d1v0 p0 13 16\n", "d1v0 rival 2 unknown 1 d3=2\n" },
    };
    char script[200];

    for ( size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++ )
    {
        snprintf(script, sizeof(script), "%spcpu p0 14 20 d3v0\n%s", runs,
                 waits[i].wait);
        expect_why(script, waits[i].expected);
    }
    /* In the run in progress. */
    snprintf(script, sizeof(script), "%swait d1v0 p0 12 30\n", runs);
    expect_why(script, "d1v0 rival 16 unknown 2 d3=16\n");
    /* Idle time begins behind the gap, too. */
    expect_why("runs d1v0 p1 0\nleft d1v0 p1 2 2\nruns idle p1 6\n"
               "runs d2v0 p0 0\npcpu p0 0 20 d2v0\nwait d1v0 p0 4 20\n",
               "d1v0 rival 2 placement 14 d2=16\n");
    /* A gap that does not fit a span. */
    expect_why("runs d2v0 p0 0\npcpu p0 0 10 d2v0\nruns d3v0 p0 5000000000\n"
               "pcpu p0 5000000000 5000000010 d3v0\n"
               "wait d1v0 p0 5 5000000010\n",
               "d1v0 rival 15 unknown 4999999990 d3=10 d2=5\n");
}
END_TEST

START_TEST(lost_records)
{
    expect_why("pcpu p0 0 10 d2v0\npcpu p0 10 15 lost\npcpu p0 15 18 unknown\n"
               "pcpu p0 18 20 d2v0\nwait d1v0 p0 5 20\n",
               "d1v0 rival 7 lost 5 unknown 3 d2=7\n");
    /* A cap is no explanation for lost time. */
    expect_why("runs d1v0 p0 0\nrtburn d1v0 4 0\nleft d1v0 p0 4 1\n"
               "pcpu p0 0 10 lost\npcpu p0 10 20 d2v0\nrtfill d1v0 15\n"
               "wait d1v0 p0 5 20\n",
               "d1v0 rival 5 cap 5 lost 5 d2=5\n");
}
END_TEST

START_TEST(caps)
{
    /* credit2: offline, then queued, then running. */
    expect_why("pcpu p0 0 10 d1v0\nruns d1v0 p0 0\nburn d1v0 10 0\n"
               "left d1v0 p0 10 3\nqueue d1v0 30\npcpu p0 10 35 d2v0\n"
               "off d1v0 p0 10 35\n",
               "d1v0 rival 5 cap 20 d2=5\n");
    /* Offline for another reason; or with budget; or without a cap. */
    expect_why("runs d1v0 p0 0\nleft d1v0 p0 10 3\noff d1v0 p0 10 35\n", "");
    expect_why("runs d1v0 p0 0\nburn d1v0 10 5\nleft d1v0 p0 10 3\n"
               "off d1v0 p0 10 35\n", "");
    expect_why("runs d1v0 p0 0\nburn d1v0 10 2147483648\nleft d1v0 p0 10 3\n"
               "off d1v0 p0 10 35\n", "");
    /* A unit of credit2 that got new budget is runnable, and not capped. */
    expect_why("runs d1v0 p0 0\nburn d1v0 10 0\nleft d1v0 p0 10 1\n"
               "pcpu p0 0 10 d1v0\npcpu p0 10 20 d2v0\nwait d1v0 p0 10 20\n",
               "d1v0 rival 10 d2=10\n");
    /* RTDS: runnable; the end may be unknown. */
    expect_why("runs d1v0 p0 0\nrtburn d1v0 10 0\nleft d1v0 p0 10 1\n"
               "pcpu p0 0 35 idle\nrtfill d1v0 30\nwait d1v0 p0 10 35\n",
               "d1v0 cap 20 idle 5\n");
    expect_why("runs d1v0 p0 0\nrtburn d1v0 10 0\nleft d1v0 p0 10 1\n"
               "open d1v0 p0 10 35\n", "d1v0 cap 25\n");
    /* RTDS: blocked without budget, and woken. */
    expect_why("runs d1v0 p0 0\nrtburn d1v0 10 0\nleft d1v0 p0 10 2\n"
               "pcpu p0 0 35 idle\nwoken d1v0 p0 12\nrtfill d1v0 30\n"
               "wait d1v0 p0 12 35\n", "d1v0 cap 18 idle 5\n");
}
END_TEST

#define PARKED_FROM_10 \
    "runs d1v0 p0 0\nburn d1v0 10 0\nleft d1v0 p0 10 3\n"

START_TEST(pauses)
{
    /* A pause ends the cap; the vcpu is offline to its end, and beyond. */
    expect_why(PARKED_FROM_10 "pause d1v0 20\noff d1v0 p0 10 35\n",
               "d1v0 cap 10\n");
    expect_why(PARKED_FROM_10 "pause d1v0 20\nresume d1v0 22\nqueue d1v0 30\n"
               "pcpu p0 0 35 idle\noff d1v0 p0 10 35\n",
               "d1v0 cap 18 idle 5\n");
    expect_why(PARKED_FROM_10 "pause d1v0 20\nresume d1v0 22\npause d1v0 25\n"
               "pause d1v0 26\noff d1v0 p0 10 35\n",
               "d1v0 cap 13\n");
    /* The records of others, and of a vcpu with budget. */
    expect_why(PARKED_FROM_10 "pause d2v0 20\npause d1v1 20\nresume d1v0 22\n"
               "off d1v0 p0 10 35\n", "d1v0 cap 25\n");
    expect_why("runs d1v0 p0 0\npause d1v0 9\nleft d1v0 p0 10 3\n"
               "resume d1v0 34\noff d1v0 p0 10 35\n", "");
    /* A segment ends a pause. */
    expect_why(PARKED_FROM_10 "pause d1v0 20\nend\nresume d1v0 22\n"
               "off d1v0 p0 10 35\n", "d1v0 cap 10\n");
}
END_TEST

START_TEST(caps_of_waiting_vcpus)
{
    /* Parked in the queue, and queued again: runnable all the time. */
    expect_why("pcpu p0 0 10 d2v0\nwoken d1v0 p0 10\nqueue d1v0 10\n"
               "check d1v0 p0 14\nload d1v0 p0 14\nchosen d2v0 p0 14\n"
               "queue d1v0 30\npcpu p0 10 35 d2v0\nwait d1v0 p0 10 35\n",
               "d1v0 rival 9 cap 16 d2=9\n");
    /* Twice; the first time, another pcpu finds out. */
    expect_why("pcpu p0 0 10 d2v0\nwoken d1v0 p0 10\nqueue d1v0 10\n"
               "check d1v0 p1 14\nload d1v0 p1 14\nqueue d1v0 20\n"
               "check d1v0 p0 21\nload d1v0 p0 21\nqueue d1v0 30\n"
               "pcpu p0 10 35 d2v0\nwait d1v0 p0 10 35\n",
               "d1v0 rival 10 cap 15 d2=10\n");
    /* The last candidate only, until the choice, on this pcpu, if it waits. */
    expect_why("woken d1v0 p0 10\ncheck d1v0 p0 14\ncheck d2v0 p0 14\n"
               "load d1v0 p0 14\npcpu p0 10 35 d3v0\nwait d1v0 p0 10 35\n",
               "d1v0 rival 25 d3=25\n");
    expect_why("woken d1v0 p0 10\ncheck d1v0 p0 14\nchosen d1v0 p0 14\n"
               "load d1v0 p0 14\npcpu p0 10 35 d3v0\nwait d1v0 p0 10 35\n",
               "d1v0 rival 25 d3=25\n");
    expect_why("woken d1v0 p0 10\ncheck d1v0 p0 14\nload d1v0 p1 14\n"
               "pcpu p0 10 35 d3v0\nwait d1v0 p0 10 35\n",
               "d1v0 rival 25 d3=25\n");
    /* Offline without budget, queued, and parked again. */
    expect_why("runs d1v0 p0 0\nburn d1v0 10 0\nleft d1v0 p0 10 3\n"
               "queue d1v0 20\ncheck d1v0 p0 21\nload d1v0 p0 21\n"
               "queue d1v0 30\npcpu p0 10 35 d2v0\noff d1v0 p0 10 35\n",
               "d1v0 rival 6 cap 19 d2=6\n");
    /* The end is unknown. */
    expect_why("pcpu p0 0 35 idle\nwoken d1v0 p0 10\ncheck d1v0 p0 14\n"
               "load d1v0 p0 14\nopen d1v0 p0 10 35\n",
               "d1v0 cap 21 idle 4\n");
}
END_TEST

START_TEST(caps_of_credit)
{
    struct xt_meta weight = { .event = TRC_META_DOMAIN_WEIGHT };
    struct xt_host host = { .all = NULL };
    struct why_test t;
    char text[1000];

    weight.domain_weight.scheduler = XT_SCHEDULER_CREDIT;
    for ( unsigned int domain = 1; domain <= 2; domain++ )
    {
        weight.domain_weight.dom = domain;
        weight.domain_weight.cap = domain == 1 ? 40 : 0;
        ck_assert_int_eq(xt_host_add(&host, &weight), 0);
    }
    xt_host_finish(&host);
    begin_test(&t);
    t.waits.host = &host;
    for ( unsigned int domain = 1; domain <= 2; domain++ )
    {
        snprintf(text, sizeof(text), "runs d%uv0 p0 0", domain);
        feed_why_line(&t, text);
        snprintf(text, sizeof(text), "left d%uv0 p0 10 3", domain);
        feed_why_line(&t, text);
        snprintf(text, sizeof(text), "off d%uv0 p0 10 35", domain);
        feed_why_line(&t, text);
    }
    wait_causes_close(&t.waits);
    print_why(&t, text, sizeof(text));
    same_text(text, "d1v0 cap 25\n");
    /* The record of the cap itself is no pause, a later one is. */
    feed_why_line(&t, "left d1v0 p0 40 3");
    feed_why_line(&t, "pause d1v0 41");
    feed_why_line(&t, "pause d1v0 100040");
    feed_why_line(&t, "off d1v0 p0 40 200040");
    wait_causes_close(&t.waits);
    print_why(&t, text, sizeof(text));
    same_text(text, "d1v0 cap 100025\n");
    end_test(&t);
    xt_host_fini(&host);
}
END_TEST

START_TEST(rate_limits)
{
    expect_why("runs d2v0 p0 0\npcpu p0 0 0 unknown\nruns d2v0 p0 0\n"
               "pcpu p0 0 2 idle\nruns d2v0 p0 2\nlimit p0 12 d2v0\n"
               "decide p0 16\npcpu p0 2 20 d2v0\nwait d1v0 p0 10 20\n",
               "d1v0 rival 6 ratelimit 4 d2=10\n");
    /* Up to the end of the run. */
    expect_why("pcpu p0 0 2 idle\nruns d2v0 p0 2\nlimit p0 12 d2v0\n"
               "pcpu p0 2 20 d2v0\npcpu p0 20 25 d2v1\nwait d1v0 p0 10 25\n",
               "d1v0 rival 7 ratelimit 8 d2=15\n");
}
END_TEST

START_TEST(placement)
{
    /* p1 was used before, and idle from 12 to 15 and since 18. */
    expect_why("runs d1v0 p1 0\nleft d1v0 p1 2 1\npcpu p0 0 3 d2v0\n"
               "wait d1v0 p0 2 3\nleft d1v0 p0 5 1\npcpu p0 3 5 d1v0\n"
               "pcpu p1 0 12 d3v0\npcpu p1 12 15 idle\npcpu p1 15 18 d3v0\n"
               "runs idle p1 18\npcpu p0 5 20 d2v0\nwait d1v0 p0 5 20\n",
               "d1v0 rival 11 placement 5 d2=16\n");
    /* p1 was not used before. */
    expect_why("pcpu p1 0 20 idle\npcpu p0 0 20 d2v0\nwait d1v0 p0 5 20\n",
               "d1v0 rival 15 d2=15\n");
}
END_TEST

START_TEST(idle_pcpus)
{
    expect_why("pcpu p0 0 20 idle\nwait d1v0 p0 5 20\n", "d1v0 idle 15\n");
    expect_why("pcpu p0 0 4 d2v0\nruns idle p0 4\nsleep p0 6\nwakes p0 12\n"
               "pcpu p0 4 20 idle\nwait d1v0 p0 5 20\n",
               "d1v0 sleep 6 xen 9\n");
    expect_why("pcpu p0 0 4 d2v0\nruns idle p0 4\nsleep p0 6\ntickle p0 9\n"
               "wakes p0 12\npcpu p0 4 20 idle\nwait d1v0 p0 5 20\n",
               "d1v0 sleep 3 xen 8 idle 4\n");
    expect_why("pcpu p0 0 4 d2v0\nruns idle p0 4\nirq p0 15 6\n"
               "pcpu p0 4 20 idle\nwait d1v0 p0 5 20\n",
               "d1v0 xen 6 idle 9\n");
    /* Asleep until the end. */
    expect_why("pcpu p0 0 4 d2v0\nruns idle p0 4\nsleep p0 6\n"
               "open d1v0 p0 5 20\n", "d1v0 sleep 14 xen 1\n");
    /* A pcpu that runs a vcpu does not sleep. */
    expect_why("pcpu p0 0 4 idle\nruns d2v0 p0 4\nsleep p0 6\nirq p0 8 1\n"
               "pcpu p0 4 20 d2v0\nwait d1v0 p0 5 20\n",
               "d1v0 rival 15 d2=15\n");
}
END_TEST

START_TEST(segments)
{
    expect_why("pcpu p0 0 20 d2v0\nwait d1v0 p0 5 20\nend\n"
               "pcpu p0 0 10 idle\nwait d1v0 p0 5 20\n",
               "d1v0 rival 15 idle 5 unknown 10 d2=15\n");
}
END_TEST

/* Only the newest uses are kept, but all of a wait in progress. */
START_TEST(bounded_uses)
{
    struct pcpu_uses u = { .nr = 0 };
    struct guests g;
    const struct vcpu *v;

    ck_assert_int_eq(guests_init(&g, 8, 8), 0);
    v = guests_get_vcpu(&g, 1, 0);
    ck_assert_uint_eq(pcpu_uses_find(&u, 0), 0);
    pcpu_uses_begin(&u, 0);
    for ( uint64_t i = 1; i <= 1000; i++ )
    {
        if ( pcpu_uses_are_full(&u) )
            ck_assert(pcpu_uses_make_room(&u, i - 10, 256));
        pcpu_uses_add_fast(&u, 0, i, USE_RUN, v);
    }
    ck_assert_uint_eq(u.room, PCPU_USES_FIRST);
    ck_assert_uint_eq(pcpu_span_from(&u, pcpu_uses_find(&u, 995)), 995);
    for ( uint64_t i = 1001; i <= 3000; i++ )
    {
        if ( pcpu_uses_are_full(&u) )
            ck_assert(pcpu_uses_make_room(&u, 1000, 256));
        pcpu_uses_add_fast(&u, 0, i, USE_RUN, v);
    }
    ck_assert_uint_eq(u.room, 256);
    ck_assert_uint_gt(u.begin, 2700);
    for ( uint64_t time = u.begin - 2; time <= 3001; time++ )
    {
        uint32_t want = 0;

        while ( want < u.nr && u.spans[want].to <= time )
            want++;
        ck_assert_uint_eq(pcpu_uses_find(&u, time), want);
    }
    ck_assert_uint_eq(pcpu_uses_find(&u, 3000), u.nr);
    ck_assert_uint_eq(pcpu_uses_find(&u, 0), 0);
    /* A short list gets a small room again. */
    ck_assert(u.has_dropped && pcpu_uses_make_room(&u, 2995, 256));
    ck_assert_uint_eq(u.nr, 5);
    ck_assert_uint_eq(u.room, PCPU_USES_FIRST);
    pcpu_uses_fini(&u);
    guests_fini(&g);
}
END_TEST

static uint64_t sum_rivals(const struct wait_vcpu *v)
{
    uint64_t sum = v->other_rivals;

    for ( const struct wait_rival *r = v->rivals; r; r = r->next )
        sum += r->cycles;
    return sum;
}

/* d1v0 leaves p0 and waits while `nr` domains run there, 10 cycles each. */
static void wait_for_domains(struct why_test *t, uint64_t at, unsigned int nr,
                             unsigned int (*domain)(unsigned int i))
{
    char line[60];

    snprintf(line, sizeof(line), "left d1v0 p0 %" PRIu64 " 1", at);
    feed_why_line(t, line);
    for ( unsigned int i = 0; i < nr; i++ )
    {
        snprintf(line, sizeof(line), "pcpu p0 %" PRIu64 " %" PRIu64 " d%uv0",
                 at + 10 * i, at + 10 * i + 10, domain(i));
        feed_why_line(t, line);
    }
    snprintf(line, sizeof(line), "wait d1v0 p0 %" PRIu64 " %" PRIu64, at,
             at + 10 * nr);
    feed_why_line(t, line);
}

static unsigned int next_domain(unsigned int i)
{
    return 2 + i;
}

/* Every third run is one of the same domain, the others are of rare ones. */
static unsigned int often_900(unsigned int i)
{
    return i % 3 ? 300 + i : 900;
}

/* More rivals than are kept: the sums stay, and so does one that runs often. */
START_TEST(many_rivals)
{
    const struct wait_vcpu *v;
    struct why_test t;

    begin_test(&t);
    wait_for_domains(&t, 10, 2 * WAIT_RIVALS, next_domain);
    v = t.waits.vcpus[0];
    ck_assert_uint_eq(v->nr_rivals, WAIT_RIVALS);
    ck_assert_uint_eq(v->other_rivals, 10 * WAIT_RIVALS);
    ck_assert_uint_eq(sum_rivals(v), 20 * WAIT_RIVALS);
    wait_for_domains(&t, 10000, 300, often_900);
    wait_causes_close(&t.waits);
    ck_assert_uint_eq(v->nr_rivals, WAIT_RIVALS);
    ck_assert_uint_eq(sum_rivals(v), 20 * WAIT_RIVALS + 3000);
    ck_assert_uint_eq(v->sums.causes[WAIT_RIVAL], 20 * WAIT_RIVALS + 3000);
    ck_assert_uint_eq(v->rivals->domain, 900);
    ck_assert_uint_ge(v->rivals->cycles, 900);
    ck_assert_uint_le(v->rivals->cycles, 1000);
    end_test(&t);
}
END_TEST

/* --- two ways to the same sums -------------------------------------------- */

/* Waits that might have a place in the list are explained the slow way. */
static void begin_slow_test(struct why_test *t)
{
    begin_test(t);
    t->waits.too_short = 0;
    t->waits.has_domain = true;
    t->waits.domain = 99;
}

struct twins { struct why_test fast, slow; };

static void feed_twins(struct twins *t, const char *kind, uint64_t from,
                       uint64_t to, const char *vcpu)
{
    char line[80];

    snprintf(line, sizeof(line), "%s p0 %" PRIu64 " %" PRIu64 " %s", kind,
             from, to, vcpu);
    feed_why_line(&t->fast, line);
    feed_why_line(&t->slow, line);
}

/* A use of p0, most often a run of one of six domains.  Returns its end. */
static uint64_t feed_random_use(struct twins *t, uint64_t from)
{
    uint64_t to = from + 1 + rand() % 30;
    unsigned int kind = rand() % 20;
    char vcpu[16];

    snprintf(vcpu, sizeof(vcpu), "d%uv%u", 1 + rand() % 6, 1 + rand() % 2);
    if ( kind > 17 )
        strcpy(vcpu, kind == 19 ? "lost" : "idle");
    if ( kind < 12 )
        feed_twins(t, "runs", from, from, vcpu);
    if ( kind < 3 )
        feed_twins(t, "limit", from, from, vcpu);
    if ( kind < 12 || kind > 17 )
        feed_twins(t, "pcpu", from, to, vcpu);
    return to;
}

static uint64_t feed_random_wait(struct twins *t, uint64_t from)
{
    uint64_t at = from;

    feed_twins(t, "left d1v0", from, STATE_RUNNABLE, "");
    for ( unsigned int nr = rand() % 8; nr; nr-- )
        at = feed_random_use(t, at);
    /* The vcpu may run on in the use in progress. */
    if ( rand() % 4 == 0 )
        feed_twins(t, "runs", at, at, "d3v1");
    at += rand() % 3;
    feed_twins(t, "wait", from, at, "d1v0");
    feed_twins(t, "pcpu", from, at + 10, "d1v0");
    return at + 10;
}

START_TEST(fast_waits)
{
    struct twins t;
    const struct wait_vcpu *a, *b;
    char fast[1000], slow[1000];
    uint64_t at = 10;

    begin_test(&t.fast);
    begin_slow_test(&t.slow);
    feed_twins(&t, "runs", 0, 0, "d1v0");
    feed_twins(&t, "pcpu", 0, at, "d1v0");
    srand(1);
    for ( unsigned int i = 0; i < 2000; i++ )
        at = feed_random_wait(&t, at);
    wait_causes_close(&t.fast.waits);
    wait_causes_close(&t.slow.waits);
    print_why(&t.fast, fast, sizeof(fast));
    print_why(&t.slow, slow, sizeof(slow));
    same_text(fast, slow);
    a = t.fast.waits.vcpus[0];
    b = t.slow.waits.vcpus[0];
    ck_assert_mem_eq(&a->sums, &b->sums, sizeof(a->sums));
    ck_assert_mem_eq(a->worst, b->worst, sizeof(a->worst));
    ck_assert_mem_eq(&a->stretches->worst, &b->stretches->worst,
                     sizeof(a->stretches->worst));
    for ( unsigned int i = WAIT_RIVAL; i < WAIT_CAUSES; i++ )
        ck_assert(a->sums.causes[i] || i == WAIT_CAP || i == WAIT_SLEEP ||
                  i == WAIT_PLACEMENT || i == WAIT_XEN);
    end_test(&t.fast);
    end_test(&t.slow);
}
END_TEST

/* --- pieces and rows ------------------------------------------------------ */

/* "d1v0 5..20: d2v0 5 (limited 2) lost 3"; "+2 4": 2 shorter ones, 4 cycles. */
static void print_pieces(const struct why_test *t, char *text, size_t size)
{
    size_t used = 0;

    for ( size_t i = 0; i < t->waits.nr_worst; i++ )
    {
        const struct wait_worst *w = &t->waits.worst[i];
        const struct wait_pieces *p = &t->waits.pieces[i];
        uint64_t at = w->from, sum = p->shorter;

        used += snprintf(text + used, size - used, "d%uv%u %lu..%lu:",
                         w->domain, w->vcpu, w->from, w->to);
        for ( uint32_t k = 0; k < p->nr; k++ )
        {
            const struct wait_piece *c = &p->list[k];

            ck_assert_uint_ge(c->from, at);
            at = c->to;
            sum += c->to - c->from;
            if ( c->has_rival )
                used += snprintf(text + used, size - used, " d%uv%u",
                                 c->domain, c->vcpu);
            else
                used += snprintf(text + used, size - used, " %s",
                                 wait_cause_name(c->cause));
            used += snprintf(text + used, size - used, " %lu",
                             c->to - c->from);
            if ( c->limited || c->placed )
                used += snprintf(text + used, size - used, " (%lu %lu)",
                                 c->limited, c->placed);
        }
        if ( p->nr_shorter )
            used += snprintf(text + used, size - used, " +%lu %lu",
                             p->nr_shorter, p->shorter);
        used += snprintf(text + used, size - used, "\n");
        ck_assert_uint_eq(sum, w->to - w->from);
        ck_assert_uint_le(at, w->to);
    }
}

static void keep_waits(struct why_test *t, size_t nr, const char *script)
{
    begin_test(t);
    ck_assert_int_eq(wait_causes_keep_longest(&t->waits, nr), 0);
    for ( ; *script; script += strcspn(script, "\n") + 1 )
        feed_why_line(t, script);
    wait_causes_close(&t->waits);
}

static void expect_pieces(size_t nr, const char *script, const char *expected)
{
    struct why_test t;
    char text[2000] = "";

    keep_waits(&t, nr, script);
    print_pieces(&t, text, sizeof(text));
    same_text(text, expected);
    end_test(&t);
}

START_TEST(pieces)
{
    /* In the order of time; a wait of no length has none. */
    expect_pieces(3, "pcpu p0 0 10 d2v0\npcpu p0 10 12 lost\n"
                  "pcpu p0 12 15 d1v1\npcpu p0 15 20 d2v0\n"
                  "wait d1v0 p0 5 20\nwait d1v0 p0 22 22\n",
                  "d1v0 5..20: d2v0 5 lost 2 d1v1 3 d2v0 5\n");
    /* A run is one piece, with the rate limit and idle pcpus as parts. */
    expect_pieces(3, "pcpu p0 0 2 idle\nruns d2v0 p0 2\nlimit p0 12 d2v0\n"
                  "decide p0 16\npcpu p0 2 20 d2v0\nwait d1v0 p0 10 20\n",
                  "d1v0 10..20: d2v0 10 (4 0)\n");
    expect_pieces(3, "runs d1v0 p1 0\nleft d1v0 p1 2 1\npcpu p0 0 3 d2v0\n"
                  "wait d1v0 p0 2 3\nleft d1v0 p0 5 1\npcpu p0 3 5 d1v0\n"
                  "pcpu p1 0 12 d3v0\npcpu p1 12 15 idle\n"
                  "pcpu p1 15 18 d3v0\nruns idle p1 18\n"
                  "pcpu p0 5 20 d2v0\nwait d1v0 p0 5 20\n",
                  "d1v0 5..20: d2v0 15 (0 5)\nd1v0 2..3: d2v0 1\n");
    /* The longest ones, of equal ones the first; a cap has no rival. */
    expect_pieces(2, "pcpu p0 0 40 d2v0\nwait d1v0 p0 1 4\n"
                  "wait d1v0 p0 5 15\nwait d1v0 p0 20 30\n"
                  "wait d1v0 p0 31 40\n",
                  "d1v0 5..15: d2v0 10\nd1v0 20..30: d2v0 10\n");
    expect_pieces(1, "runs d1v0 p0 0\nrtburn d1v0 4 0\nleft d1v0 p0 4 1\n"
                  "pcpu p0 0 5 d1v0\npcpu p0 5 20 d2v0\nrtfill d1v0 15\n"
                  "wait d1v0 p0 5 20\n", "d1v0 5..20: cap 10 d2v0 5\n");
}
END_TEST

/* 20 runs of 4 lengths by turns: 16 pieces are kept, and the order of time. */
START_TEST(shorter_pieces)
{
    char text[2000] = "", line[64];
    struct why_test t;
    unsigned int at = 0;

    begin_test(&t);
    ck_assert_int_eq(wait_causes_keep_longest(&t.waits, 1), 0);
    for ( unsigned int i = 0; i < 20; i++ )
    {
        unsigned int length = 1 + i % 5;

        snprintf(line, sizeof(line), "pcpu p0 %u %u d%uv0", at, at + length,
                 2 + i % 2);
        feed_why_line(&t, line);
        at += length;
    }
    snprintf(line, sizeof(line), "wait d1v0 p0 0 %u", at);
    feed_why_line(&t, line);
    wait_causes_close(&t.waits);
    print_pieces(&t, text, sizeof(text));
    same_text(text, "d1v0 0..60: d3v0 2 d2v0 3 d3v0 4 d2v0 5 d2v0 2 d3v0 3 "
              "d2v0 4 d3v0 5 d3v0 2 d2v0 3 d3v0 4 d2v0 5 d2v0 2 d3v0 3 "
              "d2v0 4 d3v0 5 +4 4\n");
    end_test(&t);
}
END_TEST

/* Only the vcpus that are asked for are in the list, and in rows. */
START_TEST(asked_vcpus)
{
    char text[2000] = "";
    struct why_test t;
    struct wait_matrix_row row;
    uint32_t index = 0;

    begin_test(&t);
    t.waits.has_domain = t.waits.has_vcpu = true;
    t.waits.domain = 1;
    t.waits.id = 1;
    ck_assert_int_eq(wait_causes_keep_longest(&t.waits, 9), 0);
    feed_why_line(&t, "pcpu p0 0 40 d2v0");
    feed_why_line(&t, "wait d1v0 p0 0 9");
    feed_why_line(&t, "wait d1v1 p0 10 15");
    feed_why_line(&t, "wait d3v1 p0 10 17");
    wait_causes_close(&t.waits);
    print_pieces(&t, text, sizeof(text));
    same_text(text, "d1v1 10..15: d2v0 5\n");
    ck_assert(wait_matrix_next(&t.waits, &index, &row));
    ck_assert_uint_eq(index, 2);
    ck_assert_uint_eq(row.waited, 5);
    ck_assert(wait_matrix_next(&t.waits, &index, &row));
    ck_assert_uint_eq(index, 3);
    ck_assert_uint_eq(row.domain, 2);
    ck_assert(wait_matrix_next(&t.waits, &index, &row));
    ck_assert_uint_eq(row.domain, 3);
    ck_assert_uint_eq(row.waited + row.nr_cells, 0);
    end_test(&t);
}
END_TEST

/* "d1 15: d2 6 d1 4 others 1 lost 5" */
static void expect_rows(const char *script, const char *expected)
{
    struct why_test t;
    struct wait_matrix_row row;
    char text[1000] = "";
    size_t used = 0;

    keep_waits(&t, 1, script);
    for ( uint32_t i = 0; i < t.waits.nr_vcpus; )
    {
        uint64_t sum = 0;

        ck_assert(wait_matrix_next(&t.waits, &i, &row));
        if ( !row.waited )
            continue;
        used += snprintf(text + used, sizeof(text) - used, "d%u %lu:",
                         row.domain, row.waited);
        for ( size_t k = 0; k < row.nr_cells; k++ )
        {
            used += snprintf(text + used, sizeof(text) - used, " d%u %lu",
                             row.cells[k].domain, row.cells[k].cycles);
            sum += row.cells[k].cycles;
        }
        for ( unsigned int k = 0; k < WAIT_CAUSES; k++ )
        {
            if ( row.causes[k] )
                used += snprintf(text + used, sizeof(text) - used, " %s %lu",
                                 wait_cause_name(k), row.causes[k]);
            sum += row.causes[k];
        }
        used += snprintf(text + used, sizeof(text) - used, "\n");
        ck_assert_uint_eq(sum + row.others, row.waited);
    }
    same_text(text, expected);
    end_test(&t);
}

START_TEST(rows)
{
    /* Two vcpus of a domain are one row; lost time is of no domain. */
    expect_rows("pcpu p0 0 10 d2v0\npcpu p0 10 14 d1v1\npcpu p0 14 20 d3v0\n"
                "pcpu p0 20 25 lost\npcpu p1 0 8 d3v0\npcpu p1 8 9 idle\n"
                "wait d1v0 p0 5 25\nwait d1v2 p1 0 9\nwait d2v0 p1 4 6\n",
                "d1 29: d3 14 d2 5 d1 4 idle 1 lost 5\nd2 2: d3 2\n");
    /* Limited and placed time is that of the vcpu that ran. */
    expect_rows("pcpu p0 0 2 idle\nruns d2v0 p0 2\nlimit p0 12 d2v0\n"
                "pcpu p0 2 20 d2v0\npcpu p0 20 25 d1v1\n"
                "wait d1v0 p0 10 25\n", "d1 15: d2 10 d1 5\n");
}
END_TEST

static void feed_failures(struct why_test *t)
{
    feed_why_line(t, "pcpu p0 0 10 d2v0");
    feed_why_line(t, "runs d1v0 p1 0");
    feed_why_line(t, "rtburn d1v0 5 0");
    feed_why_line(t, "left d1v0 p1 5 1");
    feed_why_line(t, "runs idle p1 5");
    feed_why_line(t, "wait d1v0 p0 5 10");
}

START_TEST(failed_allocations)
{
    struct err e = ERR_INIT;
    struct why_test t;
    uint64_t fired;
    int rc;

    for ( uint64_t n = 1; ; n++ )
    {
        begin_test(&t);
        ck_assert_int_eq(wait_causes_keep_longest(&t.waits, 2), 0);
        get_named(&t, "d1v0");
        get_named(&t, "d2v0");
        get_named(&t, "idle");
        fault_arm(FAULT_ALLOC, n);
        feed_failures(&t);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        rc = t.sink.ops->end(t.sink.state, &(struct fact_end){ .last = 1 },
                             &e);
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        end_test(&t);
        if ( !fired )
            break;
    }
}
END_TEST

UNIT_MAIN("wait causes", rivals_and_siblings, gaps_between_runs, lost_records,
          caps, pauses, caps_of_waiting_vcpus, caps_of_credit, rate_limits,
          placement, idle_pcpus, segments, bounded_uses, many_rivals,
          fast_waits, pieces, shorter_pieces, asked_vcpus, rows,
          failed_allocations)
