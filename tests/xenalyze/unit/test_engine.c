/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes over a trace: by pcpu with any number of threads, and by time,
 * give the same facts.  The trace is random, of a few pcpus that schedule a few
 * vcpus, with exits and with losses.  Facts are compared by sums of hashes,
 * which do not depend on the order; for each vcpu the checks are that its facts
 * follow without a gap.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/common/unit.h"
#include "xenalyze/engine/engine.h"

#define PCPUS 3u
#define VCPUS 5u
#define RECORDS 3000u
#define WINDOW 4096u

/* --- a random trace ------------------------------------------------------- */

struct play
{
    uint64_t seed, time;
    int running[PCPUS];         /* vcpu, or -1 */
    uint8_t state[VCPUS];       /* enum fact_state */
    bool losing[PCPUS];
    uint64_t lost_at[PCPUS];
    unsigned char bytes[PCPUS][RECORDS * 40];
    size_t size[PCPUS];
};

static void put_record(struct play *p, unsigned int pcpu, uint32_t event,
                       unsigned int nr, const uint32_t *words)
{
    uint32_t header = event | nr << TRACE_EXTRA_SHIFT | TRC_HD_CYCLE_FLAG;
    unsigned char *at = p->bytes[pcpu] + p->size[pcpu];

    if ( p->losing[pcpu] )
        return;
    memcpy(at, &header, 4);
    memcpy(at + 4, &p->time, 8);
    memcpy(at + 12, words, 4 * nr);
    p->size[pcpu] += 12 + 4 * nr;
}

static void change(struct play *p, unsigned int pcpu, unsigned int vcpu,
                   unsigned int new)
{
    const uint32_t word = 1u << 16 | vcpu;

    p->time += 1 + unit_random(&p->seed) % 5;
    put_record(p, pcpu, TRC_SCHED_RUNSTATE_CHANGE | p->state[vcpu] << 8 |
                        new << 4, 1, &word);
    p->state[vcpu] = new;
}

static void exit_and_enter(struct play *p, unsigned int pcpu)
{
    const uint32_t words[] = { unit_random(&p->seed) % 60, 0x1000 };

    p->time += 1 + unit_random(&p->seed) % 20;
    put_record(p, pcpu, TRC_HVM_VMEXIT, 2, words);
    if ( unit_random(&p->seed) % 4 == 0 )
        put_record(p, pcpu, TRC_HVM_INJ_VIRQ, 2, words);
    p->time += 1 + unit_random(&p->seed) % 20;
    put_record(p, pcpu, TRC_HVM_VMENTRY, 0, words);
}

/* Begin to lose records, or tell of those that were lost. */
static void lose(struct play *p, unsigned int pcpu)
{
    int vcpu = p->running[pcpu];
    const uint32_t words[] = {
        7, vcpu < 0 ? UINT32_MAX : (uint32_t)vcpu << 16 | 1,
        (uint32_t)p->lost_at[pcpu], (uint32_t)(p->lost_at[pcpu] >> 32),
    };

    p->time++;
    if ( !p->losing[pcpu] )
        p->lost_at[pcpu] = p->time;
    p->losing[pcpu] = !p->losing[pcpu];
    put_record(p, pcpu, TRC_LOST_RECORDS, 4, words);
}

static void schedule(struct play *p, unsigned int pcpu)
{
    unsigned int vcpu = unit_random(&p->seed) % VCPUS;

    if ( p->running[pcpu] >= 0 )
    {
        change(p, pcpu, p->running[pcpu], unit_random(&p->seed) % 2
                                          ? STATE_BLOCKED : STATE_RUNNABLE);
        p->running[pcpu] = -1;
    }
    else if ( p->state[vcpu] == STATE_BLOCKED )
        change(p, pcpu, vcpu, STATE_RUNNABLE);
    else if ( p->state[vcpu] == STATE_RUNNABLE )
    {
        change(p, pcpu, vcpu, STATE_RUNNING);
        p->running[pcpu] = vcpu;
    }
}

