/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of operations in a capture, and that tracing is disabled after
 * every failure.  Tests compare the complete log of the fake hypervisor, so
 * that a surplus operation is an error, too.
 */
#define _GNU_SOURCE /* memmem */

#include "xentrace/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "common/fault.h"
#include "xentrace/collect-private.h"
#include "xentrace/stop-signals.h"

#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/xentrace/fake.h"

#define PAGES_RO "map-ro "
#define PAGES_RW "map-rw map-rw map-rw "
#define MASKS_BACK "get_info evt_mask=0xffff000 cpu_mask=0x7/3 "

/* One capture: the plan, the hypervisor, and the result. */
struct run
{
    struct collect_plan plan;
    struct fake f;
    struct log_capture heard;
    struct writer_plan output;
    struct writer w;
    struct collect c;
    struct err e;
    int rc;
};

static void ack_and_stop(struct fake *f)
{
    static struct make m;

    if ( f->acks < 3 )
    {
        m.size = 0;
        make_record(&m, 0x81001, 0, 2);
        fake_put(f, 1, &m);
        return;
    }
    raise(SIGTERM);
}

static void run_init(struct run *r, bool sized)
{
    *r = (struct run){
        .plan = { .sleep_ms = 1000, .buffer = 1u << 16 }, .e = ERR_INIT,
        .output = { .path = "/dev/null", .plain = true,
                    .is_forced = stop_is_forced },
    };
    fake_init(&r->f, sized);
    r->f.on_ack = ack_and_stop;
    log_capture_init(&r->heard);
    ck_assert_int_eq(stop_init(&r->e), 0);
    ck_assert_int_eq(writer_open(&r->w, &r->output, &r->e), 0);
}

static void run_capture(struct run *r)
{
    r->rc = collect_open(&r->c, &r->plan, &r->f.hv, &r->heard.log, &r->e);
    if ( !r->rc )
        r->rc = collect_run(&r->c, &r->w, &r->e);
    ck_assert_int_eq(r->e.code, r->rc);
}

static void run_fini(struct run *r)
{
    collect_close(&r->c);
    writer_close(&r->w, NULL);
    log_capture_fini(&r->heard);
    fake_fini(&r->f);
}

/* The basic test: run the prepared capture, compare log and result. */
static void check_log(struct run *r, const char *log, int rc)
{
    run_capture(r);
    ck_assert_msg(r->rc == rc, "%d: %s", r->rc, r->e.text);
    ck_assert_str_eq(r->f.log, log);
    run_fini(r);
}

START_TEST(plain)
{
    struct run r;

    run_init(&r, false);
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_str_eq(r.f.log, "virq set_size=32 enable get_info " PAGES_RO
                     PAGES_RW "disable ");
    /*
     * Two records; the third ack was the signal.  The second record may have
     * waited in the ring until the first was in the file.
     */
    ck_assert_uint_eq(r.c.rings.ring[1].records, 2);
    ck_assert_uint_eq(r.w.bytes, r.w.windows * 12 + 2 * 12);
    ck_assert(!r.f.enabled);
    run_fini(&r);
}
END_TEST

START_TEST(everything_said)
{
    struct run r;

    run_init(&r, true);
    r.plan.evt_mask = 0x81000;
    r.plan.cpus = "0,2";
    r.plan.pages = 5;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_str_eq(r.f.log, "virq get_info evt_mask=0x81000 cpu_mask=0x5/3 "
                     "set_size=5 enable get_info " PAGES_RO PAGES_RW
                     "disable " MASKS_BACK);
    ck_assert_uint_eq(log_capture_count(&r.heard, "2 pages, not 5"), 1);
    run_fini(&r);
}
END_TEST

