/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures: the contents of the files, their size, and extreme values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/xenalyze/unit/draw-plot.h"
#include "tests/xenalyze/unit/make-facts.h"

static const struct plot_about lengths = { "lengths", "time", PLOT_TIME };
static const struct plot_about places = { "places", "address", PLOT_ADDRESS };
static const struct plot_about pcpus_about = { "who", "pcpu", PLOT_PCPUS };
static const struct plot_about vcpus_about = { "states", "vcpu", PLOT_VCPUS };

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

static size_t longest_line(char *text)
{
    size_t longest = 0;

    for ( char *line = text, *end; (end = strchr(line, '\n')); line = end + 1 )
        longest = (size_t)(end - line) > longest ? (size_t)(end - line)
                                                 : longest;
    return longest;
}

static char *draw_random_points(int64_t nr, size_t *size)
{
    uint64_t seed = 1;
    struct plot *p;
    char *text;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace"), 0);
    for ( int64_t i = 0; i <= nr; i++ )
    {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        put_vcpu_point(p, i * 1000, seed >> 40, 0);
    }
    text = draw_plot(p, PLOT_SVG, size);
    plot_free(p);
    return text;
}

/* Readers bound the length of an attribute.  Dots are many paths, and more dots
   than can be seen are squares. */
START_TEST(paths_are_short)
{
    size_t size;
    char *text = draw_random_points(39000, &size);

    ck_assert_uint_gt(size, 600000);
    ck_assert_uint_lt(longest_line(text), 200000);
    free(text);
    text = draw_random_points(300000, &size);
    ck_assert_uint_lt(size, 2000000);
    ck_assert_uint_lt(longest_line(text), 200000);
    free(text);
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
    ck_assert_uint_lt(size, 2000000);
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
            for ( unsigned int i = 0; i < 4; i++ )
            {
                struct plot *p;
                size_t size;

                ck_assert_int_eq(plot_new(&p, i & 1 ? &places : &lengths,
                                          "trace"), 0);
                put_vcpu_point(p, values[first], values[last], 0);
                put_vcpu_point(p, values[last], values[first], 0);
                free(draw_plot(p, i & 2 ? PLOT_SVG : PLOT_GNUPLOT, &size));
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

/* Idle time, and a loss; the rest is without data. */
START_TEST(timeline_has_bars)
{
    struct timeline t;
    struct stage s;
    struct sink sink;
    struct plot *p;
    size_t size;
    char *text;

    stage_init(&s);
    ck_assert_int_eq(plot_new(&p, &pcpus_about, "trace"), 0);
    t.plot = p;
    sink = timeline_sink(&t);
    stage_begin(&s, &sink, 0);
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[0], .from = 0, .to = 500, .state = STATE_RUNNING });
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[0], .from = 500, .to = 900,
        .state = STATE_BLOCKED });
    sink.ops->pcpu(sink.state, &(struct fact_pcpu){
        .pcpu = 0, .from = 500, .to = 1000, .state = PCPU_IDLE });
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

    ck_assert_int_eq(plot_new(&p, &pcpus_about, "trace"), 0);
    for ( int64_t i = 0; i < 2000000; i++ )
        plot_add_bar(p, 0, PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(1, i % 2)),
                 i * 1000, i * 1000 + (i % 2 ? 200 : 600));
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, "<g fill-opacity"));
    ck_assert_uint_lt(strstr(text, "<g fill-opacity") - text, 20000);
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
    ck_assert_int_eq(plot_new(&p, &vcpus_about, "trace"), 0);
    t.plot = p;
    sink = states_sink(&t);
    stage_begin(&s, &sink, 0);
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[2], .from = 0, .to = 500, .state = STATE_RUNNABLE });
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, ">d1v0</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">waiting</text>"));
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

    ck_assert_int_eq(plot_new(&p, &pcpus_about, "trace"), 0);
    for ( uint64_t i = 0; i < 1025; i++ )
        plot_add_bar(p, i, PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(i, 0)), 0, 1000);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, ">0-2</text>"));
    free(text);
    plot_free(p);
}
END_TEST

