/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The export: values in, text of JSON, CSV and JSON Schema out.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/export/export.h"
#include "xenalyze/export/fields.h"

#define HZ 1000000000ull        /* a cycle is a nanosecond */
#define FIRST 1000u
#define LAYOUT(columns) columns, sizeof(columns) / sizeof(columns[0])

struct buffer
{
    char *text;
    size_t size;
    FILE *out;
};

static void buffer_open(struct buffer *b)
{
    b->out = open_memstream(&b->text, &b->size);
    ck_assert_ptr_nonnull(b->out);
}

static char *buffer_close(struct buffer *b)
{
    ck_assert_int_eq(fclose(b->out), 0);
    return b->text;
}

/* The text of a document with a row of each table; to be freed. */
static char *export_document(enum export_format format,
                             const struct export_table *tables, size_t nr,
                             const struct export_value *values,
                             bool has_wall)
{
    struct xt_clock clock;
    struct buffer b;
    struct export *x;

    buffer_open(&b);
    xt_clock_init(&clock, HZ, HZ, FIRST);
    if ( has_wall )
        xt_clock_set_wall(&clock, FIRST, 5000000000);
    ck_assert_int_eq(export_new(&x, format, b.out), 0);
    export_set_clock(x, &clock);
    for ( size_t i = 0; i < nr; i++ )
    {
        export_begin(x, &tables[i]);
        if ( values )
            export_row(x, values, tables[i].nr_columns);
    }
    export_close(x);
    export_free(x);
    return buffer_close(&b);
}

/* --- types of columns ----------------------------------------------------- */

static const struct export_column count[] = {
    EXPORT_OPTIONAL("n", COUNT, "a number"),
};
static const struct export_column number[] = {
    EXPORT_OPTIONAL("n", SIGNED, "a number"),
};
static const struct export_column text[] = {
    EXPORT_OPTIONAL("s", TEXT, "a text"),
};
static const struct export_column duration[] = {
    EXPORT_OPTIONAL("d", DURATION, "a duration"),
};
static const struct export_column moment[] = {
    EXPORT_OPTIONAL("m", MOMENT, "a moment"),
};
static const struct export_column mixed[] = {
    EXPORT_OPTIONAL("n", COUNT, "a number"),
    EXPORT_OPTIONAL("s", TEXT, "a text"),
    EXPORT_OPTIONAL("d", DURATION, "a duration"),
};

#define ABSENT { .absent = true }
#define NUMBER(n) { .number = (n) }
#define TEXT(s) { .text = (s) }

static const struct value_row
{
    const char *what;
    const struct export_column *columns;
    size_t nr_columns;
    bool has_wall;
    struct export_value values[3];
    const char *json, *heading, *csv;
} value_rows[] = {
    { "count: 0", LAYOUT(count), false, { NUMBER(0) }, "\"n\":0", "n", "0" },
    { "count: maximum", LAYOUT(count), false, { NUMBER(UINT64_MAX) },
      "\"n\":18446744073709551615", "n", "18446744073709551615" },
    { "count: absent", LAYOUT(count), false, { ABSENT }, "", "n", "" },
    { "signed: -1", LAYOUT(number), false, { NUMBER(UINT64_MAX) }, "\"n\":-1",
      "n", "-1" },
    { "signed: minimum", LAYOUT(number), false, { NUMBER(1ull << 63) },
      "\"n\":-9223372036854775808", "n", "-9223372036854775808" },
    { "signed: maximum", LAYOUT(number), false, { NUMBER(INT64_MAX) },
      "\"n\":9223372036854775807", "n", "9223372036854775807" },
    { "signed: absent", LAYOUT(number), false, { ABSENT }, "", "n", "" },
    { "text: plain", LAYOUT(text), false, { TEXT("dom0") }, "\"s\":\"dom0\"",
      "s", "\"dom0\"" },
    { "text: empty", LAYOUT(text), false, { TEXT("") }, "\"s\":\"\"", "s",
      "\"\"" },
    { "text: absent", LAYOUT(text), false, { ABSENT }, "", "s", "" },
    { "text: quotes", LAYOUT(text), false, { TEXT("\"a\"\"") },
      "\"s\":\"\\u0022a\\u0022\\u0022\"", "s", "\"\"\"a\"\"\"\"\"" },
    { "text: separators", LAYOUT(text), false, { TEXT("a,b\n;\r\\") },
      "\"s\":\"a,b\\u000a;\\u000d\\u005c\"", "s", "\"a,b\n;\r\\\"" },
    { "text: controls and DEL", LAYOUT(text), false, { TEXT("\x01\x1f\x7f") },
      "\"s\":\"\\u0001\\u001f\\u007f\"", "s", "\"\x01\x1f\x7f\"" },
    { "text: not ASCII", LAYOUT(text), false, { TEXT("\xc3\xa4\xff") },
      "\"s\":\"\xc3\xa4\\u00ff\"", "s", "\"\xc3\xa4\xff\"" },
    { "duration", LAYOUT(duration), false, { NUMBER(2500) },
      "\"d_cycles\":2500,\"d_ns\":2500", "d_cycles,d_ns", "2500,2500" },
    { "duration: absent", LAYOUT(duration), false, { ABSENT }, "",
      "d_cycles,d_ns", "," },
    { "moment: without a date", LAYOUT(moment), false, { NUMBER(1500) },
      "\"m_tsc\":1500,\"m_ns\":500", "m_tsc,m_ns,m_wall_ns", "1500,500," },
    { "moment: before the start", LAYOUT(moment), false, { NUMBER(900) },
      "\"m_tsc\":900,\"m_ns\":-100", "m_tsc,m_ns,m_wall_ns", "900,-100," },
    { "moment: with a date", LAYOUT(moment), true, { NUMBER(1500) },
      "\"m_tsc\":1500,\"m_ns\":500,\"m_wall_ns\":5000000500",
      "m_tsc,m_ns,m_wall_ns", "1500,500,5000000500" },
    { "moment: absent", LAYOUT(moment), true, { ABSENT }, "",
      "m_tsc,m_ns,m_wall_ns", ",," },
    { "several columns", LAYOUT(mixed), false,
      { NUMBER(7), TEXT("x"), NUMBER(9) },
      "\"n\":7,\"s\":\"x\",\"d_cycles\":9,\"d_ns\":9", "n,s,d_cycles,d_ns",
      "7,\"x\",9,9" },
    { "several columns: the first absent", LAYOUT(mixed), false,
      { ABSENT, TEXT("x"), ABSENT }, "\"s\":\"x\"", "n,s,d_cycles,d_ns",
      ",\"x\",," },
};

