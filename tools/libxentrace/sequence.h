/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sequence of the windows in a file.  Blocks of a damaged file may be
 * repeated or displaced, as after a faulty copy:
 *
 *      0 1 2 3 4 2 3 5 6       2 3 are repeated: dropped
 *      0 1 4 5 2 3 6 7         2 3 are displaced: sorted into the index
 *      0 1 2 3 0 1 2 3         two captures; noted if both are the same
 *
 * The number and the checksum of a seal identify a window.  A window without a
 * seal has its first time stamp as number, and a hash of its records up to
 * there.  A displaced window without a seal is recognized by the windows
 * behind it, so only in a mapped file.
 *
 * The memory is bounded by 16 bytes a window.
 */
#ifndef LIBXENTRACE_SEQUENCE_H
#define LIBXENTRACE_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/window.h"

/* A window of this capture. */
struct xt_seen
{
    uint64_t number;
    uint32_t sum;
    uint32_t size;
};

/* The windows by rising number. */
struct xt_seen_list
{
    struct xt_seen *items;
    size_t nr, room;
    size_t inserted;            /* items that were inserted before others */
    uint64_t gap_end;           /* windows before this offset of the input fit
                                   into a gap of the list */
};

struct xt_sequence
{
    struct xt_seen_list sealed;
    struct xt_seen_list *cpus;  /* windows without a seal, by pcpu */
    unsigned int nr_cpus;
    unsigned int first_cpu;     /* pcpu of the first window in these lists; */
    bool has_first;             /* valid with has_first */
    bool ended;                 /* the capture wrote its last record */
    bool restarted;             /* its first window came again */
    bool displaced;             /* the last window was displaced */
    size_t nr_before;           /* if above sealed.nr: items from there on are
                                   of the capture before, and both began with
                                   the same windows */
    uint64_t begin;             /* offset of a capture that may be a copy */
    bool is_copy;               /* the last window proves that */
    uint64_t searched;          /* bytes that were searched ahead */
};

enum xt_verdict { XT_WINDOW_NEXT, XT_WINDOW_DISPLACED, XT_WINDOW_REPEATED };

void xt_sequence_init(struct xt_sequence *s);
void xt_sequence_fini(struct xt_sequence *s);

/*
 * Classify window `w`, behind which `windows` continues.  Returns an enum
 * xt_verdict or -ENOMEM.  Damage is noted in windows->damage.
 */
int xt_sequence_add(struct xt_sequence *s, const struct xt_windows *windows,
                    const struct xt_window *w);

#endif /* LIBXENTRACE_SEQUENCE_H */