/* Each domain has a row or more of its own while there are enough. */
START_TEST(rows_are_grouped)
{
    static const struct { uint32_t domains, vcpus; } hosts[] = {
        { 16, 32 }, { 16, 33 }, { 512, 3 }, { 600, 2 },
    };

    for ( unsigned int h = 0; h < 4; h++ )
    {
        uint32_t vcpus = hosts[h].vcpus, nr = hosts[h].domains * vcpus;
        struct plot *p;
        size_t size;
        char *text;

        ck_assert_int_eq(plot_new(&p, &vcpus_about, "trace"), 0);
        for ( uint32_t i = 0; i < nr; i++ )
            plot_add_bar(p, PLOT_VCPU_ID(i / vcpus, i % vcpus),
                         PLOT_KEY(PLOT_OF_STATE, 0), 0, 1000);
        text = draw_plot(p, PLOT_SVG, &size);
        ck_assert_ptr_nonnull(strstr(text, ">d0</text>"));
        ck_assert_ptr_null(strstr(text, ">d0v1</text>"));
        /* Full rows, also those with fewer members than others. */
        ck_assert_ptr_nonnull(strstr(text, "h1200v4h-1200z"));
        ck_assert_int_eq(strstr(text, "v0: running\n") != NULL ||
                         strstr(text, "running 100.0 %") != NULL, true);
        ck_assert_uint_lt(size, 3000000);
        free(text);
        plot_free(p);
    }
}
END_TEST

static void draw_domains(uint32_t pcpus, char **text, size_t *size)
{
    struct plot *p;

    ck_assert_int_eq(plot_new(&p, &pcpus_about, "trace"), 0);
    for ( uint32_t i = 0; i < pcpus; i++ )
    {
        plot_add_bar(p, i, PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(i, 0)), 0, 500);
        plot_add_bar(p, i, PLOT_KEY(PLOT_OF_IDLE, 0), 500, i ? 1000 : 900);
    }
    *text = draw_plot(p, PLOT_SVG, size);
    plot_free(p);
}

/* Up to 63 rows have colours by domain; from 64 on they are a heat map. */
START_TEST(many_rows_are_a_heat_map)
{
    char *text;
    size_t size;

    draw_domains(63, &text, &size);
    ck_assert_ptr_nonnull(strstr(text, ">d1</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">37 others</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">idle</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">no data</text>"));
    ck_assert_ptr_null(strstr(text, ">busy, % of time</text>"));
    free(text);
    draw_domains(64, &text, &size);
    ck_assert_ptr_null(strstr(text, ">d1</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">busy, % of time</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">90-100</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">idle</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">no data</text>"));
    /* pcpu 0: busy, idle, no data. */
    ck_assert_ptr_nonnull(strstr(text, "M212 64h600v9h-600z"));
    ck_assert_ptr_nonnull(strstr(text, "M812 64h480v9h-480z"));
    ck_assert_ptr_nonnull(strstr(text, "M1292 64h120v9h-120z"));
    free(text);
}
END_TEST

static unsigned int count_texts(const char *text, const char *what)
{
    unsigned int n = 0;

    while ( (text = strstr(text, what)) )
    {
        text += strlen(what);
        n++;
    }
    return n;
}

/* Each bar has a tip, until there are too many: then areas have. */
START_TEST(bars_have_tips)
{
    static const unsigned int rows[] = { 1, 64, 512 };

    for ( unsigned int i = 0; i < 3; i++ )
        for ( unsigned int bars = 10; bars <= 10000; bars *= 1000 )
        {
            struct plot *p;
            size_t size;
            char *text;

            ck_assert_int_eq(plot_new(&p, &vcpus_about, "trace"), 0);
            for ( unsigned int k = 0; k < rows[i] * bars; k++ )
                plot_add_bar(p, k / bars, PLOT_KEY(PLOT_OF_STATE, k % 2),
                             k % bars * 1000, k % bars * 1000 + 1000);
            text = draw_plot(p, PLOT_SVG, &size);
            if ( bars == 10 )
                ck_assert_uint_eq(count_texts(text, "<title>"), rows[i] * bars);
            ck_assert_uint_ge(count_texts(text, "<title>"), rows[i] * 10);
            ck_assert_uint_le(count_texts(text, "<title>"), PLOT_MAX_TIPS);
            ck_assert_uint_eq(count_texts(text, "<title>"),
                              count_texts(text, "</title></rect>\n"));
            ck_assert_ptr_nonnull(strstr(text, bars == 10
                ? "<title>d0v0: waiting\n"
                  "0.000001000 s to 0.000002000 s (1.00 us)</title>"
                : "<title>d0v0\n0.000000000 s to "));
            ck_assert_int_eq(strstr(text, "\nwaiting ") != NULL, bars > 10);
            free(text);
            plot_free(p);
        }
}
END_TEST

START_TEST(dots_have_tips)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &lengths, "trace"), 0);
    put_vcpu_point(p, 1500000000, 12300, 0);
    put_vcpu_point(p, 1600000000, 12400, 0);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, "<title>d1v0: time 12.3 us\n"
                                 "1.500000000 s</title>"));
    free(text);
    plot_free(p);

    ck_assert_int_eq(plot_new(&p, &lengths, "trace"), 0);
    for ( int64_t i = 0; i < 3000000; i++ )
        put_vcpu_point(p, i % 100000 * 1000, i % 1000 * 1000 + 1, i % 2);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_uint_gt(count_texts(text, "<title>"), 1000);
    ck_assert_uint_le(count_texts(text, "<title>"), PLOT_MAX_TIPS);
    ck_assert_ptr_nonnull(strstr(text, "\nd1v1 50.0 %"));
    /* Points that were merged count. */
    size = 0;
    for ( const char *t = text; (t = strstr(t, "<title>")); t++ )
        size += strtoul(t + strlen("<title>"), NULL, 10);
    ck_assert_uint_eq(size, 3000000);
    free(text);
    plot_free(p);
}
END_TEST