static void play_all(struct play *p, bool with_losses)
{
    for ( unsigned int i = 0; i < PCPUS; i++ )
        p->running[i] = -1;
    memset(p->state, STATE_RUNNABLE, sizeof(p->state));
    p->time = 1000;
    for ( unsigned int n = 0; n < RECORDS; n++ )
    {
        unsigned int pcpu = unit_random(&p->seed) % PCPUS;

        if ( with_losses && (p->losing[pcpu] ? unit_random(&p->seed) % 4 == 0
                             : unit_random(&p->seed) % 200 == 0) )
            lose(p, pcpu);
        else if ( p->running[pcpu] >= 0 && unit_random(&p->seed) % 4 )
            exit_and_enter(p, pcpu);
        else
            schedule(p, pcpu);
    }
}

/* Whole records of up to WINDOW bytes. */
static size_t cut_window(const unsigned char *at, size_t left)
{
    size_t size = 0;

    while ( size < left && size + 40 <= WINDOW )
        size += xt_record_size(xt_load32(at + size));
    return size;
}

static void write_trace(const struct play *p, const char *path)
{
    FILE *f = fopen(path, "wb");
    size_t at[PCPUS] = { 0 };
    bool more = true;

    ck_assert_ptr_nonnull(f);
    while ( more )
    {
        more = false;
        for ( unsigned int i = 0; i < PCPUS; i++ )
        {
            size_t size = cut_window(p->bytes[i] + at[i], p->size[i] - at[i]);
            const uint32_t header[] = {
                TRC_TRACE_CPU_CHANGE | 2u << TRACE_EXTRA_SHIFT, i, size,
            };

            if ( !size )
                continue;
            ck_assert_uint_eq(fwrite(header, sizeof(header), 1, f), 1);
            ck_assert_uint_eq(fwrite(p->bytes[i] + at[i], size, 1, f), 1);
            at[i] += size;
            more = true;
        }
    }
    ck_assert_int_eq(fclose(f), 0);
}

/* Play a random trace into a new file; `path` is a template of mkstemp(). */
static void play_file(struct play *p, uint64_t seed, bool with_losses,
                      char *path)
{
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    close(fd);
    memset(p, 0, sizeof(*p));
    p->seed = seed;
    play_all(p, with_losses);
    write_trace(p, path);
}

/* --- sums of facts -------------------------------------------------------- */

enum sum_kind { RUNSTATES, DOMAINS, RESIDENCIES, WAITS, LOSSES, TIMES, EXITS,
                HANDLERS, VOLUMES, SUM_KINDS };

struct sums
{
    uint64_t nr[SUM_KINDS], sum[SUM_KINDS];
    uint64_t records;           /* sum over all volumes */
    uint64_t ended[VCPUS];      /* last fact of each vcpu */
    unsigned int gaps;
};

static void add_fact(struct sums *s, enum sum_kind kind, const uint64_t *words,
                     size_t nr)
{
    uint64_t hash = 0xcbf29ce484222325;

    for ( size_t i = 0; i < nr; i++ )
    {
        hash = (hash ^ words[i]) * 0x100000001b3;
        hash ^= hash >> 29;
    }
    s->nr[kind]++;
    s->sum[kind] += hash;
}

#define ADD(kind, ...)                                                      \
    do {                                                                    \
        const uint64_t words_[] = { __VA_ARGS__ };                          \
                                                                            \
        add_fact(state, kind, words_, sizeof(words_) / sizeof(words_[0]));  \
    } while ( 0 )

static uint64_t id_of(const struct vcpu *v)
{
    return v ? (uint64_t)v->domain->id << 16 | v->id : UINT64_MAX;
}

static void sum_runstate(void *state, const struct fact_runstate *f)
{
    struct sums *s = state;
    uint64_t *ended = &s->ended[f->vcpu->id % VCPUS];

    ADD(RUNSTATES, id_of(f->vcpu), f->from, f->to, f->since, f->pcpu,
        f->next_pcpu, f->state, f->why, f->next, f->next_why,
        f->before_first_run);
    if ( f->vcpu->domain->id != 1 )
        return;
    s->gaps += f->to < f->from || (*ended && *ended != f->from);
    *ended = f->next == STATES ? 0 : f->to;
}

