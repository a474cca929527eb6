/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state machine of a pcpu: the effects of single records.  Regressions of
 * stock's errors are included: PF_XEN's words, 4-level shadow records, masks of
 * interrupts, orders of memory, unknown exits.
 */
#include <string.h>

#include "libxentrace/dialect.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/machine/pcpu.h"
#include "xenalyze/model/exit-reasons.h"

/* The last fact of each kind, and how many there were. */
static struct
{
    unsigned int nr;
    struct fact_exit exit;
    struct fact_handle handle;
    struct fact_pv pv;
    struct fact_memory memory;
    struct fact_irq irq;
    struct fact_power power;
} seen;

#define SEE(kind)                                                           \
static void see_##kind(void *state, const struct fact_##kind *f)            \
{                                                                           \
    (void)state;                                                            \
    seen.kind = *f;                                                         \
    seen.nr++;                                                              \
}
SEE(handle) SEE(pv) SEE(memory) SEE(irq) SEE(power)

/* A hash of all exits, in order. */
static uint64_t said;

static void see_exit(void *state, const struct fact_exit *f)
{
    const uint64_t all[] = {
        f->reason, f->cause, f->hardware, f->end, f->nested, f->wide,
        f->handler, f->start, f->cycles, f->guest, f->rip, f->seen,
    };

    (void)state;
    for ( size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++ )
        said = (said ^ all[i]) * 0x100000001b3;
    seen.exit = *f;
    seen.nr++;
}

static const struct sink_ops ops = {
    .exit = see_exit, .handle = see_handle, .pv = see_pv,
    .memory = see_memory, .irq = see_irq, .power = see_power,
};

static struct guests guests;
static struct arena arena;
static struct emit emit;
static struct xt_dialect dialect;
static struct pcpu p;
static uint64_t now;

static void feed(uint32_t event, unsigned int nr, const uint32_t *words)
{
    struct xt_record r = {
        .event = event, .words = nr, .has_tsc = true, .tsc = ++now,
        .payload = (const unsigned char *)words,
    };

    pcpu_record(&p, &r, now);
}

#define FEED(event, ...)                                                    \
    do {                                                                    \
        const uint32_t words_[] = { __VA_ARGS__ };                          \
                                                                            \
        feed(event, sizeof(words_) / sizeof(words_[0]), words_);            \
    } while ( 0 )

/* d1v2 runs on pcpu 0. */
static void begin(void)
{
    const struct sink sink = { .ops = &ops };

    memset(&seen, 0, sizeof(seen));
    memset(&p, 0, sizeof(p));
    memset(&dialect, 0, sizeof(dialect));
    arena_init(&arena, 0);
    ck_assert_int_eq(guests_init(&guests, 16, 16), 0);
    ck_assert_int_eq(emit_init(&emit, &arena, &sink, 1), 0);
    p.guests = &guests;
    p.emit = &emit;
    p.scratch = &arena;
    p.dialect = &dialect;
    p.fact.state = PCPU_UNKNOWN;
    now = 1000;
    FEED(TRC_SCHED_RUNSTATE_CHANGE | 0x100, 1 << 16 | 2);
    ck_assert_ptr_nonnull(p.current);
    seen.nr = 0;
}

static void end(void)
{
    free(p.changes.items);
    guests_fini(&guests);
    arena_fini(&arena);
}

/* One handler within an exit. */
static void handle(uint32_t event, unsigned int nr, const uint32_t *words)
{
    FEED(TRC_HVM_VMEXIT, 48, 0x1000);
    feed(event, nr, words);
    seen.nr = 0;
    feed(TRC_HVM_VMENTRY, 0, NULL);
}

