/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of ftrace's ring buffers, one sequence per pcpu.  A file of trace-cmd
 * has the pages of a pcpu at one place, but records come in the order of time:
 * so full pages go to an unlinked temporary file, each with the place of the
 * pcpu's next page.  Memory: a page for each pcpu.
 */
#ifndef XENALYZE_CONVERT_FTRACE_PAGES_H
#define XENALYZE_CONVERT_FTRACE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FTRACE_PAGE 4096u
#define FTRACE_PAGE_HEADER 16u
#define FTRACE_EVENT_MAX 1024u

struct ftrace_cpu
{
    unsigned char *page;        /* in progress; NULL: no event so far */
    size_t used;                /* bytes behind the page's header */
    uint64_t first, last;       /* times: of the page, of the last event */
    uint64_t missed;            /* events lost before the page */
    uint64_t begin, slot;       /* places of the first page and of this one */
    uint64_t nr;                /* full pages */
};

struct ftrace_pages
{
    int fd;                     /* temporary file; -1: none so far */
    struct ftrace_cpu *cpus;
    unsigned int nr_cpus;       /* highest pcpu with an event, plus 1 */
    uint64_t nr_slots;
};

void ftrace_pages_init(struct ftrace_pages *p);
void ftrace_pages_fini(struct ftrace_pages *p);

/*
 * Add an event of `size` bytes, a multiple of 4 up to FTRACE_EVENT_MAX, at
 * `time` in nanoseconds.  An earlier time than that of the pcpu's last event
 * becomes the latter.  0 or -errno.
 */
int ftrace_pages_add(struct ftrace_pages *p, unsigned int cpu, uint64_t time,
                     const void *bytes, size_t size);

/* Events were lost before the pcpu's next event.  0 or -errno. */
int ftrace_pages_lose(struct ftrace_pages *p, unsigned int cpu, uint64_t nr);

/* All events are there: complete the last pages.  0 or -errno. */
int ftrace_pages_end(struct ftrace_pages *p);

/* Write the pages of a pcpu to `out`.  0, or -errno of the temporary file. */
int ftrace_pages_copy(const struct ftrace_pages *p, unsigned int cpu,
                      FILE *out);

#endif /* XENALYZE_CONVERT_FTRACE_PAGES_H */
