/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of records: which texts are understood, which records match, and
 * the time stamps of spans of time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libxentrace/dialect.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/filter/filter.h"

#define VCPU(domain, vcpu) ((uint32_t)(domain) << 16 | (vcpu))

static struct filter *new_filter(const char *pcpus, const char *domains,
                                 const char *vcpus, const char *events)
{
    const struct filter_texts texts = { pcpus, domains, vcpus, events,
                                        NULL, NULL, false };
    struct err e = ERR_INIT;
    struct filter *f;

    ck_assert_int_eq(filter_new(&f, &texts, &e), 0);
    return f;
}

static bool matches(const struct filter *f, unsigned int cpu, uint32_t vcpu,
                    uint32_t event, unsigned int nr, const uint32_t *words)
{
    const struct xt_record r = {
        .event = event, .words = nr, .has_tsc = true,
        .payload = (const unsigned char *)words,
    };
    static const struct xt_dialect none;
    struct xt_catalogue *c;
    bool wanted;

    ck_assert_int_eq(xt_catalogue_new(&c, &none), 0);
    wanted = filter_wants(f, c, cpu, vcpu, &r);
    xt_catalogue_free(c);
    return wanted;
}

START_TEST(words_of_options)
{
    static const struct
    {
        const char *pcpus, *domains, *vcpus, *events, *error;
    } rows[] = {
        { "0", NULL, NULL, NULL, NULL },
        { "0,4-7,65535", "0-3,idle,d5", "d1v0,d65535v65535",
          "sched_*,hvm:handler,0x28004,TRC_PV_*", NULL },
        { "", NULL, NULL, NULL, "--pcpu: a word is empty" },
        { "1,,2", NULL, NULL, NULL, "--pcpu: a word is empty" },
        { "1-", NULL, NULL, NULL, "--pcpu: 1- is invalid; expected pcpus" },
        { "-1", NULL, NULL, NULL, "--pcpu: -1 is invalid" },
        { "2-1", NULL, NULL, NULL, "--pcpu: 2-1 is invalid" },
        { "65536", NULL, NULL, NULL, "--pcpu: 65536 is invalid" },
        { "0-65536", NULL, NULL, NULL, "--pcpu: 0-65536 is invalid" },
        { NULL, "Domain-0", NULL, NULL, "--domain: Domain-0 is invalid; "
                                        "expected domains" },
        { NULL, NULL, "1v0", NULL, "--vcpu: 1v0 is invalid" },
        { NULL, NULL, "d1", NULL, "--vcpu: d1 is invalid" },
        { NULL, NULL, "d1v", NULL, "--vcpu: d1v is invalid" },
        { NULL, NULL, "d65536v0", NULL, "--vcpu: d65536v0 is invalid" },
        { NULL, NULL, "d0v65536", NULL, "--vcpu: d0v65536 is invalid" },
        { NULL, NULL, NULL, "no_such*", "--event: no_such* is invalid" },
        { NULL, NULL, NULL, "0", "--event: 0 is invalid" },
        { NULL, NULL, NULL, "0x10000000", "--event: 0x10000000 is invalid" },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const struct filter_texts texts = { rows[i].pcpus, rows[i].domains,
                                            rows[i].vcpus, rows[i].events,
                                            NULL, NULL, false };
        struct err e = ERR_INIT;
        struct filter *f = NULL;
        int rc = filter_new(&f, &texts, &e);

        ck_assert_int_eq(rc, rows[i].error ? -EINVAL : 0);
        ck_assert(!f == !!rows[i].error);
        if ( rows[i].error )
            ck_assert_msg(!strncmp(e.text, rows[i].error,
                                   strlen(rows[i].error)),
                          "row %zu: %s", i, e.text);
        filter_free(f);
    }
}
END_TEST

static struct xt_domain_name some_names[] = {
    { .id = 0, .name = "Domain-0", .label = "Domain-0", .length = 8 },
    { .id = 3, .name = "web1", .label = "web1#3", .length = 6 },
    { .id = 5, .name = "web1", .label = "web1#5", .length = 6 },
    { .id = 6, .name = "a/b", .label = "a/b", .length = 3 },
};

static const struct xt_domain_names named = { .all = some_names, .nr = 4 };