/* The masks of a run are put back, unless they are to stay. */
START_TEST(masks_are_put_back)
{
    for ( unsigned int keep = 0; keep < 2; keep++ )
    {
        struct run r;

        run_init(&r, true);
        r.f.evt_mask = 0x2f000;
        r.f.masked = 5;
        r.plan.evt_mask = 0x81000;
        r.plan.cpus = "0";
        r.plan.keep_masks = keep;
        run_capture(&r);
        ck_assert_int_eq(r.rc, 0);
        ck_assert_uint_eq(r.f.evt_mask, keep ? 0x81000 : 0x2f000);
        ck_assert_uint_eq(r.f.masked, keep ? 6 : 5);
        run_fini(&r);
    }
}
END_TEST

/* A Xen that cannot report its pcpu mask gets the mask that it had at boot. */
START_TEST(unknown_cpu_mask)
{
    struct run r;

    run_init(&r, true);
    r.f.no_state = true;
    r.f.masked = 5;
    r.plan.cpus = "0";
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_uint_eq(r.f.masked, 0);
    run_fini(&r);
}
END_TEST

static void set_mask_and_stop(struct fake *f)
{
    f->evt_mask = 0x41000;
    raise(SIGTERM);
}

/* The mask that another program has set in the meantime stays. */
START_TEST(mask_of_another_program)
{
    struct run r;

    run_init(&r, true);
    r.plan.evt_mask = 0x81000;
    r.f.on_ack = set_mask_and_stop;
    run_capture(&r);
    ck_assert_uint_eq(r.f.evt_mask, 0x41000);
    run_fini(&r);
}
END_TEST

/* A trigger gets the events that it needs, whatever the mask is. */
START_TEST(trigger_adds_events)
{
    static const struct
    {
        const char *trigger;
        uint32_t plan, before, mask;
    } rows[] = {
        { "runnable>1ms", 0x81000, TRC_ALL, 0xa1000 },
        { "runnable>1ms", 0x28000, TRC_ALL, 0x29000 },
        { "runnable>1ms", 0x21000, TRC_ALL, 0x21000 },
        { "runnable>1ms", 0, TRC_ALL, TRC_ALL },
        { "runnable>1ms", 0, 0x81000, 0xa1000 },
        { "exit>1ms", 0x21000, TRC_ALL, 0xa1000 },
        { "hvm_cpuid", 0x81000, TRC_ALL, 0x83000 },
        { "lost>1", 0x81000, TRC_ALL, 0x81000 },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct triggers t = { .nr = 0 };
        struct run r;

        run_init(&r, true);
        ck_assert_int_eq(triggers_parse(&t, rows[i].trigger, &r.e), 0);
        r.f.info.tsc_khz = 1000000;
        r.f.evt_mask = rows[i].before;
        r.plan.evt_mask = rows[i].plan;
        r.plan.triggers = &t;
        r.plan.memory = 1u << 16;
        r.plan.keep_masks = true;
        run_capture(&r);
        ck_assert_msg(!r.rc, "%s", r.e.text);
        ck_assert_msg(r.f.evt_mask == rows[i].mask, "row %zu: %#x", i,
                      r.f.evt_mask);
        ck_assert_uint_eq(log_capture_count(&r.heard, rows[i].trigger),
                          rows[i].mask != (rows[i].plan ? rows[i].plan
                                                        : rows[i].before));
        run_fini(&r);
    }
}
END_TEST

/* --- tracing is switched off by another program --------------------------- */

static void switch_off_and_stop(struct fake *f)
{
    f->enabled = false;
    raise(SIGTERM);
}

START_TEST(switched_off)
{
    struct run r;

    run_init(&r, true);
    r.f.on_ack = switch_off_and_stop;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_uint_eq(log_capture_count(&r.heard, "was switched off at "), 1);
    run_fini(&r);

    run_init(&r, true);
    run_capture(&r);
    ck_assert_uint_eq(log_capture_count(&r.heard, "switched off"), 0);
    run_fini(&r);
}
END_TEST

