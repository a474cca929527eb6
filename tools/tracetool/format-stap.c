/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SystemTap files for back end dtrace:
 *
 *     d                 the input of dtrace(1)
 *     stap              probes with the names of arguments
 *     log-stap          probes that print lines, with time and pid
 *     simpletrace-stap  probes that print records in the format of back end
 *                       simple, without file header (simpletrace --no-header)
 *
 * Reserved words of these languages get a "_" appended.
 */
#include "tracetool/rows.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/program.h"

static const char *const d_words[] = {
    "auto", "goto", "sizeof", "break", "if", "static", "case", "import",
    "string", "char", "inline", "stringof", "const", "int", "struct",
    "continue", "long", "switch", "counter", "offsetof", "this", "default",
    "probe", "translator", "do", "provider", "typedef", "double", "register",
    "union", "else", "restrict", "unsigned", "enum", "return", "void",
    "extern", "self", "volatile", "float", "short", "while", "for", "signed",
    "xlate", NULL
};

static const char *const stap_words[] = {
    "break", "catch", "continue", "delete", "else", "for", "foreach",
    "function", "global", "if", "in", "limit", "long", "next", "probe",
    "return", "self", "string", "try", "while", NULL
};

static void put_name(FILE *out, const char *name, const char *const *words)
{
    for ( ; *words && strcmp(*words, name); words++ )
        ;
    fprintf(out, "%s%s", name, *words ? "_" : "");
}

/* ---- d ------------------------------------------------------------------- */

/* Types that dtrace(1) does not know. */
static const char *d_type(const char *type)
{
    static const char *const renamed[][2] = {
        { "unsigned long long", "uint64_t" },
        { "signed long long", "int64_t" }, { "long long", "int64_t" },
        { "unsigned long long int", "uint64_t" },
        { "long long int", "int64_t" },
    };

    for ( size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++ )
        if ( !strcmp(type, renamed[i][0]) )
            return renamed[i][1];
    return type;
}

static void put_d(const struct tt_request *r, const struct tt_event *e)
{
    fprintf(r->out, "    probe %s(", e->name);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        fprintf(r->out, "%s%s ", i ? "," : "",
                d_type(program_arg(e, i)->type));
        put_name(r->out, program_arg(e, i)->name, d_words);
    }
    fputs(");\n", r->out);
}

static bool has_probe(const struct tt_event *e)
{
    return program_has(e) && !e->disabled;
}

/* dtrace(1) rejects a provider without probes: write an empty file. */
static int write_d(const struct tt_request *r, struct err *why)
{
    const struct tt_event *e, *events = r->model->events;
    bool any = false;

    (void)why;
    for ( e = events; e < events + r->model->nr_events; e++ )
    {
        if ( !has_probe(e) )
            continue;
        if ( !any )
            fprintf(r->out, "/* " EMIT_BANNER " */\n\nprovider %s {\n",
                    r->provider);
        put_d(r, e);
        any = true;
    }
    fputs(any ? "};\n" : "", r->out);
    return 0;
}

/* ---- stap ---------------------------------------------------------------- */

static int check_prefix(const struct tt_request *r, struct err *why)
{
    if ( r->probe_prefix )
        return 0;
    return err_usage(why, "%s is required for SystemTAP tapset "
                   "generator, or --probe-prefix=", r->target_type ?
                   "--target-name" : "--target-type");
}

static void put_stap(const struct tt_request *r, const struct tt_event *e,
                     size_t id)
{
    assert(r->probe_prefix && r->binary);
    (void)id;
    fprintf(r->out, "probe %s.%s = process(", r->probe_prefix, e->name);
    emit_string(r->out, r->binary);
    fprintf(r->out, ").mark(\"%s\")\n{\n", e->name);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        fputs("    ", r->out);
        put_name(r->out, program_arg(e, i)->name, stap_words);
        fprintf(r->out, " = $arg%zu;\n", i + 1);
    }
    fputs("}\n\n", r->out);
}

static void put_probe(const struct tt_request *r, const char *kind,
                      const struct tt_event *e)
{
    fprintf(r->out, "probe %s.%s.%s = %s.%s ?\n{\n", r->probe_prefix, kind,
            e->name, r->probe_prefix, e->name);
}

/* Variables arg0_str ...: reading the program's memory can fail. */
static void put_strings(const struct tt_request *r, const struct tt_event *e,
                        const char *null)
{
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        if ( program_arg(e, i)->kind != TT_STRING )
            continue;
        fprintf(r->out, "    try {\n        arg%zu_str = ", i);
        put_name(r->out, program_arg(e, i)->name, stap_words);
        fputs(" ? user_string_n(", r->out);
        put_name(r->out, program_arg(e, i)->name, stap_words);
        fprintf(r->out, ", 512) : \"%s\"\n    } catch {}\n", null);
    }
}

/* ---- log-stap ------------------------------------------------------------ */

/* SystemTap has a single integer type: "%08lx" becomes "%08x". */
static void put_conversion(FILE *out, const struct tt_piece *piece)
{
    for ( size_t i = 0; i < piece->length; i++ )
        if ( !strchr("hlqjztL", piece->text[i]) )
            fputc(piece->text[i], out);
}

