/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-migrations: how often vcpus moved to another pcpu, how far, and how
 * long they stayed.
 *
 *      pcpu 0    |-- d1v0 --|              |-- d1v0 --
 *      pcpu 1               |--- d1v0 -----|
 *                            stay < 1 ms: a ping-pong
 *
 * Distances need the topology, which the collector writes.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/grow.h"
#include "common/num.h"
#include "common/utf8.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

#define PING_PONG_NS 1000000u

enum distance
{
    DISTANCE_THREAD,            /* another thread of the core */
    DISTANCE_CORE,              /* another core of the socket */
    DISTANCE_SOCKET,            /* another socket of the node */
    DISTANCE_NODE,
    DISTANCE_UNKNOWN,
    DISTANCES
};

struct migrating_vcpu
{
    uint16_t domain, id;
    uint64_t moves[DISTANCES];
    uint64_t ping_pongs;
    uint64_t known;             /* time in which its pcpu is known */
    struct stats stays;         /* between two moves */

    /* The move that began the stay. */
    bool has_moved;
    uint32_t before;            /* the pcpu before */
};

struct migrations
{
    struct stats_pool pool;
    struct xt_clock clock;
    const struct report_request *request;
    const struct xt_host *host; /* NULL: no topology */
    struct migrating_vcpu **vcpus;      /* by index; NULL: no facts */
    uint32_t nr_vcpus;
    uint64_t moves, unknown;    /* all; without a distance */
    bool failed;
};

/* --- distances ------------------------------------------------------------ */

static enum distance find_distance(const struct migrations *m, uint32_t a,
                                   uint32_t b)
{
    const struct xt_rec_meta_cpu *x = m->host ? xt_host_cpu(m->host, a) : NULL;
    const struct xt_rec_meta_cpu *y = m->host ? xt_host_cpu(m->host, b) : NULL;

    if ( !x || !y || x->core < 0 || y->core < 0 || x->socket < 0 ||
         y->socket < 0 )
        return DISTANCE_UNKNOWN;
    if ( x->node != y->node )
        return DISTANCE_NODE;
    if ( x->socket != y->socket )
        return DISTANCE_SOCKET;
    return x->core == y->core ? DISTANCE_THREAD : DISTANCE_CORE;
}

/* --- facts ---------------------------------------------------------------- */

static struct migrating_vcpu *get_migrating(struct migrations *m,
                                            const struct vcpu *v)
{
    struct migrating_vcpu *own =
        grow_get_object(&m->vcpus, &m->nr_vcpus, v->index, &m->pool.arena,
                        sizeof(*own), STATS_LINE);

    m->failed |= !own;
    if ( own )
    {
        own->domain = v->domain->id;
        own->id = v->id;
    }
    return own;
}

static void migrations_residency(void *state, const struct fact_residency *f)
{
    struct migrations *m = state;
    struct migrating_vcpu *v;
    enum distance distance;

    if ( vcpu_is_idle(f->vcpu) || f->from > f->to )
        return;
    v = get_migrating(m, f->vcpu);
    if ( !v )
        return;
    v->known += f->to - f->from;
    if ( f->next == FACT_NO_PCPU )
    {
        v->has_moved = false;
        return;
    }
    distance = find_distance(m, f->pcpu, f->next);
    v->moves[distance]++;
    m->moves++;
    m->unknown += distance == DISTANCE_UNKNOWN;
    if ( v->has_moved )
        stats_add(&v->stays, &m->pool, f->to - f->from, f->from);
    v->ping_pongs += v->has_moved && v->before == f->next &&
                     xt_clock_duration(&m->clock, f->to - f->from) <
                     PING_PONG_NS;
    v->has_moved = true;
    v->before = f->pcpu;
}

static void migrations_begin(void *state, const struct fact_begin *f)
{
    struct migrations *m = state;

    if ( !f->segment )
        m->clock = *f->clock;
}

static int migrations_end(void *state, const struct fact_end *f, struct err *e)
{
    struct migrations *m = state;

    (void)f;
    for ( uint32_t i = 0; i < m->nr_vcpus; i++ )
        if ( m->vcpus[i] )
            m->vcpus[i]->has_moved = false;
    return m->failed || m->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep migrations") : 0;
}

/* --- the report ----------------------------------------------------------- */

static bool migrations_are_requested(const struct report_config *c)
{
    return c->migrations;
}

static int migrations_open(struct report_pass *p, void **state, struct err *e)
{
    static const struct sink_ops ops = {
        .name = "migrations", .begin = migrations_begin,
        .end = migrations_end, .residency = migrations_residency,
    };
    struct migrations *m = *state = fault_calloc(1, sizeof(*m));

    (void)e;
    if ( !m )
        return -ENOMEM;
    stats_pool_init(&m->pool);
    m->request = &p->request;
    m->host = p->names ? &p->names->host : NULL;
    report_add_sink(p, (struct sink){ &ops, m });
    return 0;
}

static bool migrations_have_failed(const void *state)
{
    const struct migrations *m = state;

    return m->failed || m->pool.failed;
}

static void migrations_free(void *state)
{
    struct migrations *m = state;

    if ( m )
    {
        free(m->vcpus);
        stats_pool_fini(&m->pool);
    }
    free(m);
}

/* Keep vcpus with facts only, by domain and id. */
static int migrations_close(struct report_pass *p, void *state)
{
    struct migrations *m = state;

    (void)p;
    vcpu_array_sort(&m->vcpus, &m->nr_vcpus);
    return 0;
}

static uint64_t count_moves(const struct migrating_vcpu *v)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < DISTANCES; i++ )
        sum += v->moves[i];
    return sum;
}

/* --- text ----------------------------------------------------------------- */

#define COUNT_WIDTH 6u