START_TEST(names_of_domains)
{
    static const struct
    {
        const char *domains, *vcpus;
        uint32_t wanted, unwanted;      /* vcpus */
    } rows[] = {
        { "web1", NULL, VCPU(3, 0), VCPU(4, 0) },
        { "web1", NULL, VCPU(5, 9), VCPU(0, 0) },
        { "web1#5", NULL, VCPU(5, 0), VCPU(3, 0) },
        { "9,web1#5", NULL, VCPU(9, 0), VCPU(3, 0) },
        { "Domain-0,idle", NULL, VCPU(0, 0), VCPU(3, 0) },
        { NULL, "web1/2", VCPU(5, 2), VCPU(5, 1) },
        { NULL, "d1v1,web1#3/2", VCPU(3, 2), VCPU(5, 2) },
        { NULL, "a/b/1", VCPU(6, 1), VCPU(6, 0) },
        { NULL, "5/2", VCPU(5, 2), VCPU(5, 1) },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const struct filter_texts texts = {
            .domains = rows[i].domains, .vcpus = rows[i].vcpus,
            .names = &named,
        };
        uint32_t yes = rows[i].wanted, no = rows[i].unwanted;
        struct err e = ERR_INIT;
        struct filter *f;

        ck_assert_msg(!filter_new(&f, &texts, &e), "%s", e.text);
        ck_assert(filter_wants_vcpu(f, yes >> 16, yes & 0xffff));
        ck_assert(!filter_wants_vcpu(f, no >> 16, no & 0xffff));
        filter_free(f);
    }
}
END_TEST

START_TEST(mistyped_names)
{
    static const struct
    {
        const char *domains, *vcpus;
        int rc;
        const char *error;
    } rows[] = {
        { "Domain-1", NULL, -ENOENT, "--domain: no domain is named Domain-1; "
          "did you mean Domain-0? the trace has Domain-0, web1#3, web1#5, "
          "a/b" },
        { "web1#4", NULL, -ENOENT, "--domain: no domain is named web1#4; did "
          "you mean web1#3 or web1#5? the trace has Domain-0, web1#3, "
          "web1#5, a/b" },
        { "batch", NULL, -ENOENT, "--domain: no domain is named batch; the "
          "trace has Domain-0, web1#3, web1#5, a/b" },
        { NULL, "Domain0/1", -ENOENT, "--vcpu: no domain is named Domain0; "
          "did you mean Domain-0? the trace has Domain-0, web1#3, web1#5, "
          "a/b" },
        { "3-1", NULL, -EINVAL, "--domain: 3-1 is invalid; expected domains "
          "and ranges, such as 0,3-5,idle,web1" },
        { NULL, "web1/x", -EINVAL, "--vcpu: web1/x is invalid; expected "
          "vcpus, such as d1v0,d1v1,web1/0" },
        { NULL, "web1/", -EINVAL, "--vcpu: web1/ is invalid; expected "
          "vcpus, such as d1v0,d1v1,web1/0" },
        { NULL, "web1/65536", -EINVAL, "--vcpu: web1/65536 is invalid; "
          "expected vcpus, such as d1v0,d1v1,web1/0" },
        { NULL, "/0", -EINVAL, "--vcpu: /0 is invalid; expected vcpus, such "
          "as d1v0,d1v1,web1/0" },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const struct filter_texts texts = {
            .domains = rows[i].domains, .vcpus = rows[i].vcpus,
            .names = &named,
        };
        struct err e = ERR_INIT;
        struct filter *f;

        ck_assert_int_eq(filter_new(&f, &texts, &e), rows[i].rc);
        ck_assert_str_eq(e.text, rows[i].error);
        ck_assert_int_eq(err_exit_code(&e), rows[i].rc == -ENOENT ? 1 : 2);
    }
}
END_TEST

/* A message is one line, however many domains there are. */
START_TEST(many_names)
{
    static struct xt_domain_name all[2000];
    const struct xt_domain_names many = { .all = all, .nr = 2000 };
    const struct filter_texts texts = { .domains = "nginx", .names = &many };
    struct err e = ERR_INIT;
    struct filter *f;

    for ( unsigned int i = 0; i < 2000; i++ )
    {
        all[i].id = i;
        all[i].length = snprintf(all[i].label, sizeof(all[i].label),
                                 "a-quite-long-name-%04u", i);
        all[i].name = all[i].label;
    }
    ck_assert_int_eq(filter_new(&f, &texts, &e), -ENOENT);
    ck_assert_uint_lt(strlen(e.text), 260);
    ck_assert(strstr(e.text, " and 1993 more"));
}
END_TEST

