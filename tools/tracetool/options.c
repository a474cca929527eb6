/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line.  "-" and "_" are equivalent in names of formats and back
 * ends.
 */
#include "config.h"

#include "tracetool/options.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/closest-word.h"
#include "common/fault.h"

/* Options as typed.  Switches of the first tracetool are flags. */
struct typed
{
    const char *runtime, *format, *backends, *group, *provider, *binary;
    const char *probe_prefix;
    const char *target_type, *target_name;
    bool list_backends, check_backends;
    bool nop, simple, to_stderr, ust, dtrace;
    bool h, c, d, stap;
};

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static int set_flag(const struct opt *o, const char *text, void *config,
                    struct err *e)
{
    (void)text;
    (void)e;
    *(bool *)((char *)config + o->at) = true;
    return 0;
}

#define TEXT(text, what, field, line)                                   \
    { .name = text, .type = OPT_TEXT, .arg = what,                      \
      .at = offsetof(struct typed, field), .help = line }
#define OLD(text, field)                                                \
    { .name = text, .type = OPT_CALL, .parse = set_flag,                \
      .at = offsetof(struct typed, field), .hidden = true,              \
      .help = "option of the first tracetool" }
#define OLD_LETTER(character, field)                                    \
    { .letter = character, .type = OPT_CALL, .parse = set_flag,         \
      .at = offsetof(struct typed, field), .hidden = true,              \
      .help = "option of the first tracetool" }

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "What to write" },
    TEXT("format", "FORMAT", format, "kind of file to write; see below"),
    TEXT("backends", "NAME[,NAME...]", backends,
         "ways to trace events; see below"),
    TEXT("group", "NAME", group, "prefix of names in the output"),
    { .name = "provider", .type = OPT_TEXT, .arg = "NAME", .preset = "qemu",
      .at = offsetof(struct typed, provider),
      .help = "provider of probes, for dtrace and ust" },
    { .name = "runtime", .type = OPT_TEXT, .arg = "NAME",
      .preset = "usertrace", .at = offsetof(struct typed, runtime),
      .help = "code that the output calls: usertrace or qemu" },
    { .type = OPT_GROUP, .help = "SystemTap" },
    TEXT("binary", "PATH", binary, "program with the probes"),
    TEXT("probe-prefix", "TEXT", probe_prefix,
         "prefix of names of probes; qemu.TYPE.NAME"),
    TEXT("target-type", "TYPE", target_type,
         "QEMU's type of emulation: system or user"),
    TEXT("target-name", "NAME", target_name, "QEMU's target"),
    { .type = OPT_GROUP, .help = "Queries" },
    { .name = "list-backends", .type = OPT_FLAG,
      .at = offsetof(struct typed, list_backends),
      .help = "print the names of all back ends" },
    { .name = "check-backends", .type = OPT_FLAG,
      .at = offsetof(struct typed, check_backends),
      .help = "exit with 0 if all --backends exist, else 1" },
    OLD("nop", nop), OLD("simple", simple), OLD("stderr", to_stderr),
    OLD("ust", ust), OLD("dtrace", dtrace), OLD("stap", stap),
    OLD_LETTER('h', h), OLD_LETTER('c', c), OLD_LETTER('d', d),
    { .name = "target-arch", .type = OPT_TEXT, .arg = "NAME", .hidden = true,
      .at = offsetof(struct typed, target_name),
      .help = "option of older tracetools" },
};

#define NAME_WIDTH 16           /* longest name: simpletrace-stap */

static bool has_format(const struct tt_runtime *runtime,
                       const struct tt_format *format)
{
    const struct tt_format *const *f;

    for ( f = runtime->formats; *f && *f != format; f++ )
        ;
    return *f;
}

/* The formats of a runtime, except those of the default runtime. */
static void list_formats(FILE *out, const struct tt_runtime *runtime)
{
    const struct tt_format *const *f;

    for ( f = runtime->formats; *f; f++ )
        if ( runtime == tt_runtimes[0] || !has_format(tt_runtimes[0], *f) )
            fprintf(out, "  %-*s %c %s\n", NAME_WIDTH, (*f)->name,
                    (*f)->makes_code ? '*' : ' ', (*f)->text);
}

