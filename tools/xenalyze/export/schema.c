/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generator of the JSON Schema (draft 2020-12) for the output of json.c, from
 * the same table declarations.
 */
#include <assert.h>

#include "xenalyze/export/fields.h"
#include "xenalyze/export/json-text.h"

static const char *const types[] = {
    [FIELD_COUNT] = "\"type\":\"integer\",\"minimum\":0",
    [FIELD_SIGNED] = "\"type\":\"integer\"",
    [FIELD_TEXT] = "\"type\":\"string\"",
    [FIELD_HISTOGRAM] =
        "\"type\":\"array\",\"items\":{\"type\":\"array\","
        "\"items\":{\"type\":\"integer\",\"minimum\":0},"
        "\"minItems\":2,\"maxItems\":2}",
};

static void write_property(const struct export_table *table,
                           const struct field *f, size_t i, FILE *out)
{
    char help[FIELD_HELP_MAX];

    assert(f->kind < sizeof(types) / sizeof(types[0]));
    fields_describe(table, i, help);
    fprintf(out, "%s\n    \"%s\":{%s,\"description\":", i ? "," : "", f->name,
            types[f->kind]);
    json_write_string(out, help);
    putc('}', out);
}

static void write_required(const struct fields *f, FILE *out)
{
    const char *before = "";

    fputs("\"required\":[", out);
    for ( size_t i = 0; i < f->nr; i++ )
    {
        if ( f->all[i].optional )
            continue;
        fprintf(out, "%s\"%s\"", before, f->all[i].name);
        before = ",";
    }
    putc(']', out);
}

static void write_object(const struct export_table *table, FILE *out)
{
    struct fields f;

    fields_declare(&f, table, true);
    fputs("\"type\":\"object\",\"additionalProperties\":false,", out);
    write_required(&f, out);
    fputs(",\"properties\":{", out);
    for ( size_t i = 0; i < f.nr; i++ )
        write_property(table, &f.all[i], i, out);
    putc('}', out);
}

static void write_table(const struct export_table *table, FILE *out)
{
    fprintf(out, "  \"%s\":{\"description\":", table->name);
    json_write_string(out, table->help);
    putc(',', out);
    if ( table->place == EXPORT_AS_OBJECT )
    {
        write_object(table, out);
        putc('}', out);
        return;
    }
    fputs("\"type\":\"array\",\"items\":{", out);
    write_object(table, out);
    fputs("}}", out);
}

static void write_tables(const struct export_table *const *tables, size_t nr,
                         bool in_tables, FILE *out)
{
    const char *before = in_tables ? "" : ",\n";

    for ( size_t i = 0; i < nr; i++ )
    {
        if ( (tables[i]->place == EXPORT_IN_TABLES) != in_tables )
            continue;
        fputs(before, out);
        write_table(tables[i], out);
        before = ",\n";
    }
}

void export_write_schema(const struct export_table *const *tables, size_t nr,
                         FILE *out)
{
    fprintf(out, "{\"$schema\":"
            "\"https://json-schema.org/draft/2020-12/schema\",\n"
            "\"title\":\"xenalyze --json\",\n"
            "\"type\":\"object\",\"additionalProperties\":false,\n"
            "\"required\":[\"format\",\"version\"],\n\"properties\":{\n"
            "  \"format\":{\"const\":\"xenalyze\"},\n"
            "  \"version\":{\"const\":%d}", JSON_VERSION);
    write_tables(tables, nr, false, out);
    fputs(",\n  \"tables\":{\"type\":\"object\","
          "\"additionalProperties\":false,\"properties\":{\n", out);
    write_tables(tables, nr, true, out);
    fputs("\n  }}\n}}\n", out);
}
