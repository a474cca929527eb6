/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Triggers: their syntax, and the records that fire them.
 */
#include "xentrace/trigger-type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <public/trace.h>

#include "common/fault.h"
#include "xentrace/metadata.h"

#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/xentrace/fake.h"

#define HZ 1000000000u  /* a cycle is a nanosecond */
#define RUNNABLE 0x00021011u    /* running -> runnable */
#define RUNNING 0x00021101u     /* runnable -> running */
#define WOKEN 0x00021211u       /* blocked -> runnable */

struct bytes
{
    uint32_t words[64];
    size_t nr;
};

/* A record with a time stamp and one or two words. */
static void add_timed_record(struct bytes *b, uint32_t event, uint64_t tsc,
                             uint32_t one, unsigned int nr)
{
    b->words[b->nr++] = event | nr << TRACE_EXTRA_SHIFT | 1u << 31;
    b->words[b->nr++] = tsc;
    b->words[b->nr++] = tsc >> 32;
    for ( unsigned int i = 0; i < nr; i++ )
        b->words[b->nr++] = i ? 0 : one;
}

static void show_window(struct triggers *t, unsigned int cpu, struct bytes *b)
{
    struct iovec span = { b->words, b->nr * 4 };

    triggers_window(t, cpu, &span, 1);
    b->nr = 0;
}

/* Metadata records in memory. */
struct encoded
{
    unsigned char *bytes;
    size_t size;
};

static void encode_record(void *arg, const struct xt_meta *m)
{
    struct encoded *encoded = arg;

    encoded->size += xt_meta_encode(m, encoded->bytes + encoded->size);
}

static void open_triggers(struct triggers *t, const char *text)
{
    struct err e = ERR_INIT;

    *t = (struct triggers){ .nr = 0 };
    ck_assert_msg(!triggers_parse(t, text, &e), "%s", e.text);
    ck_assert_int_eq(triggers_open(t, 4, HZ, &e), 0);
}

/* The text of the last cause, without names of domains. */
static const char *get_cause(const struct triggers *t)
{
    static char text[TRIGGER_TEXT_MAX];

    trigger_cause_format(&t->cause, NULL, text);
    return text;
}

START_TEST(grammar)
{
    static const struct
    {
        const char *text;
        int rc;
    } rows[] = {
        { "lost>0", 0 }, { "lost>17", 0 }, { "runnable>5ms", 0 },
        { "exit>1s", 0 }, { "hvm_cpuid", 0 }, { "hvm_cpuid:leaf=1", 0 },
        { "hvm_cpuid:leaf>0x10", 0 },
        { "", -EINVAL }, { "lost", -EINVAL }, { "lost>", -EINVAL },
        { "lost>x", -EINVAL }, { "runnable>5q", -EINVAL },
        { "runnable>20", -EINVAL }, { "exit>20", -EINVAL },
        { "runnable>0", -EINVAL }, { "exit>0x20", -EINVAL },
        { "runnable>1h", 0 }, { "runnable>1us", 0 },
        { "meta_clock", -EINVAL }, { "lost_records", 0 },
        { "hvm_cpui", -EINVAL }, { "hvm_cpuid:", -EINVAL },
        { "hvm_cpuid:leaf", -EINVAL }, { "hvm_cpuid:leaf=", -EINVAL },
        { "hvm_cpuid:leave=1", -EINVAL },
        { "sched_wake:dom=web1", 0 }, { "sched_wake:domain=7", 0 },
        { "sched_wake:domain=web1", 0 }, { "sched_wake:domain=a=b>c", 0 },
        { "sched_wake:dom=", -EINVAL }, { "sched_wake:dom>web1", -EINVAL },
        { "sched_wake:vcpu=web1", -EINVAL },
        { "hvm_cpuid:domain=web1", -EINVAL },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct triggers t = { .nr = 0 };
        struct err e = ERR_INIT;

        ck_assert_msg(triggers_parse(&t, rows[i].text, &e) == rows[i].rc,
                      "%s", rows[i].text);
        ck_assert_int_eq(e.code, rows[i].rc);
    }
}
END_TEST