/* Masks of an earlier run are reported, unless this run sets its own masks. */
START_TEST(masks_left_over)
{
    for ( unsigned int said = 0; said < 2; said++ )
    {
        struct run r;

        run_init(&r, true);
        r.f.evt_mask = 0x2f000;
        r.f.masked = 5;
        r.plan.evt_mask = said ? 0x81000 : 0;
        r.plan.cpus = said ? "all" : NULL;
        run_capture(&r);
        ck_assert_int_eq(r.rc, 0);
        ck_assert_uint_eq(log_capture_count(&r.heard, "event mask is 0x2f000"),
                          !said);
        ck_assert_uint_eq(log_capture_count(&r.heard,
                                            "leaves 2 of 3 pcpus out"), !said);
        run_fini(&r);
    }
}
END_TEST

START_TEST(leave_enabled)
{
    struct run r;

    run_init(&r, false);
    r.plan.leave_enabled = true;
    check_log(&r, "virq set_size=32 enable get_info " PAGES_RO PAGES_RW, 0);
}
END_TEST

START_TEST(start_disabled)
{
    struct run r;

    run_init(&r, false);
    r.plan.start_disabled = true;
    check_log(&r, "virq set_size=32 disable get_info " PAGES_RO PAGES_RW
              "disable ", 0);
}
END_TEST

START_TEST(discard)
{
    static struct make m;
    struct run r;

    make_record(&m, 0x81001, 0, 7);
    run_init(&r, true);
    fake_put(&r.f, 0, &m);
    r.plan.discard = true;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_uint_eq(r.c.rings.ring[0].windows, 0);
    ck_assert_uint_eq(r.c.rings.ring[1].records, 2);
    run_fini(&r);
}
END_TEST

/* The begin of tracing is not dropped with older records. */
START_TEST(discard_before_tracing)
{
    static struct make old, first;
    struct run r;
    uint64_t records[2];

    make_record(&old, 0x81001, 0, 7);
    make_record(&first, 0x81001, 0, 7);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        run_init(&r, true);
        if ( i == 1 )
            fake_put(&r.f, 0, &old);
        r.f.records_at_enable = &first;
        r.plan.discard = i == 1;
        run_capture(&r);
        ck_assert_int_eq(r.rc, 0);
        ck_assert_uint_eq(r.c.rings.ring[0].windows, 1);
        records[i] = r.c.rings.ring[0].records;
        run_fini(&r);
    }
    ck_assert_uint_eq(records[0], records[1]);
}
END_TEST

/* Records that appear with disable, such as loss records, are read as well. */
START_TEST(records_at_disable)
{
    static struct make m;
    struct run r;

    make_lost(&m, 1, 1);
    run_init(&r, true);
    r.f.records_at_disable = &m;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_uint_eq(r.c.rings.ring[0].windows, 1);
    ck_assert_uint_eq(r.c.rings.ring[0].bytes, m.size);
    run_fini(&r);
}
END_TEST

/* The time ends the capture, without a signal. */
static void only_ack(struct fake *f)
{
    char byte;

    ck_assert_int_eq(read(f->virq[0], &byte, 1), 1);
}

START_TEST(time_is_up)
{
    struct run r;

    run_init(&r, false);
    r.f.on_ack = only_ack;
    r.plan.time_ns = 1;
    r.plan.sleep_ms = 3600000;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert(!r.f.enabled);
    run_fini(&r);
}
END_TEST

/* --- losses --------------------------------------------------------------- */

static void lose_and_stop(struct fake *f)
{
    f->lost = 142;
    raise(SIGINT);
}

START_TEST(losses)
{
    struct run r;

    run_init(&r, true);
    r.f.lost = 100;
    r.f.on_ack = lose_and_stop;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert(r.c.can_count);
    ck_assert_uint_eq(r.c.lost[0].ring, 0);
    ck_assert_uint_eq(r.c.lost[1].ring, 42);
    run_fini(&r);

    run_init(&r, true);
    r.f.no_state = true;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert(!r.c.can_count);
    ck_assert_uint_eq(log_capture_count(&r.heard, "lost"), 0);
    run_fini(&r);
}
END_TEST