static void list_rows(FILE *out)
{
    const struct tt_backend *const *b;
    const struct tt_runtime *const *r;

    fprintf(out, "Back ends:\n");
    for ( b = tt_runtimes[0]->backends; *b; b++ )
        fprintf(out, "  %-*s   %s\n", NAME_WIDTH, (*b)->name, (*b)->text);
    fprintf(out, "\nFormats (* generates code, and needs --backends):\n");
    list_formats(out, tt_runtimes[0]);
    for ( r = tt_runtimes + 1; *r; r++ )
    {
        fprintf(out, "\nFormats with --runtime=%s only:\n", (*r)->name);
        list_formats(out, *r);
    }
    fprintf(out, "\nRuntimes:\n");
    for ( r = tt_runtimes; *r; r++ )
        fprintf(out, "  %-*s   %s\n", NAME_WIDTH, (*r)->name, (*r)->text);
    fprintf(out, "\n"
            "EVENTS and OUTPUT may be -, standard input and output.\n"
            "\n"
            "  tracetool --format=h --backends=xen --group=mine \\\n"
            "      mine.trace-events trace-mine.h\n"
            "  tracetool stap --help     SystemTap with generated tapsets\n");
}

static const struct program program = {
    .name = "tracetool",
    .version = PACKAGE_VERSION,
    .synopsis = "OPTION... EVENTS... OUTPUT",
    .summary = "generate code, tables and text from event declarations",
    .opts = opts,
    .nr_opts = NR(opts),
    .max_args = UINT32_MAX,
};

static int flush_output(struct err *e)
{
    return fflush(stdout) || ferror(stdout) ?
           err_sys(e, errno ? -errno : -EIO,
                   "cannot write to the standard output") : 0;
}

static int parse_argv(struct typed *t, int argc, char **argv, int *first,
                      enum opts_next *next, struct err *e)
{
    struct program with_rows = program;
    char *footer = NULL;
    size_t length;
    FILE *out = open_memstream(&footer, &length);
    int rc;

    if ( !out )
        return err_sys(e, -errno, "cannot begin");
    list_rows(out);
    if ( fclose(out) )
        rc = err_sys(e, -ENOMEM, "cannot begin");
    else
    {
        with_rows.footer = footer;
        rc = opts_parse(&with_rows, argc, argv, t, first, next, e);
        /* -h: format h with further old switches, otherwise help. */
        if ( !rc && argc == 2 && t->h )
        {
            opts_help(&with_rows, stdout);
            *next = OPTS_EXIT;
            rc = flush_output(e);
        }
    }
    free(footer);
    return rc;
}

static bool same_name(const char *row, const char *text, size_t length)
{
    size_t i;

    for ( i = 0; i < length && row[i]; i++ )
        if ( row[i] != text[i] && !(strchr("-_", row[i]) &&
                                    strchr("-_", text[i])) )
            return false;
    return i == length && !row[i];
}

/* "unknown WHAT: WORD: is CLOSEST meant? REMEDY" */
static int refuse_name(const struct closest_word *c, const char *what,
                       const char *remedy, struct err *e)
{
    int length = c->length < 80 ? c->length : 80;

    if ( !c->best )
        return err_usage(e, "unknown %s: %.*s; %s", what, length, c->word,
                         remedy);
    return err_usage(e, "unknown %s: %.*s: is %s meant? %s", what, length,
                     c->word, c->best, remedy);
}

/* An unknown name is reported, and leaves the default. */
static int set_runtime(struct options *o, const char *name, struct err *e)
{
    const struct tt_runtime *const *row;
    struct closest_word c;

    closest_word_init(&c, name, strlen(name));
    for ( row = tt_runtimes; *row; row++ )
    {
        if ( !strcmp((*row)->name, name) )
            break;
        closest_word_compare(&c, (*row)->name);
    }
    if ( !*row )
        return refuse_name(&c, "runtime", "--help lists them", e);
    o->runtime = *row;
    return 0;
}

