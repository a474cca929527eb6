/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the dump: each rule has an event and a program; a program writes
 * one line for any payload, within its limit; and each kind of field and of
 * condition has the text of stock's xenalyze.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/common/unit.h"
#include "xenalyze/lines/rules.h"

static struct xt_catalogue *catalogue;
static struct line_programs programs;

static void compile_rules(uint8_t hardware)
{
    struct xt_dialect dialect = { .hardware = hardware };

    ck_assert_int_eq(xt_catalogue_new(&catalogue, &dialect), 0);
    ck_assert_int_eq(line_programs_init(&programs, catalogue), 0);
    line_programs_set_code(&programs);
}

static void free_rules(void)
{
    line_programs_fini(&programs);
    xt_catalogue_free(catalogue);
}

/* --- all rules ------------------------------------------------------------ */

static bool rule_names(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);

    return pattern[length - 1] == '*' ? !strncmp(pattern, name, length - 1)
                                      : !strcmp(pattern, name);
}

/* True if an event has a program of this rule, with the marks of the rule. */
static bool rule_is_used(const struct line_rule *rule)
{
    unsigned int nr;

    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct line_program *p = &programs.programs[i];

        if ( rule_names(rule->name, xt_catalogue_events[i].name) &&
             p->rule == rule - line_rules(&nr) + 1 &&
             p->marks[0] == rule->mark &&
             (p->marks[1] == '!') == rule->needs_exit )
            return true;
    }
    return false;
}

START_TEST(rules_are_used)
{
    unsigned int nr;
    const struct line_rule *rules = line_rules(&nr);

    compile_rules(XT_HARDWARE_UNKNOWN);
    ck_assert_uint_gt(nr, 100);
    for ( unsigned int i = 0; i < nr; i++ )
        ck_assert_msg(rule_is_used(&rules[i]), "no event for the rule %s: %s",
                      rules[i].name, rules[i].text);
    free_rules();
}
END_TEST

/* --- any payload ---------------------------------------------------------- */

#define MOST 65536u
#define GUARD '\x7f'

static void fill_payload(uint32_t *words, uint64_t *seed)
{
    static const uint32_t extremes[] = { 0, ~0u, 1u << 31, 0x7fffffff, 64 };

    for ( unsigned int i = 0; i < XT_RECORD_MAX_WORDS; i++ )
        words[i] = unit_random(seed) % 2 ? extremes[unit_random(seed) % 5]
                                         : unit_random(seed);
}

static void run_program(const struct xt_event *e, uint32_t nr, uint64_t *seed)
{
    static char text[MOST];
    uint32_t words[XT_RECORD_MAX_WORDS];
    uint32_t id = e->id | (unit_random(seed) & e->id_fields);
    struct xt_record r = { .event = id, .words = nr };
    struct line_context context = {
        .programs = &programs, .record = &r,
        .exit_time = unit_random(seed) % 2 ? IN_GUEST : unit_random(seed),
        .has_value = unit_random(seed) % 2, .value = unit_random(seed),
    };
    const struct line_program *p;
    size_t length;

    fill_payload(words, seed);
    r.payload = (const unsigned char *)words;
    p = line_program_find(&programs, &r);
    if ( !p )
        return;
    context.event = p->event;
    UNIT_CHECK(p->max_size < MOST && p->max_size <= programs.max_size);
    memset(text, GUARD, p->max_size + 1);
    length = line_program_run(p, text, &context) - text;
    UNIT_CHECK(length && length <= p->max_size && text[p->max_size] == GUARD);
    /* Names in the text may be UTF-8. */
    for ( size_t i = 0; i < length; i++ )
        if ( (unsigned char)text[i] < ' ' || text[i] == GUARD )
            ck_abort_msg("%s, %u words: no text: %.*s", e->name, nr,
                         (int)length, text);
}

START_TEST(any_payload)
{
    uint64_t seed = unit_seed();

    for ( uint8_t vendor = XT_HARDWARE_UNKNOWN; vendor <= XT_HARDWARE_SVM;
          vendor++ )
    {
        compile_rules(vendor);
        for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
            for ( uint32_t n = 0; n < 20 * (XT_RECORD_MAX_WORDS + 1); n++ )
                run_program(&xt_catalogue_events[i], n / 20, &seed);
        free_rules();
    }
}
END_TEST

/* --- each kind ------------------------------------------------------------ */

