/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print facts as lines, for tests of the state machines.
 *
 *   facts [-t THREADS] [-o] [-S] sums|list TRACE
 *
 *   sums   count and average of each kind, as in stock's --summary; sorted, so
 *          that the distribution over threads does not matter
 *   list   runstates, exits and waits, a line each, for comparison with the
 *          ground truth; in one thread
 *
 * -o selects time order, -S reads the file as a stream; -f and -u cut the trace
 * at time stamps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/model/exit-reasons.h"
#include "xenalyze/model/names.h"

/* --- sums: a hash from names to numbers ----------------------------------- */

struct row
{
    char *name;
    uint64_t times, cycles;
};

struct sums
{
    struct row *rows;
    size_t nr, room;
    const struct xt_clock *clock;
};

static size_t hash(const char *name)
{
    size_t h = 5381;

    while ( *name )
        h = h * 33 + (unsigned char)*name++;
    return h;
}

static struct row *find(struct sums *s, const char *name)
{
    size_t at = hash(name) & (s->room - 1);

    while ( s->rows[at].name && strcmp(s->rows[at].name, name) )
        at = (at + 1) & (s->room - 1);
    return &s->rows[at];
}

static void grow(struct sums *s)
{
    struct sums more = { .room = s->room ? 2 * s->room : 1024 };

    more.rows = calloc(more.room, sizeof(*more.rows));
    if ( !more.rows )
        abort();
    for ( size_t i = 0; i < s->room; i++ )
        if ( s->rows[i].name )
            *find(&more, s->rows[i].name) = s->rows[i];
    free(s->rows);
    s->rows = more.rows;
    s->room = more.room;
}

static void add(struct sums *s, const char *name, uint64_t times,
                uint64_t cycles)
{
    struct row *row;

    if ( 2 * s->nr >= s->room )
        grow(s);
    row = find(s, name);
    if ( !row->name )
    {
        row->name = strdup(name);
        s->nr++;
    }
    row->times += times;
    row->cycles += cycles;
}

#define ADD(s, times, cycles, ...)                                          \
    do {                                                                    \
        char name_[128];                                                    \
                                                                            \
        snprintf(name_, sizeof(name_), __VA_ARGS__);                        \
        add(s, name_, times, cycles);                                       \
    } while ( 0 )

#define VCPU(v) (v) ? (v)->domain->id : 0xffffu, (v) ? (v)->id : 0u

static int sums_clone(void **shard, const void *state)
{
    (void)state;
    *shard = calloc(1, sizeof(struct sums));
    return *shard ? 0 : -ENOMEM;
}

static int sums_merge(void *state, void *shard)
{
    struct sums *from = shard;

    for ( size_t i = 0; i < from->room; i++ )
        if ( from->rows[i].name )
        {
            add(state, from->rows[i].name, from->rows[i].times,
                from->rows[i].cycles);
            free(from->rows[i].name);
        }
    free(from->rows);
    free(from);
    return 0;
}

/* Stock counts neither incomplete nor empty times. */
static void sum_runstate(void *state, const struct fact_runstate *f)
{
    uint64_t cycles = f->to - f->from;

    ADD(state, 1, cycles, "d%uv%u all", VCPU(f->vcpu));
    if ( f->before_first_run || f->next == STATES || !cycles )
        return;
    ADD(state, 1, cycles, "d%uv%u %s", VCPU(f->vcpu), state_name(f->state));
    if ( f->why )
        ADD(state, 1, cycles, "d%uv%u runnable %s", VCPU(f->vcpu),
            why_name(f->why));
}

static void sum_domain(void *state, const struct fact_domain *f)
{
    if ( !f->last && f->to > f->from )
        ADD(state, 1, f->to - f->from, "d%u %s", f->domain->id,
            domain_state_name(f->state));
}

static void sum_stay(void *state, const struct fact_residency *f)
{
    ADD(state, 1, f->to - f->from, "d%uv%u on %u", VCPU(f->vcpu), f->pcpu);
}

static void sum_wait(void *state, const struct fact_wait *f)
{
    uint64_t known = f->others;

    for ( uint32_t i = 0; i < f->nr_rivals; i++ )
    {
        known += f->rivals[i].cycles;
        ADD(state, 1, f->rivals[i].cycles, "d%uv%u kept by d%uv%u",
            VCPU(f->vcpu), VCPU(f->rivals[i].vcpu));
    }
    ADD(state, 1, f->to - f->from, "d%uv%u waits", VCPU(f->vcpu));
    ADD(state, 1, known, "d%uv%u waits, explained", VCPU(f->vcpu));
    if ( f->why == WHY_WAKE )
        ADD(state, 1, f->to - f->from, "d%uv%u woken by d%uv%u",
            VCPU(f->vcpu), VCPU(f->waker));
}

