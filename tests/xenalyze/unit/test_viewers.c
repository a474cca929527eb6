/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files for viewers, from facts that are rare in traces: each rule of the
 * importer is a test, which prints the packets with a small decoder.
 */
#include <stdlib.h>

#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"
#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/html-track.h"
#include "xenalyze/viewers/protobuf.h"
#include "xenalyze/viewers/viewer-text.h"
#include "xenalyze/viewers/viewer.h"

/* --- a decoder ------------------------------------------------------------ */

struct bytes
{
    const uint8_t *at, *end;
};

static uint64_t take_varint(struct bytes *b)
{
    uint64_t value = 0;
    unsigned int shift = 0;

    for ( ; ; shift += 7 )
    {
        ck_assert(b->at < b->end && shift < 64);
        value |= (uint64_t)(*b->at & 0x7f) << shift;
        if ( !(*b->at++ & 0x80) )
            return value;
    }
}

/* The next field: a number, or the bytes of a message.  False: none. */
static bool take_field(struct bytes *b, unsigned int *field, uint64_t *number,
                       struct bytes *message)
{
    uint64_t tag, size;

    if ( b->at == b->end )
        return false;
    tag = take_varint(b);
    *field = tag >> 3;
    *message = (struct bytes){ NULL, NULL };
    if ( (tag & 7) == PROTOBUF_VARINT )
    {
        *number = take_varint(b);
        return true;
    }
    ck_assert_uint_eq(tag & 7, PROTOBUF_BYTES);
    size = take_varint(b);
    ck_assert_uint_le(size, b->end - b->at);
    *message = (struct bytes){ b->at, b->at + size };
    b->at += size;
    return true;
}

/* A member of a message: its number, or with `part` its bytes. */
static bool find_member(struct bytes b, unsigned int wanted, uint64_t *number,
                        struct bytes *part)
{
    unsigned int field;
    struct bytes message;
    uint64_t value = 0;

    while ( take_field(&b, &field, &value, &message) )
        if ( field == wanted )
        {
            if ( number )
                *number = value;
            if ( part )
                *part = message;
            return true;
        }
    return false;
}

static uint64_t get_number(struct bytes b, unsigned int field)
{
    uint64_t number = 0;

    find_member(b, field, &number, NULL);
    return number;
}

static void print_state(struct bytes packet, struct bytes m, FILE *out)
{
    struct bytes comm;

    ck_assert(find_member(m, 2, NULL, &comm));
    fprintf(out, "%u %.*s state %u cpu %u\n",
            (unsigned int)get_number(packet, 8), (int)(comm.end - comm.at),
            comm.at, (unsigned int)get_number(m, 4),
            (unsigned int)get_number(m, 1));
}

static void print_ftrace(struct bytes bundle, FILE *out)
{
    struct bytes event, waking, comm;

    if ( get_number(bundle, 3) )
        fprintf(out, "lost events cpu %u\n",
                (unsigned int)get_number(bundle, 1));
    if ( !find_member(bundle, 2, NULL, &event) )
        return;
    ck_assert(find_member(event, 20, NULL, &waking));
    ck_assert(find_member(waking, 1, NULL, &comm));
    fprintf(out, "%u %.*s waking by %u on cpu %u\n",
            (unsigned int)get_number(event, 1), (int)(comm.end - comm.at),
            comm.at, (unsigned int)get_number(event, 2),
            (unsigned int)get_number(bundle, 1));
}

static void print_event(struct bytes packet, struct bytes m, FILE *out)
{
    struct bytes interned = { NULL, NULL };

    fprintf(out, "%u event %u flags %u sequence %u%s\n",
            (unsigned int)get_number(packet, 8), (unsigned int)get_number(m, 9),
            (unsigned int)get_number(packet, 13),
            (unsigned int)get_number(packet, 10),
            find_member(packet, 12, NULL, &interned) ? " names" : "");
}