/* Losses that a loss record reports, and losses that no record does. */
START_TEST(reported_losses)
{
    static struct make m;
    struct run r;

    m.size = 0;
    make_lost(&m, 1, 7);
    run_init(&r, true);
    r.f.on_ack = lose_and_stop;
    r.f.records_at_disable = &m;        /* pcpu 0 */
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_uint_eq(r.c.lost[0].reported, 7);
    ck_assert_uint_eq(r.c.lost[1].reported, 0);
    ck_assert_uint_eq(r.c.lost[1].ring, 142);
    run_fini(&r);
}
END_TEST

/* Stock's Xen has loss records only: the progress has their losses. */
START_TEST(reported_losses_are_progress)
{
    static struct make m;
    struct stats_now now;
    struct run r;

    m.size = 0;
    make_lost(&m, 1, 7);
    make_record(&m, 0x81001, 0, 2);
    run_init(&r, true);
    r.f.no_state = true;
    r.f.records_at_disable = &m;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    collect_get_progress(&r.c, &now);
    ck_assert_uint_eq(now.lost, 7);
    ck_assert_uint_eq(now.events, 3);
    ck_assert_int_eq(now.holder, HOLDER_FILE);
    ck_assert_uint_eq(r.c.lost[0].written + r.c.lost[1].written, 3);
    run_fini(&r);
}
END_TEST

/* Events in memory are written, and those that left it are not. */
START_TEST(written_from_memory)
{
    static struct make m;
    struct stats_now now;
    struct run r;

    m.size = 0;
    for ( unsigned int i = 0; i < 300; i++ )
        make_record(&m, 0x81001, 0, 5);
    run_init(&r, true);
    r.plan.memory = 4096;
    r.f.records_at_disable = &m;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    collect_get_progress(&r.c, &now);
    ck_assert_int_eq(now.holder, HOLDER_MEMORY);
    ck_assert_uint_eq(now.events, 302);
    ck_assert_uint_gt(now.overwritten, 0);
    ck_assert_uint_le(now.held, now.room);
    ck_assert_uint_eq(now.room, 4096);
    ck_assert_uint_eq(r.c.lost[0].written + r.c.lost[1].written,
                      now.events - now.overwritten);
    run_fini(&r);
}
END_TEST

/* --- later domains -------------------------------------------------------- */

/* The number of times that the file contains this text. */
static unsigned int times_in(const char *path, const char *text)
{
    static char bytes[1 << 16];
    int fd = open(path, O_RDONLY);
    ssize_t size = read(fd, bytes, sizeof(bytes));
    unsigned int nr = 0;
    char *at = bytes;

    close(fd);
    ck_assert_int_gt(size, 0);
    while ( (at = memmem(at, bytes + size - at, text, strlen(text))) )
    {
        nr++;
        at++;
    }
    return nr;
}

static void create_and_stop(struct fake *f)
{
    f->domain[3] = "comes later";
    raise(SIGTERM);
}

/* A domain created during the capture is in the file, and each domain once. */
static void see_later_domains(uint64_t memory)
{
    char path[] = "later-XXXXXX";
    struct run r;

    close(mkstemp(path));
    run_init(&r, true);
    writer_close(&r.w, NULL);
    r.output = (struct writer_plan){ .path = path,
                                     .is_forced = stop_is_forced };
    ck_assert_int_eq(writer_open(&r.w, &r.output, &r.e), 0);
    r.plan.memory = memory;
    r.f.domain[0] = "is there";
    r.f.on_ack = create_and_stop;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    writer_close(&r.w, NULL);
    ck_assert_uint_eq(times_in(path, "is there"), 1);
    ck_assert_uint_eq(times_in(path, "comes later"), 1);
    unlink(path);
    run_fini(&r);
}

START_TEST(later_domains)
{
    see_later_domains(0);
}
END_TEST

START_TEST(later_domains_in_memory)
{
    see_later_domains(1u << 16);
}
END_TEST

