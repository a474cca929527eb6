/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page has a header and events:
 *
 *     time:64 | size:30 has_count:1 has_missed:1 unused:32 | event ... | count
 *
 * The first word of an event has the size in words in bits 0-4 and the distance
 * in time from the event before in bits 5-31.  A larger size has a word of its
 * own, and a larger distance an event of its own.  `count` is the number of
 * events that were lost before the page.
 *
 * A slot of the temporary file is the number of the pcpu's next slot, and a
 * page.
 */
#define _GNU_SOURCE             /* mkostemp */
#include "xenalyze/convert/ftrace-pages.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/file-read.h"
#include "common/grow.h"

#define SLOT (8u + FTRACE_PAGE)
#define COUNT_SIZE 8u
#define PAGE_ROOM (FTRACE_PAGE - FTRACE_PAGE_HEADER - COUNT_SIZE)

#define SIZE_SHIFT 5u           /* bits of the size */
#define SMALL_EVENT 112u        /* bytes, of up to 28 words */
#define EXTENSION 30u           /* size of an event with a distance */
#define DISTANCE_BITS 27u

#define HAS_COUNT (1u << 30)
#define HAS_MISSED (1u << 31)

/* An event's header, the word with its size, and an extension before. */
#define EVENT_OVERHEAD 16u

_Static_assert(FTRACE_EVENT_MAX + EVENT_OVERHEAD <= PAGE_ROOM, "events fit");

void ftrace_pages_init(struct ftrace_pages *p)
{
    *p = (struct ftrace_pages){ .fd = -1 };
}

void ftrace_pages_fini(struct ftrace_pages *p)
{
    for ( unsigned int i = 0; i < p->nr_cpus; i++ )
        free(p->cpus[i].page);
    free(p->cpus);
    if ( p->fd >= 0 )
        close(p->fd);
}

/* --- the temporary file --------------------------------------------------- */

static int open_page_file(struct ftrace_pages *p)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];

    if ( p->fd >= 0 )
        return 0;
    if ( !folder || !*folder )
        folder = "/tmp";
    if ( fault_hit(FAULT_OPEN) )
        return -errno;
    if ( snprintf(path, sizeof(path), "%s/xenalyze.XXXXXX", folder) >=
         (int)sizeof(path) )
        return -ENAMETOOLONG;
    p->fd = mkostemp(path, O_CLOEXEC);
    if ( p->fd < 0 )
        return -errno;
    unlink(path);
    return 0;
}

static int write_at(int fd, const unsigned char *bytes, size_t size,
                    uint64_t at)
{
    while ( size )
    {
        ssize_t n = fault_pwrite(fd, bytes, size, at);

        if ( n < 0 && errno != EINTR )
            return -errno;
        bytes += n > 0 ? n : 0;
        at += n > 0 ? n : 0;
        size -= n > 0 ? n : 0;
    }
    return 0;
}

/* --- pages ---------------------------------------------------------------- */

static void complete_page(struct ftrace_cpu *c, unsigned char slot[SLOT],
                          uint64_t next)
{
    uint32_t size = c->used;

    assert(c->used && c->used <= PAGE_ROOM);
    if ( c->missed )
        size |= HAS_MISSED | HAS_COUNT;
    memset(slot, 0, SLOT);
    memcpy(slot, &next, 8);
    memcpy(slot + 8, c->page, FTRACE_PAGE_HEADER + c->used);
    memcpy(slot + 8, &c->first, 8);
    memcpy(slot + 16, &size, 4);
    memcpy(slot + 8 + FTRACE_PAGE_HEADER + c->used, &c->missed, COUNT_SIZE);
}

/* Write the page, if there is any event in it, and begin the next. */
static int flush_page(struct ftrace_pages *p, struct ftrace_cpu *c)
{
    unsigned char slot[SLOT];
    int rc;

    if ( !c->used )
        return 0;
    complete_page(c, slot, p->nr_slots);
    rc = open_page_file(p);
    rc = rc ? rc : write_at(p->fd, slot, SLOT, SLOT * c->slot);
    if ( rc )
        return rc;
    c->slot = p->nr_slots++;
    c->nr++;
    c->used = 0;
    c->missed = 0;
    return 0;
}

