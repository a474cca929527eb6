/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as people type them.  The parser is strict: the whole text has to be
 * a number, without sign and blanks; a number too large for 64 bits is -ERANGE.
 *
 *     number    12  0x1f  017
 *     scaled    12k  1.5G  0x10k  .5s      (a unit table decides)
 *
 * A fraction is computed exactly, without floating point, and rounded to the
 * nearest byte, nanosecond or hertz: 2.4G is 2,400,000,000.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/opts-private.h"

/*
 * A suffix and its scale.  show_scaled() uses the first row without remainder,
 * so larger units precede smaller units, and the usual spelling precedes its
 * variants.
 */
struct unit
{
    const char *suffix;
    uint64_t scale;             /* 0: end of the table */
};

static const struct unit none[] = { { "", 1 }, { NULL, 0 } };

static const struct unit size[] = {
    { "T", 1ull << 40 }, { "G", 1ull << 30 }, { "M", 1ull << 20 },
    { "k", 1ull << 10 }, { "", 1 },
    { "t", 1ull << 40 }, { "g", 1ull << 30 }, { "m", 1ull << 20 },
    { "K", 1ull << 10 }, { NULL, 0 },
};

static const struct unit elapsed[] = {
    { "h", 3600000000000ull }, { "m", 60000000000ull }, { "s", 1000000000ull },
    { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { "", 1000000000ull },
    { NULL, 0 },
};

static const struct unit hz[] = {
    { "G", 1000000000ull }, { "M", 1000000 }, { "k", 1000 }, { "", 1 },
    { "g", 1000000000ull }, { "m", 1000000 }, { "K", 1000 }, { NULL, 0 },
};

/* 0 to 35; 36: no digit in any base. */
static unsigned int digit_value(char c)
{
    if ( isdigit((unsigned char)c) )
        return c - '0';
    if ( isalpha((unsigned char)c) && (unsigned char)c < 0x80 )
        return tolower(c) - 'a' + 10;
    return 36;
}

/*
 * Read all digits of this base from *at on, at least one; *at moves behind
 * them, even if the number overflows.
 */
static int take_digits(const char **at, unsigned int base, uint64_t *value)
{
    const char *from = *at;
    int rc = 0;

    assert(base <= 16);
    *value = 0;
    for ( ; digit_value(**at) < base; (*at)++ )
        if ( __builtin_mul_overflow(*value, base, value) ||
             __builtin_add_overflow(*value, digit_value(**at), value) )
            rc = -ERANGE;

    return *at == from ? -EINVAL : rc;
}

static bool is_hex(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

int opts_number(const char *text, uint64_t *value)
{
    unsigned int base = is_hex(text) ? 16 : text[0] == '0' ? 8 : 10;
    uint64_t number;
    int rc;

    text += base == 16 ? 2 : 0;
    rc = take_digits(&text, base, &number);
    if ( *text != '\0' )
        return -EINVAL;
    if ( rc == 0 )
        *value = number;
    return rc;
}

/*
 * 0.DIGITS * scale, rounded.  From the last digit to the first, each step is
 * a tenth of (digit * scale + the result of the previous step); rounding down
 * in each step gives the same as rounding down at the end.  The function
 * computes twice the value, so that the lowest bit has the rounding direction.
 */
static uint64_t take_fraction(const char *digits, size_t n, uint64_t scale)
{
    uint64_t twice = 0;

    assert(scale <= UINT64_MAX / 20);
    while ( n-- > 0 )
        twice = (2 * scale * (digits[n] - '0') + twice) / 10;

    return (twice + 1) / 2;
}

static uint64_t find_scale(const struct unit *u, const char *suffix)
{
    for ( ; u->scale != 0; u++ )
        if ( !strcmp(u->suffix, suffix) )
            break;

    return u->scale;
}

static int scale_number(const struct unit *units, const char *text,
                        uint64_t *value)
{
    bool hex = is_hex(text);
    const char *fraction = "";
    size_t digits = 0;
    uint64_t whole = 0, scale;
    int rc = 0;

    text += hex ? 2 : 0;
    if ( hex || *text != '.' )
        rc = take_digits(&text, hex ? 16 : 10, &whole);
    if ( rc == -EINVAL )
        return rc;

    if ( !hex && *text == '.' )
    {
        fraction = text + 1;
        digits = strspn(fraction, "0123456789");
        if ( digits == 0 )
            return -EINVAL;
        text = fraction + digits;
    }

    scale = find_scale(units, text);
    if ( scale == 0 )
        return -EINVAL;
    if ( rc || __builtin_mul_overflow(whole, scale, &whole) ||
         __builtin_add_overflow(whole, take_fraction(fraction, digits, scale),
                                &whole) )
        return -ERANGE;

    *value = whole;
    return 0;
}

int opts_size(const char *text, uint64_t *bytes)
{
    return scale_number(size, text, bytes);
}

int opts_time(const char *text, uint64_t *ns)
{
    return scale_number(elapsed, text, ns);
}

int opts_hz(const char *text, uint64_t *value)
{
    return scale_number(hz, text, value);
}

/* The value as a user would type it, in the largest exact unit. */
static void show_scaled(const struct unit *u, uint64_t value, char *buf)
{
    int length;

    for ( ; value % u->scale != 0; u++ )
        assert(u[1].scale != 0);        /* each table has a unit of 1 */

    if ( value == 0 )
        u = none;
    length = snprintf(buf, OPT_NUMBER_MAX, "%" PRIu64 "%s", value / u->scale,
                      u->suffix);
    assert(length < (int)OPT_NUMBER_MAX);
}

void opts_show_number(uint64_t value, char *buf)
{
    show_scaled(none, value, buf);
}

void opts_show_size(uint64_t bytes, char *buf)
{
    show_scaled(size, bytes, buf);
}

void opts_show_time(uint64_t ns, char *buf)
{
    show_scaled(elapsed, ns, buf);
}

void opts_show_hz(uint64_t value, char *buf)
{
    show_scaled(hz, value, buf);
}
