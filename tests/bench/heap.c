/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The root is the pcpu with the earliest next record; ties go to the lowest
 * pcpu.  Each record is decoded once.
 */
#include "tests/bench/heap.h"

#include <errno.h>
#include <stdlib.h>

struct head
{
    uint64_t time;
    unsigned int cpu;
};

struct merge
{
    struct head *heads;
    size_t nr;
    struct xt_walk *walks;
    struct xt_record *records;  /* the next record of each pcpu */
};

static bool is_before(const struct head *a, const struct head *b)
{
    return a->time != b->time ? a->time < b->time : a->cpu < b->cpu;
}

static void sift_down(struct merge *m, size_t i)
{
    struct head head = m->heads[i];

    for ( ; ; )
    {
        size_t child = 2 * i + 1;

        if ( child >= m->nr )
            break;
        if ( child + 1 < m->nr &&
             is_before(&m->heads[child + 1], &m->heads[child]) )
            child++;
        if ( is_before(&head, &m->heads[child]) )
            break;
        m->heads[i] = m->heads[child];
        i = child;
    }
    m->heads[i] = head;
}

static void init_merge(struct merge *m, struct xt_trace *t, unsigned int cpus)
{
    for ( unsigned int cpu = 0; cpu < cpus; cpu++ )
    {
        xt_trace_begin_walk(t, cpu, &m->walks[cpu]);
        if ( xt_walk_next(&m->walks[cpu], &m->records[cpu]) )
            m->heads[m->nr++] = (struct head){ m->records[cpu].tsc, cpu };
    }
    for ( size_t i = m->nr; i--; )
        sift_down(m, i);
}

int heap_walk(struct xt_trace *t, unsigned int cpus,
              void (*see)(void *arg, unsigned int cpu, uint64_t time,
                          const struct xt_record *r), void *arg)
{
    struct merge m = { .heads = malloc(cpus * sizeof(*m.heads)),
                       .walks = malloc(cpus * sizeof(*m.walks)),
                       .records = malloc(cpus * sizeof(*m.records)) };
    int rc = m.heads && m.walks && m.records ? 0 : -ENOMEM;

    if ( !rc )
        init_merge(&m, t, cpus);
    while ( !rc && m.nr )
    {
        struct head *root = &m.heads[0];
        struct xt_record *r = &m.records[root->cpu];

        see(arg, root->cpu, root->time, r);
        if ( !xt_walk_next(&m.walks[root->cpu], r) )
            *root = m.heads[--m.nr];
        else if ( xt_record_is_timed(r) )
            root->time = r->tsc;
        sift_down(&m, 0);
    }
    for ( unsigned int cpu = 0; !rc && cpu < cpus; cpu++ )
        xt_walk_fini(&m.walks[cpu]);
    free(m.heads);
    free(m.walks);
    free(m.records);
    return rc;
}