#define NR_VALUE_ROWS (sizeof(value_rows) / sizeof(value_rows[0]))

START_TEST(json_has_each_type)
{
    const struct value_row *r = &value_rows[_i];
    const struct export_table table = {
        .name = "t", .columns = r->columns, .nr_columns = r->nr_columns,
    };
    char *got = export_document(EXPORT_JSON, &table, 1, r->values,
                                r->has_wall);
    char want[512];

    snprintf(want, sizeof(want), "{\"format\":\"xenalyze\",\"version\":2,\n"
             "\"tables\":{\n\"t\":[\n{%s}]\n}}\n", r->json);
    ck_assert_msg(!strcmp(got, want), "%s: %s", r->what, got);
    free(got);
}
END_TEST

START_TEST(csv_has_each_type)
{
    const struct value_row *r = &value_rows[_i];
    const struct export_table table = {
        .name = "t", .columns = r->columns, .nr_columns = r->nr_columns,
    };
    char *got = export_document(EXPORT_CSV, &table, 1, r->values,
                                r->has_wall);
    char want[512];

    snprintf(want, sizeof(want), "table,%s\nt,%s\n", r->heading, r->csv);
    ck_assert_msg(!strcmp(got, want), "%s: %s", r->what, got);
    free(got);
}
END_TEST

/* --- series --------------------------------------------------------------- */

static const struct export_column series[] = { EXPORT_STATISTICS };
static const struct export_column weighted[] = { EXPORT_STATE_STATISTICS };

