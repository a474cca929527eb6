/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes of a program BINARY are in tapsets, files *.stp in the folder
 * ../share/systemtap/tapset beside the folder of BINARY (formats stap, log-stap
 * and simpletrace-stap).  Their names begin with a prefix made from the name of
 * BINARY: qemu-system-arm has qemu.system.arm.NAME, and, to print a line,
 * qemu.system.arm.log.NAME.
 *
 * list and dump read the tapsets themselves, so only run needs stap(1).
 */
#define _GNU_SOURCE             /* asprintf */
#include "config.h"

#include "tracetool/stap-command.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/log.h"
#include "common/opts.h"

struct stap_options
{
    const char *pid, *tapset;
    struct log log;
};

struct stap_request
{
    struct stap_options o;
    const char *binary;
    char **patterns;            /* up to a NULL */
    char *folder;               /* contains the tapsets */
    char *prefix;               /* "qemu.system.arm", without ".log" */
    unsigned int nr_silent;     /* probes asked for that print no line */
};

/* ---- folder and prefix of a program -------------------------------------- */

/* NULL: $PATH has no such program. */
static char *find_in_path(const char *name)
{
    const char *at = getenv("PATH");
    char *path;
    int length;

    for ( ; at; at = at[length] ? at + length + 1 : NULL )
    {
        length = strcspn(at, ":");
        if ( asprintf(&path, "%.*s%s%s", length, at, length ? "/" : "",
                      name) < 0 )
            return NULL;
        if ( !access(path, X_OK) )
            return path;
        free(path);
    }
    return NULL;
}

static int find_folder(struct stap_request *r, struct err *e)
{
    char *path = NULL;
    const char *slash;

    if ( r->o.tapset )
        r->folder = strdup(r->o.tapset);
    else
    {
        path = strchr(r->binary, '/') ? realpath(r->binary, NULL) :
                                        find_in_path(r->binary);
        if ( !path )
            return err_set(e, -ENOENT, "Unable to find '%.100s'%s: give the "
                           "program, or --tapset=DIR", r->binary,
                           strchr(r->binary, '/') ? "" : " in $PATH");
        slash = strrchr(path, '/');
        if ( asprintf(&r->folder, "%.*s/../share/systemtap/tapset",
                      slash ? (int)(slash - path) : 1, slash ? path : ".") < 0 )
            r->folder = NULL;
        free(path);
    }
    return r->folder ? 0 : err_sys(e, -ENOMEM, "%.100s", r->binary);
}

static int make_prefix(struct stap_request *r, struct err *e)
{
    const char *slash = strrchr(r->binary, '/');
    char *at;

    r->prefix = strdup(slash ? slash + 1 : r->binary);
    if ( !r->prefix )
        return err_sys(e, -ENOMEM, "%.100s", r->binary);
    for ( at = r->prefix; *at; at++ )
        if ( *at == '-' )
            *at = '.';
    return 0;
}

/* A pattern becomes part of a script. */
static int check_patterns(char **patterns, struct err *e)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*?";

    for ( ; *patterns; patterns++ )
        if ( !**patterns || (*patterns)[strspn(*patterns, allowed)] )
            return err_usage(e, "%.80s: a pattern has letters, digits, _, * "
                             "and ?", *patterns);
    return 0;
}

/* ---- the tapsets --------------------------------------------------------- */

static bool matches_any(const struct stap_request *r, const char *name)
{
    if ( !*r->patterns )
        return true;
    for ( char **p = r->patterns; *p; p++ )
        if ( !fnmatch(*p, name, 0) )
            return true;
    return false;
}

static bool skip_text(char **at, const char *text)
{
    size_t length = strlen(text);

    if ( strncmp(*at, text, length) )
        return false;
    *at += length;
    return true;
}

/*
 * Does the line begin the definition of a probe that was asked for?  Then *name
 * is its name, terminated in `line`; *is_log if the probe prints a line.
 */
static bool parse_probe(const struct stap_request *r, char *line, char **name,
                        bool *is_log)
{
    char *at = line;

    if ( !skip_text(&at, "probe ") || !skip_text(&at, r->prefix) ||
         !skip_text(&at, ".") )
        return false;
    *is_log = skip_text(&at, "log.");
    if ( !*is_log )
        skip_text(&at, "simpletrace.");
    *name = at;
    at[strcspn(at, " =\n")] = '\0';
    return **name && matches_any(r, *name);
}