/* A line per state, wake-up and slice. */
static void print_packets(const char *text, size_t size, FILE *out)
{
    struct bytes file = { (const uint8_t *)text, (const uint8_t *)text + size };
    struct bytes packet, m;
    unsigned int field;
    uint64_t number;

    while ( take_field(&file, &field, &number, &packet) )
    {
        ck_assert_uint_eq(field, 1);
        ck_assert_ptr_nonnull(packet.at);
        if ( find_member(packet, 117, NULL, &m) )
            print_state(packet, m, out);
        if ( find_member(packet, 1, NULL, &m) )
            print_ftrace(m, out);
        if ( find_member(packet, 11, NULL, &m) )
            print_event(packet, m, out);
        if ( find_member(packet, 118, NULL, &m) )
            fprintf(out, "cpu %u hz %u\n", (unsigned int)get_number(m, 1),
                    (unsigned int)get_number(m, 2));
    }
}

/* --- a file --------------------------------------------------------------- */

static struct stage stage;
static struct viewer *viewer;
static struct sink sink;
static char *packets;

static bool wants_pcpu_0(const void *filter, unsigned int pcpu)
{
    (void)filter;
    return pcpu == 0;
}

static void begin_file(const char *format, const char *trace, bool pcpu_0)
{
    const struct viewer_options options = {
        .trace = trace, .wants_pcpu = pcpu_0 ? wants_pcpu_0 : NULL,
    };

    stage_init(&stage);
    ck_assert_int_eq(viewer_new(&viewer, viewer_find(format, strlen(format)),
                                &options, stage.out), 0);
    sink = viewer_sink(viewer);
    stage_begin(&stage, &sink, 1000);
}

/* The file as text: packets of Perfetto, or the bytes. */
static const char *end_file(bool decode)
{
    size_t size;
    FILE *out = open_memstream(&packets, &size);

    stage_end(&sink, 1000, 100000);
    ck_assert_int_eq(viewer_finish(viewer), 0);
    viewer_free(viewer);
    fflush(stage.out);
    if ( decode )
        print_packets(stage.text, stage.size, out);
    else
        fwrite(stage.text, 1, stage.size, out);
    fclose(out);
    stage_fini(&stage);
    return packets;
}

static void check_file(const char *expected)
{
    same_text(end_file(true), expected);
    free(packets);
}

/* Times from the begin of the trace, in nanoseconds. */
static void add_state(unsigned int vcpu, unsigned int state, uint64_t from,
                      uint64_t to, uint32_t pcpu)
{
    const struct fact_runstate f = {
        .vcpu = &stage.vcpus[vcpu], .from = 1000 + from, .to = 1000 + to,
        .since = 1000, .pcpu = pcpu, .next_pcpu = pcpu, .state = state,
        .next = STATES,
    };

    sink.ops->runstate(sink.state, &f);
}

static void add_wait(unsigned int vcpu, uint64_t from, uint64_t to,
                     const struct vcpu *waker, uint32_t waker_pcpu)
{
    const struct fact_wait f = {
        .vcpu = &stage.vcpus[vcpu], .from = 1000 + from, .to = 1000 + to,
        .woken = 1000 + from, .why = WHY_WAKE, .waker = waker,
        .waker_pcpu = waker_pcpu,
    };

    sink.ops->wait(sink.state, &f);
}

static void add_exit(uint64_t start, uint64_t cycles)
{
    const struct fact_exit f = {
        .vcpu = &stage.vcpus[2], .cause = 12, .reason = 12, .handler = 12,
        .start = 1000 + start, .cycles = cycles, .rip = 0x1234,
    };

    sink.ops->exit(sink.state, &f);
}

/* --- the rules of Perfetto's importer ------------------------------------- */

