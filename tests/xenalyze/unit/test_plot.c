/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures: the contents of the files, their size, and extreme values.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/plot/plot-draw.h"

static const struct plot_about things = { "things", "value", PLOT_NUMBER };
static const struct plot_about lengths = { "lengths", "time", PLOT_TIME };
static const struct plot_about places = { "places", "address", PLOT_ADDRESS };
static const struct plot_about pcpus = { "who", "pcpu", PLOT_PCPUS };
static const struct plot_about vcpus = { "states", "vcpu", PLOT_VCPUS };

static void put_vcpu_point(struct plot *p, int64_t time, int64_t value,
                           uint32_t vcpu)
{
    const struct points points = plot_points(p);
    const struct point point = { .owner = POINT_VCPU, .domain = 1,
                                 .vcpu = vcpu, .time = time,
                                 .value = value };

    points.put(points.state, &point);
}

static char *read_and_remove(const char *path, size_t *size)
{
    FILE *f = fopen(path, "r");
    struct stat st;
    char *text;

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fstat(fileno(f), &st), 0);
    text = calloc(1, st.st_size + 1);
    *size = fread(text, 1, st.st_size, f);
    fclose(f);
    unlink(path);
    return text;
}

/* Draw to a file and return its bytes, which the caller frees. */
static char *draw_plot(struct plot *p, enum plot_format format, size_t *size)
{
    char path[32];
    struct err e = ERR_INIT;

    snprintf(path, sizeof(path), "plot-%d", (int)getpid());
    ck_assert_int_eq(plot_write(p, format, path, &e), 0);
    return read_and_remove(path, size);
}

START_TEST(svg_has_each_point)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace"), 0);
    put_vcpu_point(p, 0, 10, 0);
    put_vcpu_point(p, 1000000000, 20, 0);
    put_vcpu_point(p, 2000000000, 10, 1);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, "d=\"M209.5 749.5h5v5h-5z"
                                 "M809.5 73.5h5v5h-5z"));
    ck_assert_ptr_nonnull(strstr(text, "d=\"M1409.5 749.5h5v5h-5z"));
    ck_assert_ptr_nonnull(strstr(text, ">d1v1</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">2.0</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">trace: things</text>"));
    free(text);
    plot_free(p);
}
END_TEST

START_TEST(png_has_its_marks)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace"), 0);
    put_vcpu_point(p, 0, 10, 0);
    text = draw_plot(p, PLOT_PNG, &size);
    ck_assert_int_eq(memcmp(text, "\x89PNG\r\n\x1a\n", 8), 0);
    ck_assert_int_eq(memcmp(text + size - 8, "IEND\xae\x42\x60\x82", 8), 0);
    free(text);
    plot_free(p);
}
END_TEST

START_TEST(gnuplot_has_its_data)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace's `name`"), 0);
    put_vcpu_point(p, 1500000000, 10, 0);
    text = draw_plot(p, PLOT_GNUPLOT, &size);
    ck_assert_ptr_nonnull(strstr(text, "title 'trace''s `name`: "));
    ck_assert_ptr_nonnull(strstr(text, "GPVAL_TERM eq \"unknown\""));
    ck_assert_ptr_nonnull(strstr(text, "$series0 << EOD\n1.500000000 10\n"
                                 "EOD\n"));
    free(text);
    plot_free(p);
}
END_TEST

/* Readers bound the length of an attribute. */
START_TEST(paths_are_short)
{
    uint64_t seed = 1;
    struct plot *p;
    size_t size, longest = 0;
    char *text;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace"), 0);
    for ( int64_t i = 0; i <= 300000; i++ )
    {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        put_vcpu_point(p, i * 1000, seed >> 40, 0);
    }
    text = draw_plot(p, PLOT_SVG, &size);
    for ( char *line = text, *end; (end = strchr(line, '\n')); line = end + 1 )
        longest = (size_t)(end - line) > longest ? (size_t)(end - line)
                                                 : longest;
    ck_assert_uint_gt(size, 2000000);
    ck_assert_uint_lt(longest, 1000000);
    free(text);
    plot_free(p);
}
END_TEST

