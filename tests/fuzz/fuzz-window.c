/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace: the walk ends, stays inside, and its summaries agree.
 */
#include "tests/fuzz/fuzz.h"

#include "tests/unit/libxentrace/count-all.h"

static void add(struct xt_count *sum, const struct xt_count *c)
{
    sum->records += c->records;
    sum->windows += c->windows;
    sum->bytes += c->bytes;
    sum->losses += c->losses;
    sum->lost += c->lost;
    sum->wraps += c->wraps;
}

static void check(const struct xt_counts *c, size_t size)
{
    struct xt_count sum = { 0 };
    size_t i;

    for ( i = 0; i < c->nr_cpus; i++ )
        add(&sum, &c->cpus[i]);

    MUST(c->size == size);
    MUST(sum.records == c->total.records);
    MUST(sum.windows == c->total.windows);
    MUST(sum.bytes == c->total.bytes);
    MUST(sum.lost == c->total.lost);
    MUST(c->total.losses + c->total.wraps <= c->total.records);
    MUST(c->total.bytes + 12 * c->total.windows <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct xt_counts counts;
    int rc = count_all(&counts, bytes, size);

    MUST(rc == 0);
    check(&counts, size);
    xt_counts_fini(&counts);
    return 0;
}