START_TEST(the_cpu_of_a_run_ends_the_run)
{
    begin_file("perfetto", "t", false);
    add_state(0, STATE_BLOCKED, 0, 10, FACT_NO_PCPU);
    add_state(0, STATE_RUNNING, 10, 20, 3);
    add_state(0, STATE_RUNNABLE, 20, 30, 3);
    add_state(0, STATE_RUNNING, 30, 40, 1);
    add_state(0, STATE_BLOCKED, 40, 50, 1);
    check_file("0 d0v0 state 4 cpu 0\n10 d0v0 state 3 cpu 3\n"
               "20 d0v0 state 2 cpu 3\n30 d0v0 state 3 cpu 1\n"
               "40 d0v0 state 4 cpu 1\n50 d0v0 state 6 cpu 1\n");
}
END_TEST

START_TEST(no_vcpu_runs_twice_in_a_row)
{
    begin_file("perfetto", "t", false);
    add_state(0, STATE_RUNNING, 0, 10, 0);
    add_state(0, STATE_RUNNABLE, 10, 10, 0);
    add_state(0, STATE_RUNNING, 10, 20, 0);     /* the same run */
    add_state(0, STATE_RUNNABLE, 20, 20, 0);
    add_state(0, STATE_RUNNING, 20, 30, 1);     /* another pcpu */
    check_file("0 d0v0 state 3 cpu 0\n20 d0v0 state 2 cpu 0\n"
               "21 d0v0 state 3 cpu 1\n30 d0v0 state 6 cpu 1\n");
}
END_TEST

START_TEST(no_vcpu_changes_twice_at_one_time)
{
    begin_file("perfetto", "t", false);
    add_state(0, STATE_RUNNING, 0, 10, 0);
    add_state(0, STATE_RUNNABLE, 10, 10, 0);
    add_state(0, STATE_BLOCKED, 10, 10, 0);
    add_state(0, STATE_OFFLINE, 10, 20, 0);
    add_state(0, STATE_RUNNING, 15, 25, 0);     /* a clock that steps back */
    check_file("0 d0v0 state 3 cpu 0\n10 d0v0 state 6 cpu 0\n"
               "20 d0v0 state 3 cpu 0\n25 d0v0 state 6 cpu 0\n");
}
END_TEST

START_TEST(a_wake_up_replaces_a_state)
{
    struct domain idle = { .index = 1, .id = XT_DOMAIN_IDLE };
    const struct vcpu idle_vcpu = { .index = 9, .domain = &idle };

    begin_file("perfetto", "t", false);
    add_state(0, STATE_BLOCKED, 0, 10, 0);
    add_wait(0, 10, 20, &stage.vcpus[2], 1);
    add_state(0, STATE_RUNNABLE, 10, 20, 0);
    add_state(0, STATE_BLOCKED, 20, 30, 0);
    add_wait(0, 30, 40, &idle_vcpu, 1);         /* an interrupt */
    add_state(0, STATE_RUNNABLE, 30, 40, 0);
    add_state(0, STATE_BLOCKED, 40, 50, 0);
    add_wait(0, 50, 60, NULL, 1);               /* unknown */
    add_state(0, STATE_RUNNABLE, 50, 60, 0);
    add_state(0, STATE_BLOCKED, 60, 70, 0);
    add_wait(0, 70, 80, &stage.vcpus[2], 1024); /* no CPU of ftrace */
    add_state(0, STATE_RUNNABLE, 70, 80, 0);
    add_wait(0, 80, 90, &stage.vcpus[2], 1);    /* the vcpu does not sleep */
    add_state(0, STATE_RUNNING, 80, 90, 0);
    check_file("0 d0v0 state 4 cpu 0\n10 d0v0 waking by 196608 on cpu 1\n"
               "20 d0v0 state 4 cpu 0\n30 d0v0 waking by 0 on cpu 1\n"
               "40 d0v0 state 4 cpu 0\n50 d0v0 state 2 cpu 0\n"
               "60 d0v0 state 4 cpu 0\n70 d0v0 state 2 cpu 0\n"
               "80 d0v0 state 3 cpu 0\n90 d0v0 state 6 cpu 0\n");
}
END_TEST