/* More points than pixels: the file stays small, with the full axes. */
START_TEST(many_points_are_merged)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace"), 0);
    for ( int64_t i = 0; i <= 3000000; i++ )
        put_vcpu_point(p, i * 1000, i % 50, i % 100);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_uint_lt(size, 3000000);
    ck_assert_ptr_nonnull(strstr(text, ">3.0</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">40</text>"));
    /* A hundred vcpus do not fit in the legend; their domain does. */
    ck_assert_ptr_nonnull(strstr(text, ">d1</text>"));
    free(text);
    plot_free(p);
}
END_TEST

START_TEST(extremes_are_harmless)
{
    static const int64_t values[] = { INT64_MIN, -1, 0, 1, INT64_MAX };

    for ( unsigned int first = 0; first < 5; first++ )
        for ( unsigned int last = first; last < 5; last++ )
            for ( enum plot_format f = PLOT_SVG; f <= PLOT_GNUPLOT; f++ )
            {
                struct plot *p;
                size_t size;

                ck_assert_int_eq(plot_new(&p, f & 1 ? &places : &lengths,
                                          "trace"), 0);
                put_vcpu_point(p, values[first], values[last], 0);
                put_vcpu_point(p, values[last], values[first], 0);
                free(draw_plot(p, f, &size));
                plot_free(p);
            }
}
END_TEST

START_TEST(nothing_has_axes)
{
    struct plot *p;
    size_t size;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace"), 0);
    free(draw_plot(p, PLOT_SVG, &size));
    plot_free(p);
}
END_TEST

/* Running vcpus and losses; idle vcpus are not drawn. */
START_TEST(timeline_has_bars)
{
    struct timeline t;
    struct stage s;
    struct sink sink;
    struct plot *p;
    size_t size;
    char *text;

    stage_init(&s);
    ck_assert_int_eq(plot_new(&p, &pcpus, "trace"), 0);
    t.plot = p;
    sink = timeline_sink(&t);
    stage_begin(&s, &sink, 0);
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[0], .from = 0, .to = 500, .state = STATE_RUNNING });
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[0], .from = 500, .to = 900,
        .state = STATE_BLOCKED });
    sink.ops->loss(sink.state, &(struct fact_loss){
        .pcpu = 1, .from = 500, .to = 1000 });
    text = draw_plot(p, PLOT_SVG, &size);
    /* Half of a row each, on pcpu 0 and 1. */
    ck_assert_ptr_nonnull(strstr(text, "M212 64h600v54h-600z\"/>"));
    ck_assert_ptr_nonnull(strstr(text, "M812 128h600v54h-600z\"/>"));
    ck_assert_ptr_nonnull(strstr(text, ">lost</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">pcpu 1</text>"));
    free(text);
    plot_free(p);
    stage_fini(&s);
}
END_TEST

/* Bars shorter than a pixel are as high as their share of the time. */
START_TEST(short_bars_are_shares)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &pcpus, "trace"), 0);
    for ( int64_t i = 0; i < 2000000; i++ )
        plot_add_bar(p, 0, PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(1, i % 2)),
                 i * 1000, i * 1000 + (i % 2 ? 200 : 600));
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_uint_lt(size, 20000);
    ck_assert_ptr_nonnull(strstr(text, "M212 102h1200v16h-1200z"));
    ck_assert_ptr_nonnull(strstr(text, "M212 96.5h1200v5.5h-1200z"));
    free(text);
    plot_free(p);
}
END_TEST