/* Columns of distances; DISTANCE_UNKNOWN only if there are such moves. */
static const struct { const char *heading; int width; } distances[] = {
    [DISTANCE_THREAD] = { "thread", 6 }, [DISTANCE_CORE] = { "core", 5 },
    [DISTANCE_SOCKET] = { "socket", 6 }, [DISTANCE_NODE] = { "node", 5 },
    [DISTANCE_UNKNOWN] = { "other", 5 },
};

static unsigned int count_distances(const struct migrations *m)
{
    assert(m->unknown <= m->moves);
    if ( m->unknown == m->moves )
        return 0;
    return m->unknown ? DISTANCES : DISTANCE_UNKNOWN;
}

static unsigned int migrating_width(const struct migrations *m)
{
    return xt_vcpu_column_width(m->request->names, 12, LATENCY_WIDEST);
}

static double moves_per_second(const struct migrations *m,
                               const struct migrating_vcpu *v)
{
    uint64_t ns = xt_clock_duration(&m->clock, v->known);

    return ns ? 1e9 * (double)count_moves(v) / (double)ns : 0;
}

static void print_migrating(const struct migrations *m,
                            const struct migrating_vcpu *v, FILE *out)
{
    uint64_t moves = count_moves(v);
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];

    assert(v->ping_pongs <= moves);
    *num_u64_fit(text, moves, COUNT_WIDTH) = '\0';
    xt_vcpu_column(m->request->names, v->domain, v->id, LATENCY_WIDEST, name);
    fprintf(out, " %-*s %s %7.1f", utf8_width(name, migrating_width(m)), name,
            text, moves_per_second(m, v));
    if ( stats_events(&v->stays) )
        fprintf(out, " %8s", text_duration(&m->clock,
                                           stats_percentile(&v->stays, 50),
                                           text));
    else
        fprintf(out, " %8s", "-");
    fprintf(out, " %5.1f", stats_share(v->ping_pongs, moves));
    for ( unsigned int i = 0; i < count_distances(m); i++ )
        fprintf(out, " %*.1f", distances[i].width,
                stats_share(v->moves[i], moves));
    fprintf(out, "\n");
}

static void print_migrations_heading(const struct migrations *m, FILE *out)
{
    fprintf(out, "--- Migrations: moves to other pcpus, and their kinds in "
            "percent ---\n %-*s %*s %7s %8s %5s", migrating_width(m), "vcpu",
            (int)COUNT_WIDTH, "moves", "per s", "stay p50", "back");
    for ( unsigned int i = 0; i < count_distances(m); i++ )
        fprintf(out, " %*s", distances[i].width, distances[i].heading);
    fprintf(out, "\n");
}

static int migrations_print(struct report_pass *p, void *state)
{
    struct migrations *m = state;
    struct sort_row *order = arena_array(&m->pool.arena, m->nr_vcpus + 1,
                                         sizeof(*order),
                                         _Alignof(struct sort_row));
    size_t n = 0;

    if ( !order )
        return -ENOMEM;
    for ( uint32_t i = 0; i < m->nr_vcpus; i++ )
        order[i] = (struct sort_row){
            m->request->sort == SORT_COUNT || m->request->sort == SORT_TOTAL
            ? count_moves(m->vcpus[i])
            : sort_value(m->request->sort, &m->vcpus[i]->stays), i };
    n = sort_rows(m->request, order, m->nr_vcpus);
    print_migrations_heading(m, p->out);
    for ( size_t i = 0; i < n; i++ )
        print_migrating(m, m->vcpus[order[i].index], p->out);
    if ( m->moves && m->unknown == m->moves )
        fprintf(p->out, " The topology of the host is not in the trace.\n");
    return 0;
}

/* --- export --------------------------------------------------------------- */

static void walk_migrations(struct export *x, void *state)
{
    const struct migrations *m = state;

    for ( uint32_t i = 0; i < m->nr_vcpus; i++ )
    {
        const struct migrating_vcpu *v = m->vcpus[i];

        assert(v && v->ping_pongs <= count_moves(v));
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_number(v->known), export_number(count_moves(v)),
                   export_number(v->ping_pongs),
                   export_number(v->moves[DISTANCE_THREAD]),
                   export_number(v->moves[DISTANCE_CORE]),
                   export_number(v->moves[DISTANCE_SOCKET]),
                   export_number(v->moves[DISTANCE_NODE]),
                   export_number(v->moves[DISTANCE_UNKNOWN]),
                   export_series(&v->stays));
    }
}

static const struct export_column columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("known", DURATION, "the time in which its pcpu is known"),
    EXPORT_COLUMN("moves", COUNT, "moves to another pcpu"),
    EXPORT_COLUMN("ping_pongs", COUNT, "moves back to the pcpu before, after "
                  "less than 1 ms"),
    EXPORT_COLUMN("to_thread", COUNT, "moves to another thread of the core"),
    EXPORT_COLUMN("to_core", COUNT, "moves to another core of the socket"),
    EXPORT_COLUMN("to_socket", COUNT, "moves to another socket of the node"),
    EXPORT_COLUMN("to_node", COUNT, "moves to another NUMA node"),
    EXPORT_COLUMN("to_unknown", COUNT, "moves of an unknown distance"),
    EXPORT_STATISTICS,
};

static const struct export_table tables[] = {
    { "migrations", "Moves of vcpus between pcpus, and the times from one to "
      "the next (--report-migrations).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(columns), walk_migrations },
    { .name = NULL },
};

const struct report report_migrations = {
    .name = "migrations", REPORT_NEEDS_RUNSTATES,
    .is_requested = migrations_are_requested,
    .open = migrations_open, .close = migrations_close,
    .print = migrations_print, .tables = { tables },
    .has_failed = migrations_have_failed, .free = migrations_free,
};