START_TEST(too_many_cpus_do_not_run)
{
    const struct fact_power f = {
        .pcpu = 4096, .kind = POWER_FREQUENCY, .time = 2000, .state = 1,
    };
    const struct fact_loss loss = {
        .pcpu = 4096, .from = 1000, .to = 2000, .records = 1,
    };

    begin_file("perfetto", "t", false);
    add_state(0, STATE_RUNNING, 0, 10, 4095);
    add_state(0, STATE_RUNNING, 10, 20, 4096);
    add_state(0, STATE_RUNNING, 20, 30, 4095);
    sink.ops->power(sink.state, &f);
    sink.ops->loss(sink.state, &loss);
    check_file("0 d0v0 state 3 cpu 4095\n10 d0v0 state 6 cpu 4095\n"
               "20 d0v0 state 3 cpu 4095\n30 d0v0 state 6 cpu 4095\n");
}
END_TEST

START_TEST(idle_vcpus_and_the_default_domain_have_no_events)
{
    begin_file("perfetto", "t", false);
    stage.domains[0].id = XT_DOMAIN_IDLE;
    stage.domains[1].id = XT_DOMAIN_DEFAULT;
    add_state(0, STATE_RUNNING, 0, 10, 0);
    add_state(2, STATE_RUNNING, 0, 10, 0);
    add_exit(2, 3);
    ck_assert(viewer_is_empty(viewer));
    check_file("");
}
END_TEST

START_TEST(a_domain_of_a_large_id_wakes_without_an_arrow)
{
    begin_file("perfetto", "t", false);
    stage.domains[1].id = 65535;
    add_state(2, STATE_BLOCKED, 0, 10, 0);
    add_wait(2, 10, 20, &stage.vcpus[0], 1);
    add_state(2, STATE_RUNNABLE, 10, 20, 0);
    check_file("0 d65535v0 state 4 cpu 0\n10 d65535v0 state 2 cpu 0\n"
               "20 d65535v0 state 6 cpu 0\n");
}
END_TEST

START_TEST(a_run_on_another_pcpu_is_no_run)
{
    begin_file("perfetto", "t", true);
    add_state(0, STATE_RUNNING, 0, 10, 0);
    add_state(0, STATE_RUNNABLE, 10, 20, 0);
    add_state(0, STATE_RUNNING, 20, 30, 1);
    check_file("0 d0v0 state 3 cpu 0\n10 d0v0 state 2 cpu 0\n"
               "20 d0v0 state 6 cpu 1\n30 d0v0 state 6 cpu 1\n");
}
END_TEST

START_TEST(lost_states_are_stopped)
{
    const struct fact_loss loss = {
        .pcpu = 1, .from = 1010, .to = 1020, .records = 7,
    };

    begin_file("perfetto", "t", false);
    add_state(0, STATE_RUNNING, 0, 10, 1);
    add_state(0, STATE_LOST, 10, 20, 1);
    sink.ops->loss(sink.state, &loss);
    add_state(0, STATE_RUNNING, 20, 30, 1);
    check_file("0 d0v0 state 3 cpu 1\n"
               "10 event 1 flags 3 sequence 1 names\n"
               "20 event 2 flags 2 sequence 1\nlost events cpu 1\n"
               "10 d0v0 state 6 cpu 1\n20 d0v0 state 3 cpu 1\n"
               "30 d0v0 state 6 cpu 1\n");
}
END_TEST

START_TEST(exits_define_their_names_once_and_do_not_overlap)
{
    begin_file("perfetto", "t", false);
    add_exit(10, 10);
    add_exit(15, 20);
    add_exit(20, 5);
    check_file("10 event 1 flags 3 sequence 1 names\n"
               "20 event 2 flags 2 sequence 1\n"
               "20 event 1 flags 2 sequence 1\n"
               "35 event 2 flags 2 sequence 1\n"
               "35 event 1 flags 2 sequence 1\n"
               "35 event 2 flags 2 sequence 1\n");
}
END_TEST