static void sum_domain(void *state, const struct fact_domain *f)
{
    ADD(DOMAINS, f->domain->id, f->from, f->to, f->since, f->state, f->last,
        f->nr_vcpus, f->census);
}

static void sum_residency(void *state, const struct fact_residency *f)
{
    ADD(RESIDENCIES, id_of(f->vcpu), f->from, f->to, f->pcpu, f->next);
}

static void sum_wait(void *state, const struct fact_wait *f)
{
    uint64_t rivals = 0;

    for ( uint32_t i = 0; i < f->nr_rivals; i++ )
        rivals += (id_of(f->rivals[i].vcpu) + 1) * f->rivals[i].cycles;
    ADD(WAITS, id_of(f->vcpu), f->from, f->to, f->woken, f->pcpu,
        f->pcpu_before, f->why, f->waker_pcpu, id_of(f->waker), rivals,
        f->others);
}

static void sum_loss(void *state, const struct fact_loss *f)
{
    ADD(LOSSES, f->pcpu, f->from, f->to, f->records, id_of(f->vcpu));
}

static void sum_pcpu(void *state, const struct fact_pcpu *f)
{
    ADD(TIMES, f->pcpu, f->state, f->from, f->to, f->before_first_run,
        id_of(f->vcpu));
}

static void sum_exit(void *state, const struct fact_exit *f)
{
    ADD(EXITS, id_of(f->vcpu), f->pcpu, f->reason, f->end, f->start,
        f->cycles, f->guest, f->seen);
}

static void sum_handle(void *state, const struct fact_handle *f)
{
    ADD(HANDLERS, id_of(f->vcpu), f->pcpu, f->event, f->time, f->at, f->value);
}

static void sum_volume(void *state, const struct fact_volume *f)
{
    struct sums *s = state;

    s->records += f->records;
    ADD(VOLUMES, f->pcpu, f->first, f->last, f->records, f->lost,
        f->open_exits);
}

static int sums_clone(void **shard, const void *state)
{
    (void)state;
    *shard = calloc(1, sizeof(struct sums));
    return *shard ? 0 : -ENOMEM;
}

static int sums_merge(void *state, void *shard)
{
    struct sums *to = state, *from = shard;

    to->records += from->records;
    for ( unsigned int k = 0; k < SUM_KINDS; k++ )
    {
        to->nr[k] += from->nr[k];
        to->sum[k] += from->sum[k];
    }
    free(from);
    return 0;
}

#define SLOTS                                                               \
    .runstate = sum_runstate, .domain = sum_domain,                         \
    .residency = sum_residency, .wait = sum_wait, .loss = sum_loss,         \
    .pcpu = sum_pcpu, .exit = sum_exit, .handle = sum_handle,               \
    .volume = sum_volume

static const struct sink_ops by_pcpu = {
    .name = "sums", .clone = sums_clone, .merge = sums_merge, SLOTS,
};

static const struct sink_ops ordered_ops = {
    .name = "sums", .ordered = true, SLOTS,
};

static void read_sinks(const char *path, const struct sink *sinks, size_t nr,
                       unsigned int threads)
{
    const struct analyze_options options = { .threads = threads };
    struct xt_trace *trace;
    struct err e = ERR_INIT;

    ck_assert_int_eq(xt_trace_open(&trace, path, 0, &e), 0);
    ck_assert_msg(!analyze_trace(trace, &options, sinks, nr, &e), "%s",
                  e.text);
    xt_trace_close(trace);
}

static void read_trace(const char *path, const struct sink_ops *ops,
                       unsigned int threads, struct sums *sums)
{
    memset(sums, 0, sizeof(*sums));
    read_sinks(path, &(struct sink){ .ops = ops, .state = sums }, 1, threads);
}