static void sum_halt(void *state, const struct fact_wake_to_halt *f)
{
    ADD(state, f->nr_vectors, f->to - f->vectors[0].time, "d%uv%u halts",
        VCPU(f->vcpu));
}

static void sum_loss(void *state, const struct fact_loss *f)
{
    ADD(state, f->records, f->to - f->from, "pcpu %u blind", f->pcpu);
}

static void sum_pcpu(void *state, const struct fact_pcpu *f)
{
    if ( !f->before_first_run && f->to > f->from )
        ADD(state, 1, f->to - f->from, "pcpu %u %s", f->pcpu,
            pcpu_state_name(f->state));
    ADD(state, 1, f->to - f->from, "pcpu %u all", f->pcpu);
}

static void sum_volume(void *state, const struct fact_volume *f)
{
    for ( unsigned int i = 0; i < VOLUME_KINDS; i++ )
        if ( f->bytes[i] )
            ADD(state, f->times[i], f->bytes[i], "volume %u %s", f->pcpu,
                volume_name(i));
}

static void sum_exit(void *state, const struct fact_exit *f)
{
    const char *name = exit_name(f->cause);

    if ( name )
        ADD(state, 1, f->cycles, "d%uv%u exit %s", VCPU(f->vcpu), name);
    else
        ADD(state, 1, f->cycles, "d%uv%u exit %" PRIu32, VCPU(f->vcpu),
            f->reason);
    ADD(state, 1, f->guest, "d%uv%u guest", VCPU(f->vcpu));
}

static void sum_handle(void *state, const struct fact_handle *f)
{
    uint64_t cycles = f->exit ? f->exit->cycles : 0;

    ADD(state, 1, cycles, "d%uv%u handler %" PRIx32 " %u %" PRIx64,
        VCPU(f->vcpu), f->event, f->kind,
        f->kind == HANDLE_SHADOW ? f->shadow.kind : f->at);
}

static void sum_cr3(void *state, const struct fact_cr3 *f)
{
    ADD(state, 1, 0, "d%uv%u cr3 %" PRIx64, VCPU(f->vcpu), f->value);
}

static void sum_pv(void *state, const struct fact_pv *f)
{
    ADD(state, 1, 0, "d%uv%u pv %s", VCPU(f->vcpu), pv_name(f->kind));
    /* Stock also counts a call in a multicall as a call. */
    if ( f->kind == PV_HYPERCALL_SUBCALL )
        ADD(state, 1, 0, "d%uv%u pv %s", VCPU(f->vcpu),
            pv_name(PV_HYPERCALL));
    if ( f->kind == PV_HYPERCALL || f->kind >= PV_HYPERCALL_V2 )
        ADD(state, 1, 0, "d%uv%u hypercall %u", VCPU(f->vcpu), f->number);
    if ( f->kind == PV_TRAP )
        ADD(state, 1, 0, "d%uv%u trap %u", VCPU(f->vcpu), f->number);
}

static void sum_memory(void *state, const struct fact_memory *f)
{
    ADD(state, 1, 0, "d%u memory %s order %u", f->target->id,
        memory_name(f->kind), f->order);
}

static void sum_irq(void *state, const struct fact_irq *f)
{
    ADD(state, 1, f->cycles, "irq %d vector %u %s", (int)f->irq, f->vector,
        irq_kind_name(f->kind));
}

static void sum_power(void *state, const struct fact_power *f)
{
    ADD(state, 1, f->cycles, "power %u state %u", f->kind, f->state);
}

static void sum_event(void *state, const struct fact_event *f)
{
    ADD(state, 1, 0, "event %08" PRIx32, f->record->event);
}

static int sums_end(void *state, const struct fact_end *f, struct err *e)
{
    (void)e;
    ADD(state, f->records, f->last - f->first, "records");
    ADD(state, f->open_exits, 0, "open exits");
    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        if ( f->anomalies[i] )
            ADD(state, f->anomalies[i], 0, "strange: %s", anomaly_name(i));
    return 0;
}

#define SUMS                                                                \
    .clone = sums_clone, .merge = sums_merge, .end = sums_end,              \
    .runstate = sum_runstate, .domain = sum_domain, .residency = sum_stay,  \
    .wait = sum_wait, .wake_to_halt = sum_halt, .loss = sum_loss,           \
    .pcpu = sum_pcpu,                                                       \
    .volume = sum_volume, .exit = sum_exit, .handle = sum_handle,           \
    .cr3 = sum_cr3, .pv = sum_pv, .memory = sum_memory, .irq = sum_irq,     \
    .power = sum_power, .event = sum_event