/* A forgotten unit used to mean seconds. */
START_TEST(unit_is_missing)
{
    struct triggers t = { .nr = 0 };
    struct err e = ERR_INIT;

    ck_assert_int_eq(triggers_parse(&t, "runnable>20", &e), -EINVAL);
    ck_assert_str_eq(e.text, "--snapshot-on=runnable>20: give a unit, as in "
                     "runnable>20ms");
}
END_TEST

/* Without a frequency, times cannot be compared; events and losses can. */
START_TEST(unknown_frequency)
{
    for ( unsigned int i = 0; i < TRIGGER_TYPES; i++ )
    {
        const struct trigger_type *type = trigger_type_at(i);
        struct triggers t = { .nr = 0 };
        struct err e = ERR_INIT;

        ck_assert_int_eq(triggers_parse(&t, type->example, &e), 0);
        ck_assert_int_eq(triggers_open(&t, 4, 0, &e),
                         type->compares_time ? -ENOTSUP : 0);
        ck_assert(!type->compares_time || strstr(e.text, "frequency"));
        triggers_close(&t);
    }
}
END_TEST

/* Each row is complete, and its example is parsed by this row only. */
START_TEST(table)
{
    const struct trigger_type *type;
    char help[1024] = "head\n";
    unsigned int nr = 0;

    triggers_help(help, sizeof(help));
    ck_assert_int_eq(strncmp(help, "head\n", 5), 0);
    for ( ; (type = trigger_type_at(nr)); nr++ )
    {
        struct triggers t = { .nr = 0 };
        struct err e = ERR_INIT;

        ck_assert_uint_gt(strlen(type->help), 0);
        ck_assert_uint_gt(strlen(type->syntax), 0);
        ck_assert(type->parse && type->record);
        ck_assert(!type->open == !type->close);
        ck_assert(strstr(help, type->syntax) && strstr(help, type->help));
        ck_assert_int_eq(strncmp(type->syntax, type->word,
                                 strlen(type->word)), 0);
        ck_assert_msg(!triggers_parse(&t, type->example, &e), "%s", e.text);
        ck_assert_uint_eq(t.nr, 1);
        ck_assert(t.list[0].type == type);
        ck_assert_int_eq(triggers_open(&t, 4, HZ, &e), 0);
        ck_assert_uint_eq(t.nr_watches, 1);
        ck_assert(!triggers_pass(&t, 0));
        triggers_close(&t);
    }
    ck_assert_uint_eq(nr, TRIGGER_TYPES);
}
END_TEST

/* An argument that no type takes: the message lists them all. */
START_TEST(unknown_trigger)
{
    struct triggers t = { .nr = 0 };
    struct err e = ERR_INIT;

    ck_assert_int_eq(triggers_parse(&t, "no_such_event", &e), -EINVAL);
    ck_assert(strstr(e.text, "no_such_event"));
    for ( unsigned int i = 0; i < TRIGGER_TYPES; i++ )
        ck_assert(strstr(e.text, trigger_type_at(i)->syntax));
    ck_assert_uint_eq(t.nr, 0);
}
END_TEST

START_TEST(mistyped_trigger)
{
    static const char *const rows[][2] = {
        { "runable>5ms", "is runnable>TIME meant?" },
        { "lsot>5", "is lost>N meant?" },
        { "exti>5ms", "is exit>TIME meant?" },
        { "hvm_cpuidd:leaf=1", "is hvm_cpuid meant?" },
        { "shced_wake", "is sched_wake meant?" },
        { "meta_clokc", "give lost>N" },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct triggers t = { .nr = 0 };
        struct err e = ERR_INIT;

        ck_assert_int_eq(triggers_parse(&t, rows[i][0], &e), -EINVAL);
        ck_assert_msg(strstr(e.text, rows[i][1]), "%s", e.text);
    }
}
END_TEST

START_TEST(too_many_triggers)
{
    struct triggers t = { .nr = 0 };
    struct err e = ERR_INIT;

    for ( unsigned int i = 0; i < TRIGGERS_MAX; i++ )
        ck_assert_int_eq(triggers_parse(&t, "lost>1", &e), 0);
    ck_assert_int_eq(triggers_parse(&t, "lost>1", &e), -EINVAL);
    ck_assert_uint_eq(t.nr, TRIGGERS_MAX);
}
END_TEST