/* --- tests ---------------------------------------------------------------- */

static void compare_passes(bool with_losses)
{
    static struct play p;
    char path[] = "/tmp/engine-XXXXXX";
    struct sums sums, first;

    play_file(&p, unit_seed() + 2 * with_losses, with_losses, path);
    read_trace(path, &ordered_ops, 1, &first);
    ck_assert_uint_eq(first.gaps, 0);
    ck_assert_uint_gt(first.nr[RUNSTATES], RECORDS / 10);
    ck_assert_uint_gt(first.nr[EXITS], RECORDS / 10);
    ck_assert_uint_gt(first.nr[WAITS], 10);
    ck_assert_uint_eq(first.nr[VOLUMES], PCPUS);
    ck_assert(!first.nr[LOSSES] == !with_losses);
    for ( unsigned int threads = 1; threads <= 4; threads++ )
    {
        read_trace(path, &by_pcpu, threads, &sums);
        ck_assert_uint_eq(sums.gaps, 0);
        for ( unsigned int k = 0; k < SUM_KINDS; k++ )
            ck_assert_msg(sums.nr[k] == first.nr[k] &&
                          sums.sum[k] == first.sum[k],
                          "kind %u, %u threads: %u facts, not %u, or others",
                          k, threads, (unsigned int)sums.nr[k],
                          (unsigned int)first.nr[k]);
    }
    unlink(path);
}

START_TEST(passes_agree)
{
    compare_passes(false);
}
END_TEST

START_TEST(passes_agree_on_losses)
{
    compare_passes(true);
}
END_TEST

/* Waits without their rivals. */
struct plain_waits
{
    struct sums sums;
    uint64_t rivals, hidden;
};

static void add_plain_wait(void *state, const struct fact_wait *f)
{
    struct plain_waits *w = state;
    const uint64_t words[] = {
        id_of(f->vcpu), f->from, f->to, f->woken, f->pcpu, f->pcpu_before,
        f->why, f->waker_pcpu, id_of(f->waker),
    };

    add_fact(&w->sums, WAITS, words, sizeof(words) / sizeof(words[0]));
    if ( f->nr_rivals == FACT_NO_RIVALS )
        w->hidden++;
    else
        w->rivals += f->nr_rivals;
}

/* A sink without rivals: the same waits beside a sink that wants rivals. */
START_TEST(waits_without_rivals)
{
    static const struct sink_ops plain = {
        .name = "waits", .ordered = true, .no_rivals = true,
        .wait = add_plain_wait,
    };
    static struct play p;
    char path[] = "/tmp/engine-XXXXXX";
    struct plain_waits alone = { .hidden = 0 }, beside = { .hidden = 0 };
    struct sums sums = { .gaps = 0 };

    play_file(&p, unit_seed(), false, path);
    read_sinks(path, &(struct sink){ .ops = &plain, .state = &alone }, 1, 1);
    read_sinks(path, (struct sink[]){ { .ops = &plain, .state = &beside },
                                      { .ops = &ordered_ops, .state = &sums } },
               2, 1);
    unlink(path);
    ck_assert_uint_gt(alone.sums.nr[WAITS], 10);
    ck_assert_uint_eq(alone.sums.nr[WAITS], beside.sums.nr[WAITS]);
    ck_assert_uint_eq(alone.sums.sum[WAITS], beside.sums.sum[WAITS]);
    ck_assert_uint_eq(beside.sums.nr[WAITS], sums.nr[WAITS]);
    ck_assert_uint_gt(beside.rivals, 0);
    ck_assert_uint_eq(beside.hidden, 0);
    ck_assert_uint_eq(alone.rivals, 0);
#ifdef DEBUG_ASSERTIONS
    ck_assert_uint_eq(alone.hidden, alone.sums.nr[WAITS]);
#else
    ck_assert_uint_eq(alone.hidden, 0);
#endif
}
END_TEST

/* --- volumes of a span ---------------------------------------------------- */