static const struct tt_backend *find_backend(const struct tt_runtime *runtime,
                                             const char *text, size_t length)
{
    const struct tt_backend *const *row;

    for ( row = runtime->backends; *row; row++ )
        if ( same_name((*row)->name, text, length) ||
             ((*row)->old_name && same_name((*row)->old_name, text, length)) )
            break;
    return *row;
}

static int refuse_backend(const struct tt_runtime *runtime, const char *text,
                          size_t length, struct err *e)
{
    const struct tt_backend *const *row;
    struct closest_word c;

    closest_word_init(&c, text, length);
    for ( row = runtime->backends; *row; row++ )
        closest_word_compare(&c, (*row)->name);
    return refuse_name(&c, "backend", "--list-backends lists them", e);
}

static int add_backend(struct options *o, const char *text, size_t length,
                       struct err *e)
{
    const struct tt_backend *new = find_backend(o->runtime, text, length);
    size_t i;

    assert(o->nr_backends <= TT_MAX_BACKENDS);
    if ( !new )
        return refuse_backend(o->runtime, text, length, e);
    for ( i = 0; i < o->nr_backends; i++ )
        if ( o->backends[i] == new )
            return 0;
    if ( i == TT_MAX_BACKENDS )
        return err_usage(e, "--backends: more than %u are too many",
                         TT_MAX_BACKENDS);
    o->backends[o->nr_backends++] = new;
    return 0;
}

static int add_backends(struct options *o, const char *list, struct err *e)
{
    size_t length;
    int rc = 0;

    while ( list && !rc )
    {
        length = strcspn(list, ",");
        rc = add_backend(o, list, length, e);
        list = list[length] ? list + length + 1 : NULL;
    }
    return rc;
}

/* The back end "log" was called "stderr". */
static int add_old_backends(struct options *o, const struct typed *t,
                            struct err *e)
{
    const struct { bool is; const char *name; } old[] = {
        { t->nop, "nop" }, { t->simple, "simple" }, { t->to_stderr, "log" },
        { t->ust, "ust" }, { t->dtrace, "dtrace" },
    };
    size_t i;
    int rc = 0;

    for ( i = 0; i < NR(old) && !rc; i++ )
        if ( old[i].is )
            rc = add_backend(o, old[i].name, strlen(old[i].name), e);
    return rc;
}

static const char *old_format(const struct typed *t)
{
    return t->h ? "h" : t->c ? "c" : t->d ? "d" : t->stap ? "stap" : NULL;
}