static const struct
{
    const char *text;
    uint32_t event, nr, words[XT_RECORD_MAX_WORDS];
} lines[] = {
    { "vcpu_wake d1v2", 0x28004, 2, { 1, 2 } },
    { "runstate_change d1v2 runnable->running", 0x21101, 1, { 0x10002 } },
    { "runstate_change d1v2 running->blocked", 0x21021, 1, { 0x10002 } },
    { "sched_shutdown d1v2, reason = 4294967295", 0x28007, 3,
      { 1, 2, ~0u } },
    /* {:us}: no leading zeros behind the point. */
    { "sched_switch prev d1v2, run for 1.5us", 0x2800e, 3, { 1, 2, 1005 } },
    { "sched_switch prev d1v2, run for 0.999us", 0x2800e, 3, { 1, 2, 999 } },
    /* A sign, and a condition on the budget. */
    { "sched_switch next d1v2", 0x2800f, 4, { 1, 2, 0, 0 } },
    { "sched_switch next d1v2, was runnable for 1.500us, next slice 2.0us",
      0x2800f, 4, { 1, 2, 1500, 2000 } },
    { "sched_switch next d1v2, next slice 2.0us", 0x2800f, 4,
      { 1, 2, 0, 2000 } },
    { "sched_switch continue d1v2, run for 1.500us", 0x28011, 4,
      { 1, 2, 1500, 0 } },
    { "csched2:burn_credits d1v0, credit = -5, budget = 7, delta = 9",
      0x22203, 4, { 0x10000, -5u, 7, 9 } },
    { "csched2:burn_credits d1v0, credit = 100, delta = -9", 0x22203, 4,
      { 0x10000, 100, 1u << 31, -9u } },
    { "csched:load_balance checking 3", 0x2200b, 2, { 3, 1 } },
    { "csched:load_balance skipping 3", 0x2200b, 2, { 3, 0 } },
    /* Two conditions, one behind the other. */
    { "csched:schedule cpu 3, tasklet scheduled, idle", 0x22009, 1,
      { 0x01010003 } },
    { "csched:schedule cpu 3, busy", 0x22009, 1, { 3 } },
    /* {:pct}: rounded half to even. */
    { "csched2:update_vcpu_load d1v0, vcpu_load = 99.736% (261451)", 0x2220b,
      4, { 261451, 0, 0x10000, 18 } },
    { "csched2:update_vcpu_load d1v0, vcpu_load = 1.562% (1)", 0x2220b, 4,
      { 1, 0, 0x10000, 6 } },
    { "csched2:update_vcpu_load d1v0, vcpu_load = 4.688% (3)", 0x2220b, 4,
      { 3, 0, 0x10000, 6 } },
    { "csched2:update_vcpu_load d1v0, vcpu_load = 700.000% (7)", 0x2220b, 4,
      { 7, 0, 0x10000, 0 } },
    { "csched2:update_vcpu_load d1v0, vcpu_load = ? (7)", 0x2220b, 4,
      { 7, 0, 0x10000, 64 } },
    /* {*}, {:x}, {:u}, functions. */
    { "hlt [ 1 ]", 0x82013, 1, { 1 } },
    { "vmcall 1d (sched_op)", 0x82012, 1, { 29 } },
    { "vmcall  5 (fpu_taskswitch)", 0x82012, 1, { 5 } },
    { "vmcall 1000", 0x82012, 1, { 0x1000 } },
    { "irq_handled irq 1a 5 (10,15)", 0x802008, 3, { 0x1a, 10, 15 } },
    { "pm_idle_end c2", 0x801003, 6, { 2, 0, 0x51, 0, 0, 0 } },
    { "lost_records count 9 d1v2 (cur ", 0x1f001, 4, { 9, 0x00020001, 7, 0 } },
    /* Without a rule: the catalogue's text. */
    { "hvm_emul_lapic_start_timer in 7 ns, period 0 ns, irq 236", 0x84004, 5,
      { 7, 0, 0, 0, 236 } },
};

START_TEST(each_kind)
{
    static char text[MOST];

    compile_rules(XT_HARDWARE_VMX);
    for ( size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
    {
        struct xt_record r = {
            .event = lines[i].event, .words = lines[i].nr,
            .payload = (const unsigned char *)lines[i].words,
        };
        const struct line_program *p = line_program_find(&programs, &r);
        struct line_context context = {
            .programs = &programs, .record = &r, .exit_time = IN_GUEST,
        };

        ck_assert_msg(p, "no program for %s", lines[i].text);
        context.event = p->event;
        *line_program_run(p, text, &context) = '\0';
        ck_assert_str_eq(text, lines[i].text);
    }
    free_rules();
}
END_TEST

/* A record with too few or too many words for its event has no program. */
START_TEST(other_words)
{
    struct xt_record r = { .event = 0x28004, .words = 2 };

    compile_rules(XT_HARDWARE_UNKNOWN);
    ck_assert_ptr_nonnull(line_program_find(&programs, &r));
    r.words = 1;
    ck_assert_ptr_null(line_program_find(&programs, &r));
    r.words = 3;
    ck_assert_ptr_null(line_program_find(&programs, &r));
    r = (struct xt_record){ .event = 0x28fff };
    ck_assert_ptr_null(line_program_find(&programs, &r));
    r.event = 0x03004;
    ck_assert_ptr_null(line_program_find(&programs, &r));
    free_rules();
}
END_TEST

UNIT_MAIN("rules", rules_are_used, any_payload, each_kind, other_words)
