/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All triggers with all event masks: whatever single class a user selects, a
 * trigger gets the records that it depends on, fires when it has to, and does
 * not fire otherwise; or the trigger is refused.
 */
#include "xentrace/collect-private.h"

#include <stdio.h>
#include <string.h>

#include <public/trace.h>

#include "libxentrace/class.h"
#include "libxentrace/meta-event.h"
#include "xentrace/trigger.h"

#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/xentrace/fake.h"

#define RUNNABLE 0x00021011u    /* running -> runnable */
#define RUNNING 0x00021101u     /* runnable -> running */

/* A record of pcpu 0; event 0 ends a list. */
struct event_record
{
    uint32_t event;
    unsigned int tsc;           /* nanoseconds */
    unsigned int words;
    uint32_t first;             /* first word */
};

struct trigger_case
{
    const char *trigger;
    struct event_record fires[5], is_silent[5];
};

static const struct trigger_case cases[] = {
    { "exit>1us",
      { { TRC_HVM_VMEXIT64, 1000, 3, 0 }, { TRC_HVM_VMENTRY, 9000, 0, 0 } },
      { { TRC_HVM_VMEXIT64, 1000, 3, 0 }, { RUNNABLE, 1100, 1, 0x10000 },
        { RUNNING, 8900, 1, 0x10000 }, { TRC_HVM_VMENTRY, 9000, 0, 0 } } },
    /* The lost records may contain an entry, and another exit. */
    { "exit>1us",
      { { TRC_HVM_SVM_EXIT64, 1000, 3, 0 }, { TRC_HVM_VMENTRY, 9000, 0, 0 } },
      { { TRC_HVM_SVM_EXIT64, 1000, 3, 0 }, { TRC_LOST_RECORDS, 1100, 4, 9 },
        { TRC_HVM_VMENTRY, 9000, 0, 0 } } },
    { "runnable>1us",
      { { RUNNABLE, 1000, 1, 0x10002 }, { RUNNING, 9000, 1, 0x10002 } },
      { { RUNNABLE, 1000, 1, 0x10002 }, { RUNNING, 1500, 1, 0x10002 },
        { RUNNABLE, 8500, 1, 0x10002 }, { RUNNING, 9000, 1, 0x10002 } } },
    { "lost>10", { { TRC_LOST_RECORDS, 1000, 4, 11 } },
      { { TRC_LOST_RECORDS, 1000, 4, 10 } } },
    { "hvm_cpuid:leaf=7", { { 0x0008200e, 1000, 6, 7 } },
      { { 0x0008200e, 1000, 6, 8 } } },
    { "sched_wake:dom=2", { { 0x00028004, 1000, 2, 2 } },
      { { 0x00028004, 1000, 2, 3 } } },
};

#define NR_CASES (sizeof(cases) / sizeof(cases[0]))

/* --- mask ----------------------------------------------------------------- */

/* The mask in Xen after a capture with -e MASK has set the masks. */
static uint32_t get_capture_mask(struct triggers *t, uint32_t mask,
                                 struct log_capture *log)
{
    struct collect_plan plan = { .evt_mask = mask, .triggers = t };
    struct err e = ERR_INIT;
    struct collect c;
    struct fake f;
    uint32_t set;

    fake_init(&f, true);
    log_capture_init(log);
    ck_assert_int_eq(collect_open(&c, &plan, &f.hv, &log->log, &e), 0);
    ck_assert_int_eq(collect_set_masks(&c, &e), 0);
    set = f.evt_mask;
    collect_close(&c);
    fake_fini(&f);
    return set;
}

/* Would Xen trace this event?  The rule of trace_will_trace_event(). */
static bool is_traced(uint32_t mask, uint32_t event)
{
    if ( (event & 0x0fff0000) == 0x00010000 )
        return true;
    return (mask & event & 0x0fff0000) && (mask & event & 0x0000f000);
}

/* --- records -------------------------------------------------------------- */

/* Show the records that the mask selects; returns the number of firings. */
static uint64_t play_records(struct triggers *t, const struct event_record *r,
                             uint32_t mask)
{
    struct err e = ERR_INIT;
    uint32_t words[64];
    struct iovec span = { words, 0 };
    uint64_t firings;
    size_t nr = 0;

    ck_assert_int_eq(triggers_open(t, 2, 1000000000, &e), 0);
    for ( ; r->event; r++ )
    {
        if ( !is_traced(mask, r->event) )
            continue;
        ck_assert_uint_le(nr + 3 + r->words, sizeof(words) / 4);
        words[nr++] = r->event | r->words << TRACE_EXTRA_SHIFT | 1u << 31;
        words[nr++] = r->tsc;
        words[nr++] = 0;
        for ( unsigned int i = 0; i < r->words; i++ )
            words[nr++] = i ? 0 : r->first;
    }
    span.iov_len = nr * 4;
    triggers_window(t, 0, &span, 1);
    firings = triggers_pass(t, 0);
    triggers_close(t);
    return firings;
}

