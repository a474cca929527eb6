/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser of argv: every syntax, positions of options, exact error messages.
 * A command line is written as one string with blanks between the words.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "opts-example.h"
#include "unit.h"

#define MAX_WORDS 24

struct run
{
    char room[512];
    char *argv[MAX_WORDS + 1];
    int argc, first, rc;
    enum opts_next next;
    struct example config;
    struct err e;
};

/* `line` behind the program's name; "~" stands for an empty word. */
static void run(struct run *r, const char *line)
{
    char *word;

    *r = (struct run){ .e = ERR_INIT, .first = -1, .next = OPTS_EXIT };
    ck_assert_uint_lt(strlen(line), sizeof(r->room));
    strcpy(r->room, line);
    r->argv[r->argc++] = (char *)"demo-program";
    for ( word = strtok(r->room, " "); word; word = strtok(NULL, " ") )
    {
        ck_assert_int_lt(r->argc, MAX_WORDS);
        r->argv[r->argc++] = strcmp(word, "~") ? word : (char *)"";
    }
    r->rc = opts_parse(example_program(), r->argc, r->argv, &r->config,
                       &r->first, &r->next, &r->e);
}

static void run_well(struct run *r, const char *line)
{
    run(r, line);
    ck_assert_msg(r->rc == 0, "%s: %s", line, r->e.text);
    ck_assert_int_eq(r->next, OPTS_RUN);
    ck_assert_int_eq(r->e.code, 0);
}

START_TEST(presets_come_first)
{
    struct run r;

    run_well(&r, "file");
    ck_assert_uint_eq(r.config.cpus, 4);
    ck_assert_uint_eq(r.config.ring, 1 << 20);
    ck_assert_uint_eq(r.config.format, 1);
    ck_assert(r.config.colour && !r.config.quiet);
    ck_assert_ptr_null(r.config.output);
    ck_assert_uint_eq(r.config.hz, 0);
}
END_TEST

/* The same three values in every syntax. */
static const char *const spellings[] = {
    "--cpus=7 --quiet --format=csv file",
    "--cpus 7 --quiet --format csv file",
    "-c7 -q -fcsv file",
    "-c 7 -q -f csv file",
    "-qc7 -f csv file",
    "-qc 7 -fcsv file",
    "file -qfcsv -c7",
    "--cpus=1 file --cpus=7 -q --format json -f csv",
    "--cpus=0x7 --qui --fo=csv file",
    "-c 07 --q --f csv -- file",
    "--no-quiet --quiet -c7 -f csv file",
};

START_TEST(all_spellings)
{
    unsigned int i;
    struct run r;

    for ( i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++ )
    {
        run_well(&r, spellings[i]);
        ck_assert_msg(r.config.cpus == 7 && r.config.quiet &&
                      r.config.format == 2, "%s", spellings[i]);
        ck_assert_int_eq(r.first, r.argc - 1);
        ck_assert_str_eq(r.argv[r.first], "file");
    }
}
END_TEST

START_TEST(every_type_is_stored)
{
    struct run r;

    run_well(&r, "--start=0xffffffffffffffff -S 8k -s 5ms --cpu-hz=2.4G "
             "--no-colour -o out --call -VV -e a --mask=b --secret f");
    ck_assert(r.config.start == UINT64_MAX);
    ck_assert_uint_eq(r.config.ring, 8192);
    ck_assert_uint_eq(r.config.wait, 5000000);
    ck_assert_uint_eq(r.config.hz, 2400000000);
    ck_assert(!r.config.colour && r.config.quiet);
    ck_assert_str_eq(r.config.output, "out");
    ck_assert_uint_eq(r.config.called, 3);
    ck_assert_uint_eq(r.config.nr_masks, 2);
    ck_assert_str_eq(r.config.masks[0], "a");
    ck_assert_str_eq(r.config.masks[1], "b");
}
END_TEST

START_TEST(flags_can_be_taken_back)
{
    struct run r;

    run_well(&r, "-q --no-quiet --no-col f");
    ck_assert(!r.config.quiet && !r.config.colour);
    run_well(&r, "--no-q -q --no-secret --colo f");
    ck_assert(!r.config.quiet && r.config.colour);
}
END_TEST