/* By pcpu. */
struct volumes
{
    uint64_t records[PCPUS], bytes[PCPUS], lost[PCPUS];
    uint32_t seen[PCPUS];
    unsigned int nr;
    uint64_t at_end, read;      /* sums over pcpus of struct fact_end */
};

static void note_volume(void *state, const struct fact_volume *f)
{
    struct volumes *v = state;

    ck_assert_uint_lt(f->pcpu, PCPUS);
    v->nr++;
    v->records[f->pcpu] = f->records;
    v->lost[f->pcpu] = f->lost;
    v->seen[f->pcpu] = f->seen;
    for ( unsigned int i = 0; i < VOLUME_SCHED_VERBOSE; i++ )
        v->bytes[f->pcpu] += f->bytes[i];
}

static int note_records(void *state, const struct fact_end *f, struct err *e)
{
    struct volumes *v = state;

    (void)e;
    v->at_end = f->records;
    v->read = f->records_read;
    return 0;
}

static const struct sink_ops volume_ops = {
    .name = "volumes", .ordered = true, .volume = note_volume,
    .end = note_records,
};

/* From the bytes of the trace. */
static void count_span(const struct play *p, uint64_t from, uint64_t until,
                       struct volumes *v)
{
    struct xt_record r;

    for ( unsigned int i = 0; i < PCPUS; i++ )
        for ( size_t at = 0, size; at < p->size[i]; at += size )
        {
            size = xt_record_size(xt_load32(p->bytes[i] + at));
            xt_record_view(&r, p->bytes[i] + at);
            v->read++;
            if ( r.tsc < from || r.tsc > until )
                continue;
            v->records[i]++;
            v->bytes[i] += size;
            v->at_end++;
            if ( r.event == TRC_LOST_RECORDS )
                v->lost[i] += 7;
        }
}

/* A named pipe that a child fills with the file. */
static void start_writer(const char *pipe, const char *path)
{
    pid_t pid;

    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if ( !pid )
    {
        int fd = open(pipe, O_WRONLY), from = open(path, O_RDONLY);
        char bytes[4096];
        ssize_t n;

        while ( (n = read(from, bytes, sizeof(bytes))) > 0 )
            if ( write(fd, bytes, n) != n )
                _exit(1);
        _exit(n != 0);
    }
}

static void read_span(const char *path, uint64_t from, uint64_t until,
                      unsigned int threads, struct volumes *v)
{
    const struct analyze_options options = {
        .threads = threads, .bounded = true, .from = from, .until = until,
    };
    const struct sink sink = { .ops = &volume_ops, .state = v };
    struct xt_trace *trace;
    struct err e = ERR_INIT;

    memset(v, 0, sizeof(*v));
    ck_assert_int_eq(xt_trace_open(&trace, path, 0, &e), 0);
    ck_assert_msg(!analyze_trace(trace, &options, &sink, 1, &e), "%s", e.text);
    xt_trace_close(trace);
}

static void compare_volumes(const struct volumes *v, const struct volumes *told)
{
    ck_assert_uint_eq(v->nr, PCPUS);
    ck_assert_uint_eq(v->at_end, told->at_end);
    ck_assert_uint_eq(v->read, told->read);
    for ( unsigned int i = 0; i < PCPUS; i++ )
    {
        ck_assert_uint_eq(v->records[i], told->records[i]);
        ck_assert_uint_eq(v->bytes[i], told->bytes[i]);
        ck_assert_uint_eq(v->lost[i], told->lost[i]);
        ck_assert(v->seen[i] & 1u << VOLUME_HVM_EXIT);
        ck_assert(!(v->seen[i] & 1u << VOLUME_PV));
    }
}

/*
 * Volumes count the records of the span, whatever is read for the states, in
 * any number of threads and from a pipe.  Bounds are times of records, between
 * these, and outside of the trace.
 */