START_TEST(handlers)
{
    static const struct
    {
        uint32_t event, words[7];
        unsigned int nr, kind;
        uint64_t at, value;
        bool write;
    } rows[] = {
        { TRC_HVM_PF_XEN, { 2, 0x5000 }, 2, HANDLE_PF_XEN, 0x5000, 2, 0 },
        { TRC_HVM_PF_XEN64, { 2, 0x5000, 7 }, 3, HANDLE_PF_XEN,
          0x700005000, 2, 0 },
        { TRC_HVM_IOPORT_WRITE, { 0x3f8, 65 }, 2, HANDLE_PIO, 0x3f8, 65, 1 },
        { TRC_HVM_IOMEM_READ | TRC_64_FLAG, { 0x1000, 3, 5, 6 }, 4,
          HANDLE_MMIO, 0x300001000, 0x600000005, 0 },
        { TRC_HVM_CR_WRITE64, { 3, 0x4000, 1 }, 3, HANDLE_CR, 3,
          0x100004000, 1 },
        { TRC_HVM_XCR_WRITE64, { 0, 7, 0 }, 3, HANDLE_XCR, 0, 7, 1 },
        { TRC_HVM_NPF, { 0x9000, 1, 2, 0, 0x181, 4 }, 6, HANDLE_NPF,
          0x100009000, 0x181, 0 },
        { TRC_HVM_INTR, { 0xf0 }, 1, HANDLE_INTERRUPT, 0xf0, 0xf0, 0 },
        { TRC_HVM_RDTSC, { 1, 2 }, 2, HANDLE_RDTSC, 0, 0x200000001, 0 },
        { TRC_HVM_NMI, { 0 }, 0, HANDLE_GENERIC, 0, 0, 0 },
        { TRC_SHADOW_FIXUP | 0x200, { 1, 2, 3, 4, 0x100 }, 5, HANDLE_SHADOW,
          0x400000003, 0x100, 0 },
        { TRC_SHADOW_EMULATE | 0x200, { 1, 2, 3, 4, 5, 6, 0x20000001 }, 7,
          HANDLE_SHADOW, 0x600000005, 0x20000001, 0 },
        { TRC_SHADOW_MMIO, { 0xc000 }, 1, HANDLE_SHADOW, 0xc000, 0, 0 },
    };

    begin();
    for ( unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        handle(rows[i].event, rows[i].nr, rows[i].words);
        ck_assert_uint_eq(seen.nr, 2);
        ck_assert_uint_eq(seen.handle.event, rows[i].event);
        ck_assert_uint_eq(seen.handle.kind, rows[i].kind);
        ck_assert_uint_eq(seen.handle.at, rows[i].at);
        ck_assert_uint_eq(seen.handle.value, rows[i].value);
        ck_assert(seen.handle.write == rows[i].write);
        ck_assert(seen.handle.main);
        ck_assert_uint_eq(seen.exit.cycles, 2);
        ck_assert_uint_eq(seen.exit.reason, 48);
    }
    ck_assert_uint_eq(seen.handle.shadow.levels, 2);
    end();
}
END_TEST

START_TEST(short_handlers_are_no_facts)
{
    const uint32_t none[1] = { 0 };

    begin();
    handle(TRC_HVM_NPF, 1, none);
    ck_assert_uint_eq(seen.nr, 1);
    handle(TRC_SHADOW_FIXUP | 0x200, 1, none);
    ck_assert_uint_eq(seen.nr, 1);
    FEED(TRC_HVM_VMEXIT64, 12, 0);
    ck_assert_uint_eq(p.anomalies[ANOMALY_SHORT], 1);
    end();
}
END_TEST

START_TEST(exits)
{
    begin();
    FEED(TRC_HVM_SVM_EXIT64, 0x402, 5, 6);
    feed(TRC_HVM_VMENTRY, 0, NULL);
    ck_assert_uint_eq(seen.exit.hardware, XT_HARDWARE_SVM);
    ck_assert_str_eq(exit_name(seen.exit.cause),
                     "VMEXIT_AVIC_NOACCEL");
    ck_assert_uint_eq(seen.exit.rip, 0x600000005);
    ck_assert(seen.exit.wide);
    FEED(TRC_HVM_VMEXIT, 0xffffffff, 0);
    ck_assert_uint_eq(p.open_exit.exit.guest, 1);
    feed(TRC_HVM_VMENTRY | 0x400, 0, NULL);
    ck_assert_uint_eq(seen.exit.cause, EXIT_OTHER);
    /* Preempted in the middle of one. */
    FEED(TRC_HVM_VMEXIT, 1, 0);
    FEED(TRC_SCHED_RUNSTATE_CHANGE | 0x010, 1 << 16 | 2);
    ck_assert_uint_eq(seen.exit.end, EXIT_PREEMPTED);
    ck_assert_uint_eq(seen.nr, 3);
    ck_assert_ptr_null(p.current);
    /* And nobody's. */
    FEED(TRC_HVM_VMEXIT, 1, 0);
    ck_assert_uint_eq(p.anomalies[ANOMALY_NO_VCPU], 1);
    end();
}
END_TEST