START_TEST(a_time_before_the_start_is_0)
{
    const struct fact_runstate f = {
        .vcpu = &stage.vcpus[0], .from = 10, .to = 1010,
        .state = STATE_RUNNING, .next = STATES,
    };

    begin_file("perfetto", "t", false);
    sink.ops->runstate(sink.state, &f);
    check_file("0 d0v0 state 3 cpu 0\n10 d0v0 state 6 cpu 0\n");
}
END_TEST

START_TEST(a_second_segment_follows_the_first)
{
    begin_file("perfetto", "t", false);
    add_state(0, STATE_RUNNING, 0, 50, 0);
    stage_end(&sink, 1000, 1050);
    {
        const struct fact_begin f = {
            .segment = 1, .first = 1000, .nr_pcpus = 1, .clock = &stage.clock,
            .dialect = &stage.dialect, .guests = &stage.guests,
        };

        sink.ops->begin(sink.state, &f);
    }
    add_state(0, STATE_RUNNING, 0, 50, 0);
    check_file("0 d0v0 state 3 cpu 0\n50 d0v0 state 6 cpu 0\n"
               "1000050 d0v0 state 3 cpu 0\n1000100 d0v0 state 6 cpu 0\n");
}
END_TEST

/* More packets than the buffer holds. */
START_TEST(a_long_file_is_whole)
{
    const char *text;
    unsigned int lines = 0;

    begin_file("perfetto", "t", false);
    for ( unsigned int i = 0; i < 20000; i++ )
        add_exit(10 * i, 5);
    for ( text = end_file(true); *text; text++ )
        lines += *text == '\n';
    ck_assert_uint_eq(lines, 40000);
    free(packets);
}
END_TEST

/* --- the page in HTML ----------------------------------------------------- */

static struct summary *summary;
static struct latency *latency;
static struct viewer_numbers numbers;

static void begin_page(const char *trace)
{
    const struct summary_want want = { .off_cpu = true };
    const struct viewer_options options = {
        .trace = trace, .numbers = &numbers,
    };

    ck_assert_int_eq(summary_new(&summary, &want), 0);
    ck_assert_int_eq(latency_new(&latency, 1), 0);
    stage_init(&stage);
    ck_assert_int_eq(viewer_new(&viewer, viewer_find("html", 4), &options,
                                stage.out), 0);
    sink = viewer_sink(viewer);
    stage_begin(&stage, &sink, 1000);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        struct sink other = i ? latency_sink(latency) : summary_sink(summary);
        const struct fact_begin f = {
            .first = 1000, .nr_pcpus = 1, .clock = &stage.clock,
            .dialect = &stage.dialect, .guests = &stage.guests,
        };

        other.ops->begin(other.state, &f);
        stage_end(&other, 1000, 100000);
    }
}

/* The page, which is in `packets`. */
static const char *end_page(void)
{
    ck_assert_int_eq(summary_close(summary), 0);
    latency_close(latency);
    numbers = (struct viewer_numbers){
        .summary = summary, .latency = latency, .verdict = "Nothing <b>\n",
    };
    ck_assert_int_eq(viewer_add_numbers(viewer), 0);
    end_file(false);
    summary_free(summary);
    latency_free(latency);
    return packets;
}

/* Sums of a track, whose slices have to follow each other. */
static void sum_track(const struct html_track *t, uint64_t *count,
                      uint64_t ns[16])
{
    struct html_slice s = { .to = 0 };
    const uint8_t *p = t->bytes;
    uint64_t nr = 0, end = 0;

    *count = 0;
    memset(ns, 0, 16 * sizeof(*ns));
    for ( ; p < t->bytes + t->used; nr++, end = s.to )
    {
        uint64_t sum = 0;

        p = html_track_read(p, &s);
        ck_assert(end <= s.from && s.from <= s.to && s.nr <= HTML_SHARES);
        for ( unsigned int i = 0; i < s.nr; i++ )
        {
            sum += s.shares[i].ns;
            ns[s.shares[i].key & 15] += s.shares[i].ns;
        }
        ck_assert_uint_le(sum, s.to - s.from);
        *count += s.count;
    }
    ck_assert_ptr_eq(p, t->bytes + t->used);
    ck_assert_uint_eq(nr, t->nr);
}