static int find_format(struct options *o, const char *text, struct err *e)
{
    const struct tt_format *const *row;
    struct closest_word c;

    if ( !text )
        return err_usage(e, "format not set: give --format=; --help "
                         "lists them");
    closest_word_init(&c, text, strlen(text));
    for ( row = o->runtime->formats; *row; row++ )
    {
        if ( same_name((*row)->name, text, strlen(text)) )
            break;
        closest_word_compare(&c, (*row)->name);
    }
    o->format = *row;
    return *row ? 0 : refuse_name(&c, "format", "--help lists them", e);
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* "accel/kvm" -> "accel_kvm": for identifiers. */
static int set_group(struct options *o, const char *group, struct err *e)
{
    char *at;

    if ( !group )
        return 0;
    o->group = fault_strdup(group);
    if ( !o->group )
        return err_sys(e, -ENOMEM, "cannot begin");
    for ( at = o->group; *at; at++ )
        if ( !strchr(LETTERS "0123456789", *at) )
            *at = '_';
    return 0;
}

/* The provider becomes part of C identifiers and macros. */
static int set_provider(struct options *o, const char *name, struct err *e)
{
    o->provider = name;
    if ( *name && strchr(LETTERS, *name) &&
         !name[strspn(name, LETTERS "0123456789")] )
        return 0;
    return err_usage(e, "--provider=%.60s: take a name as C has them",
                     name);
}

static int set_prefix(struct options *o, const struct typed *t, struct err *e)
{
    static const char form[] = "qemu.%s.%s";
    size_t size;

    o->probe_prefix = t->probe_prefix;
    if ( t->probe_prefix || !t->target_type || !t->target_name )
        return 0;
    size = sizeof(form) + strlen(t->target_type) + strlen(t->target_name);
    o->prefix = fault_malloc(size);
    if ( !o->prefix )
        return err_sys(e, -ENOMEM, "cannot begin");
    snprintf(o->prefix, size, form, t->target_type, t->target_name);
    o->probe_prefix = o->prefix;
    return 0;
}

static int set_files(struct options *o, bool filter, char **names, size_t nr,
                     struct err *e)
{
    static char dash[] = "-";

    if ( nr == 0 && filter )
    {
        o->filter[0] = dash;
        o->inputs = o->filter;
        o->nr_inputs = 1;
        o->output = dash;
        return 0;
    }
    if ( nr < 2 )
        return err_usage(e, "missing trace-events and output filepaths; "
                         "usage: %s %s (each may be -)", program.name,
                         program.synopsis);
    o->inputs = names;
    o->nr_inputs = nr - 1;
    o->output = names[nr - 1];
    return 0;
}

static int validate_options(const struct options *o, bool filter, struct err *e)
{
    bool strict = o->runtime->is_strict;

    if ( (o->format->makes_code || strict) && !o->nr_backends )
        return err_usage(e, "no backends specified: format %s makes "
                         "code, give --backends=", o->format->name);
    if ( (o->format->wants_group || strict) && !o->group && !filter )
        return err_usage(e, "group name is required: format %s makes "
                         "names of it, give --group=", o->format->name);
    return 0;
}

static int answer_list(const struct tt_runtime *runtime, struct err *e)
{
    const struct tt_backend *const *row;

    for ( row = runtime->backends; *row; row++ )
        printf("%s%s", row == runtime->backends ? "" : ", ", (*row)->name);
    putchar('\n');
    return flush_output(e);
}

/* The exit code is the answer: no message about unknown names. */
static int answer_check(struct options *o, const struct typed *t,
                        struct err *e)
{
    struct err unsaid = ERR_INIT;
    int rc = add_old_backends(o, t, &unsaid);

    if ( !rc )
        rc = add_backends(o, t->backends, &unsaid);
    if ( !rc && !o->nr_backends )
        rc = err_usage(e, "no backends specified: give --backends=");
    return rc;
}

static int fill_request(struct options *o, const struct typed *t, char **names,
                        size_t nr, struct err *e)
{
    bool filter = old_format(t) && !t->format;
    int rc = add_old_backends(o, t, e);

    o->binary = t->binary;
    o->target_type = t->target_type;
    o->target_name = t->target_name;
    if ( !rc )
        rc = add_backends(o, t->backends, e);
    if ( !rc )
        rc = find_format(o, t->format ? t->format : old_format(t), e);
    if ( !rc )
        rc = set_group(o, t->group, e);
    if ( !rc )
        rc = set_provider(o, t->provider, e);
    if ( !rc )
        rc = set_prefix(o, t, e);
    if ( !rc )
        rc = validate_options(o, filter, e);
    return rc ? rc : set_files(o, filter, names, nr, e);
}

int options_read(struct options *o, int argc, char **argv,
                 enum opts_next *next, struct err *e)
{
    struct typed t = { .format = NULL };
    int first = 0;
    int rc;

    *o = (struct options){ .runtime = tt_runtimes[0] };
    rc = parse_argv(&t, argc, argv, &first, next, e);
    /* After an error, too: the runtime determines the exit code. */
    if ( t.runtime && set_runtime(o, t.runtime, e) )
        rc = -EINVAL;
    if ( rc || *next == OPTS_EXIT )
        return rc;
    if ( t.list_backends || t.check_backends )
        *next = OPTS_EXIT;
    if ( t.list_backends )
        rc = answer_list(o->runtime, e);
    else if ( t.check_backends )
        rc = answer_check(o, &t, e);
    else
        rc = fill_request(o, &t, argv + first, argc - first, e);
    return rc;
}

void options_fini(struct options *o)
{
    fault_free(o->group);
    fault_free(o->prefix);
}