static const struct series_row
{
    const char *what;
    bool weighted;
    size_t nr;
    uint64_t values[4];
    const char *json, *csv;     /* csv: without weighted percentiles */
} series_rows[] = {
    { "empty", false, 0, { 0 }, "\"events\":0,\"samples\":0",
      "0,0,,,,,,,,,,,,,,,,,,," },
    { "only a 0", false, 1, { 0 }, "\"events\":1,\"samples\":0",
      "1,0,,,,,,,,,,,,,,,,,,," },
    { "0, 5 and 7", false, 3, { 0, 5, 7 },
      "\"events\":3,\"samples\":2,\"total_cycles\":12,\"total_ns\":12,"
      "\"mean_cycles\":6,\"mean_ns\":6,\"min_cycles\":5,\"min_ns\":5,"
      "\"max_cycles\":7,\"max_ns\":7,\"max_at_tsc\":1002,\"max_at_ns\":2,"
      "\"p5_cycles\":5,\"p5_ns\":5,\"p50_cycles\":7,\"p50_ns\":7,"
      "\"p95_cycles\":7,\"p95_ns\":7,\"p99_cycles\":7,\"p99_ns\":7,"
      "\"histogram\":[[4,2]]",
      "3,2,12,12,6,6,5,5,7,7,1002,2,,5,5,7,7,7,7,7,7" },
    { "weighted: 1, 1 and 98", true, 3, { 1, 1, 98 },
      "\"events\":3,\"samples\":3,\"total_cycles\":100,\"total_ns\":100,"
      "\"mean_cycles\":33,\"mean_ns\":33,\"min_cycles\":1,\"min_ns\":1,"
      "\"max_cycles\":98,\"max_ns\":98,\"max_at_tsc\":1002,\"max_at_ns\":2,"
      "\"p5_cycles\":1,\"p5_ns\":1,\"p50_cycles\":1,\"p50_ns\":1,"
      "\"p95_cycles\":98,\"p95_ns\":98,\"p99_cycles\":98,\"p99_ns\":98,"
      "\"weighted_p5_cycles\":98,\"weighted_p5_ns\":98,"
      "\"weighted_p50_cycles\":98,\"weighted_p50_ns\":98,"
      "\"weighted_p95_cycles\":98,\"weighted_p95_ns\":98,"
      "\"weighted_p99_cycles\":98,\"weighted_p99_ns\":98,"
      "\"histogram\":[[1,2],[64,1]]",
      "3,3,100,100,33,33,1,1,98,98,1002,2,,1,1,1,1,98,98,98,98,"
      "98,98,98,98,98,98,98,98" },
};

static void check_series(const struct series_row *r, enum export_format format)
{
    struct export_table table = {
        .name = "t", .columns = r->weighted ? weighted : series,
        .nr_columns = 1,
    };
    struct stats s = { .weighted = r->weighted };
    struct export_value value = export_series(&s);
    struct stats_pool pool;
    const char *row;
    char *got;

    stats_pool_init(&pool);
    for ( size_t i = 0; i < r->nr; i++ )
        stats_add(&s, &pool, r->values[i], FIRST + i);
    got = export_document(format, &table, 1, &value, false);
    row = strstr(got, format == EXPORT_JSON ? "\n{" : "\nt,");
    ck_assert_ptr_nonnull(row);
    row += format == EXPORT_JSON ? 2 : 3;
    ck_assert_msg(!strncmp(row, format == EXPORT_JSON ? r->json : r->csv,
                           strlen(format == EXPORT_JSON ? r->json : r->csv)),
                  "%s: %s", r->what, row);
    row += strlen(format == EXPORT_JSON ? r->json : r->csv);
    ck_assert_str_eq(row, format == EXPORT_JSON ? "}]\n}}\n" : "\n");
    free(got);
    stats_pool_fini(&pool);
}

START_TEST(series_have_statistics)
{
    check_series(&series_rows[_i], EXPORT_JSON);
    check_series(&series_rows[_i], EXPORT_CSV);
}
END_TEST

/* --- documents ------------------------------------------------------------ */

static const struct export_table places[] = {
    { .name = "points", .place = EXPORT_AT_TOP, EXPORT_COLUMNS(count),
      .help = "a list" },
    { .name = "trace", .place = EXPORT_AS_OBJECT, EXPORT_COLUMNS(count),
      .help = "an object" },
    { .name = "a", EXPORT_COLUMNS(count), .help = "\"a\"" },
    { .name = "b", EXPORT_COLUMNS(count), .help = "b" },
};

#define START "{\"format\":\"xenalyze\",\"version\":2"

static const struct document_row
{
    const char *what;
    enum export_format format;
    size_t first, nr;           /* range in the tables above */
    bool has_rows;
    const char *expected;
} document_rows[] = {
    { "JSON: nothing", EXPORT_JSON, 0, 0, false, START "}\n" },
    { "JSON: all places", EXPORT_JSON, 0, 4, true,
      START ",\n\"points\":[\n{\"n\":1}],\n\"trace\":{\"n\":1},\n"
      "\"tables\":{\n\"a\":[\n{\"n\":1}],\n\"b\":[\n{\"n\":1}]\n}}\n" },
    { "JSON: empty tables", EXPORT_JSON, 0, 3, false,
      START ",\n\"points\":[],\n\"trace\":{},\n\"tables\":{\n\"a\":[]\n}}\n" },
    { "JSON: a list at the top only", EXPORT_JSON, 0, 1, true,
      START ",\n\"points\":[\n{\"n\":1}]}\n" },
    { "CSV: nothing", EXPORT_CSV, 0, 0, false, "" },
    { "CSV: all places", EXPORT_CSV, 0, 4, true,
      "n\n1\n\ntable,n\ntrace,1\n\ntable,n\na,1\n\ntable,n\nb,1\n" },
    { "CSV: only a list at the top has an empty heading", EXPORT_CSV, 0, 3,
      false, "n\n" },
};