static uint64_t sum_all(const uint64_t ns[16])
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < 16; i++ )
        sum += ns[i];
    return sum;
}

/* `keys` different keys, of which bits above the mask are lost. */
static void check_condensing(unsigned int keys, bool has_others)
{
    struct html_track t = { .key_mask = 15 }, half;
    uint64_t count, ns[16], count2, ns2[16], at = 0;
    uint32_t random = 1;

    for ( unsigned int i = 0; i < 5000; i++ )
    {
        struct html_slice s = { .count = 1, .nr = 1 };

        random = random * 1103515245 + 12345;
        s.from = at + (random >> 20 & 7);
        s.to = at = s.from + (random >> 8 & (i % 64 ? 63 : 0xffff));
        s.shares[0].key = 1 + (random >> 16) % keys + (i % 3 << 4);
        s.shares[0].ns = s.to - s.from;
        ck_assert(html_track_add(&t, &s));
    }
    ck_assert(html_track_flush(&t));
    sum_track(&t, &count, ns);
    ck_assert_uint_eq(count, 5000);
    for ( uint64_t quantum = 64; quantum < UINT64_C(1) << 40; quantum *= 8 )
    {
        ck_assert(html_track_condense(&t, quantum, &half));
        ck_assert_uint_le(half.nr, 3 * (at / quantum + 1));
        ck_assert_uint_le(half.nr, t.nr);
        sum_track(&half, &count2, ns2);
        ck_assert_uint_eq(count, count2);
        ck_assert_uint_eq(sum_all(ns), sum_all(ns2));
        ck_assert(has_others || !memcmp(ns, ns2, sizeof(ns)));
        html_track_fini(&t);
        t = half;
    }
    ck_assert_uint_eq(t.nr, 1);
    ck_assert(!has_others == !ns2[HTML_OTHERS]);
    html_track_fini(&t);
}

START_TEST(condensed_tracks_keep_all_time)
{
    check_condensing(6, false);
    check_condensing(15, true);
}
END_TEST

START_TEST(a_slice_before_the_end_of_a_track_is_cut)
{
    struct html_track t = { .key_mask = 15 };
    struct html_slice s = {
        .from = 10, .to = 20, .count = 1, .nr = 1, .shares = { { 3, 10 } },
    };
    uint64_t count, ns[16];

    ck_assert(html_track_add(&t, &s));
    s.from = 15;
    s.to = 25;
    ck_assert(html_track_add(&t, &s));
    s.to = 18;
    ck_assert(html_track_add(&t, &s));
    ck_assert(html_track_flush(&t));
    sum_track(&t, &count, ns);
    ck_assert_uint_eq(count, 3);
    ck_assert_uint_eq(ns[3], 15);
    html_track_fini(&t);
}
END_TEST

/* More slices than a page holds: states and exits. */
START_TEST(a_long_page_is_bounded)
{
    const char *text;
    size_t size;

    begin_page("t");
    for ( unsigned int i = 0; i < 1500000; i++ )
    {
        unsigned int from = 1400 * i;

        add_exit(from, 100 + i % 999);
        add_state(0, STATE_RUNNING, from, from + 600 + i % 7, i % 5);
        add_state(0, i % 3 ? STATE_BLOCKED : STATE_RUNNABLE,
                  from + 600 + i % 7, from + 1400, i % 5);
    }
    text = end_page();
    size = strlen(text);
    ck_assert_uint_lt(size, 20000000);
    ck_assert_uint_gt(size, 6000000);
    ck_assert_ptr_null(strstr(text, "\"quantum\":0"));
    ck_assert_ptr_null(strstr(text, "\"exit_quantum\":0"));
    free(packets);
}
END_TEST