/* Many addresses: a scale of numbers of points, which are all counted. */
START_TEST(many_addresses_are_a_density)
{
    struct plot *p;
    size_t size;
    char *text;

    ck_assert_int_eq(plot_new(&p, &places, "trace"), 0);
    for ( int64_t i = 0; i < 100000; i++ )
        put_vcpu_point(p, i * 1000, 0x400000 + i % 4096, i % 64);
    text = draw_plot(p, PLOT_SVG, &size);
    ck_assert_ptr_nonnull(strstr(text, ">points per square</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">1</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">2-3</text>"));
    ck_assert_ptr_null(strstr(text, ">d1</text>"));
    free(text);
    text = draw_plot(p, PLOT_GNUPLOT, &size);
    ck_assert_ptr_nonnull(strstr(text, "title \"points per square\""));
    free(text);
    plot_free(p);
}
END_TEST

/* A dark page: by the reader's preference, or always. */
START_TEST(pages_have_themes)
{
    static const char query[] = "@media (prefers-color-scheme:dark)";

    for ( enum plot_theme theme = PLOT_AUTO; theme <= PLOT_DARK; theme++ )
    {
        struct plot *p;
        size_t size;
        char *text;

        ck_assert_int_eq(plot_new(&p, &things, "trace"), 0);
        plot_set_theme(p, theme);
        put_vcpu_point(p, 0, 10, 0);
        text = draw_plot(p, PLOT_SVG, &size);
        ck_assert_int_eq(strstr(text, query) != NULL, theme == PLOT_AUTO);
        ck_assert_ptr_nonnull(strstr(text, theme == PLOT_DARK
            ? "<path class=\"p0\" fill=\"#14171a\""
            : "<path class=\"p0\" fill=\"#ffffff\""));
        ck_assert_int_eq(strstr(text, ".p0{fill:#14171a}") != NULL,
                         theme == PLOT_AUTO);
        free(text);
        text = draw_plot(p, PLOT_GNUPLOT, &size);
        ck_assert_int_eq(strstr(text, "#14171a") != NULL, theme == PLOT_DARK);
        free(text);
        plot_free(p);
    }
}
END_TEST

START_TEST(names_have_endings)
{
    enum plot_format format;
    struct err e = ERR_INIT;

    ck_assert_int_eq(plot_parse_format("a.svg", &format, &e), 0);
    ck_assert_int_eq(format, PLOT_SVG);
    ck_assert_int_eq(plot_parse_format("a.bmp", &format, &e), -EINVAL);
    ck_assert_int_eq(plot_parse_format(".png", &format, &e), -EINVAL);
}
END_TEST

START_TEST(all_or_nothing)
{
    fail_each(FAULT_ALLOC, PLOT_SVG);
    fail_each(FAULT_OPEN, PLOT_SVG);
}
END_TEST

UNIT_MAIN("plot", svg_has_each_point, gnuplot_has_its_data,
          many_points_are_merged, paths_are_short, extremes_are_harmless,
          nothing_has_axes, timeline_has_bars, short_bars_are_shares,
          vcpus_have_states, decades_have_a_log_axis, addresses_have_pieces,
          rows_are_shared, rows_are_grouped, many_rows_are_a_heat_map,
          bars_have_tips, dots_have_tips, many_addresses_are_a_density,
          pages_have_themes, names_have_endings, all_or_nothing)