/* --- names ---------------------------------------------------------------- */

/* A wake-up of vcpu 2 of domain 1. */
static void wake_once(struct fake *f)
{
    static struct make m;

    m.size = 0;
    make_record(&m, TRC_SCHED_WAKE, 1000, 2);
    if ( f->acks == 1 )
        fake_put(f, 1, &m);
}

/* A name with commands and control characters is harmless text for a hook. */
START_TEST(hostile_name_in_cause)
{
    static const char text[] = "sched_wake was traced for "
                               "`id`\\x20$(kill\\x200);?'\"?" "?/2";
    char path[] = "cause-XXXXXX", cause[200] = "", snapshot[32];
    struct triggers t = { .nr = 0 };
    struct run r;
    int fd = mkstemp(path);

    run_init(&r, true);
    writer_close(&r.w, NULL);
    r.output = (struct writer_plan){ .path = path,
                                     .is_forced = stop_is_forced };
    ck_assert_int_eq(writer_open(&r.w, &r.output, &r.e), 0);
    ck_assert_int_eq(triggers_parse(&t, "sched_wake", &r.e), 0);
    ck_assert_int_eq(setenv("TEST_PATH", path, 1), 0);
    r.plan.triggers = &t;
    r.plan.memory = 1u << 16;
    r.plan.max_snapshots = 1;
    r.plan.on_snapshot = "printf %s \"$XENTRACE_CAUSE\" >$TEST_PATH.cause";
    r.f.domain[1] = "`id` $(kill 0);\n'\"\033\377";
    r.f.on_ack = wake_once;
    r.plan.time_ns = 60000000000u;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    close(fd);
    snprintf(snapshot, sizeof(snapshot), "%s.cause", path);
    fd = open(snapshot, O_RDONLY);
    ck_assert_int_gt(read(fd, cause, sizeof(cause) - 1), 0);
    ck_assert_str_eq(cause, text);
    ck_assert_uint_eq(log_capture_count(&r.heard, text), 1);
    close(fd);
    unlink(snapshot);
    snprintf(snapshot, sizeof(snapshot), "%s.1", path);
    ck_assert_uint_eq(times_in(snapshot, "sched_wake was traced"), 1);
    unlink(snapshot);
    unlink(path);
    run_fini(&r);
}
END_TEST

/* --- failures ------------------------------------------------------------- */

START_TEST(refused)
{
    static const struct
    {
        enum hv_tbuf_cmd cmd;
        int code;
        const char *log;
    } rows[] = {
        { HV_TBUF_SET_EVT_MASK, -EPERM, "virq get_info evt_mask=0x81000 " },
        { HV_TBUF_SET_CPU_MASK, -EPERM, "virq get_info evt_mask=0x81000 "
          "cpu_mask=0x1/3 get_info evt_mask=0xffff000 " },
        { HV_TBUF_ENABLE, -EPERM, "virq get_info evt_mask=0x81000 "
          "cpu_mask=0x1/3 set_size=32 enable disable " MASKS_BACK },
        { HV_TBUF_GET_INFO, -EPERM, "virq get_info evt_mask=0x81000 "
          "cpu_mask=0x1/3 set_size=32 enable get_info disable cpu_mask=0x7/3 "
        },
        { HV_TBUF_DISABLE, -EPERM, "virq get_info evt_mask=0x81000 "
          "cpu_mask=0x1/3 set_size=32 enable get_info " PAGES_RO PAGES_RW
          "disable " MASKS_BACK },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct run r;

        run_init(&r, false);
        r.plan.evt_mask = 0x81000;
        r.plan.cpus = "0";
        r.f.refuse[rows[i].cmd] = rows[i].code;
        check_log(&r, rows[i].log, rows[i].code);
    }
}
END_TEST

