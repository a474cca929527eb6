/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two implementations of the checksum; the CPU's features select one.
 *
 * With tables: eight bytes per step.  Each byte is looked up in the table for
 * its distance from the end of the step, which has its effect on the remainder.
 *
 * With the instruction: it takes eight bytes and three cycles, but a new one
 * can start each cycle if it does not depend on the last result.  So a block is
 * cut into thirds, and their remainders are combined afterwards:
 *
 *      |----- a -----|----- b -----|----- c -----|
 *
 *      crc(abc) = shift(shift(crc(a)) ^ crc(b)) ^ crc(c)
 *
 * where shift() is the effect of a third's size in zero bytes on a remainder.
 * shift() is a linear map, so it takes four look-ups in a table for that size.
 * There are two sizes: the larger hides the cost of the look-ups, the smaller
 * leaves few bytes for the single stream.
 */
#include "libxentrace/crc.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* reflected: bit 31 is x^0 */
#define STEP 8u

_Static_assert(STEP == sizeof(uint64_t), "a step is one word");

typedef uint32_t bytewise[256];

/* The map shift() for thirds of this size, by the bytes of the remainder. */
struct shift_table
{
    size_t size;
    bytewise table[4];
};

static struct
{
    bytewise step[STEP];        /* [n]: a byte with n bytes behind it */
    struct shift_table shift[2]; /* the larger first */
    bool instruction;
} crc = { .shift = { { .size = 2048 }, { .size = 256 } } };

static uint64_t load_le64(const unsigned char *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* --- tables -------------------------------------------------------------- */

/* All functions below take and return remainders that are not inverted. */

static uint32_t update_byte(uint32_t rest, unsigned char byte)
{
    return rest >> 8 ^ crc.step[0][(rest ^ byte) & 0xff];
}

static uint32_t update_table(uint32_t rest, const unsigned char *at,
                             size_t size)
{
    for ( ; size >= STEP; size -= STEP, at += STEP )
    {
        uint64_t word = load_le64(at) ^ rest;

        rest = 0;
        for ( unsigned int i = 0; i < STEP; i++ )
            rest ^= crc.step[STEP - 1 - i][word >> 8 * i & 0xff];
    }
    while ( size-- )
        rest = update_byte(rest, *at++);
    return rest;
}

static void fill_step_tables(void)
{
    for ( uint32_t byte = 0; byte < 256; byte++ )
    {
        uint32_t rest = byte;

        for ( unsigned int bit = 0; bit < 8; bit++ )
            rest = rest >> 1 ^ (rest & 1 ? POLYNOMIAL : 0);
        crc.step[0][byte] = rest;
    }
    for ( unsigned int n = 1; n < STEP; n++ )
        for ( uint32_t byte = 0; byte < 256; byte++ )
            crc.step[n][byte] = update_byte(crc.step[n - 1][byte], 0);
}

/* Compute the map for single bits; sums give the rest, as the map is linear. */
static void fill_shift_tables(struct shift_table *p)
{
    static const unsigned char zeroes[2048];

    assert(p->size <= sizeof(zeroes) && p->size % STEP == 0);
    for ( uint32_t i = 0; i < 4; i++ )
        for ( uint32_t byte = 1; byte < 256; byte++ )
        {
            uint32_t low = byte & -byte;

            p->table[i][byte] = byte == low
                ? update_table(byte << 8 * i, zeroes, p->size)
                : p->table[i][low] ^ p->table[i][byte ^ low];
        }
}

/* --- the instruction ----------------------------------------------------- */

#if defined(__x86_64__)
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))

static bool has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}

WITH_INSTRUCTION static inline uint64_t crc_word(uint64_t rest, uint64_t word)
{
    return __builtin_ia32_crc32di(rest, word);
}

WITH_INSTRUCTION static inline uint32_t crc_byte(uint32_t rest, uint8_t byte)
{
    return __builtin_ia32_crc32qi(rest, byte);
}
#elif defined(__aarch64__)
#define WITH_INSTRUCTION __attribute__((target("+crc")))

static bool has_instruction(void)
{
    return getauxval(AT_HWCAP) & HWCAP_CRC32;
}

WITH_INSTRUCTION static inline uint64_t crc_word(uint64_t rest, uint64_t word)
{
    return __crc32cd(rest, word);
}

WITH_INSTRUCTION static inline uint32_t crc_byte(uint32_t rest, uint8_t byte)
{
    return __crc32cb(rest, byte);
}
#endif

#ifdef WITH_INSTRUCTION
static uint32_t shift_remainder(const struct shift_table *p, uint32_t rest)
{
    return p->table[0][rest & 0xff] ^ p->table[1][rest >> 8 & 0xff] ^
           p->table[2][rest >> 16 & 0xff] ^ p->table[3][rest >> 24];
}

/*
 * Three thirds of p->size bytes each.  Three concurrent streams exceed the
 * hardware prefetcher, so a software prefetch reads ahead: 2.5 times as fast
 * for data outside the cache.
 */
WITH_INSTRUCTION static uint32_t update_thirds(const struct shift_table *p,
                                               uint32_t rest,
                                               const unsigned char *at)
{
    const unsigned char *end = at + p->size, *ahead = at + 3 * p->size;
    uint64_t a = rest, b = 0, c = 0;

    for ( ; at < end; at += STEP, ahead += 3 * STEP )
    {
        __builtin_prefetch(ahead);
        a = crc_word(a, load_le64(at));
        b = crc_word(b, load_le64(at + p->size));
        c = crc_word(c, load_le64(at + 2 * p->size));
    }
    return shift_remainder(p, shift_remainder(p, a) ^ b) ^ c;
}

WITH_INSTRUCTION static uint32_t update_hardware(uint32_t rest,
                                                    const unsigned char *at,
                                                    size_t size)
{
    for ( const struct shift_table *p = crc.shift; p < crc.shift + 2; p++ )
        for ( ; size >= 3 * p->size; size -= 3 * p->size, at += 3 * p->size )
            rest = update_thirds(p, rest, at);
    for ( ; size >= STEP; size -= STEP, at += STEP )
        rest = crc_word(rest, load_le64(at));
    while ( size-- )
        rest = crc_byte(rest, *at++);
    return rest;
}
#else
static bool has_instruction(void)
{
    return false;
}

#define update_hardware update_table
#endif

/* --- both ---------------------------------------------------------------- */

static void init_tables(void)
{
    fill_step_tables();
    fill_shift_tables(&crc.shift[0]);
    fill_shift_tables(&crc.shift[1]);
    crc.instruction = has_instruction();
}

static void init_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, init_tables);
}

uint32_t xt_crc32c(uint32_t sum, const void *bytes, size_t size)
{
    assert(bytes || !size);
    init_once();
    return ~(crc.instruction ? update_hardware(~sum, bytes, size)
                             : update_table(~sum, bytes, size));
}

uint32_t xt_crc32c_table(uint32_t sum, const void *bytes, size_t size)
{
    init_once();
    return ~update_table(~sum, bytes, size);
}
