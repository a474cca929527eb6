/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that look random and repeat with the seed: a counter, scrambled.
 */
#ifndef XENSIM_RANDOM_H
#define XENSIM_RANDOM_H

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

/* 0 ... n - 1. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
    return (random_next(r) >> 32) * n >> 32;
}

/* Streams of one seed that have nothing to do with each other. */
static inline struct random random_stream(uint64_t seed, uint64_t stream)
{
    struct random r = { seed ^ (stream + 1) * 0xd6e8feb86659fd93 };

    random_next(&r);
    return r;
}

#endif /* XENSIM_RANDOM_H */