/* The reported reason is the one of set_size. */
START_TEST(no_rings)
{
    struct run r;

    run_init(&r, false);
    r.f.refuse[HV_TBUF_SET_SIZE] = -ENOMEM;
    check_log(&r, "virq set_size=32 enable ", -ENOMEM);

    run_init(&r, false);
    r.plan.start_disabled = true;
    r.f.refuse[HV_TBUF_SET_SIZE] = -ENOMEM;
    check_log(&r, "virq set_size=32 disable get_info ", -ENOMEM);
}
END_TEST

START_TEST(no_ring_can_be_mapped)
{
    struct run r;

    run_init(&r, true);
    r.f.refuse_map = -EPERM;
    run_capture(&r);
    ck_assert_int_eq(r.rc, -ENODEV);
    ck_assert_uint_eq(log_capture_count(&r.heard, "cannot map"), FAKE_CPUS);
    ck_assert(!r.f.enabled);
    run_fini(&r);
}
END_TEST

START_TEST(no_virq)
{
    struct run r;

    run_init(&r, true);
    r.f.refuse_virq = -EPERM;
    check_log(&r, "virq ", -EPERM);
}
END_TEST

/* --- other readers -------------------------------------------------------- */

/* The VIRQ has an owner: nothing is changed, and the message has a way out. */
START_TEST(second_reader)
{
    static const int codes[] = { -EEXIST, -EBUSY };

    for ( size_t i = 0; i < 2; i++ )
    {
        struct run r;

        run_init(&r, true);
        r.f.refuse_virq = codes[i];
        run_capture(&r);
        ck_assert_int_eq(r.rc, -EBUSY);
        ck_assert_str_eq(r.f.log, "virq get_info map-ro ");
        ck_assert_ptr_nonnull(strstr(r.e.text, "reads Xen's rings"));
        ck_assert_ptr_nonnull(strstr(r.e.text, "--share-rings"));
        run_fini(&r);
    }
}
END_TEST

static void stop_after_time(struct fake *f)
{
    (void)f;
}

/* With --share-rings, the rings are read at intervals, without the VIRQ. */
START_TEST(shared_rings)
{
    struct run r;

    run_init(&r, true);
    r.f.refuse_virq = -EEXIST;
    r.f.on_ack = stop_after_time;
    r.plan.share_rings = true;
    r.plan.sleep_ms = 1;
    r.plan.time_ns = 50000000;
    run_capture(&r);
    ck_assert_msg(!r.rc, "%s", r.e.text);
    ck_assert_uint_eq(r.f.acks, 0);
    ck_assert_uint_eq(log_capture_count(&r.heard, "each reader gets only part "
                                        "of the records"), 1);
    run_fini(&r);
}
END_TEST

/* Another reader takes one of two records, and its place. */
static void take_and_stop(struct fake *f)
{
    static struct make m;
    struct t_buf *ring = fake_ring(f, 1);

    m.size = 0;
    make_record(&m, 0x81001, 0, 2);
    if ( f->acks == 1 )
        fake_put(f, 1, &m);
    else if ( f->acks == 20 )
    {
        fake_put(f, 1, &m);
        fake_put(f, 1, &m);
        ring->cons = (ring->prod + 2 * FAKE_DATA_SIZE - m.size) %
                     (2 * FAKE_DATA_SIZE);
    }
    else if ( f->acks > 40 )
        raise(SIGTERM);
}

START_TEST(taken_records)
{
    char path[] = "taken-XXXXXX";
    struct run r;

    close(mkstemp(path));
    run_init(&r, true);
    writer_close(&r.w, NULL);
    r.output = (struct writer_plan){ .path = path,
                                     .is_forced = stop_is_forced };
    ck_assert_int_eq(writer_open(&r.w, &r.output, &r.e), 0);
    r.f.on_ack = take_and_stop;
    run_capture(&r);
    ck_assert_int_eq(r.rc, 0);
    ck_assert_uint_eq(r.c.rings.ring[1].records, 2);
    ck_assert_uint_eq(r.c.lost[1].taken, 1);
    ck_assert_uint_eq(r.c.lost[1].output, 0);
    ck_assert_uint_eq(log_capture_count(&r.heard, "another process reads "
                                        "records from the rings"), 1);
    unlink(path);
    run_fini(&r);
}
END_TEST