static const struct sink_ops sums_ops = { .name = "sums", SUMS };
static const struct sink_ops ordered_ops = { .name = "sums", .ordered = true,
                                             SUMS };

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void sums_print(struct sums *s)
{
    size_t nr = 0;

    for ( size_t i = 0; i < s->room; i++ )
        if ( s->rows[i].name )
            s->rows[nr++] = s->rows[i];
    if ( nr )
        qsort(s->rows, nr, sizeof(*s->rows), by_name);
    for ( size_t i = 0; i < nr; i++ )
    {
        printf("%s: %" PRIu64 " %" PRIu64 "\n", s->rows[i].name,
               s->rows[i].times, s->rows[i].cycles);
        free(s->rows[i].name);
    }
    free(s->rows);
}

/* --- lists ---------------------------------------------------------------- */

static uint64_t list_first;

static void list_begin(void *state, const struct fact_begin *f)
{
    (void)state;
    list_first = f->first;
    printf("first %" PRIu64 "\n", f->first);
}

static void list_runstate(void *state, const struct fact_runstate *f)
{
    (void)state;
    printf("runstate d%uv%u %s %" PRIu64 " %" PRIu64 " %d%s%s\n",
           VCPU(f->vcpu), state_name(f->state), f->from, f->to,
           f->state == STATE_RUNNING ? (int)f->pcpu : -1,
           f->from == list_first ? " first" : "",
           f->next == STATES || f->next == STATE_LOST ||
           f->next == STATE_NO_DATA ? " last" :
           f->next == f->state ? " goes on" : "");
}

static void list_exit(void *state, const struct fact_exit *f)
{
    (void)state;
    printf("exit d%uv%u %" PRIu64 " %" PRIu32 " %" PRIu64 " %u %u\n",
           VCPU(f->vcpu), f->start, f->reason, f->cycles, f->pcpu, f->end);
}

static void list_wait(void *state, const struct fact_wait *f)
{
    (void)state;
    if ( f->why == WHY_WAKE )
        printf("wake d%uv%u %" PRIu64 " %" PRIu64 " %u %u d%uv%u\n",
               VCPU(f->vcpu), f->woken, f->to - f->woken, f->waker_pcpu,
               f->pcpu, VCPU(f->waker));
}

static void list_stay(void *state, const struct fact_residency *f)
{
    (void)state;
    if ( f->next != FACT_NO_PCPU )
        printf("migration d%uv%u %" PRIu64 " %u %u\n", VCPU(f->vcpu), f->to,
               f->pcpu, f->next);
}

static const struct sink_ops list_ops = {
    .name = "list", .begin = list_begin, .runstate = list_runstate,
    .exit = list_exit,
    .wait = list_wait, .residency = list_stay,
};

/* A sink that ignores all facts, to measure the cost of making facts. */
static int idle_clone(void **shard, const void *state)
{
    (void)state;
    *shard = malloc(1);
    return *shard ? 0 : -ENOMEM;
}

static int idle_merge(void *state, void *shard)
{
    (void)state;
    free(shard);
    return 0;
}

static void idle_exit(void *state, const struct fact_exit *f)
{
    (void)state;
    (void)f;
}

static void idle_runstate(void *state, const struct fact_runstate *f)
{
    (void)state;
    (void)f;
}

static void idle_domain(void *state, const struct fact_domain *f)
{
    (void)state;
    (void)f;
}

static const struct sink_ops idle_ops = {
    .name = "idle", .clone = idle_clone, .merge = idle_merge,
    .exit = idle_exit, .runstate = idle_runstate, .domain = idle_domain,
};

/* --- main ----------------------------------------------------------------- */

static const struct sink_ops *choose(const char *what, bool ordered)
{
    if ( !strcmp(what, "list") )
        return &list_ops;
    if ( !strcmp(what, "idle") )
        return &idle_ops;
    return ordered ? &ordered_ops : &sums_ops;
}

int main(int argc, char **argv)
{
    struct analyze_options options = { .threads = 1, .until = UINT64_MAX };
    struct err e = ERR_INIT;
    struct sums sums = { 0 };
    struct sink sink = { .state = &sums };
    struct xt_trace *trace;
    unsigned int flags = 0;
    bool ordered = false;
    int option, rc;

    while ( (option = getopt(argc, argv, "t:oSf:u:")) != -1 )
        switch ( option )
        {
        case 't': options.threads = atoi(optarg); break;
        case 'o': ordered = true; break;
        case 'f':
            options.bounded = true;
            options.from = strtoull(optarg, NULL, 0);
            break;
        case 'u':
            options.bounded = true;
            options.until = strtoull(optarg, NULL, 0);
            break;
        case 'S': flags = XT_SOURCE_STREAM; break;
        default: return 2;
        }
    if ( argc - optind != 2 )
        return 2;
    sink.ops = choose(argv[optind], ordered);
    rc = xt_trace_open(&trace, argv[optind + 1], flags, &e);
    if ( !rc )
    {
        rc = analyze_trace(trace, &options, &sink, 1, &e);
        sums_print(&sums);
        xt_trace_close(trace);
    }
    if ( rc )
        err_print("facts", &e);
    return rc != 0;
}
