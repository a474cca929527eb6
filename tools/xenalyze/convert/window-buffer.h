/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in the order of time to windows of pcpus: records are collected, and
 * written as a collector writes a pass over the rings: a window for each pcpu
 * with records, in the order of their numbers.  So a reader of a pipe can sort
 * the records again.
 */
#ifndef XENALYZE_CONVERT_WINDOW_BUFFER_H
#define XENALYZE_CONVERT_WINDOW_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct window_bytes
{
    unsigned char *bytes;
    size_t used, room;
    bool is_metadata;           /* all of it */
};

struct window_buffer
{
    FILE *out;                  /* borrowed */
    struct window_bytes *cpus;
    unsigned int nr_cpus;
    size_t held;                /* bytes in all windows */
    bool sealed;                /* set by the caller: windows get seals */
    uint32_t number;            /* next seal's */
    struct window_bytes preface;        /* in front of the first window */
};

void window_buffer_init(struct window_buffer *w, FILE *out);
void window_buffer_fini(struct window_buffer *w);

/* Add bytes in front of the records of the first window.  0 or -ENOMEM. */
int window_buffer_preface(struct window_buffer *w, const void *bytes,
                          size_t size);

/*
 * Add a record; all records are written when they are many.  0, -ENOMEM, or
 * -errno of the stream.
 */
int window_buffer_add(struct window_buffer *w, unsigned int cpu,
                      const void *record, size_t size);

/* The same for metadata, which readers expect at the begin of a window. */
int window_buffer_add_metadata(struct window_buffer *w, unsigned int cpu,
                               const void *record, size_t size);

/* Write a window of these records, behind window_buffer_flush(). */
int window_buffer_add_window(struct window_buffer *w, unsigned int cpu,
                             const void *records, size_t size);

/* Write all records.  0 or -errno. */
int window_buffer_flush(struct window_buffer *w);

#endif /* XENALYZE_CONVERT_WINDOW_BUFFER_H */