/* A failed allocation is an error of open, and a missed wait later. */
START_TEST(no_memory)
{
    struct bytes b = { .nr = 0 };
    uint64_t fired = 1;

    for ( unsigned int n = 1; fired; n++ )
    {
        struct triggers t = { .nr = 0 };
        struct err e = ERR_INIT;
        int rc;

        for ( unsigned int i = 0; i < TRIGGER_TYPES; i++ )
            ck_assert_int_eq(triggers_parse(&t, trigger_type_at(i)->example,
                                            &e), 0);
        fault_arm(FAULT_ALLOC, n);
        rc = triggers_open(&t, 4, HZ, &e);
        ck_assert(!rc || rc == -ENOMEM);
        add_timed_record(&b, RUNNABLE, 1000, 0x00010002, 1);
        if ( !rc )
                   show_window(&t, 0, &b);
        b.nr = 0;
        ck_assert(!triggers_pass(&t, 0));
        triggers_close(&t);
        fired = fault_fired(FAULT_ALLOC);
    }
    fault_disarm();
}
END_TEST

/* The vcpu waits on one pcpu and runs on another, with an earlier window. */
START_TEST(runnable)
{
    struct bytes b = { .nr = 0 };
    struct triggers t;

    open_triggers(&t, "runnable>1us");
    add_timed_record(&b, RUNNING, 5001, 0x00010002, 1);
    show_window(&t, 1, &b);
    add_timed_record(&b, RUNNABLE, 4001, 0x00010002, 1);
    show_window(&t, 0, &b);
    ck_assert(!triggers_pass(&t, 0));      /* exactly 1,000 ns: not exceeded */

    add_timed_record(&b, RUNNING, 12002, 0x00010002, 1);
    show_window(&t, 2, &b);
    add_timed_record(&b, RUNNABLE, 11001, 0x00010002, 1);
    show_window(&t, 3, &b);
    ck_assert(triggers_pass(&t, 0));
    ck_assert_str_eq(get_cause(&t), "d1v2 waited 1.0 us");
    ck_assert_str_eq(t.cause.trigger, "runnable>1us");
    ck_assert_uint_eq(t.cause.severity, 1001);
    ck_assert_uint_eq(t.cause.tsc, 12002);
    ck_assert(!triggers_pass(&t, 0));

    /* The idle domain is ignored. */
    add_timed_record(&b, RUNNABLE, 20000, 0x7fff0000, 1);
    add_timed_record(&b, RUNNING, 90000, 0x7fff0000, 1);
    show_window(&t, 0, &b);
    ck_assert(!triggers_pass(&t, 0));
    triggers_close(&t);
}
END_TEST

/* A wait that has not ended fires the trigger, and again when it doubled. */
START_TEST(waits_still)
{
    struct bytes b = { .nr = 0 };
    struct triggers t;

    open_triggers(&t, "runnable>1us");
    add_timed_record(&b, RUNNABLE, 4000, 0x00010002, 1);
    show_window(&t, 0, &b);
    ck_assert(!triggers_pass(&t, 3000));
    ck_assert(!triggers_pass(&t, 5000));
    ck_assert(triggers_pass(&t, 7000));
    ck_assert_str_eq(get_cause(&t), "d1v2 has been waiting for 3.0 us");
    ck_assert_uint_eq(t.cause.tsc, 7000);
    ck_assert(!triggers_pass(&t, 8000));
    add_timed_record(&b, RUNNING, 8500, 0x00010002, 1);
    show_window(&t, 1, &b);
    ck_assert(!triggers_pass(&t, 9000));

    add_timed_record(&b, RUNNABLE, 9000, 0x00020001, 1);
    show_window(&t, 0, &b);
    ck_assert_uint_eq(triggers_pass(&t, 10200), 1);
    ck_assert(!triggers_pass(&t, 11399));
    ck_assert_uint_eq(triggers_pass(&t, 11400), 1);
    add_timed_record(&b, RUNNING, 13800, 0x00020001, 1);
    show_window(&t, 0, &b);
    ck_assert_uint_eq(triggers_pass(&t, 13800), 1);
    ck_assert_str_eq(get_cause(&t), "d2v1 waited 4.8 us");
    ck_assert_uint_eq(t.cause.severity, 4800);

    add_timed_record(&b, RUNNABLE, 10000, 0x00010002, 1);
    show_window(&t, 1, &b);
    ck_assert(triggers_pass(&t, 12000));

    /* The lost records may contain the end of the wait. */
    add_timed_record(&b, RUNNING, 12500, 0x00010002, 1);
    add_timed_record(&b, RUNNABLE, 13000, 0x00010002, 1);
    show_window(&t, 1, &b);
    ck_assert(!triggers_pass(&t, 13500));
    add_timed_record(&b, TRC_LOST_RECORDS, 13600, 1, 4);
    show_window(&t, 0, &b);
    ck_assert(!triggers_pass(&t, 90000));
    triggers_close(&t);
}
END_TEST

