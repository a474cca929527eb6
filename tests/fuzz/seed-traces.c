/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generate small seeds for the harnesses of traces: the same windows in stock's
 * format, sealed, in the other byte order, and compressed.
 *
 *     seed-traces FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxentrace/seal.h"
#include "libxentrace/zstd.h"

#define MOST 8192u

struct text
{
    size_t size;
    unsigned char bytes[MOST];
};

static int append(void *to, const void *bytes, size_t size)
{
    struct text *t = to;

    if ( t->size + size > MOST )
        abort();
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return 0;
}

static void save(const struct text *t, const char *folder, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "wb");
    if ( !file || fwrite(t->bytes, 1, t->size, file) != t->size ||
         fclose(file) )
    {
        perror(path);
        exit(1);
    }
}

/* Window i: some records of all sizes. */
static void frame(struct xt_frame *f, unsigned int i, bool sealed)
{
    static uint32_t words[64];
    struct iovec span = { words, 0 };
    unsigned int nr = 0;

    for ( uint32_t n = i + 2; n; n-- )
    {
        uint32_t payload = (n + i) % 8, timed = n & 1;

        words[nr++] = timed << 31 | payload << 28 | (0x21001 + n);
        if ( timed )
        {
            words[nr++] = 1000 * n;
            words[nr++] = 0;
        }
        for ( uint32_t word = 0; word < payload; word++ )
            words[nr++] = word;
    }
    span.iov_len = 4 * nr;
    xt_frame_init(f, i % 3, &span, 1);
    if ( sealed )
        xt_frame_seal(f, i);
}

static void make(struct text *t, bool sealed, struct xt_zstd_writer *zstd)
{
    struct xt_frame f;

    for ( unsigned int i = 0; i < 6; i++ )
    {
        frame(&f, i, sealed);
        for ( int v = 0; !zstd && v < f.nr_iov; v++ )
            append(t, f.iov[v].iov_base, f.iov[v].iov_len);
        if ( zstd && (xt_zstd_write(zstd, f.iov, f.nr_iov) ||
                      (i & 1 && xt_zstd_flush(zstd))) )
            abort();
    }
}

static void swap(struct text *t)
{
    for ( size_t i = 0; i + 4 <= t->size; i += 4 )
    {
        uint32_t word = __builtin_bswap32(xt_load32(t->bytes + i));

        memcpy(t->bytes + i, &word, sizeof(word));
    }
}

int main(int argc, char **argv)
{
    static struct text stock, sealed, packed;
    struct xt_zstd_writer *zstd;
    struct err e = ERR_INIT;

    if ( argc != 2 )
        return 1;
    make(&stock, false, NULL);
    save(&stock, argv[1], "stock");
    make(&sealed, true, NULL);
    save(&sealed, argv[1], "sealed");
    swap(&stock);
    save(&stock, argv[1], "swapped");
    /* Without zstd there is no compressed seed. */
    if ( xt_zstd_writer_new(&zstd, 1, append, &packed, &e) )
        return 0;
    make(NULL, true, zstd);
    if ( xt_zstd_end(zstd) )
        abort();
    xt_zstd_writer_free(zstd);
    save(&packed, argv[1], "packed");
    return 0;
}
