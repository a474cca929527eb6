/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces made by tests.  These functions do not use the codec under test: a
 * header word is written out as its three fields.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_MAKE_TRACE_H
#define TESTS_UNIT_LIBXENTRACE_MAKE_TRACE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define MAKE_MAX (1u << 20)

/*
 * A trace under construction.  Plain storage, so that a test can change bytes.
 */
struct make
{
    size_t size;
    unsigned char bytes[MAKE_MAX];
};

static inline void make_u32(struct make *m, uint32_t value)
{
    assert(m->size + sizeof(value) <= MAKE_MAX);
    memcpy(m->bytes + m->size, &value, sizeof(value));
    m->size += sizeof(value);
}

/* Add a record; tsc 0: without a time stamp.  Payload words are 1, 2, 3 ... */
static inline void make_record(struct make *m, uint32_t event, uint64_t tsc,
                               unsigned int words)
{
    make_u32(m, (tsc ? 0x80000000u : 0) | words << 28 | event);
    if ( tsc )
    {
        make_u32(m, (uint32_t)tsc);
        make_u32(m, tsc >> 32);
    }
    for ( unsigned int i = 1; i <= words; i++ )
        make_u32(m, i);
}

/* Add a LOST_RECORDS record. */
static inline void make_lost(struct make *m, uint64_t tsc, uint32_t lost)
{
    make_record(m, 0x1f001, tsc, 4);
    memcpy(m->bytes + m->size - 16, &lost, sizeof(lost));
}

/* Add a window header; make_close() fills in its size. */
static inline size_t make_open(struct make *m, uint32_t cpu)
{
    make_u32(m, 0x2001f003);
    make_u32(m, cpu);
    make_u32(m, 0);
    return m->size;
}

static inline void make_close(struct make *m, size_t opened)
{
    uint32_t size = m->size - opened;

    memcpy(m->bytes + opened - 4, &size, sizeof(size));
}

static inline void make_spans(struct make *m, const struct iovec *spans, int nr)
{
    for ( int i = 0; i < nr; i++ )
    {
        assert(spans[i].iov_len <= MAKE_MAX - m->size);
        memcpy(m->bytes + m->size, spans[i].iov_base, spans[i].iov_len);
        m->size += spans[i].iov_len;
    }
}

/* Add a window of n records, in all shapes, with rising time stamps. */
static inline void make_window(struct make *m, uint32_t cpu, unsigned int n)
{
    size_t opened = make_open(m, cpu);

    for ( unsigned int i = 0; i < n; i++ )
        make_record(m, 0x81000 + i % 5, i % 3 ? 1000 + i : 0, (i + cpu) % 8);
    make_close(m, opened);
}

/*
 * Copy the first `size` bytes to an allocation of exactly that size, so that
 * the address sanitizer detects a read out of bounds.  The caller frees the
 * copy.
 */
static inline unsigned char *make_exact(const struct make *m, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);

    assert(copy && size <= m->size);
    memcpy(copy, m->bytes, size);
    return copy;
}

/* A small random generator, the same on every machine. */
static inline uint32_t make_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

#endif /* TESTS_UNIT_LIBXENTRACE_MAKE_TRACE_H */