typedef int tapset_fn(struct stap_request *r, FILE *in, const char *path);

/* Names of the probes that print lines.  Returns their number. */
static int list_probes(struct stap_request *r, FILE *in, const char *path)
{
    char *line = NULL, *name;
    size_t room = 0;
    bool is_log;
    int nr = 0;

    (void)path;
    while ( getline(&line, &room, in) >= 0 )
    {
        if ( !parse_probe(r, line, &name, &is_log) )
            continue;
        if ( is_log )
            printf("%s\n", name);
        nr += is_log;
        r->nr_silent += !is_log;
    }
    free(line);
    return nr;
}

/* Definitions of all kinds of probes, up to the line "}". */
static int dump_probes(struct stap_request *r, FILE *in, const char *path)
{
    char *line = NULL, *copy, *name;
    bool inside = false, is_log;
    size_t room = 0;
    int nr = 0;

    while ( getline(&line, &room, in) >= 0 )
    {
        copy = inside ? NULL : fault_strdup(line);
        if ( copy && parse_probe(r, copy, &name, &is_log) )
        {
            inside = true;
            if ( !nr++ )
                printf("# %s\n", path);
        }
        if ( inside )
            fputs(line, stdout);
        if ( inside && !strncmp(line, "}", 1) )
        {
            putchar('\n');
            inside = false;
        }
        fault_free(copy);
    }
    free(line);
    return nr;
}

static int is_tapset(const struct dirent *d)
{
    size_t length = strlen(d->d_name);

    return length > 4 && !strcmp(d->d_name + length - 4, ".stp");
}

static int read_tapset(struct stap_request *r, const char *name,
                       tapset_fn *print, struct err *e)
{
    char *path;
    FILE *in;
    int nr;

    if ( asprintf(&path, "%s/%s", r->folder, name) < 0 )
        return err_sys(e, -ENOMEM, "%.100s", name);
    in = fopen(path, "re");
    nr = in ? print(r, in, path) : err_sys(e, -errno, "%.200s", path);
    if ( in )
        fclose(in);
    free(path);
    return nr;
}

/* No probe was printed.  Names are those of the tapset of format log-stap. */
static int refuse_none(const struct stap_request *r, struct err *e)
{
    if ( r->nr_silent )
        return err_set(e, -ENOENT, "the probes found print no lines, so run "
                       "cannot use them: install the tapset of format log-stap "
                       "in %.100s, or use dump", r->folder);
    return err_set(e, -ENOENT, "No probes found, are the tapsets installed in "
                   "%.150s", r->folder);
}

static int read_tapsets(struct stap_request *r, tapset_fn *print,
                        struct err *e)
{
    struct dirent **names;
    int i, rc = 0, nr = 0, nr_files = scandir(r->folder, &names, is_tapset,
                                              alphasort);

    if ( nr_files < 0 )
        return err_sys(e, -errno, "cannot read the tapsets in %.120s: install "
                       "them there, or give --tapset=DIR", r->folder);
    for ( i = 0; i < nr_files; i++ )
    {
        if ( rc >= 0 )
            rc = read_tapset(r, names[i]->d_name, print, e);
        nr += rc > 0 ? rc : 0;
        free(names[i]);
    }
    free(names);
    if ( rc >= 0 && !nr )
        return refuse_none(r, e);
    if ( rc >= 0 && (fflush(stdout) || ferror(stdout)) )
        return err_sys(e, -EIO, "cannot write");
    return rc < 0 ? rc : 0;
}

/* ---- the three commands -------------------------------------------------- */

static int list_stap(struct stap_request *r, struct err *e)
{
    return read_tapsets(r, list_probes, e);
}

static int dump_stap(struct stap_request *r, struct err *e)
{
    return read_tapsets(r, dump_probes, e);
}

/* NULL: no memory. */
static char *make_script(const struct stap_request *r)
{
    size_t size;
    char *script = NULL;
    FILE *out = open_memstream(&script, &size);

    if ( !out )
        return NULL;
    if ( r->o.log.level >= LOG_LEVEL_DEBUG )
        fputs("probe begin { print(\"tracing, until interrupted\\n\") } ",
              out);
    for ( char **p = r->patterns; *p; p++ )
        fprintf(out, "%sprobe %s.log.%s {}", p == r->patterns ? "" : " ",
                r->prefix, *p);
    return fclose(out) ? NULL : script;
}

