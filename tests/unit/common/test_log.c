/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages: their exact shape, which are shown, and nothing torn. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "unit.h"

/* A log that writes into memory. */
struct paper
{
    struct log log;
    char *text;
    size_t size;
};

static void paper_init(struct paper *p)
{
    *p = (struct paper){ .log = LOG_INIT("prog") };
    p->log.out = open_memstream(&p->text, &p->size);
    ck_assert_ptr_nonnull(p->log.out);
}

static void paper_fini(struct paper *p)
{
    fclose(p->log.out);
    free(p->text);
}

static const char *paper_text(struct paper *p)
{
    fflush(p->log.out);
    return p->text;
}

static void say_all(const struct log *log)
{
    log_error(log, "e%d", 0);
    log_warning(log, "w%d", 1);
    log_info(log, "i%d", 2);
    log_debug(log, "d%d", 3);
}

static const char *const shown[] = {
    [LOG_LEVEL_ERROR] = "prog: e0\n",
    [LOG_LEVEL_WARNING] = "prog: e0\nprog: warning: w1\n",
    [LOG_LEVEL_INFO] = "prog: e0\nprog: warning: w1\nprog: i2\n",
    [LOG_LEVEL_DEBUG] = ("prog: e0\nprog: warning: w1\nprog: i2\n"
                         "prog: debug: d3\n"),
};

START_TEST(each_level_shows_itself_and_above)
{
    enum log_level level;
    struct paper p;

    for ( level = LOG_LEVEL_ERROR; level <= LOG_LEVEL_DEBUG; level++ )
    {
        paper_init(&p);
        p.log.level = level;
        say_all(&p.log);
        ck_assert_str_eq(paper_text(&p), shown[level]);
        paper_fini(&p);
    }
}
END_TEST

START_TEST(nobody_listens_to_null)
{
    say_all(NULL);
}
END_TEST

START_TEST(errno_survives)
{
    struct paper p;

    paper_init(&p);
    errno = ENOSPC;
    log_error(&p.log, "%m");
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_str_eq(paper_text(&p), "prog: No space left on device\n");
    paper_fini(&p);
}
END_TEST

START_TEST(long_message_is_one_line)
{
    char name[5000];
    struct paper p;
    const char *text;

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    paper_init(&p);
    log_debug(&p.log, "%s", name);
    log_warning(&p.log, "%s", name);
    text = paper_text(&p);
    ck_assert_uint_gt(strlen(text), 1000);
    ck_assert_uint_lt(strlen(text), 1200);
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
    paper_fini(&p);
}
END_TEST

START_TEST(reasons_from_below)
{
    struct err plain = ERR_INIT, placed = ERR_INIT;
    struct paper p;

    err_set(&plain, -EINVAL, "100%% odd");
    err_at(&placed, -EBADMSG, 4096, "bad window");
    paper_init(&p);
    log_err(&p.log, LOG_LEVEL_ERROR, &plain);
    log_err(&p.log, LOG_LEVEL_WARNING, &placed);
    ck_assert_str_eq(paper_text(&p), "prog: 100% odd\n"
                     "prog: warning: bad window (at byte 4096)\n");
    paper_fini(&p);
}
END_TEST

START_TEST(steps_end_at_the_ends)
{
    struct log log = LOG_INIT("prog");

    ck_assert_int_eq(log.level, LOG_LEVEL_INFO);
    log_louder(&log);
    log_louder(&log);
    ck_assert_int_eq(log.level, LOG_LEVEL_DEBUG);
    log_quieter(&log);
    log_quieter(&log);
    log_quieter(&log);
    log_quieter(&log);
    ck_assert_int_eq(log.level, LOG_LEVEL_ERROR);
}
END_TEST

START_TEST(option_rows_turn_the_level)
{
    struct config { int other; struct log log; };
    static const struct opt opts[] = { LOG_OPTS(struct config, log) };
    static const struct program program = {
        .name = "prog", .synopsis = "", .summary = "", .opts = opts,
        .nr_opts = 2,
    };
    struct config config = { .other = 7, .log = LOG_INIT("prog") };
    char *argv[] = { (char *)"prog", (char *)"-qq", (char *)"--verbose", NULL };
    enum opts_next next;
    int first;

    ck_assert_int_eq(opts_parse(&program, 3, argv, &config, &first, &next,
                                NULL), 0);
    ck_assert_int_eq(config.log.level, LOG_LEVEL_WARNING);
    ck_assert_int_eq(config.other, 7);
}
END_TEST

/* The status line is cleared first, so that a message starts at column 0. */
START_TEST(status_line_makes_way)
{
    struct progress line = { .what = "reading", .unit = "B", .columns = 80 };
    struct paper p;

    paper_init(&p);
    line.out = p.log.out;
    p.log.line = &line;
    progress_tick(&line, 0, 0);
    log_debug(&p.log, "not shown, so the line stays");
    log_info(&p.log, "hello");
    ck_assert_str_eq(paper_text(&p), "\rreading  0 B\r            \r"
                     "prog: hello\n");
    paper_fini(&p);
}
END_TEST

static char told[64];

static void tell(enum log_level level, const char *text)
{
    snprintf(told, sizeof(told), "%d %s", level, text);
}

/* The callback receives level and text; nothing is printed. */
START_TEST(somewhere_else)
{
    struct paper p;

    paper_init(&p);
    p.log.deliver = tell;
    log_warning(&p.log, "hello %d", 2);
    ck_assert_str_eq(told, "1 hello 2");
    p.log.level = LOG_LEVEL_ERROR;
    log_warning(&p.log, "not wanted");
    ck_assert_str_eq(told, "1 hello 2");
    ck_assert_str_eq(paper_text(&p), "");
    paper_fini(&p);
}
END_TEST

UNIT_MAIN("log", each_level_shows_itself_and_above, nobody_listens_to_null,
          errno_survives, long_message_is_one_line, reasons_from_below,
          steps_end_at_the_ends, option_rows_turn_the_level,
          status_line_makes_way, somewhere_else)