START_TEST(volumes_are_of_the_span)
{
    static struct play p;
    char path[] = "/tmp/engine-XXXXXX", pipe[32];

    play_file(&p, unit_seed(), true, path);
    snprintf(pipe, sizeof(pipe), "engine-%d", (int)getpid());
    for ( unsigned int n = 0; n < 40; n++ )
    {
        uint64_t length = p.time - 1000 + 100;
        uint64_t from = n ? 950 + unit_random(&p.seed) % length : 0;
        uint64_t until = n < 2 ? UINT64_MAX
                               : from + unit_random(&p.seed) %
                                        (n < 10 ? 3 : length);
        struct volumes told = { .nr = PCPUS }, v;

        count_span(&p, from, until, &told);
        for ( unsigned int threads = 1; threads <= 3; threads++ )
        {
            read_span(path, from, until, threads, &v);
            compare_volumes(&v, &told);
        }
        start_writer(pipe, path);
        read_span(pipe, from, until, 1, &v);
        unlink(pipe);
        ck_assert_int_gt(wait(NULL), 0);
        compare_volumes(&v, &told);
    }
    unlink(path);
}
END_TEST

/* --- order ---------------------------------------------------------------- */

/* An ordered sink, and how its facts came. */
struct in_order
{
    uint64_t time;              /* the last fact has it */
    uint64_t nr[SUM_KINDS], backward;
};

static void note_order(struct in_order *o, unsigned int kind, uint64_t time)
{
    o->nr[kind]++;
    o->backward += time < o->time;
    o->time = time;
}

static void order_runstate(void *state, const struct fact_runstate *f)
{
    if ( f->next != STATES )
        note_order(state, RUNSTATES, f->to);
}

static void order_pcpu(void *state, const struct fact_pcpu *f)
{
    note_order(state, TIMES, f->to);
}

/* Other exits end before their facts. */
static void order_exit(void *state, const struct fact_exit *f)
{
    if ( f->end == EXIT_ENTERED )
        note_order(state, EXITS, f->start + f->cycles);
}

static void order_handle(void *state, const struct fact_handle *f)
{
    if ( f->exit && f->exit->end == EXIT_ENTERED )
        note_order(state, HANDLERS, f->exit->start + f->exit->cycles);
}

#define ORDER_SLOTS                                                         \
    .name = "order", .ordered = true, .runstate = order_runstate,           \
    .pcpu = order_pcpu

/*
 * Ordered sinks get global and local facts of all pcpus in the order of time,
 * in any number of threads, and what they need.
 */
START_TEST(ordered_facts_rise)
{
    static const struct sink_ops all = {
        ORDER_SLOTS, .exit = order_exit, .handle = order_handle,
    };
    static const struct sink_ops some = {
        ORDER_SLOTS, .exit = order_exit, .handle = order_handle,
        .exit_needs = NEED_PAUSE_EXITS, .handle_needs = 1u << HANDLE_PIO,
    };
    static struct play p;
    char path[] = "/tmp/engine-XXXXXX";

    play_file(&p, unit_seed(), false, path);
    for ( unsigned int threads = 1; threads <= 3; threads++ )
    {
        struct in_order a = { .time = 0 }, b = a;

        read_sinks(path, &(struct sink){ &all, &a }, 1, threads);
        read_sinks(path, &(struct sink){ &some, &b }, 1, threads);
        ck_assert_uint_eq(a.backward, 0);
        ck_assert_uint_eq(b.backward, 0);
        ck_assert_uint_gt(a.nr[EXITS], RECORDS / 10);
        ck_assert_uint_eq(a.nr[RUNSTATES], b.nr[RUNSTATES]);
        /* One reason of 60 is that of PAUSE; ended elsewhere, any comes. */
        ck_assert_uint_gt(b.nr[EXITS], 0);
        ck_assert_uint_lt(b.nr[EXITS], a.nr[EXITS] / 4);
        ck_assert_uint_gt(a.nr[HANDLERS], b.nr[HANDLERS]);
    }
    unlink(path);
}
END_TEST