/* --- exits and entries, in a loop and one by one -------------------------- */

#define MANY 400u

struct kind
{
    uint32_t event;
    unsigned int words;
};

/* Mostly the first four, by turns, a little later each; and all else. */
static const struct kind exits_mostly[] = {
    { TRC_HVM_VMENTRY, 0 }, { TRC_HVM_VMEXIT64, 3 },
    { TRC_HVM_VMENTRY, 0 }, { TRC_HVM_VMEXIT, 2 },
    { TRC_HVM_VMEXIT64, 2 }, { TRC_HVM_VMEXIT, 1 }, { TRC_HVM_VMENTRY, 1 },
    { TRC_HVM_VMEXIT64 | 0x400, 3 }, { TRC_HVM_VMENTRY | 0x400, 0 },
    { TRC_HVM_SVM_EXIT64, 3 }, { TRC_HVM_HLT, 1 }, { TRC_HVM_CPUID, 5 },
};

static const struct kind handlers_mostly[] = {
    { TRC_HVM_VMEXIT64, 3 }, { TRC_HVM_MSR_WRITE, 3 },
    { TRC_HVM_INTR, 1 }, { TRC_HVM_VMENTRY, 0 },
    { TRC_HVM_INJ_VIRQ, 2 }, { TRC_HVM_INJ_VIRQ, 0 }, { TRC_HVM_CR_WRITE64, 3 },
    { TRC_HVM_CPUID, 2 }, { TRC_HVM_IOPORT_READ, 2 }, { TRC_HVM_NPF, 7 },
    { TRC_HVM_HANDLER | 0x30, 1 }, { TRC_HVM_EMUL | 1, 4 },
};

/* More handlers than an exit keeps, some of them too short. */
static const struct kind many_handlers[] = {
    { TRC_HVM_MSR_WRITE, 3 }, { TRC_HVM_CPUID, 2 },
    { TRC_HVM_INTR_WINDOW, 1 }, { TRC_HVM_INJ_EXC, 2 },
    { TRC_HVM_VMEXIT64, 3 }, { TRC_HVM_VMENTRY, 0 }, { TRC_HVM_PF_XEN64, 4 },
    { TRC_HVM_INJ_VIRQ, 1 }, { TRC_HVM_VMMCALL, 0 }, { TRC_HVM_HLT, 1 },
    { TRC_HVM_HANDLER, 0 }, { TRC_HVM_NPF, 6 },
};

#define CHANGE(old, new) (TRC_SCHED_RUNSTATE_CHANGE | (old) << 8 | (new) << 4)

static const struct kind changes_mostly[] = {
    { CHANGE(0, 1), 1 }, { CHANGE(1, 0), 1 },
    { CHANGE(0, 2), 1 }, { CHANGE(2, 1), 1 },
    { CHANGE(3, 3), 1 }, { CHANGE(4, 0), 1 }, { CHANGE(0, 5), 1 },
    { CHANGE(1, 0), 2 }, { CHANGE(1, 0), 0 }, { TRC_SCHED_CONTINUE_RUNNING, 1 },
    { TRC_SCHED_WAKE, 2 }, { TRC_HVM_VMEXIT, 2 },
};

static size_t put_record(const struct kind *kinds, unsigned char *at,
                         uint64_t *seed, uint64_t *tsc, unsigned int n)
{
    uint64_t dice = unit_random(seed) % 64;
    unsigned int kind = dice < 12 ? dice : n % 4;
    bool timed = unit_random(seed) % 50;
    uint32_t words[8];
    size_t size = 4;

    *tsc += unit_random(seed) % 4;
    if ( unit_random(seed) % 50 == 0 )
        *tsc -= 3;
    words[0] = kinds[kind].event | kinds[kind].words << TRACE_EXTRA_SHIFT |
               (timed ? TRC_HD_CYCLE_FLAG : 0);
    memcpy(at, words, 4);
    if ( timed )
        memcpy(at + size, tsc, 8);
    size += timed ? 8 : 0;
    for ( unsigned int i = 0; i < kinds[kind].words; i++, size += 4 )
    {
        words[i] = unit_random(seed) % 3 ? unit_random(seed) % 60
                                         : unit_random(seed);
        memcpy(at + size, &words[i], 4);
    }
    return size;
}