/* The word after an option with a text is its text, even with a dash. */
START_TEST(texts_may_look_like_anything)
{
    struct run r;

    run_well(&r, "-o -q --mask -- -e- --mask= -- -x");
    ck_assert_str_eq(r.config.output, "-q");
    ck_assert_str_eq(r.config.masks[0], "--");
    ck_assert_str_eq(r.config.masks[1], "-");
    ck_assert_str_eq(r.config.masks[2], "");
    ck_assert(!r.config.quiet);
    ck_assert_str_eq(r.argv[r.first], "-x");
    run_well(&r, "--output=a=b ~");
    ck_assert_str_eq(r.config.output, "a=b");
    ck_assert_str_eq(r.argv[r.first], "");
}
END_TEST

static const struct
{
    const char *line, *first, *second;
} orders[] = {
    { "a b", "a", "b" },
    { "-q a b", "a", "b" },
    { "a -q b", "a", "b" },
    { "a b -q", "a", "b" },
    { "a -c 3 b -f csv", "a", "b" },
    { "a -- b", "a", "b" },
    { "-- a -q", "a", "-q" },
    { "-- -- -q", "--", "-q" },
    { "a - -q", "a", "-" },
    { "- -q a", "-", "a" },
    { "-q -c3 a -f csv -- --cpus", "a", "--cpus" },
};

START_TEST(positional_words_keep_their_order)
{
    unsigned int i;
    struct run r;

    for ( i = 0; i < sizeof(orders) / sizeof(orders[0]); i++ )
    {
        run_well(&r, orders[i].line);
        ck_assert_msg(r.argc - r.first == 2, "%s", orders[i].line);
        ck_assert_str_eq(r.argv[r.first], orders[i].first);
        ck_assert_str_eq(r.argv[r.first + 1], orders[i].second);
        ck_assert_str_eq(r.argv[0], "demo-program");
        ck_assert_ptr_null(r.argv[r.argc]);
    }
}
END_TEST

static const char *const complaints[][2] = {
    { "--cups=3", "--cups: no such option; is --cpus meant?" },
    { "--Format x", "--Format: no such option; is --format meant?" },
    { "--frobnicate", "--frobnicate: no such option; --help lists them" },
    { "--secre", "--secre: no such option; --help lists them" },
    { "--x", "--x: no such option; --help lists them" },
    { "--=3", "--: could be --cpus or --start or another" },
    { "--no-cpus", "--no-cpus: no such option; --help lists them" },
    { "--c", "--c: could be --cpus or --cpu-hz or another" },
    { "--cpu", "--cpu: could be --cpus or --cpu-hz" },
    { "--no-", "--no-: could be --no-quiet or --no-colour" },
    { "-z", "-z: no such option; --help lists them" },
    { "-qz", "-z: no such option; --help lists them" },
    { "--quiet=yes f", "--quiet: takes no argument" },
    { "--no-quiet= f", "--no-quiet: takes no argument" },
    { "--call=1 f", "--call: takes no argument" },
    { "--help=1", "--help: takes no argument" },
    { "f --cpus", "--cpus: needs an argument N" },
    { "f -qc", "--cpus: needs an argument N" },
    { "f --format", "--format: needs an argument json|text|csv" },
    { "f --start", "--start: needs an argument VALUE" },
    { "f -0", "-0: needs an argument N" },
    { "-c 0 f", "--cpus 0: must be 1 to 1024" },
    { "--cpus=1025", "--cpus 1025: must be 1 to 1024" },
    { "--cpus=4294967297", "--cpus 4294967297: must be 1 to 1024" },
    { "-c 18446744073709551617",
      "--cpus 18446744073709551617: must be 1 to 1024" },
    { "-c ~", "--cpus : not a number; it looks like 12 or 0x1f" },
    { "-c=3", "--cpus =3: not a number; it looks like 12 or 0x1f" },
    { "-0 1x", "-0 1x: not a number; it looks like 12 or 0x1f" },
    { "--start=18446744073709551616",
      "--start 18446744073709551616: too large" },
    { "-S 4095", "--ring-size 4095: must be 4k to 1G" },
    { "-S 1.1G", "--ring-size 1.1G: must be 4k to 1G" },
    { "-S 99999999T", "--ring-size 99999999T: must be 4k to 1G" },
    { "-S 1q",
      "--ring-size 1q: not a size; it looks like 4096, 64k or 1.5G" },
    { "-s 999us", "--wait 999us: must be at least 1ms" },
    { "-s 6000000h", "--wait 6000000h: too large" },
    { "-s 1x",
      "--wait 1x: not a time; it looks like 10, 0.5s, 20ms or 1h" },
    { "--cpu-hz=1s",
      "--cpu-hz 1s: not a frequency; it looks like 2.4G or 2400M" },
    { "-f xml", "--format xml: it is one of json, text, csv" },
    { "-f tetx", "--format tetx: is text meant? It is one of json, text, csv" },
    { "-c -1", "--cpus -1: must be 1 to 1024" },
    { "--start=-1", "--start -1: must be at least 0" },
    { "--start=-1x",
      "--start -1x: not a number; it looks like 12 or 0x1f" },
    { "-f ~", "--format : it is one of json, text, csv" },
    { "-e bad", "--mask bad: really bad" },
    { "-e silent", "--mask silent: Operation not permitted" },
    { "-e1 -e2 -e3 -e4 -e5", "--mask: too many" },
    { "", "an argument is missing; usage: demo-program [OPTION...] FILE "
          "[FILE]" },
    { "-q", "an argument is missing; usage: demo-program [OPTION...] FILE "
            "[FILE]" },
    { "a -q b -- -c", "-c: one argument too many; usage: demo-program "
                      "[OPTION...] FILE [FILE]" },
    { "--completion=tcsh",
      "--completion tcsh: it is one of bash, zsh, fish" },
};