START_TEST(many_vcpus)
{
    struct bytes b = { .nr = 0 };
    struct triggers t;

    open_triggers(&t, "runnable>1us");
    for ( uint32_t id = 1; id <= 1000; id++ )
    {
        add_timed_record(&b, RUNNABLE, 1000 + id, id << 16, 1);
        show_window(&t, 0, &b);
    }
    ck_assert(!triggers_pass(&t, 0));
    for ( uint32_t id = 1000; id; id-- )
    {
        char why[64];

        add_timed_record(&b, RUNNING, 5000 + id, id << 16, 1);
        show_window(&t, 1, &b);
        ck_assert_msg(triggers_pass(&t, 0), "vcpu %u was forgotten", id);
        snprintf(why, sizeof(why), "d%uv0 waited 4.0 us", id);
        ck_assert_str_eq(get_cause(&t), why);
    }
    triggers_close(&t);
}
END_TEST

/* A long exit, but not if another vcpu ran in the meantime. */
START_TEST(outside)
{
    struct bytes b = { .nr = 0 };
    struct triggers t;

    open_triggers(&t, "exit>1us");
    add_timed_record(&b, TRC_HVM_VMEXIT64, 1000, 0, 2);
    add_timed_record(&b, TRC_HVM_VMENTRY, 1900, 0, 0);
    add_timed_record(&b, TRC_HVM_VMEXIT, 2000, 0, 2);
    add_timed_record(&b, RUNNABLE, 2100, 0x00010000, 1);
    add_timed_record(&b, TRC_HVM_VMENTRY, 9000, 0, 0);
    show_window(&t, 0, &b);
    ck_assert(!triggers_pass(&t, 0));
    add_timed_record(&b, TRC_HVM_VMEXIT, 10000, 0, 2);
    show_window(&t, 0, &b);
    add_timed_record(&b, TRC_HVM_VMENTRY, 12500, 0, 0);
    show_window(&t, 1, &b);
    ck_assert(!triggers_pass(&t, 0));
    add_timed_record(&b, TRC_HVM_VMENTRY, 12500, 0, 0);
    show_window(&t, 0, &b);
    ck_assert(triggers_pass(&t, 0));
    ck_assert_str_eq(get_cause(&t), "a VM exit on pcpu 0 lasted 2.5 us");
    triggers_close(&t);
}
END_TEST