/* Handle records up to `limit`, in a loop where possible; returns the end. */
static const unsigned char *take(const unsigned char *at,
                                 const unsigned char *stop, uint64_t limit,
                                 bool run)
{
    struct xt_record r;
    uint64_t time;
    size_t size;

    while ( (size = xt_record_decode(&r, at, stop)) )
    {
        time = r.has_tsc && r.tsc > p.time ? r.tsc : p.time;
        if ( time > limit )
            break;
        pcpu_record(&p, &r, time);
        at += size;
        if ( run )
        {
            at = hvm_fast(&p, at, stop, 0, limit);
            at = runstate_fast(&p, at, stop, 0, limit);
        }
    }
    return at;
}

/* A hash of the visible changes for the global machine. */
static uint64_t left(void)
{
    uint64_t all = 0;

    for ( size_t i = 0; i < p.changes.nr; i++ )
    {
        const struct change *c = &p.changes.items[i];
        const uint64_t words[] = {
            c->time, c->vcpu ? c->vcpu->domain->id : ~0u,
            c->vcpu ? c->vcpu->id : ~0u, c->kind, c->old, c->new,
            c->kind == CHANGE_WAKE ? c->number : 0,
        };

        for ( size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++ )
            all = (all ^ words[k]) * 0x100000001b3;
    }
    return all;
}

/* Compare all visible results. */
static void compare_runs(const struct kind *kinds)
{
    unsigned char bytes[MANY * 40];
    uint64_t seed = unit_seed(), told[2], at[2], changes[2], tsc = 2000;
    uint64_t anomalies[2][ANOMALY_KINDS];
    struct fact_volume volume[2];
    struct open_exit open_exit[2];
    size_t size = 0;

    for ( unsigned int n = 0; n < MANY; n++ )
        size += put_record(kinds, bytes + size, &seed, &tsc, n);
    for ( int run = 0; run < 2; run++ )
    {
        const unsigned char *from = bytes;

        begin();
        said = 0;
        from = take(from, bytes + size, 2200, run);
        at[run] = from - bytes;
        take(from, bytes + size - 1, UINT64_MAX, run);
        told[run] = said;
        changes[run] = left();
        volume[run] = p.volume;
        open_exit[run] = p.open_exit;
        memcpy(anomalies[run], p.anomalies, sizeof(p.anomalies));
        ck_assert_uint_gt(seen.nr + p.changes.nr, MANY / 8);
        end();
    }
    ck_assert_uint_eq(at[0], at[1]);
    ck_assert_uint_eq(told[0], told[1]);
    ck_assert_uint_eq(changes[0], changes[1]);
    ck_assert(!memcmp(anomalies[0], anomalies[1], sizeof(anomalies[0])));
    ck_assert(!memcmp(&volume[0], &volume[1], sizeof(volume[0])));
    ck_assert(open_exit[0].open == open_exit[1].open);
    ck_assert_uint_eq(open_exit[0].exit.start, open_exit[1].exit.start);
}

START_TEST(a_run_is_the_same)
{
    compare_runs(exits_mostly);
    compare_runs(handlers_mostly);
    compare_runs(many_handlers);
    compare_runs(changes_mostly);
}
END_TEST

START_TEST(hypercalls)
{
    begin();
    /* Two arguments: one word, then two. */
    FEED(TRC_PV_HYPERCALL_V2, 1 | 1u << 20 | 2u << 22, 7, 8, 9);
    ck_assert_uint_eq(seen.pv.number, 1);
    ck_assert_uint_eq(seen.pv.nr_args, 2);
    ck_assert_uint_eq(seen.pv.args[0], 7);
    ck_assert_uint_eq(seen.pv.args[1], 0x900000008);
    FEED(TRC_PV_TRAP | TRC_64_FLAG, 5, 6, 13 | 0x8000 | 0x10u << 16);
    ck_assert_uint_eq(seen.pv.number, 13);
    ck_assert_uint_eq(seen.pv.error, 0x10);
    ck_assert_uint_eq(seen.pv.rip, 0x600000005);
    seen.nr = 0;
    FEED(TRC_PV_HYPERCALL_V2, 1 | 2u << 20);
    ck_assert_uint_eq(seen.nr, 0);
    ck_assert_uint_eq(p.anomalies[ANOMALY_SHORT], 1);
    end();
}
END_TEST