#define NR_DOCUMENT_ROWS (sizeof(document_rows) / sizeof(document_rows[0]))

START_TEST(documents_have_tables)
{
    const struct document_row *r = &document_rows[_i];
    const struct export_value one = export_number(1);
    char *got = export_document(r->format, places + r->first, r->nr,
                                r->has_rows ? &one : NULL, false);

    ck_assert_msg(!strcmp(got, r->expected), "%s: %s", r->what, got);
    free(got);
}
END_TEST

/* A second begin of the current table continues the table. */
START_TEST(tables_continue)
{
    const struct export_value one = export_number(1);
    struct buffer b;
    struct export *x;

    buffer_open(&b);
    ck_assert_int_eq(export_new(&x, EXPORT_JSON, b.out), 0);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        export_begin(x, &places[2]);
        export_row(x, &one, 1);
    }
    export_close(x);
    export_free(x);
    ck_assert_str_eq(buffer_close(&b), START ",\n\"tables\":{\n"
                     "\"a\":[\n{\"n\":1},\n{\"n\":1}]\n}}\n");
    free(b.text);
}
END_TEST

START_TEST(first_clock_counts)
{
    const struct export_table table = {
        .name = "t", EXPORT_COLUMNS(duration), .place = EXPORT_AT_TOP,
    };
    const struct export_value value = export_number(10);
    struct xt_clock slow, fast;
    struct buffer b;
    struct export *x;

    xt_clock_init(&slow, HZ / 10, HZ, 0);
    xt_clock_init(&fast, HZ, HZ, 0);
    buffer_open(&b);
    ck_assert_int_eq(export_new(&x, EXPORT_CSV, b.out), 0);
    export_set_clock(x, &slow);
    export_set_clock(x, &fast);
    export_begin(x, &table);
    export_row(x, &value, 1);
    export_close(x);
    export_free(x);
    ck_assert_str_eq(buffer_close(&b), "d_cycles,d_ns\n10,100\n");
    free(b.text);
}
END_TEST

/* --- the schema ----------------------------------------------------------- */

static const struct export_column described[] = {
    EXPORT_COLUMN("n", COUNT, "how \"many\""),
    EXPORT_OPTIONAL("i", SIGNED, "minus or plus"),
    EXPORT_COLUMN("s", TEXT, "name"),
    EXPORT_COLUMN("d", DURATION, "length"),
    EXPORT_COLUMN("m", MOMENT, "time"),
};

static const struct export_table described_tables[] = {
    { .name = "o", .place = EXPORT_AS_OBJECT, EXPORT_COLUMNS(described),
      .help = "object" },
    { .name = "t", EXPORT_COLUMNS(count), .help = "table" },
};

START_TEST(schema_describes_fields)
{
    const struct export_table *tables[] = { &described_tables[0],
                                            &described_tables[1] };
    struct buffer b;

    buffer_open(&b);
    export_write_schema(tables, 2, b.out);
    ck_assert_str_eq(buffer_close(&b),
"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
"\"title\":\"xenalyze --json\",\n"
"\"type\":\"object\",\"additionalProperties\":false,\n"
"\"required\":[\"format\",\"version\"],\n\"properties\":{\n"
"  \"format\":{\"const\":\"xenalyze\"},\n"
"  \"version\":{\"const\":2},\n"
"  \"o\":{\"description\":\"object\","
"\"type\":\"object\",\"additionalProperties\":false,"
"\"required\":[\"n\",\"s\",\"d_cycles\",\"d_ns\",\"m_tsc\",\"m_ns\"],"
"\"properties\":{\n"
"    \"n\":{\"type\":\"integer\",\"minimum\":0,"
"\"description\":\"how \\u0022many\\u0022\"},\n"
"    \"i\":{\"type\":\"integer\",\"description\":\"minus or plus\"},\n"
"    \"s\":{\"type\":\"string\",\"description\":\"name\"},\n"
"    \"d_cycles\":{\"type\":\"integer\",\"minimum\":0,"
"\"description\":\"length (cycles)\"},\n"
"    \"d_ns\":{\"type\":\"integer\",\"minimum\":0,"
"\"description\":\"length (nanoseconds)\"},\n"
"    \"m_tsc\":{\"type\":\"integer\",\"minimum\":0,"
"\"description\":\"time (time stamp)\"},\n"
"    \"m_ns\":{\"type\":\"integer\","
"\"description\":\"time (nanoseconds since the start)\"},\n"
"    \"m_wall_ns\":{\"type\":\"integer\",\"minimum\":0,"
"\"description\":\"time (nanoseconds since 1970, if the trace knows the "
"date)\"}}},\n"
"  \"tables\":{\"type\":\"object\",\"additionalProperties\":false,"
"\"properties\":{\n"
"  \"t\":{\"description\":\"table\","
"\"type\":\"array\",\"items\":{"
"\"type\":\"object\",\"additionalProperties\":false,"
"\"required\":[],\"properties\":{\n"
"    \"n\":{\"type\":\"integer\",\"minimum\":0,"
"\"description\":\"a number\"}}}}\n"
"  }}\n}}\n");
    free(b.text);
}
END_TEST