/* 8 MB of buffer: frequent events overflow stap's default of 1 MB. */
static int run_stap(struct stap_request *r, struct err *e)
{
    const char *args[10] = { "stap", "-s", "8", "-I", r->folder };
    char *script;
    size_t nr = 5;

    if ( !*r->patterns )
        return err_usage(e, "At least one probe pattern must be specified");
    script = make_script(r);
    if ( !script )
        return err_sys(e, -ENOMEM, "cannot run stap");
    log_debug(&r->o.log, "stap runs %s", script);
    if ( r->o.pid )
    {
        args[nr++] = "-x";
        args[nr++] = r->o.pid;
    }
    args[nr++] = "-e";
    args[nr++] = script;
    assert(nr < sizeof(args) / sizeof(args[0]));
    execvp("stap", (char *const *)args);
    free(script);
    return err_sys(e, -errno, "cannot run stap: install SystemTap, or use "
                   "tracetool stap dump");
}

static const struct
{
    const char *name;
    int (*run)(struct stap_request *r, struct err *e);
} stap_commands[] = {
    { "list", list_stap }, { "run", run_stap }, { "dump", dump_stap },
};

/* ---- the command line ---------------------------------------------------- */

static int parse_pid(const struct opt *o, const char *text, void *config,
                     struct err *e)
{
    uint64_t pid;

    if ( opts_number(text, &pid) || !pid || pid > INT32_MAX )
        return err_usage(e, "--pid=%.60s: give the number of a process", text);
    *(const char **)((char *)config + o->at) = text;
    return 0;
}

static const struct opt stap_opts[] = {
    { .name = "pid", .letter = 'p', .type = OPT_CALL, .arg = "PID",
      .parse = parse_pid, .at = offsetof(struct stap_options, pid),
      .help = "run: only this process" },
    { .name = "tapset", .type = OPT_FILE, .arg = "DIR",
      .at = offsetof(struct stap_options, tapset),
      .help = "folder of the tapsets, instead of the installed ones" },
    LOG_OPTS(struct stap_options, log),
};

static const struct program stap_program = {
    .name = "tracetool stap",
    .version = PACKAGE_VERSION,
    .synopsis = "list|run|dump [OPTION...] BINARY [PATTERN...]",
    .summary = "trace a program that has probes, by SystemTap",
    .footer = "  list BINARY [PATTERN...]   print names of probes\n"
              "  run BINARY PATTERN...      print a line per event, by stap\n"
              "  dump BINARY [PATTERN...]   print the probes as SystemTap "
              "scripts\n",
    .opts = stap_opts,
    .nr_opts = sizeof(stap_opts) / sizeof(stap_opts[0]),
    .min_args = 2,
    .max_args = UINT32_MAX,
};

static int run_stap_request(struct stap_request *r, const char *command,
                            struct err *e)
{
    size_t i, nr = sizeof(stap_commands) / sizeof(stap_commands[0]);
    int rc;

    for ( i = 0; i < nr && strcmp(stap_commands[i].name, command); i++ )
        ;
    if ( i == nr )
        return err_usage(e, "%.60s: no such command; use list, run or dump",
                         command);
    rc = check_patterns(r->patterns, e);
    if ( !rc )
        rc = make_prefix(r, e);
    if ( !rc )
        rc = find_folder(r, e);
    if ( rc )
        return rc;
    log_debug(&r->o.log, "tapsets of %s are in %s", r->binary, r->folder);
    return stap_commands[i].run(r, e);
}

int stap_command_run(int argc, char **argv)
{
    struct stap_request r = { .o.log = LOG_INIT("tracetool stap") };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int first, rc;

    rc = opts_parse(&stap_program, argc, argv, &r.o, &first, &next, &e);
    if ( !rc && next == OPTS_RUN )
    {
        r.binary = argv[first + 1];
        r.patterns = argv + first + 2;
        rc = run_stap_request(&r, argv[first], &e);
    }
    if ( rc )
        err_print("tracetool stap", &e);
    free(r.folder);
    free(r.prefix);
    return rc ? err_exit_code(&e) : EXIT_SUCCESS;
}