static void write_window(FILE *f, unsigned int pcpu, const void *bytes,
                         size_t size)
{
    const uint32_t header[] = {
        TRC_TRACE_CPU_CHANGE | 2u << TRACE_EXTRA_SHIFT, pcpu, size,
    };

    ck_assert_uint_eq(fwrite(header, sizeof(header), 1, f), 1);
    ck_assert_uint_eq(fwrite(bytes, size, 1, f), 1);
}

/*
 * A window without a time stamp gets the time of the window before it in the
 * file.  So the records of its pcpu may be delivered after the pcpu's last time
 * stamp: the pcpu must not end before they are.
 */
START_TEST(late_untimed_window)
{
    static const uint32_t untimed[] = { 0x1f080 };
    static const uint32_t a[] = { 0x90021101, 5000, 0, 0x10000 },
                          b[] = { 0x90021002, 5100, 0, 0x10000 },
                          c[] = { 0x90021101, 3000, 0, 0x20000,
                                  0x90021021, 3100, 0, 0x20000 },
                          d[] = { 0x90021011, 6000, 0, 0x10000 };
    char path[] = "/tmp/engine-XXXXXX";
    struct sums ordered, by_pcpus;
    FILE *f = fdopen(mkstemp(path), "wb");

    ck_assert_ptr_nonnull(f);
    write_window(f, 0, a, sizeof(a));
    write_window(f, 1, untimed, sizeof(untimed));
    write_window(f, 0, b, sizeof(b));
    write_window(f, 1, c, sizeof(c));
    write_window(f, 0, d, sizeof(d));
    ck_assert_int_eq(fclose(f), 0);
    read_trace(path, &ordered_ops, 1, &ordered);
    read_trace(path, &by_pcpu, 1, &by_pcpus);
    unlink(path);
    ck_assert_uint_eq(ordered.nr[VOLUMES], 2);
    ck_assert_uint_eq(ordered.records, 6);
    ck_assert_uint_eq(by_pcpus.records, 6);
}
END_TEST

#define MOMENTS 16u

struct moments
{
    struct fact_moment all[MOMENTS];
    uint32_t nr;
};

static void keep_moment(void *state, const struct fact_moment *f)
{
    struct moments *m = state;

    ck_assert_uint_lt(m->nr, MOMENTS);
    m->all[m->nr++] = *f;
}

/* 25 us are 60,000 cycles.  The record of a guest has no fact but an event. */
static const uint64_t moment_times[] = {
    1000, 2000, 30000, 100000, 101000, 159999, 160000, 160001, 900000,
};
static const uint64_t moment_gaps[][2] = {
    { 1000, 1000 }, { 30000, 100000 }, { 159999, 160000 }, { 160001, 900000 },
};

START_TEST(long_gaps_are_moments)
{
    static const struct sink_ops ops = {
        .name = "moments", .ordered = true, .moment = keep_moment,
    };
    const size_t nr = sizeof(moment_times) / sizeof(moment_times[0]);
    uint32_t words[sizeof(moment_times) / sizeof(moment_times[0])][3];
    char path[] = "/tmp/engine-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "wb");

    ck_assert_ptr_nonnull(f);
    for ( size_t i = 0; i < nr; i++ )
    {
        words[i][0] = TRC_HD_CYCLE_FLAG | TRC_GUEST | 1;
        words[i][1] = (uint32_t)moment_times[i];
        words[i][2] = 0;
    }
    write_window(f, 0, words, sizeof(words));
    write_window(f, 1, words, sizeof(words));
    ck_assert_int_eq(fclose(f), 0);
    for ( unsigned int threads = 1; threads <= 2; threads++ )
    {
        struct moments m = { .nr = 0 };

        read_sinks(path, &(struct sink){ &ops, &m }, 1, threads);
        ck_assert_uint_eq(m.nr, 8);
        for ( uint32_t i = 0; i < m.nr; i++ )
        {
            ck_assert_uint_eq(m.all[i].pcpu, i % 2);
            ck_assert_uint_eq(m.all[i].from, moment_gaps[i / 2][0]);
            ck_assert_uint_eq(m.all[i].to, moment_gaps[i / 2][1]);
        }
    }
    unlink(path);
}
END_TEST