START_TEST(long_lists_are_refused)
{
    char list[4096] = "0";
    struct err e = ERR_INIT;
    struct filter *f;
    const struct filter_texts texts = { .pcpus = list };

    for ( unsigned int i = 1; i < 256; i++ )
        strcat(list, ",1");
    ck_assert_int_eq(filter_new(&f, &texts, &e), 0);
    filter_free(f);
    strcat(list, ",1");
    ck_assert_int_eq(filter_new(&f, &texts, &e), -EINVAL);
    memset(list, '1', 200);
    list[200] = '\0';
    ck_assert_int_eq(filter_new(&f, &texts, &e), -EINVAL);
}
END_TEST

START_TEST(pcpus)
{
    struct filter *f = new_filter("1,3-5", NULL, NULL, NULL);
    static const bool wanted[] = { 0, 1, 0, 1, 1, 1, 0 };

    for ( unsigned int cpu = 0; cpu < 7; cpu++ )
    {
        ck_assert(filter_wants_pcpu(f, cpu) == wanted[cpu]);
        ck_assert(matches(f, cpu, FILTER_NO_VCPU, TRC_HVM_VMENTRY, 0, NULL) ==
                  wanted[cpu]);
    }
    ck_assert(!filter_wants_pcpu(f, UINT32_MAX));
    ck_assert(!filter_is_empty(f) && !filter_needs_vcpu(f));
    filter_free(f);
    f = new_filter(NULL, NULL, NULL, NULL);
    ck_assert(filter_is_empty(f) && filter_wants_pcpu(f, 70000));
    ck_assert(filter_wants_vcpu(f, 1, 2));
    filter_free(f);
}
END_TEST