/* Others may wake during an exit; after a switch or a loss no vcpu is known. */
START_TEST(vcpu_of_exit)
{
    static const uint32_t forgetting[] = { RUNNABLE, TRC_LOST_RECORDS };
    struct bytes b = { .nr = 0 };
    struct triggers t;

    for ( size_t i = 0; i < 2; i++ )
    {
        open_triggers(&t, "exit>1us");
        add_timed_record(&b, RUNNING, 500, 0x00040002, 1);
        add_timed_record(&b, TRC_HVM_VMEXIT64, 1000, 0, 2);
        add_timed_record(&b, WOKEN, 1100, 0x00050000, 1);
        add_timed_record(&b, TRC_HVM_VMENTRY, 3500, 0, 0);
        show_window(&t, 0, &b);
        ck_assert_uint_eq(triggers_pass(&t, 0), 1);
        ck_assert_str_eq(get_cause(&t),
                         "a VM exit of d4v2 on pcpu 0 lasted 2.5 us");
        add_timed_record(&b, forgetting[i], 4000, 0x00040002, i ? 4 : 1);
        add_timed_record(&b, TRC_HVM_VMEXIT64, 5000, 0, 2);
        add_timed_record(&b, TRC_HVM_VMENTRY, 7500, 0, 0);
        show_window(&t, 0, &b);
        ck_assert_uint_eq(triggers_pass(&t, 0), 1);
        ck_assert_str_eq(get_cause(&t), "a VM exit on pcpu 0 lasted 2.5 us");
        triggers_close(&t);
    }
}
END_TEST

/* Labels are those of xenalyze: a name from a guest cannot write a message. */
START_TEST(names_in_causes)
{
    static const struct
    {
        const char *name;
        const char *text;
    } rows[] = {
        { "web1", "web1/2 waited 1.0 us" },
        { "", "d4v2 waited 1.0 us" },
        { "a b\n\033[2J$(reboot)`\377",
          "a\\x20b??[2J$(reboot)`?/2 waited 1.0 us" },
        { "17", "17#4/2 waited 1.0 us" },
        { "a-name-of-a-domain-that-is-longer-than-a-label",
          "a-name-of-a-domain-that-~4/2 waited 1.0 us" },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        unsigned char bytes[20 * XT_META_MAX_BYTES];
        struct bytes b = { .nr = 0 };
        char text[TRIGGER_TEXT_MAX];
        struct encoded encoded = { bytes, 0 };
        struct xt_domain_names names;
        struct err e = ERR_INIT;
        struct triggers t;

        metadata_put_text(encode_record, &encoded, TRC_META_DOMAIN_NAME, 4,
                          rows[i].name);
        ck_assert_int_eq(xt_domain_names_init_records(&names, bytes,
                                                      encoded.size, &e), 0);
        open_triggers(&t, "runnable>1us");
        add_timed_record(&b, RUNNABLE, 1000, 0x00040002, 1);
        add_timed_record(&b, RUNNING, 2001, 0x00040002, 1);
        show_window(&t, 0, &b);
        ck_assert_uint_eq(triggers_pass(&t, 0), 1);
        trigger_cause_format(&t.cause, &names, text);
        ck_assert_str_eq(text, rows[i].text);
        triggers_close(&t);
        xt_domain_names_fini(&names);
    }
}
END_TEST

START_TEST(an_event)
{
    struct bytes b = { .nr = 0 };
    struct triggers t;

    open_triggers(&t, "sched_runstate_change:dom=7");
    add_timed_record(&b, RUNNING, 1000, 0x00060000, 1);
    show_window(&t, 0, &b);
    ck_assert(!triggers_pass(&t, 0));
    add_timed_record(&b, RUNNING, 2000, 0x00070000, 1);
    show_window(&t, 0, &b);
    ck_assert(triggers_pass(&t, 0));
    ck_assert_str_eq(get_cause(&t),
                     "sched_runstate_change was traced for d7v0");
    ck_assert_uint_eq(t.cause.severity, 0);
    triggers_close(&t);
}
END_TEST