START_TEST(vcpus_have_states)
{
    struct timeline t;
    struct stage s;
    struct sink sink;
    struct plot *p;
    size_t size;
    char *text;

    stage_init(&s);
    ck_assert_int_eq(plot_new(&p, &vcpus, "trace"), 0);
    t.plot = p;
    sink = states_sink(&t);
    stage_begin(&s, &sink, 0);
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[2], .from = 0, .to = 500, .state = STATE_RUNNABLE });
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, ">d1v0</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">runnable</text>"));
    free(text);
    plot_free(p);
    stage_fini(&s);
}
END_TEST

/* From nanoseconds to seconds: a logarithmic axis with units. */
START_TEST(decades_have_a_log_axis)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &lengths, "trace"), 0);
    put_vcpu_point(p, 0, 10, 0);
    put_vcpu_point(p, 1, 10000000000, 0);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, ">100 ns</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">1 us</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">10 s</text>"));
    free(text);
    text = draw_plot(p, PLOT_GNUPLOT, &size);
    ck_assert_ptr_nonnull(strstr(text, "set logscale y\n"));
    free(text);
    plot_free(p);
}
END_TEST

/* User and kernel addresses have a piece of the axis each. */
START_TEST(addresses_have_pieces)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &places, "trace"), 0);
    for ( int64_t i = 0; i < 64; i++ )
    {
        put_vcpu_point(p, i, 0x400000 + i * 16, 0);
        put_vcpu_point(p, i,
                       (int64_t)(0xffffffff81000000ull + (uint64_t)i * 16), 0);
    }
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, ">400000</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">400200</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">ffffffff81000200</text>"));
    free(text);
    plot_free(p);
}
END_TEST

/* With more pcpus than rows, some share a row. */
START_TEST(rows_are_shared)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &pcpus, "trace"), 0);
    for ( uint64_t i = 0; i < 1025; i++ )
        plot_add_bar(p, i, PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(i, 0)), 0, 1000);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, ">0-2</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">others</text>"));
    free(text);
    plot_free(p);
}
END_TEST

START_TEST(names_have_endings)
{
    enum plot_format format;
    struct err e = ERR_INIT;

    ck_assert_int_eq(plot_parse_format("a.svg", &format, &e), 0);
    ck_assert_int_eq(format, PLOT_SVG);
    ck_assert_int_eq(plot_parse_format("a.png", &format, &e), 0);
    ck_assert_int_eq(format, PLOT_PNG);
    ck_assert_int_eq(plot_parse_format(".png", &format, &e), -EINVAL);
}
END_TEST

/* After any failure there is the whole file, or none. */
static void fail_each(enum fault_kind kind, enum plot_format format)
{
    char path[32];

    snprintf(path, sizeof(path), "plot-%d", (int)getpid());
    for ( uint64_t n = 1; ; n++ )
    {
        struct err e = ERR_INIT;
        struct plot *p;
        int rc;

        fault_arm(kind, n);
        rc = plot_new(&p, &things, "a/trace");
        if ( rc == 0 )
        {
            put_vcpu_point(p, 0, 10, 0);
            rc = plot_write(p, format, path, &e);
            plot_free(p);
        }
        ck_assert_int_eq(access(path, F_OK), rc ? -1 : 0);
        unlink(path);
        if ( !fault_fired(kind) )
            break;
        ck_assert_int_ne(rc, 0);
    }
    fault_disarm();
}

START_TEST(all_or_nothing)
{
    fail_each(FAULT_ALLOC, PLOT_PNG);
    fail_each(FAULT_ALLOC, PLOT_SVG);
    fail_each(FAULT_OPEN, PLOT_SVG);
}
END_TEST

UNIT_MAIN("plot", svg_has_each_point, png_has_its_marks, gnuplot_has_its_data,
          many_points_are_merged, paths_are_short, extremes_are_harmless,
          nothing_has_axes, timeline_has_bars, short_bars_are_shares,
          vcpus_have_states, decades_have_a_log_axis, addresses_have_pieces,
          rows_are_shared, names_have_endings, all_or_nothing)
