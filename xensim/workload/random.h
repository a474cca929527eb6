/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-random numbers from a seed: a scrambled counter. Integers only, so
 * the sequence is the same on every machine.
 */
#ifndef XENSIM_RANDOM_H
#define XENSIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random
{
    uint64_t state;
};

static inline uint64_t random_next(struct random *r)
{
    uint64_t x = r->state += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 29) * 0x94d049bb133111eb;
    return x ^ x >> 32;
}

/* A number in 0 ... n - 1. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
    return (random_next(r) >> 32) * n >> 32;
}

/* True once in n times. */
static inline bool random_once_in(struct random *r, uint32_t n)
{
    return !random_below(r, n);
}

/* A number between half and one and a half of the mean. */
static inline uint64_t random_around(struct random *r, uint64_t mean)
{
    return mean / 2 + (mean ? random_next(r) % mean : 0);
}

/*
 * An exponentially distributed gap: mostly short, sometimes long; at most 12
 * means. -ln(u) is approximated by ln 2 times the leading zeros of u plus a
 * linear term, with an error of 3 % at most.
 */
static inline uint64_t random_gap(struct random *r, uint64_t mean)
{
    uint64_t u = random_next(r) | 1ull << 46;
    unsigned int zeros = __builtin_clzll(u);
    uint64_t rest = u << zeros << 1 >> 48;      /* in units of 2^-16 */
    uint64_t log2 = ((uint64_t)zeros + 1) * 65536 - rest;

    return (unsigned __int128)mean * log2 * 45426 >> 32;
}

/* An independent stream of the seed. */
static inline struct random random_stream(uint64_t seed, uint64_t stream)
{
    struct random r = { seed ^ (stream + 1) * 0xd6e8feb86659fd93 };

    random_next(&r);
    return r;
}

#endif /* XENSIM_RANDOM_H */