static struct triggers parse_trigger(const char *text)
{
    struct triggers t = { .nr = 0 };
    struct err e = ERR_INIT;

    ck_assert_msg(!triggers_parse(&t, text, &e), "%s", e.text);
    return t;
}

/* One message with the trigger and the mask, if the mask was changed. */
static void check_message(struct log_capture *log, const char *trigger,
                          uint32_t mask, uint32_t set)
{
    char text[64];

    snprintf(text, sizeof(text), "the event mask is %#x instead of %#x", set,
             mask);
    ck_assert_msg(log_capture_count(log, text) == (mask != set),
                  "%s with %#x: %s", trigger, mask, log->text);
    ck_assert_uint_eq(log_capture_count(log, trigger), mask != set);
    log_capture_fini(log);
}

START_TEST(fires_with_any_mask)
{
    for ( size_t k = 0; k < xt_catalogue_nr_classes; k++ )
    {
        const struct trigger_case *c = &cases[_i];
        uint32_t mask = xt_catalogue_classes[k].mask, set;
        struct triggers t = parse_trigger(c->trigger);
        struct log_capture log;

        set = get_capture_mask(&t, mask, &log);
        ck_assert_msg((set & mask) == mask, "%#x was taken away", mask);
        ck_assert_msg(play_records(&t, c->fires, set) == 1,
                      "%s with -e %s does not fire", c->trigger,
                      xt_catalogue_classes[k].name);
        ck_assert_msg(!play_records(&t, c->is_silent, set),
                      "%s with -e %s fires for no reason", c->trigger,
                      xt_catalogue_classes[k].name);
        check_message(&log, c->trigger, mask, set);
    }
}
END_TEST

/* Each event of the catalogue, in each of its versions. */
START_TEST(each_event_with_any_mask)
{
    unsigned int refused = 0;

    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *event = &xt_catalogue_events[i];
        const struct event_record records[2] = {
            { event->id, 1000, event->words, 0 },
        };
        struct triggers t = { .nr = 0 };
        struct err e = ERR_INIT;

        if ( triggers_parse(&t, event->name, &e) )
        {
            ck_assert_msg(xt_event_is_meta(event->id) ||
                          event->id >> 16 == 1, "%s", e.text);
            refused += !xt_event_is_meta(event->id);
            continue;
        }
        for ( size_t k = 0; k < xt_catalogue_nr_classes; k++ )
        {
            uint32_t mask = xt_catalogue_classes[k].mask;
            struct log_capture log;
            uint32_t set = get_capture_mask(&t, mask, &log);

            log_capture_fini(&log);
            ck_assert_msg(play_records(&t, records, set) == 1,
                          "%s (%u words) with -e %s does not fire",
                          event->name, event->words,
                          xt_catalogue_classes[k].name);
        }
    }
    /* The header of a window, and two ids that no record has. */
    ck_assert_uint_eq(refused, 3);
}
END_TEST

/* A mask of Xen's that selects nothing is changed, and put back. */
START_TEST(empty_mask_of_xen)
{
    struct triggers t = parse_trigger("exit>1ms");
    struct collect_plan plan = { .triggers = &t };
    struct err e = ERR_INIT;
    struct log_capture log;
    struct collect c;
    struct fake f;

    fake_init(&f, true);
    f.evt_mask = 0;
    log_capture_init(&log);
    ck_assert_int_eq(collect_open(&c, &plan, &f.hv, &log.log, &e), 0);
    ck_assert_int_eq(collect_set_masks(&c, &e), 0);
    ck_assert_uint_eq(f.evt_mask, 0xa1000);
    ck_assert_uint_eq(log_capture_count(&log, "(hvm:entryexit, sched:min)"), 1);
    collect_restore_masks(&c);
    ck_assert_uint_eq(f.evt_mask, 0);
    collect_close(&c);
    log_capture_fini(&log);
    fake_fini(&f);
}
END_TEST

UNIT_ROWS("trigger_mask", { fires_with_any_mask, NR_CASES },
          { each_event_with_any_mask, 1 }, { empty_mask_of_xen, 1 })