struct event_counts { uint32_t first, second, chosen; };

static void count_event(void *state, const struct fact_event *f)
{
    struct event_counts *n = state;

    n->first += f->record->event == (TRC_GUEST | 1);
    n->second += f->record->event == (TRC_GUEST | 2);
    n->chosen += f->is_chosen;
}

static enum fact_event_need need_first(uint32_t event)
{
    return event == (TRC_GUEST | 1) ? NEED_EVENT : NEED_NO_EVENT;
}

static enum fact_event_need need_second(uint32_t event)
{
    return event == (TRC_GUEST | 2) ? NEED_EVENT : NEED_NO_EVENT;
}

static enum fact_event_need need_odd(uint32_t event)
{
    return event == (TRC_GUEST | 2) ? NEED_SOME_EVENTS : NEED_NO_EVENT;
}

/* The first, the third ... of a pcpu. */
static bool is_odd(struct fact_event_memory *m, const struct fact_event *f)
{
    ck_assert_uint_eq(f->record->event, TRC_GUEST | 2);
    m->flags ^= 1;
    return m->flags;
}

static fact_event_filter *odd_filter(uint32_t event)
{
    ck_assert_uint_eq(event, TRC_GUEST | 2);
    return is_odd;
}

/* A sink does not get the events that only another sink needs. */
START_TEST(sinks_get_needed_events)
{
    static const struct sink_ops ops[] = {
        { .name = "first", .ordered = true, .event = count_event,
          .needs_event = need_first },
        { .name = "second", .ordered = true, .event = count_event,
          .needs_event = need_second },
        { .name = "all", .ordered = true, .event = count_event },
        { .name = "odd", .ordered = true, .event = count_event,
          .needs_event = need_odd, .event_filter = odd_filter },
        { .name = "local", .event = count_event, .needs_event = need_first },
    };
    static const uint32_t words[] = {
        TRC_HD_CYCLE_FLAG | TRC_GUEST | 1, 1000, 0, TRC_GUEST | 2,
        TRC_GUEST | 2, TRC_GUEST | 1, TRC_GUEST | 2,
    };
    struct event_counts n[6] = { { 0 } };
    char path[] = "/tmp/engine-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "wb");

    ck_assert_ptr_nonnull(f);
    write_window(f, 0, words, sizeof(words));
    ck_assert_int_eq(fclose(f), 0);
    read_sinks(path, (struct sink[]){ { &ops[0], &n[0] }, { &ops[1], &n[1] },
                                      { &ops[2], &n[2] } }, 3, 1);
    read_sinks(path, &(struct sink){ &ops[1], &n[1] }, 1, 1);
    read_sinks(path, (struct sink[]){ { &ops[0], &n[0] }, { &ops[3], &n[3] },
                                      { &ops[4], &n[4] }, { &ops[3], &n[5] } },
               4, 1);
    unlink(path);
    ck_assert_uint_eq(n[0].first, 2 * 2);
    ck_assert_uint_eq(n[0].second, 0);
    ck_assert_uint_eq(n[1].first, 0);
    ck_assert_uint_eq(n[1].second, 2 * 3);
    ck_assert_uint_eq(n[2].first, 2);
    ck_assert_uint_eq(n[2].second, 3);
    ck_assert_uint_eq(n[3].first, 0);
    ck_assert_uint_eq(n[3].second, 2);
    ck_assert_uint_eq(n[3].chosen, 2);
    ck_assert_uint_eq(n[0].chosen, 0);
    ck_assert_uint_eq(n[5].second, 2);
    ck_assert_uint_eq(n[4].first, 2);
    ck_assert_uint_eq(n[4].second, 0);
}
END_TEST

UNIT_MAIN("engine", passes_agree, passes_agree_on_losses, waits_without_rivals,
          volumes_are_of_the_span, ordered_facts_rise, late_untimed_window,
          long_gaps_are_moments, sinks_get_needed_events)
