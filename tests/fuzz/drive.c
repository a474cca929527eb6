/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A driver for builds without a fuzzing engine: runs a harness on the given
 * files, and on mutations of these with flipped, deleted and duplicated bytes.
 * Not guided by coverage; the sanitizers detect errors.
 *
 *     drive SEED ROUNDS FILE...
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define MOST (1u << 20) /* bytes of an input */

struct input
{
    uint8_t *bytes;
    size_t size;
};

static uint64_t next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static struct input load(const char *path)
{
    struct input in = { .bytes = malloc(MOST) };
    FILE *file = fopen(path, "rb");

    if ( !in.bytes || !file )
    {
        fprintf(stderr, "drive: cannot read %s\n", path);
        exit(1);
    }
    in.size = fread(in.bytes, 1, MOST, file);
    fclose(file);
    return in;
}

static void flip(struct input *in, uint64_t *random)
{
    in->bytes[next(random) % in->size] ^= 1u << next(random) % 8;
}

static void word(struct input *in, uint64_t *random)
{
    static const uint32_t odd[] = { 0, ~0u, 1u << 31, 0x2001f003, 0x7fffffff };
    size_t at = next(random) % in->size & ~(size_t)3;

    if ( at + 4 <= in->size )
        memcpy(in->bytes + at, &odd[next(random) % 5], 4);
}

static void cut(struct input *in, uint64_t *random)
{
    size_t at = next(random) % in->size;
    size_t n = next(random) % (in->size - at) % 64;

    memmove(in->bytes + at, in->bytes + at + n, in->size - at - n);
    in->size -= n;
}

static void end(struct input *in, uint64_t *random)
{
    in->size = next(random) % in->size;
}

static void mutate(struct input *in, uint64_t *random)
{
    static void (*const ways[])(struct input *in, uint64_t *random) = {
        flip, flip, word, word, cut, end,
    };
    unsigned int n = 1 + next(random) % 8;

    while ( n-- && in->size )
        ways[next(random) % (sizeof(ways) / sizeof(ways[0]))](in, random);
}

static void feed(const struct input *in, uint64_t *random, unsigned long rounds)
{
    struct input changed;

    LLVMFuzzerTestOneInput(in->bytes, in->size);
    while ( rounds-- )
    {
        /* Allocate the exact size, so that overruns are detected. */
        changed.size = in->size;
        changed.bytes = malloc(in->size + !in->size);
        MUST(changed.bytes);
        memcpy(changed.bytes, in->bytes, in->size);
        mutate(&changed, random);
        changed.bytes = realloc(changed.bytes, changed.size + !changed.size);
        MUST(changed.bytes);
        LLVMFuzzerTestOneInput(changed.bytes, changed.size);
        free(changed.bytes);
    }
}

int main(int argc, char **argv)
{
    uint64_t random;
    struct input in;
    int i;

    if ( argc < 4 )
    {
        fprintf(stderr, "usage: drive SEED ROUNDS FILE...\n");
        return 1;
    }
    random = strtoull(argv[1], NULL, 0) | 1;
    for ( i = 3; i < argc; i++ )
    {
        in = load(argv[i]);
        feed(&in, &random, strtoul(argv[2], NULL, 0));
        free(in.bytes);
    }
    return 0;
}
