/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help and --list-options byte for byte; no table makes lines too wide. */
#include <stdio.h>
#include <string.h>

#include "common/opts-private.h"
#include "opts-example.h"
#include "unit.h"

static const char help[] =
    "Usage: demo-program [OPTION...] FILE [FILE]\n"
    "Shows what an option table can do, and is here to be tried by the tests "
    "of\n"
    "shells and scripts.\n"
    "\n"
    "Numbers:\n"
    "  -c, --cpus=N                how many pcpus to play (1 to 1024; default: "
    "4)\n"
    "      --start=VALUE           first number of all\n"
    "  -S, --ring-size=BYTES       what each pcpu's ring holds; it is rounded "
    "up to\n"
    "                              whole pages, and shared by all that run on "
    "it (4k\n"
    "                              to 1G; default: 1M)\n"
    "  -s, --wait=TIME             the pause between two looks (at least "
    "1ms)\n"
    "      --cpu-hz=HZ             the TSC's frequency\n"
    "\n"
    "Others:\n"
    "  -q, --quiet                 say nothing\n"
    "      --[no-]colour           use [colours]: it's prettier (default: "
    "yes)\n"
    "  -f, --format=json|text|csv  what to write (default: text)\n"
    "  -o, --output-file-of-the-whole-run=FILE\n"
    "                              where to write it\n"
    "  -V, --call                  count this\n"
    "  -e, --mask=MASK             collect this\n"
    "  -0 N                        as --start\n"
    "\n"
    "About this program:\n"
    "  -h, --help                  print this page\n"
    "      --version               print the version\n"
    "      --completion=SHELL      print what that shell reads to complete "
    "these\n"
    "                              options (bash, zsh, fish)\n"
    "\n"
    "Example:\n"
    "  demo-program --cpus=8 run.trc\n";

static const char list[] =
    "cpus\tc\tN\thow many pcpus to play\n"
    "start\t\tVALUE\tfirst number of all\n"
    "ring-size\tS\tBYTES\twhat each pcpu's ring holds; it is rounded up to "
    "whole pages, and shared by all that run on it\n"
    "wait\ts\tTIME\tthe pause between two looks\n"
    "cpu-hz\t\tHZ\tthe TSC's frequency\n"
    "quiet\tq\t\tsay nothing\n"
    "colour\t\t\tuse [colours]: it's prettier\n"
    "format\tf\tjson|text|csv\twhat to write\n"
    "output-file-of-the-whole-run\to\tFILE\twhere to write it\n"
    "call\tV\t\tcount this\n"
    "mask\te\tMASK\tcollect this\n"
    "\t0\tN\tas --start\n"
    "help\th\t\tprint this page\n"
    "version\t\t\tprint the version\n"
    "completion\t\tSHELL\tprint what that shell reads to complete these "
    "options\n";

/* Capture the output of `print`; the caller frees it. */
static char *printed(void (*print)(const struct program *p, FILE *out),
                     const struct program *p)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(out);
    print(p, out);
    fclose(out);
    return text;
}

START_TEST(help_is_this_page)
{
    char *text = printed(opts_help, example_program());

    ck_assert_str_eq(text, help);
    free(text);
}
END_TEST

START_TEST(list_is_these_rows)
{
    char *text = printed(opts_list, example_program());

    ck_assert_str_eq(text, list);
    free(text);
}
END_TEST

START_TEST(program_without_options_has_help)
{
    static const struct program bare = {
        .name = "bare", .synopsis = "", .summary = "Does nothing.",
    };
    char *text = printed(opts_help, &bare);

    ck_assert_str_eq(text,
                     "Usage: bare \n"
                     "Does nothing.\n"
                     "\n"
                     "About this program:\n"
                     "  -h, --help              print this page\n"
                     "  -V, --version           print the version\n"
                     "      --completion=SHELL  print what that shell reads "
                     "to complete these options\n"
                     "                          (bash, zsh, fish)\n");
    free(text);
}
END_TEST

/* Any help text, any length of name: no line is wider than 79. */
START_TEST(nothing_is_wider_than_the_screen)
{
    static char words[400];
    struct opt opt = { .type = OPT_U64, .min = 1, .help = words };
    struct program p = { .name = "p", .synopsis = "", .summary = words,
                         .opts = &opt, .nr_opts = 1 };
    uint64_t state = unit_seed();
    unsigned int round, i;
    char name[40], *text, *line;

    for ( round = 0; round < 300; round++ )
    {
        for ( i = 0; i < sizeof(words) - 1; i++ )
            words[i] = unit_random(&state) % 6 ? 'w' : ' ';
        memset(name, 'n', sizeof(name));
        name[1 + round % (sizeof(name) - 1)] = '\0';
        opt.name = name;

        text = printed(opts_help, &p);
        for ( line = strtok(text, "\n"); line; line = strtok(NULL, "\n") )
            ck_assert_msg(strlen(line) <= 79 || !strpbrk(line + 1, " "),
                          "%s", line);
        free(text);
    }
}
END_TEST

START_TEST(table_without_headings_gets_one)
{
    static const struct opt opt = {
        .name = "a", .type = OPT_FLAG, .help = "b",
    };
    const struct program p = { .name = "p", .synopsis = "s", .summary = "t",
                               .opts = &opt, .nr_opts = 1 };
    char *text = printed(opts_help, &p);

    ck_assert(strstr(text, "t\n\nOptions:\n      --a ") != NULL);
    free(text);
}
END_TEST

UNIT_MAIN("opts-help", help_is_this_page, list_is_these_rows,
          program_without_options_has_help, nothing_is_wider_than_the_screen,
          table_without_headings_gets_one)