static const struct export_column domain[] = {
    EXPORT_OPTIONAL("guest", DOMAIN, "a domain"),
};

/* The document with a row for each value. */
static char *export_domains(enum export_format format,
                            const struct xt_domain_names *names)
{
    const struct export_table table = { .name = "t", EXPORT_COLUMNS(domain) };
    const struct export_value values[] = {
        export_number(3), export_number(4), export_optional(false, 0),
    };
    struct buffer b;
    struct export *x;

    buffer_open(&b);
    ck_assert_int_eq(export_new(&x, format, b.out), 0);
    export_set_names(x, names);
    export_begin(x, &table);
    for ( size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++ )
        export_row(x, &values[i], 1);
    export_close(x);
    export_free(x);
    return buffer_close(&b);
}

/* A domain has its name beside its id; without names nothing is different. */
START_TEST(names_of_domains)
{
    static struct xt_domain_name all[] = {
        { .id = 3, .name = "\"web,1", .label = "unused" },
    };
    const struct xt_domain_names names = { .all = all, .nr = 1 };
    const struct xt_domain_names none = { .nr = 0 };
    static const struct
    {
        enum export_format format;
        bool has_names;
        const char *want;
    } rows[] = {
        { EXPORT_CSV, true, "table,guest,guest_name\n"
          "t,3,\"\"\"web,1\"\nt,4,\nt,,\n" },
        { EXPORT_CSV, false, "table,guest\nt,3\nt,4\nt,\n" },
        { EXPORT_JSON, true, "{\"guest\":3,\"guest_name\":"
          "\"\\u0022web,1\"},\n{\"guest\":4},\n{}" },
        { EXPORT_JSON, false, "{\"guest\":3},\n{\"guest\":4},\n{}" },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        char *got = export_domains(rows[i].format,
                                    rows[i].has_names ? &names : &none);

        ck_assert_msg(strstr(got, rows[i].want), "row %zu: %s", i, got);
        free(got);
    }
}
END_TEST

/* Each field of a series has a name and a description of its own. */
START_TEST(series_fields_are_described)
{
    const struct export_table table = { .name = "t",
                                        EXPORT_COLUMNS(weighted) };
    struct fields f;
    char help[2][FIELD_HELP_MAX];

    fields_declare(&f, &table, true);
    ck_assert_uint_eq(f.nr, 30);
    for ( size_t i = 0; i < f.nr; i++ )
    {
        fields_describe(&table, i, help[i & 1]);
        ck_assert_uint_gt(strlen(help[i & 1]), 5);
        ck_assert(!i || strcmp(help[0], help[1]));
        for ( size_t k = 0; k < i; k++ )
            ck_assert_str_ne(f.all[i].name, f.all[k].name);
    }
}
END_TEST

START_TEST(no_memory)
{
    struct export *x;

    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(export_new(&x, EXPORT_JSON, stdout), -ENOMEM);
    fault_disarm();
    export_free(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("export");
    TCase *tcase = tcase_create("export");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, json_has_each_type, 0, NR_VALUE_ROWS);
    tcase_add_loop_test(tcase, csv_has_each_type, 0, NR_VALUE_ROWS);
    tcase_add_loop_test(tcase, series_have_statistics, 0,
                        sizeof(series_rows) / sizeof(series_rows[0]));
    tcase_add_loop_test(tcase, documents_have_tables, 0, NR_DOCUMENT_ROWS);
    tcase_add_test(tcase, tables_continue);
    tcase_add_test(tcase, first_clock_counts);
    tcase_add_test(tcase, schema_describes_fields);
    tcase_add_test(tcase, names_of_domains);
    tcase_add_test(tcase, series_fields_are_described);
    tcase_add_test(tcase, no_memory);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
