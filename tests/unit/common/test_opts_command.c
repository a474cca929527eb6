/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands: their options come before the user's, a file of the same name wins,
 * they use positional arguments, and mistyped names get a suggestion.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/opts-private.h"
#include "unit.h"

struct config
{
    bool summary, quiet;
    unsigned int top;
    const char *kind;
};

#define AT(field) .at = offsetof(struct config, field)

static const struct opt opts[] = {
    { .name = "summary", .type = OPT_FLAG, AT(summary), .help = "sum up" },
    { .name = "top", .type = OPT_UINT, .arg = "N", AT(top), .preset = "3",
      .common = true, .help = "number of rows" },
    { .name = "quiet", .letter = 'q', .type = OPT_FLAG, AT(quiet),
      .help = "print nothing" },
};

static int take_kind(void *state, int nr, char **args, struct err *e)
{
    struct config *config = state;

    if ( nr < 2 )
        return err_usage(e, "plot: which kind?");
    config->kind = args[0];
    return 1;
}

static const struct command commands[] = {
    { .name = "summary", .args = "FILE", .help = "print the sums",
      .options = (const char *const[]){ "--summary", "--top=7", NULL },
      .related = (const char *const[]){ "top", NULL } },
    { .name = "plot", .args = "KIND FILE", .help = "draw a picture",
      .details = "Two sentences.  Here.", .take = take_kind },
};

static const struct program program = {
    .name = "demo", .version = "1", .synopsis = "[COMMAND] [FILE]",
    .summary = "a program with commands",
    .opts = opts, .nr_opts = 3, .commands = commands, .nr_commands = 2,
    .max_args = 1, .args_exist = true,
};

struct run
{
    char room[200], *argv[12];
    int argc, first, rc;
    enum opts_next next;
    struct config config;
    struct err e;
};

static void run_line(struct run *r, const char *line)
{
    *r = (struct run){ .e = ERR_INIT };
    r->argv[r->argc++] = (char *)"demo";
    strcpy(r->room, line);
    for ( char *word = strtok(r->room, " "); word; word = strtok(NULL, " ") )
        r->argv[r->argc++] = word;
    r->rc = opts_parse(&program, r->argc, r->argv, &r->config, &r->first,
                       &r->next, &r->e);
}

static const struct
{
    const char *line;
    bool summary, quiet;
    unsigned int top;
    const char *kind;           /* or NULL */
    const char *rest;           /* the positional argument that is left */
} good[] = {
    { "file", false, false, 3, NULL, "file" },
    { "summary file", true, false, 7, NULL, "file" },
    { "summary --top 1 file", true, false, 1, NULL, "file" },
    { "--top 1 summary file -q", true, true, 1, NULL, "file" },
    { "summary file --no-summary", false, false, 7, NULL, "file" },
    { "plot irq file", false, false, 3, "irq", "file" },
    { "-q plot --top=4 irq file", false, true, 4, "irq", "file" },
    { "./summary", false, false, 3, NULL, "./summary" },
    { "--top 2 -- summary", true, false, 2, NULL, NULL },
};

START_TEST(commands_set_options)
{
    struct run r;

    for ( size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++ )
    {
        run_line(&r, good[i].line);
        ck_assert_msg(!r.rc, "%s: %s", good[i].line, r.e.text);
        ck_assert_msg(r.config.summary == good[i].summary &&
                      r.config.quiet == good[i].quiet &&
                      r.config.top == good[i].top, "%s", good[i].line);
        ck_assert_pstr_eq(r.config.kind, good[i].kind);
        ck_assert_int_eq(r.argc - r.first, good[i].rest != NULL);
        if ( good[i].rest )
            ck_assert_str_eq(r.argv[r.first], good[i].rest);
    }
}
END_TEST