/* A trigger with the name of a domain fires for this domain only. */
START_TEST(domain_names)
{
    static const struct
    {
        const char *names[4], *trigger;
        int rc;
        const char *text;
    } rows[] = {
        { { "Domain-0", "web1", "batch" }, "sched_runstate_change:domain=web1",
          0, "" },
        { { "Domain-0", "3", "batch" }, "sched_runstate_change:dom=1", 0, "" },
        { { "Domain-0", "web1", "batch" }, "sched_runstate_change:dom=wbe1",
          -ENOENT, "no domain is named wbe1; did you mean web1?" },
        { { "Domain-0", "web1", "batch" }, "sched_runstate_change:dom=other",
          -ENOENT, "no domain is named other; give a name or a number" },
        { { "Domain-0", "web\1b", NULL }, "sched_runstate_change:dom=web",
          -ENOENT, "no domain is named web; give a name or a number" },
        { { "Domain-0", "web1", "web1", "web1" },
          "sched_runstate_change:dom=web1", -EINVAL,
          "several domains are named web1; give a number, such as 1 or 2" },
        { { "", "", NULL }, "sched_runstate_change:dom=web1", -EACCES,
          "cannot read the names of domains; give the number of web1" },
        { { NULL }, "sched_runstate_change:dom=web1", -EACCES,
          "cannot read the names" },
    };
    struct fake f;

    fake_init(&f, false);
    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct triggers t = { .nr = 0 };
        struct err e = ERR_INIT;

        memcpy(f.domain, rows[i].names, sizeof(f.domain));
        ck_assert_int_eq(triggers_parse(&t, "lost>1", &e), 0);
        ck_assert_int_eq(triggers_parse(&t, rows[i].trigger, &e), 0);
        ck_assert_int_eq(triggers_find_domains(&t, &f.hv, &e), rows[i].rc);
        ck_assert_msg(strstr(e.text, rows[i].text), "%s", e.text);
        if ( !rows[i].rc )
            ck_assert_uint_eq(t.list[1].value, 1);
    }
    fake_fini(&f);
}
END_TEST

/* The worst cause of a pass is kept, in terms of each trigger's limit. */
START_TEST(worst_cause)
{
    struct bytes b = { .nr = 0 };
    struct err e = ERR_INIT;
    struct triggers t;

    open_triggers(&t, "hvm_vmentry");
    triggers_close(&t);
    ck_assert_int_eq(triggers_parse(&t, "lost>0", &e), 0);
    ck_assert_int_eq(triggers_parse(&t, "lost>100", &e), 0);
    ck_assert_int_eq(triggers_parse(&t, "exit>2us", &e), 0);
    ck_assert_int_eq(triggers_parse(&t, "exit>1us", &e), 0);
    ck_assert_int_eq(triggers_open(&t, 4, HZ, &e), 0);
    add_timed_record(&b, TRC_HVM_VMEXIT64, 1000, 0, 2);
    add_timed_record(&b, TRC_HVM_VMENTRY, 9000, 0, 0);
    add_timed_record(&b, TRC_HVM_VMEXIT64, 10000, 0, 2);
    add_timed_record(&b, TRC_HVM_VMENTRY, 13000, 0, 0);
    show_window(&t, 0, &b);
    ck_assert_uint_eq(triggers_pass(&t, 0), 4);
    ck_assert_str_eq(t.cause.trigger, "exit>1us");
    ck_assert_uint_eq(t.cause.severity, 8000);
    ck_assert_uint_eq(t.cause.tsc, 9000);

    add_timed_record(&b, TRC_LOST_RECORDS, 14000, UINT32_MAX, 4);
    show_window(&t, 0, &b);
    ck_assert_uint_eq(triggers_pass(&t, 0), 1);
    ck_assert_str_eq(t.cause.trigger, "lost>0");
    ck_assert_uint_eq(t.cause.severity, UINT32_MAX * 1000ull);
    triggers_close(&t);
}
END_TEST

START_TEST(lost)
{
    struct bytes b = { .nr = 0 };
    struct triggers t;

    open_triggers(&t, "lost>10");
    add_timed_record(&b, TRC_LOST_RECORDS, 1000, 10, 4);
    show_window(&t, 0, &b);
    ck_assert(!triggers_pass(&t, 0));
    add_timed_record(&b, TRC_LOST_RECORDS, 2000, 1, 4);
    show_window(&t, 1, &b);
    ck_assert(triggers_pass(&t, 0));
    ck_assert_str_eq(get_cause(&t), "11 records were lost");
    triggers_close(&t);
}
END_TEST

UNIT_MAIN("trigger", grammar, unit_is_missing, unknown_frequency, table,
          unknown_trigger, mistyped_trigger,
          too_many_triggers, no_memory, runnable, waits_still,
          many_vcpus, outside, vcpu_of_exit, names_in_causes, an_event,
          domain_names,
          worst_cause, lost)