START_TEST(rows_of_a_page_are_bounded)
{
    const struct fact_loss loss = {
        .pcpu = 5000, .from = 1010, .to = 1020, .records = 7,
    };

    begin_page("t");
    sink.ops->loss(sink.state, &loss);
    add_state(0, STATE_RUNNING, 0, 10, 4096);
    add_state(0, STATE_BLOCKED, 10, 20, 4096);
    ck_assert_ptr_nonnull(strstr(end_page(), "\"hidden_rows\":true"));
    ck_assert_ptr_nonnull(strstr(packets, "\"pcpus\":[],"));
    ck_assert_ptr_nonnull(strstr(packets, "\"Nothing \\u003cb>\""));
    free(packets);
}
END_TEST

/* --- names ---------------------------------------------------------------- */

static const struct
{
    const char *text, *clean;
} names[] = {
    { "", "" },
    { "plain", "plain" },
    { "m\xc3\xbcller \xe2\x82\xac \xf0\x9f\x98\x80",
      "m\xc3\xbcller \xe2\x82\xac \xf0\x9f\x98\x80" },
    { "\x1b[31m\n\x7f", "\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd" },
    { "a\xe2\x80\xae" "b", "a\xef\xbf\xbd" "b" },       /* bidi */
    { "\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd" },
    { "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },         /* overlong */
    { "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
    { "\xf4\x90\x80\x80",
      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
    { "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },         /* cut */
};

START_TEST(names_are_valid_text)
{
    char out[VIEWER_TEXT_MAX];

    for ( size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++ )
        ck_assert_str_eq(viewer_clean_text(names[i].text, out),
                         names[i].clean);
}
END_TEST

START_TEST(long_names_are_cut)
{
    char text[10001], out[VIEWER_TEXT_MAX];

    memset(text, 'x', 10000);
    text[10000] = '\0';
    viewer_clean_text(text, out);
    ck_assert_uint_lt(strlen(out), VIEWER_TEXT_MAX);
    ck_assert_str_eq(out + strlen(out) - 4, "x...");
    memset(text, '\xff', 10000);
    viewer_clean_text(text, out);
    ck_assert_uint_lt(strlen(out), VIEWER_TEXT_MAX);

    for ( const char *const *f = (const char *const []){
              "perfetto", "chrome", "speedscope", "collapsed", NULL }; *f; f++ )
    {
        begin_file(*f, text, false);
        add_exit(1, 2);
        end_file(false);
        ck_assert_uint_lt(strlen(packets), 4000);
        ck_assert_uint_gt(strlen(packets), 0);
        free(packets);
    }
    begin_page(text);
    add_exit(1, 2);
    ck_assert_ptr_null(strstr(end_page(), "\xff"));
    free(packets);
}
END_TEST

START_TEST(json_and_frames_escape_their_separators)
{
    struct stage s;

    stage_init(&s);
    viewer_write_json(s.out, "a\"b\\c<script>");
    viewer_write_frame(s.out, "#a;b c\n");
    viewer_write_frame(s.out, "");
    same_text(stage_text(&s),
              "\"a\\\"b\\\\c\\u003cscript>\"_#a:b c\xef\xbf\xbd_");
    stage_fini(&s);
}
END_TEST

UNIT_MAIN("viewers", the_cpu_of_a_run_ends_the_run,
          no_vcpu_runs_twice_in_a_row, no_vcpu_changes_twice_at_one_time,
          a_wake_up_replaces_a_state, too_many_cpus_do_not_run,
          idle_vcpus_and_the_default_domain_have_no_events,
          a_domain_of_a_large_id_wakes_without_an_arrow,
          a_run_on_another_pcpu_is_no_run, lost_states_are_stopped,
          exits_define_their_names_once_and_do_not_overlap,
          a_time_before_the_start_is_0, a_second_segment_follows_the_first,
          a_long_file_is_whole, condensed_tracks_keep_all_time,
          a_slice_before_the_end_of_a_track_is_cut, a_long_page_is_bounded,
          rows_of_a_page_are_bounded, names_are_valid_text, long_names_are_cut,
          json_and_frames_escape_their_separators)
