/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line of --stats on a terminal: it never wraps, since a wrapped line is
 * not overwritten by the next one.
 */
#define _GNU_SOURCE /* cfmakeraw */

#include "xentrace/stats-line.h"

#include <pty.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/unit/libxentrace/unit.h"

static const struct stats_now moments[] = {
    { .ms = 1000, .events = 10, .bytes = 100 },
    { .ms = 2000, .events = UINT64_C(1) << 40, .bytes = UINT64_C(1) << 45,
      .lost = UINT64_C(1) << 40, .waiting = UINT64_C(999) << 20, .full = 100 },
};

/* Print a line on a terminal of so many columns; returns its visible text. */
static const char *print_on_terminal(unsigned short columns,
                                     const struct stats_now *now)
{
    struct winsize size = { .ws_row = 24, .ws_col = columns };
    static char text[1024];
    struct stats_line s;
    struct termios raw;
    int master, slave;
    ssize_t got;
    FILE *out;

    ck_assert_int_eq(openpty(&master, &slave, NULL, NULL, &size), 0);
    ck_assert_int_eq(tcgetattr(slave, &raw), 0);
    cfmakeraw(&raw);
    ck_assert_int_eq(tcsetattr(slave, TCSANOW, &raw), 0);
    ck_assert_ptr_nonnull(out = fdopen(slave, "w"));
    stats_line_begin(&s, out, 0);
    stats_line_print(&s, now);
    got = read(master, text, sizeof(text) - 1);
    ck_assert_int_ge(got, 4);
    text[got] = '\0';
    fclose(out);
    close(master);
    ck_assert_int_eq(text[0], '\r');
    ck_assert_str_eq(text + got - 3, "\033[K");
    text[got - 3] = '\0';
    return text + 1;
}

START_TEST(line_fits_on_the_terminal)
{
    static const unsigned short columns[] = { 80, 79, 40, 1, 132 };

    for ( size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++ )
        for ( size_t k = 0; k < sizeof(moments) / sizeof(moments[0]); k++ )
        {
            const char *line = print_on_terminal(columns[i], &moments[k]);

            ck_assert_uint_lt(strlen(line), columns[i]);
        }
}
END_TEST

/* The end of the line is cut first: losses stay. */
START_TEST(losses_are_shown)
{
    ck_assert_ptr_nonnull(strstr(print_on_terminal(80, &moments[0]),
                                 " 0 lost"));
    ck_assert_ptr_nonnull(strstr(print_on_terminal(80, &moments[1]),
                                 " 1099511627776 lost"));
}
END_TEST

UNIT_MAIN("stats line", line_fits_on_the_terminal, losses_are_shown)