static const struct { const char *line, *text; } bad[] = {
    { "sumary", "sumary: no such file or command; is summary meant?" },
    { "sumary file", "sumary: no such file or command; is summary meant?" },
    { "dance file", "dance: no such file or command; demo --help lists the "
                    "commands" },
    { "plot file", "plot: which kind?" },
    { "summary a b", "b: one argument too many; usage: demo [COMMAND] [FILE]" },
    { "summary plot", "plot: give one command at a time; summary is one "
                      "already" },
    { "help dance", "help dance: no such command; demo help lists them" },
    { "help plto", "help plto: no such command; is plot meant?" },
    { "help all plot", "plot: help is about one command; usage: demo help "
                       "[COMMAND|all]" },
    { "summary --nothing", "--nothing: no such option; --help lists them" },
};

START_TEST(errors_say_what_to_do)
{
    struct run r;

    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
    {
        run_line(&r, bad[i].line);
        ck_assert_msg(r.rc == -EINVAL, "%s", bad[i].line);
        ck_assert_str_eq(r.e.text, bad[i].text);
        ck_assert_int_eq(err_exit_code(&r.e), 2);
    }
}
END_TEST

/*
 * A file of a command's name is an argument, as before there were commands,
 * unless other arguments are not files: then the command is meant.  A folder is
 * no file.
 */
START_TEST(file_wins)
{
    char folder[] = "/tmp/test_opts_command.XXXXXX";
    int fd, before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct run file, stdin_, kind, directory;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    fd = open("summary", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    run_line(&file, "summary");
    run_line(&stdin_, "summary -q -");
    run_line(&kind, "summary none");
    ck_assert_int_eq(rename("summary", "file"), 0);
    ck_assert_int_eq(mkdir("plot", 0700), 0);
    run_line(&directory, "plot irq file");
    close(fd);
    unlink("file");
    rmdir("plot");
    ck_assert_int_eq(fchdir(before), 0);
    close(before);
    rmdir(folder);
    ck_assert_msg(!file.rc, "%s", file.e.text);
    ck_assert(!file.config.summary);
    ck_assert_str_eq(file.argv[file.first], "summary");
    ck_assert_str_eq(stdin_.e.text, "-: one argument too many; usage: demo "
                     "[COMMAND] [FILE]");
    ck_assert_msg(!kind.rc, "%s", kind.e.text);
    ck_assert(kind.config.summary);
    ck_assert_str_eq(kind.argv[kind.first], "none");
    ck_assert_msg(!directory.rc, "%s", directory.e.text);
    ck_assert_pstr_eq(directory.config.kind, "irq");
}
END_TEST

static char *print_page(const struct command *c)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(out);
    if ( c )
        opts_help_command(&program, c, out);
    else
        opts_help_short(&program, out);
    fclose(out);
    return text;
}

START_TEST(pages_are_short)
{
    char *text = print_page(NULL);

    ck_assert_str_eq(text,
                     "Usage: demo [COMMAND] [FILE]\n"
                     "a program with commands\n"
                     "\n"
                     "Commands (demo help COMMAND; demo help all):\n"
                     "  summary FILE    print the sums\n"
                     "  plot KIND FILE  draw a picture\n"
                     "\n"
                     "Common options:\n"
                     "      --top=N  number of rows (default: 3)\n");
    free(text);
    text = print_page(&commands[0]);
    ck_assert_str_eq(text,
                     "Usage: demo summary [OPTION...] FILE\n"
                     "Print the sums.\n"
                     "\n"
                     "Options (demo help all lists every option):\n"
                     "      --top=N  number of rows (default: 3)\n");
    free(text);
    text = print_page(&commands[1]);
    ck_assert_str_eq(text,
                     "Usage: demo plot [OPTION...] KIND FILE\n"
                     "Draw a picture.\n"
                     "\n"
                     "Two sentences. Here.\n");
    free(text);
}
END_TEST

UNIT_MAIN("opts-command", commands_set_options, errors_say_what_to_do,
          file_wins, pages_are_short)