/* --- faults --------------------------------------------------------------- */

START_TEST(disk_is_full)
{
    struct run r;

    run_init(&r, false);
    writer_close(&r.w, NULL);
    r.output.path = "/dev/full";
    ck_assert_int_eq(writer_open(&r.w, &r.output, &r.e), 0);
    run_capture(&r);
    ck_assert_int_eq(r.rc, -ENOSPC);
    ck_assert(!r.f.enabled);
    ck_assert_ptr_nonnull(strstr(r.f.log, " disable "));
    /* Copied or left in the ring, depending on when the write failed. */
    ck_assert_uint_eq(r.c.lost[1].output, r.f.acks < 3 ? r.f.acks : 2);
    ck_assert_uint_ge(r.c.lost[1].output, 1);
    run_fini(&r);
}
END_TEST

/* An invalid plan or invalid information about Xen: no operation is made. */
START_TEST(refused_before_anything)
{
    struct run r;

    run_init(&r, false);
    r.plan.cpus = "3";
    check_log(&r, "", -ERANGE);
    run_init(&r, false);
    r.f.info.nr_cpus = 0;
    check_log(&r, "", -EPROTO);
    run_init(&r, false);
    r.f.info.nr_cpus = UINT32_MAX;
    check_log(&r, "", -EPROTO);
}
END_TEST

/* A signal interrupts write N, for N = 1, 2, ...: without any effect. */
START_TEST(interrupted)
{
    static struct make m;
    uint64_t n = 0, fired;
    struct run r;

    make_record(&m, 0x81001, 0, 7);
    do
    {
        run_init(&r, true);
        fake_put(&r.f, 1, &m);
        fault_arm(FAULT_INTERRUPT, ++n);
        run_capture(&r);
        fired = fault_fired(FAULT_INTERRUPT);
        fault_disarm();
        ck_assert_msg(!r.rc, "write %u: %s", (unsigned int)n, r.e.text);
        ck_assert_uint_ge(r.c.rings.ring[1].records, 1);
        ck_assert_uint_eq(r.c.lost[1].output, 0);
        ck_assert_uint_eq(r.w.bytes, r.w.windows * 12 +
                                     r.c.rings.ring[1].bytes);
        run_fini(&r);
    }
    while ( fired );
    ck_assert_uint_ge(n, 2);
}
END_TEST

/*
 * Allocation N fails, for N = 1, 2, ...: the capture fails or continues without
 * a ring or the loss counts, but never leaves tracing enabled.
 */
START_TEST(no_memory)
{
    unsigned int failures = 0;
    uint64_t n = 0, fired;
    struct run r;

    do
    {
        run_init(&r, false);
        r.plan.cpus = "all";
        r.f.on_ack = lose_and_stop;
        fault_arm(FAULT_ALLOC, ++n);
        run_capture(&r);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        ck_assert(r.rc == 0 || (fired && r.rc == -ENOMEM));
        ck_assert(!r.f.enabled);
        failures += r.rc != 0;
        run_fini(&r);
    }
    while ( fired );
    ck_assert_uint_ge(failures, 2);
    ck_assert_uint_ge(n, 6);
}
END_TEST

UNIT_MAIN("collect", plain, everything_said, masks_are_put_back,
          unknown_cpu_mask, mask_of_another_program, trigger_adds_events,
          switched_off, masks_left_over, leave_enabled, start_disabled,
          discard, discard_before_tracing, records_at_disable, time_is_up,
          losses, reported_losses, reported_losses_are_progress,
          written_from_memory,
          later_domains, later_domains_in_memory,
          hostile_name_in_cause, refused, no_rings,
          no_ring_can_be_mapped, no_virq, second_reader, shared_rings,
          taken_records, disk_is_full,
          refused_before_anything, interrupted, no_memory)
