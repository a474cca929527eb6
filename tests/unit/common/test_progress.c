/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The status line: contents, rate, destination, and removal. */
#define _GNU_SOURCE             /* posix_openpt */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/progress.h"
#include "unit.h"

#define SECOND 1000000000ull

/* A status line that draws into memory, started at time 0. */
struct screen
{
    struct progress line;
    char *text;
    size_t size;
};

static void screen_init(struct screen *s, uint64_t total)
{
    *s = (struct screen){
        .line = { .what = "reading", .unit = "B", .total = total,
                  .columns = 80 },
    };
    s->line.out = open_memstream(&s->text, &s->size);
    ck_assert_ptr_nonnull(s->line.out);
}

static void screen_fini(struct screen *s, const char *expected)
{
    FILE *out = s->line.out;

    progress_fini(&s->line);
    fclose(out);
    ck_assert_str_eq(s->text, expected);
    free(s->text);
}

START_TEST(shows_percent_rate_and_rest)
{
    struct screen s;

    screen_init(&s, 4000000000);
    progress_tick(&s.line, 1000000000, 2 * SECOND);
    s.line.shown = 0;
    screen_fini(&s, "\rreading  25 %  1.0 GB of 4.0 GB  500.0 MB/s  "
                "0:06 left");
}
END_TEST

START_TEST(without_total_no_percent_and_no_rest)
{
    struct screen s;

    screen_init(&s, 0);
    progress_tick(&s.line, 3000, SECOND);
    s.line.shown = 0;
    screen_fini(&s, "\rreading  3.0 kB  3.0 kB/s");
}
END_TEST

START_TEST(beyond_the_total_is_all_of_it)
{
    struct screen s;

    screen_init(&s, 100);
    progress_tick(&s.line, 250, SECOND);
    s.line.shown = 0;
    screen_fini(&s, "\rreading 100 %  250 B of 100 B  250 B/s");
}
END_TEST

START_TEST(nearly_all_is_not_all)
{
    struct screen s;

    screen_init(&s, 100000);
    progress_tick(&s.line, 99999, 0);
    s.line.shown = 0;
    screen_fini(&s, "\rreading  99 %  100.0 kB of 100.0 kB");
}
END_TEST

START_TEST(ten_times_a_second)
{
    unsigned int i, drawn = 0;
    struct screen s;
    size_t before = 0;

    screen_init(&s, 0);
    for ( i = 0; i < 1000; i++ )
    {
        progress_tick(&s.line, i, i * SECOND / 1000);
        drawn += s.size != before;
        before = s.size;
    }
    ck_assert_uint_eq(drawn, 10);
    fclose(s.line.out);
    free(s.text);
}
END_TEST

START_TEST(shorter_line_covers_the_longer)
{
    struct screen s;

    screen_init(&s, 0);
    progress_tick(&s.line, 1500, 0);
    progress_tick(&s.line, 2, SECOND / 10);
    screen_fini(&s, "\rreading  1.5 kB"
                "\rreading  2 B  20 B/s"
                "\r                    \r");
    screen_init(&s, 0);
    progress_tick(&s.line, 1500, 0);
    progress_tick(&s.line, 0, SECOND / 10);
    screen_fini(&s, "\rreading  1.5 kB"
                "\rreading  0 B   "
                "\r            \r");
}
END_TEST

START_TEST(narrow_terminal_cuts)
{
    struct screen s;

    screen_init(&s, 0);
    s.line.columns = 10;
    progress_tick(&s.line, 1500, 0);
    screen_fini(&s, "\rreading  \r         \r");
}
END_TEST

START_TEST(hidden_line_comes_back_at_once)
{
    struct screen s;

    screen_init(&s, 0);
    progress_hide(&s.line);
    progress_tick(&s.line, 0, 0);
    progress_hide(&s.line);
    progress_hide(&s.line);
    progress_tick(&s.line, 0, 1);
    screen_fini(&s, "\rreading  0 B\r            \r"
                "\rreading  0 B\r            \r");
}
END_TEST

START_TEST(not_a_terminal_stays_empty)
{
    struct progress line;
    FILE *f = tmpfile();

    ck_assert_ptr_nonnull(f);
    progress_init(&line, f, "reading", "B", 10);
    progress_update(&line, 5);
    progress_hide(&line);
    progress_fini(&line);
    ck_assert_int_eq(ftell(f), 0);
    fclose(f);
}
END_TEST

/*
 * Open a terminal, `columns` wide; *screen reads its output.  NULL: this
 * machine has no terminals (a bare chroot), and a message was printed.
 */
static FILE *open_terminal(int *screen, unsigned short columns)
{
    struct winsize size = { .ws_row = 24, .ws_col = columns };
    int fd;

    *screen = posix_openpt(O_RDWR | O_NOCTTY);
    if ( *screen < 0 )
    {
        printf("no terminal to be had (%s): not tried\n", strerror(errno));
        return NULL;
    }
    ck_assert_int_eq(grantpt(*screen), 0);
    ck_assert_int_eq(unlockpt(*screen), 0);
    fd = open(ptsname(*screen), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ioctl(fd, TIOCSWINSZ, &size), 0);
    return fdopen(fd, "w");
}

START_TEST(terminal_is_drawn_on)
{
    static const char start[] = "\rcounting";
    struct progress line;
    char text[256] = "";
    int screen;
    FILE *out = open_terminal(&screen, 40);

    if ( !out )
        return;
    progress_init(&line, out, "counting", "", 10);
    ck_assert_uint_eq(line.columns, 40);
    progress_update(&line, 5);
    ck_assert_int_gt(read(screen, text, sizeof(text) - 1), 0);
    ck_assert(!strncmp(text, start, strlen(start)));
    progress_fini(&line);
    fclose(out);
    close(screen);
}
END_TEST

START_TEST(terminal_without_a_size_is_80_wide)
{
    struct progress line;
    int screen;
    FILE *out = open_terminal(&screen, 0);

    if ( !out )
        return;
    progress_init(&line, out, "counting", "", 10);
    ck_assert_uint_eq(line.columns, 80);
    progress_fini(&line);
    fclose(out);
    close(screen);
}
END_TEST

UNIT_MAIN("progress", shows_percent_rate_and_rest,
          without_total_no_percent_and_no_rest, beyond_the_total_is_all_of_it,
          nearly_all_is_not_all, ten_times_a_second,
          shorter_line_covers_the_longer, narrow_terminal_cuts,
          hidden_line_comes_back_at_once, not_a_terminal_stays_empty,
          terminal_is_drawn_on, terminal_without_a_size_is_80_wide)