START_TEST(memory)
{
    begin();
    FEED(TRC_MEM_PAGE_GRANT_MAP, 7);
    ck_assert_uint_eq(seen.memory.kind, MEMORY_GRANT_MAP);
    ck_assert_uint_eq(seen.memory.target->id, 7);
    ck_assert_ptr_eq(seen.memory.by, p.current);
    FEED(TRC_MEM_POD_POPULATE, 1, 0, 2, 0, 3 | 9 << 16, 0x12345678);
    ck_assert_uint_eq(seen.memory.target->id, 3);
    ck_assert_uint_eq(seen.memory.order, 9);
    dialect.version = 0x0413;
    FEED(TRC_MEM_POD_POPULATE, 1, 0, 2, 0, 3, 18);
    ck_assert_uint_eq(seen.memory.order, 18);
    FEED(TRC_HVM_VMEXIT, 18, 0);
    FEED(TRC_MEM_POD_ZERO_RECLAIM, 1, 0, 2, 0, 3, 0);
    ck_assert_uint_eq(seen.memory.context, POD_BALLOON);
    FEED(TRC_HVM_VMEXIT, 48, 0);
    FEED(TRC_MEM_POD_ZERO_RECLAIM, 1, 0, 2, 0, 3, 0);
    ck_assert_uint_eq(seen.memory.context, POD_FAULT);
    end();
}
END_TEST

START_TEST(hardware)
{
    begin();
    FEED(TRC_HW_IRQ_ASSIGN_VECTOR, 24 | 0x31 << 16, 1, 2, 3, 4, 5, 6);
    ck_assert_uint_eq(seen.irq.irq, 24);
    ck_assert_uint_eq(seen.irq.vector, 0x31);
    ck_assert_uint_eq(seen.irq.mask[5], 6);
    FEED(TRC_HW_IRQ_HANDLED, 24, 0xfffffff0, 0x10);
    ck_assert_uint_eq(seen.irq.cycles, 0x20);
    FEED(TRC_PM_IDLE_ENTRY, 3, 0, 100, 200);
    FEED(TRC_PM_IDLE_EXIT, 3, 0, 0, 0, 0, 0);
    ck_assert(seen.power.matched);
    ck_assert_uint_eq(seen.power.cycles, 1);
    FEED(TRC_PM_IDLE_EXIT, 2, 0, 0, 0, 0, 0);
    ck_assert(!seen.power.matched);
    end();
}
END_TEST

static bool needs_wake_up(unsigned int state, unsigned int next)
{
    return state == STATE_BLOCKED && next == STATE_RUNNABLE;
}

/* Two sinks, of which one needs a single change. */
static void count_runstate(void *state, const struct fact_runstate *f)
{
    ((unsigned int *)state)[f->state]++;
}

START_TEST(changes_that_a_sink_needs)
{
    const struct sink_ops all = { .runstate = count_runstate };
    const struct sink_ops some = {
        .runstate = count_runstate, .needs_runstate = needs_wake_up,
    };
    unsigned int seen_by_all[STATES] = { 0 }, seen_by_some[STATES] = { 0 };
    const struct sink sinks[] = { { &all, seen_by_all },
                                  { &some, seen_by_some } };

    arena_init(&arena, 0);
    ck_assert_int_eq(emit_init(&emit, &arena, sinks, 2), 0);
    for ( unsigned int state = 0; state < STATES; state++ )
        for ( unsigned int next = 0; next <= STATES; next++ )
            emit_runstate(&emit, &(struct fact_runstate){
                .state = state, .next = next });
    for ( unsigned int state = 0; state < STATES; state++ )
    {
        ck_assert_uint_eq(seen_by_all[state], STATES + 1);
        ck_assert_uint_eq(seen_by_some[state], state == STATE_BLOCKED);
    }
    arena_fini(&arena);
}
END_TEST

UNIT_MAIN("machine", changes_that_a_sink_needs, handlers,
          short_handlers_are_no_facts, exits, a_run_is_the_same, hypercalls,
          memory, hardware)