static int find_cpu(struct ftrace_pages *p, unsigned int cpu,
                    struct ftrace_cpu **found)
{
    struct ftrace_cpu *c;

    if ( !grow_to_index(&p->cpus, &p->nr_cpus, cpu, sizeof(*c)) )
        return -ENOMEM;
    c = *found = &p->cpus[cpu];
    if ( c->page )
        return 0;
    c->page = fault_malloc(FTRACE_PAGE);
    c->begin = c->slot = p->nr_slots++;
    return c->page ? 0 : -ENOMEM;
}

/* --- events --------------------------------------------------------------- */

static void put_page_word(struct ftrace_cpu *c, uint32_t word)
{
    assert(c->used + 4 <= PAGE_ROOM);
    memcpy(c->page + FTRACE_PAGE_HEADER + c->used, &word, 4);
    c->used += 4;
}

static void put_page_event(struct ftrace_cpu *c, uint64_t distance,
                      const void *bytes, size_t size)
{
    const uint64_t mask = (1u << DISTANCE_BITS) - 1;
    bool is_small = size <= SMALL_EVENT;

    if ( distance > mask )
    {
        put_page_word(c, EXTENSION | (distance & mask) << SIZE_SHIFT);
        put_page_word(c, distance >> DISTANCE_BITS);
        distance = 0;
    }
    put_page_word(c, (is_small ? size / 4 : 0) | distance << SIZE_SHIFT);
    if ( !is_small )
        put_page_word(c, size + 4);
    assert(c->used + size <= PAGE_ROOM);
    memcpy(c->page + FTRACE_PAGE_HEADER + c->used, bytes, size);
    c->used += size;
}

int ftrace_pages_add(struct ftrace_pages *p, unsigned int cpu, uint64_t time,
                     const void *bytes, size_t size)
{
    struct ftrace_cpu *c;
    int rc = find_cpu(p, cpu, &c);

    assert(size && size % 4 == 0 && size <= FTRACE_EVENT_MAX);
    if ( rc )
        return rc;
    if ( time < c->last )
        time = c->last;
    /* A distance has 59 bits. */
    if ( c->used + EVENT_OVERHEAD + size > PAGE_ROOM ||
         (time - c->last) >> 58 )
        rc = flush_page(p, c);
    if ( rc )
        return rc;
    if ( !c->used )
        c->first = c->last = time;
    put_page_event(c, time - c->last, bytes, size);
    c->last = time;
    return 0;
}

int ftrace_pages_lose(struct ftrace_pages *p, unsigned int cpu, uint64_t nr)
{
    struct ftrace_cpu *c;
    int rc = find_cpu(p, cpu, &c);

    rc = rc ? rc : flush_page(p, c);
    if ( !rc )
        c->missed += nr;
    return rc;
}

int ftrace_pages_end(struct ftrace_pages *p)
{
    int rc = 0;

    for ( unsigned int i = 0; !rc && i < p->nr_cpus; i++ )
        rc = flush_page(p, &p->cpus[i]);
    return rc;
}

int ftrace_pages_copy(const struct ftrace_pages *p, unsigned int cpu,
                      FILE *out)
{
    const struct ftrace_cpu *c = &p->cpus[cpu];
    unsigned char slot[SLOT];
    uint64_t at = c->begin;
    int rc = 0;

    assert(cpu < p->nr_cpus && !c->used);
    for ( uint64_t i = 0; !rc && i < c->nr; i++ )
    {
        rc = file_read_at(p->fd, slot, SLOT, SLOT * at, -EIO);
        memcpy(&at, slot, 8);
        if ( !rc && fwrite(slot + 8, 1, FTRACE_PAGE, out) < FTRACE_PAGE )
            rc = errno ? -errno : -EIO;
    }
    return rc;
}