static void print_text_piece(FILE *out, const struct tt_piece *piece)
{
    for ( size_t i = 0; i < piece->length; i++ )
    {
        unsigned char c = piece->text[i];

        if ( c == '"' || c == '\\' )
            fprintf(out, "\\%c", c);
        else if ( c == '%' )
            fputs("%%", out);
        else if ( c < ' ' || c > '~' )
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
}

static void put_argument(const struct tt_request *r, const struct tt_event *e,
                         size_t i)
{
    fputs(", ", r->out);
    if ( program_arg(e, i)->kind == TT_STRING )
        fprintf(r->out, "arg%zu_str", i);
    else
        put_name(r->out, program_arg(e, i)->name, stap_words);
}

/* The arguments of a conversion: those of its '*' are before its own. */
static void put_printed(const struct tt_request *r, const struct tt_event *e,
                        const struct tt_piece *piece)
{
    size_t last = piece->arg + e->vcpu, first = last;

    assert(piece->arg >= 0);
    for ( size_t i = 0; i < piece->length; i++ )
        first -= piece->text[i] == '*';
    for ( size_t i = first; i <= last; i++ )
        put_argument(r, e, i);
}

static void put_log(const struct tt_request *r, const struct tt_event *e,
                    size_t id)
{
    (void)id;
    put_probe(r, "log", e);
    put_strings(r, e, "<null>");
    fprintf(r->out, "    printf(\"%%d@%%d %s %s", e->name,
            e->vcpu ? "cpu=%p " : "");
    for ( size_t i = 0; i < e->nr_pieces; i++ )
        if ( e->pieces[i].arg < 0 )
            print_text_piece(r->out, &e->pieces[i]);
        else
            put_conversion(r->out, &e->pieces[i]);
    fputs("\\n\", pid(), gettimeofday_ns()", r->out);
    if ( e->vcpu )
        put_argument(r, e, 0);
    for ( size_t i = 0; i < e->nr_pieces; i++ )
        if ( e->pieces[i].arg >= 0 )
            put_printed(r, e, &e->pieces[i]);
    fputs(")\n}\n\n", r->out);
}

/* ---- simpletrace-stap ---------------------------------------------------- */

static void put_lengths(const struct tt_request *r, const struct tt_event *e)
{
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        if ( program_arg(e, i)->kind == TT_STRING )
            fprintf(r->out, "    arg%zu_len = strlen(arg%zu_str)\n", i, i);
}

static void put_size(const struct tt_request *r, const struct tt_event *e)
{
    fputs("24", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        if ( program_arg(e, i)->kind == TT_STRING )
            fprintf(r->out, " + 4 + arg%zu_len", i);
        else
            fputs(" + 8", r->out);
}

static void put_simple(const struct tt_request *r, const struct tt_event *e,
                       size_t id)
{
    put_probe(r, "simpletrace", e);
    put_strings(r, e, r->runtime->null_string);
    put_lengths(r, e);
    fputs("    printf(\"%8b%8b%8b%4b%4b", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        fputs(program_arg(e, i)->kind == TT_STRING ? "%4b%.*s" : "%8b",
              r->out);
    fprintf(r->out, "\", 1, %zu, gettimeofday_ns(), ", id);
    put_size(r, e);
    fputs(", pid()", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        if ( program_arg(e, i)->kind == TT_STRING )
            fprintf(r->out, ", arg%zu_len, arg%zu_len", i, i);
        put_argument(r, e, i);
    }
    fputs(")\n}\n\n", r->out);
}

/* ---- the files ----------------------------------------------------------- */

/* The id is the event's index among all events, disabled or not. */
static int write_probes(const struct tt_request *r, struct err *why,
                        void (*put)(const struct tt_request *r,
                                    const struct tt_event *e, size_t id))
{
    int rc = check_prefix(r, why);

    if ( rc )
        return rc;
    fputs("/* " EMIT_BANNER " */\n\n", r->out);
    for ( size_t i = 0; i < r->model->nr_events; i++ )
        if ( has_probe(&r->model->events[i]) )
            put(r, &r->model->events[i], i);
    return 0;
}

static int write_stap(const struct tt_request *r, struct err *why)
{
    if ( !r->binary )
        return err_usage(why, "--binary is required for SystemTAP tapset "
                         "generator");
    return write_probes(r, why, put_stap);
}

static int write_log(const struct tt_request *r, struct err *why)
{
    return write_probes(r, why, put_log);
}

static int write_simple(const struct tt_request *r, struct err *why)
{
    return write_probes(r, why, put_simple);
}

const struct tt_format tt_format_d = {
    .name = "d",
    .text = "DTrace: the probes.",
    .write = write_d,
};

const struct tt_format tt_format_stap = {
    .name = "stap",
    .text = "SystemTap: probes with names (.stp).",
    .write = write_stap,
};

const struct tt_format tt_format_log_stap = {
    .name = "log-stap",
    .text = "SystemTap: probes that print lines.",
    .write = write_log,
};

const struct tt_format tt_format_simpletrace_stap = {
    .name = "simpletrace-stap",
    .text = "SystemTap: probes that print records.",
    .write = write_simple,
};
