/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input of sinks without a trace: domain 0 with two vcpus and domain 1 with
 * one, at 1 GHz, so that a cycle is a nanosecond; and the output of a sink.
 */
#ifndef TESTS_XENALYZE_UNIT_MAKE_FACTS_H
#define TESTS_XENALYZE_UNIT_MAKE_FACTS_H

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/unit.h"
#include "libxentrace/internal.h"
#include "xenalyze/model/facts.h"

#define SECOND 1000000000ull

struct stage
{
    struct domain domains[2];
    struct vcpu vcpus[3];               /* d0v0, d0v1, d1v0 */
    struct xt_clock clock;
    struct xt_dialect dialect;
    struct guests guests;
    char *text;
    size_t size;
    FILE *out;
};

static inline void stage_init(struct stage *s)
{
    memset(s, 0, sizeof(*s));
    for ( unsigned int i = 0; i < 2; i++ )
        s->domains[i] = (struct domain){ .index = i, .id = i };
    s->vcpus[0] = (struct vcpu){ .index = 0, .id = 0,
                                 .domain = &s->domains[0] };
    s->vcpus[1] = (struct vcpu){ .index = 1, .id = 1,
                                 .domain = &s->domains[0] };
    s->vcpus[2] = (struct vcpu){ .index = 2, .id = 0,
                                 .domain = &s->domains[1] };
    s->out = open_memstream(&s->text, &s->size);
    ck_assert_ptr_nonnull(s->out);
}

static inline void stage_fini(struct stage *s)
{
    fclose(s->out);
    free(s->text);
}

/* The output so far; valid until further output. */
static inline const char *stage_text(struct stage *s)
{
    fflush(s->out);
    return s->text;
}

/* check truncates long texts, so report the first line that differs. */
static inline void same_text(const char *got, const char *expected)
{
    while ( *got || *expected )
    {
        size_t g = strcspn(got, "\n"), x = strcspn(expected, "\n");

        if ( g != x || memcmp(got, expected, g) || got[g] != expected[x] )
            ck_abort_msg("\n\"%.*s\" is not\n\"%.*s\"", (int)g, got, (int)x,
                         expected);
        got += g + (got[g] != '\0');
        expected += x + (expected[x] != '\0');
    }
}

static inline void stage_begin(struct stage *s, const struct sink *sink,
                               uint64_t first)
{
    const struct fact_begin f = {
        .first = first, .nr_pcpus = 2, .clock = &s->clock,
        .dialect = &s->dialect, .guests = &s->guests,
    };

    xt_clock_init(&s->clock, SECOND, SECOND, first);
    if ( sink->ops->begin )
        sink->ops->begin(sink->state, &f);
}

static inline void stage_end(const struct sink *sink, uint64_t first,
                             uint64_t last)
{
    static const uint64_t anomalies[ANOMALY_KINDS];
    static const struct xt_damage damage;
    static const struct xt_losses losses;
    const struct fact_end f = {
        .first = first, .last = last, .nr_pcpus = 2, .records = 7,
        .anomalies = anomalies, .damage = &damage, .losses = &losses,
    };
    struct err e = ERR_INIT;

    if ( sink->ops->end )
        ck_assert_int_eq(sink->ops->end(sink->state, &f, &e), 0);
}

#endif /* TESTS_XENALYZE_UNIT_MAKE_FACTS_H */