START_TEST(complaints_say_what_and_what_to_do)
{
    unsigned int i;
    struct run r;

    for ( i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++ )
    {
        run(&r, complaints[i][0]);
        ck_assert_msg(r.rc != 0, "%s: accepted", complaints[i][0]);
        ck_assert_int_eq(r.rc, r.e.code);
        ck_assert_str_eq(r.e.text, complaints[i][1]);
    }
}
END_TEST

START_TEST(long_rubbish_is_cut_not_overrun)
{
    static char rubbish[5000] = "--";
    char *argv[] = { (char *)"demo-program", rubbish, NULL };
    struct example config = { .cpus = 0 };
    struct err e = ERR_INIT;
    enum opts_next next;
    int first;

    memset(rubbish + 2, 'x', sizeof(rubbish) - 3);
    ck_assert_int_eq(opts_parse(example_program(), 2, argv, &config, &first,
                                &next, &e), -EINVAL);
    ck_assert(strstr(e.text, "no such option") != NULL);
}
END_TEST

START_TEST(without_any_word_at_all)
{
    static const struct program bare = {
        .name = "bare", .synopsis = "", .summary = "",
    };
    char *argv[] = { NULL };
    enum opts_next next;
    int first;

    ck_assert_int_eq(opts_parse(&bare, 0, argv, NULL, &first, &next, NULL), 0);
    ck_assert_int_eq(first, 0);
    ck_assert_int_eq(next, OPTS_RUN);
}
END_TEST

START_TEST(bad_preset_is_an_error)
{
    static const struct opt opts[] = {
        { .name = "n", .type = OPT_UINT, .max = 9, .preset = "10",
          .at = offsetof(struct example, cpus), .help = "few" },
    };
    static const struct program p = {
        .name = "p", .synopsis = "", .summary = "", .opts = opts,
        .nr_opts = 1,
    };
    char *argv[] = { (char *)"p", NULL };
    struct example config;
    struct err e = ERR_INIT;
    enum opts_next next;
    int first;

    ck_assert_int_eq(opts_parse(&p, 1, argv, &config, &first, &next, &e),
                     -EINVAL);
    ck_assert_str_eq(e.text, "--n 10: must be 0 to 9");
}
END_TEST

/* Random words must never be more than refused: sanitizers watch. */
START_TEST(random_words_do_no_harm)
{
    static const char *const pieces[] = {
        "-", "--", "=", "c", "cpus", "no-", "quiet", "q", "format", "json",
        "1", "0x", "k", "f", "S", "o", "V", "e", "\xff", "colour", "wait", "s",
    };
    uint64_t state = unit_seed();
    unsigned int i, j;
    struct run r;

    for ( i = 0; i < 20000; i++ )
    {
        char line[256] = "";

        for ( j = unit_random(&state) % 12; j > 0; j-- )
        {
            strcat(line, pieces[unit_random(&state) % 22]);
            if ( unit_random(&state) % 2 )
                strcat(line, " ");
        }
        run(&r, line);
        ck_assert_msg((r.rc == 0) == (r.e.code == 0), "%s", line);
        ck_assert_msg(r.rc || (r.first >= 1 && r.first <= r.argc), "%s", line);
    }
}
END_TEST

UNIT_MAIN("opts-parse", presets_come_first, all_spellings,
          every_type_is_stored, flags_can_be_taken_back,
          texts_may_look_like_anything, positional_words_keep_their_order,
          complaints_say_what_and_what_to_do,
          long_rubbish_is_cut_not_overrun, without_any_word_at_all,
          bad_preset_is_an_error, random_words_do_no_harm)