/* By the vcpu on the pcpu, or by the fields of the record. */
START_TEST(vcpus)
{
    const uint32_t d1v2 = VCPU(1, 2), d2v1 = VCPU(2, 1);
    const uint32_t wake[] = { 1, 2 };
    struct filter *f = new_filter(NULL, NULL, "d1v2,d1v3", NULL);

    ck_assert(filter_needs_vcpu(f));
    ck_assert(matches(f, 0, d1v2, TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(!matches(f, 0, VCPU(1, 1), TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(!matches(f, 0, VCPU(2, 2), TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(!matches(f, 0, FILTER_NO_VCPU, TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(matches(f, 0, d2v1, TRC_SCHED_RUNSTATE_CHANGE | 0x100, 1,
                      &d1v2));
    ck_assert(!matches(f, 0, d2v1, TRC_SCHED_RUNSTATE_CHANGE | 0x100, 1,
                       &d2v1));
    ck_assert(matches(f, 0, d2v1, TRC_SCHED_WAKE, 2, wake));
    ck_assert(!matches(f, 0, d2v1, TRC_SCHED_WAKE, 1, wake));
    ck_assert(filter_wants_vcpu(f, 1, 3) && !filter_wants_vcpu(f, 1, 1));
    ck_assert(filter_wants_vcpu(f, 1, FILTER_NO_VCPU));
    ck_assert(!filter_wants_vcpu(f, 2, FILTER_NO_VCPU));
    filter_free(f);
}
END_TEST

START_TEST(domains)
{
    const uint32_t d1v2 = VCPU(1, 2), d7 = 7;
    struct filter *f = new_filter(NULL, "1,7,idle", NULL, NULL);

    ck_assert(matches(f, 0, d1v2, TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(matches(f, 0, VCPU(32767, 5), TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(!matches(f, 0, VCPU(2, 1), TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(matches(f, 0, VCPU(2, 1), TRC_SCHED_RUNSTATE_CHANGE | 0x100, 1,
                      &d1v2));
    ck_assert(matches(f, 0, VCPU(2, 1), TRC_MEM_PAGE_GRANT_MAP, 1, &d7));
    ck_assert(filter_wants_vcpu(f, 7, 100) && !filter_wants_vcpu(f, 2, 0));
    filter_free(f);
    /* With both options a record needs the domain and the vcpu. */
    f = new_filter(NULL, "1", "d1v2,d2v0", NULL);
    ck_assert(matches(f, 0, d1v2, TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(!matches(f, 0, VCPU(1, 0), TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(!matches(f, 0, VCPU(2, 0), TRC_HVM_VMENTRY, 0, NULL));
    ck_assert(!matches(f, 0, VCPU(2, 1), TRC_MEM_PAGE_GRANT_MAP, 1, &d7));
    filter_free(f);
}
END_TEST

START_TEST(events)
{
    static const struct
    {
        const char *text;
        uint32_t event;
        bool wanted;
    } rows[] = {
        { "sched_wake", TRC_SCHED_WAKE, true },
        { "sched_w*", TRC_SCHED_WAKE, true },
        { "TRC_SCHED_WAKE", TRC_SCHED_WAKE, true },
        { "sched_wake", TRC_SCHED_SLEEP, false },
        { "sched", TRC_SCHED_WAKE, true },
        { "sched", TRC_HVM_VMENTRY, false },
        { "hvm:entryexit", TRC_HVM_VMENTRY, true },
        { "hvm:entryexit", TRC_HVM_HLT, false },
        { "hvm:handler", TRC_HVM_HLT, true },
        { "0x28004", TRC_SCHED_WAKE, true },
        { "0x28004", TRC_SCHED_SLEEP, false },
        { "0x28000", TRC_SCHED_SLEEP, true },
        { "0x82000", TRC_HVM_HLT, true },
        { "0x82000", TRC_HVM_VMENTRY, false },
        { "pv_*,hvm_hlt", TRC_HVM_HLT, true },
        { "sched_runstate_change", TRC_SCHED_RUNSTATE_CHANGE | 0x210, true },
        { "0xffff", 0x0000ffff, true },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const uint32_t words[2] = { 0 };
        struct filter *f = new_filter(NULL, NULL, NULL, rows[i].text);

        ck_assert_msg(matches(f, 0, FILTER_NO_VCPU, rows[i].event,
                              rows[i].event == TRC_HVM_VMENTRY ? 0 : 2,
                              words) == rows[i].wanted, "row %zu", i);
        ck_assert(!filter_is_empty(f) && !filter_needs_vcpu(f));
        filter_free(f);
    }
}
END_TEST

/* --- spans of time -------------------------------------------------------- */

#define HZ 1000000000u
#define FIRST 5000000000u       /* time stamps, which are nanoseconds here */
#define LAST 9000000000u
#define NOON INT64_C(1709208000) /* 2024-02-29T12:00:00 UTC */

#define NEVER 1u                /* time stamp 0 */
#define BEFORE 2u               /* an empty span, before time stamp 0 */

static const struct
{
    const char *text;
    uint64_t from, to;      /* time stamps; to 0: not bounded */
    bool invalid;
} span_rows[] = {
    { "..", 0, 0, false },
    { "1.5..2", 6500000000u, 7000000000u, false },
    { "3ms..", 5003000000u, 0, false },
    { "..-10ms", 0, 8990000000u, false },
    { "-1..-10us", 8000000000u, 8999990000u, false },
    { "6000000000c..7000000000c", 6000000000u, 7000000000u, false },
    { "12:00:01..12:00:02.5", 6000000000u, 7500000000u, false },
    { "2024-02-29T12:00:01..2024-02-29 12:00:03", 6000000000u,
      8000000000u, false },
    { "12:00..12:01", FIRST, 65000000000u, false },
    { "12:00Z..12:00:02Z", FIRST, 7000000000u, false },
    { "14:00:01+02:00..14:00:02+0200", 6000000000u, 7000000000u, false },
    { "06:30:01.5-05:30..12:00:02 UTC", 6500000000u, 7000000000u, false },
    { "2024-02-29T13:00:01+01..2024-02-29T12:00:03Z", 6000000000u,
      8000000000u, false },
    { "2024-02-29T12:00..2024-02-29 12:01 UTC", FIRST, 65000000000u,
      false },
    { "-5..1", 4000000000u, 6000000000u, false },
    { "-9..-8", 0, 1000000000u, false },
    { "..0c", 0, NEVER, false },
    { "12:00:01..11:59:59.9", 0, 0, true },
    { "11:00..11:59", 0, BEFORE, false },
    { "1969-01-01T00:00..", 0, 0, true },
    { "..-10", 0, BEFORE, false },
    { "3..2", 0, 0, true },
    { "2s..1999ms", 0, 0, true },
    { "-1..-2", 0, 0, true },
    { "9c..8c", 0, 0, true },
    { "2024-02-29T12:00..2024-02-28T12:00", 0, 0, true },
    { "12:00:00+..", 0, 0, true },
    { "12:00:00+1..", 0, 0, true },
    { "12:00:00+99..", 0, 0, true },
    { "12:00:00+01:6..", 0, 0, true },
    { "12:00:00+01:60..", 0, 0, true },
    { "12:00:00 CET..", 0, 0, true },
    { "12:00.5..", 0, 0, true },
    { "1", 0, 0, true },
    { "a..b", 0, 0, true },
    { "1..b", 0, 0, true },
    { "25:00:00..", 0, 0, true },
    { "12:00:00x..", 0, 0, true },
    { "c..", 0, 0, true },
    { "2024-02-30..", 0, 0, true },
    { "2026-02-30T00:00..", 0, 0, true },
    { "2025-02-29T00:00Z..", 0, 0, true },
    { "0..99999999999999", 0, 0, true },
    { "0..9999999999", 0, 0, true },
    { "99999999999999999999c..", 0, 0, true },
    { "9999-01-01T00:00:00..", 0, 0, true },
};

START_TEST(spans)
{
    struct xt_clock clock;

    setenv("TZ", "UTC", 1);
    xt_clock_init(&clock, HZ, HZ, FIRST);
    clock.has_wall = true;
    clock.wall = NOON * 1000000000;
    for ( size_t i = 0; i < sizeof(span_rows) / sizeof(span_rows[0]); i++ )
    {
        struct err e = ERR_INIT;
        struct span span;
        uint64_t from = 0, to = 0;
        uint64_t expected = span_rows[i].to;
        int rc = span_parse(span_rows[i].text, &span, &e);

        if ( !rc )
            rc = span_resolve(&span, &clock, FIRST, LAST, &from, &to, &e);
        ck_assert_msg(rc == (span_rows[i].invalid ? -EINVAL : 0), "row %zu", i);
        if ( rc )
            continue;
        if ( expected == BEFORE )
        {
            ck_assert_msg(from > to, "row %zu is not empty", i);
            continue;
        }
        expected = expected == NEVER ? 0 : expected ? expected : UINT64_MAX;
        ck_assert_msg(from == span_rows[i].from && to == expected,
                      "row %zu: %llu..%llu", i, (unsigned long long)from,
                      (unsigned long long)to);
    }
}
END_TEST

START_TEST(spans_that_a_trace_cannot_have)
{
    struct err e = ERR_INIT, e2 = ERR_INIT;
    struct xt_clock clock;
    struct span span;
    uint64_t from, to;

    xt_clock_init(&clock, HZ, HZ, FIRST);
    ck_assert_int_eq(span_parse("12:00:00..", &span, &e), 0);
    ck_assert_int_eq(span_resolve(&span, &clock, FIRST, LAST, &from, &to, &e),
                     -EINVAL);
    ck_assert_ptr_nonnull(strstr(e.text, "no wall clock time"));
    ck_assert_int_eq(span_parse("..-1", &span, &e), 0);
    ck_assert_int_eq(span_resolve(&span, &clock, FIRST, 0, &from, &to, &e2),
                     -EINVAL);
    ck_assert_ptr_nonnull(strstr(e2.text, "uncompressed"));
}
END_TEST

/* A time of day after midnight belongs to the day after the trace began. */
START_TEST(times_of_day_around_midnight)
{
    struct err e = ERR_INIT;
    struct xt_clock clock;
    struct span span;
    uint64_t from, to;

    setenv("TZ", "UTC", 1);
    xt_clock_init(&clock, HZ, HZ, FIRST);
    clock.has_wall = true;
    clock.wall = (NOON + 12 * 3600 - 2) * 1000000000;   /* 23:59:58 */
    ck_assert_int_eq(span_parse("23:59:59..00:00:01", &span, &e), 0);
    ck_assert_int_eq(span_resolve(&span, &clock, FIRST, LAST, &from, &to, &e),
                     0);
    ck_assert_uint_eq(from, FIRST + 1000000000u);
    ck_assert_uint_eq(to, FIRST + 3000000000u);
}
END_TEST

UNIT_MAIN("filter", words_of_options, names_of_domains,
          mistyped_names, many_names, long_lists_are_refused, pcpus, vcpus,
          domains, events, spans, spans_that_a_trace_cannot_have,
          times_of_day_around_midnight)
