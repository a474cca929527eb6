/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks of the HTML page: slices of one row of the timeline in the order of
 * time, in few bytes; private header of viewers/.
 *
 * A SLICE is a span of time with one key (a vcpu, a state, an exit reason).
 * CONDENSED slices save space: short slices that begin in the same quantum of
 * time become one slice with the time of each key.  Long slices, and a short
 * slice that is alone in its quantum, stay exact.  The time of keys is never
 * rounded, but keys beyond HTML_SHARES of one slice share HTML_OTHERS.
 *
 * Bytes of a slice, all numbers as LEB128:
 *
 *     gap to the slice before * 2 + is_condensed, length,
 *     exact:      key
 *     condensed:  number of slices, number of keys, (key, time) of each key
 */
#ifndef XENALYZE_VIEWERS_HTML_TRACK_H
#define XENALYZE_VIEWERS_HTML_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTML_SHARES 8u
#define HTML_OTHERS 0u          /* key of the rest; all other keys are above */

struct html_slice
{
    uint64_t from, to;          /* ns; from <= to */
    uint64_t count;             /* slices, or lost records */
    unsigned int nr;            /* keys, 1 to HTML_SHARES */
    struct { uint32_t key; uint64_t ns; } shares[HTML_SHARES];
};

/* All bytes 0, except for the mask, are an empty track. */
struct html_track
{
    uint32_t key_mask;          /* bits of a key that condensed slices keep */
    uint64_t quantum;           /* 0: no slice is condensed */
    uint8_t *bytes;
    size_t used, room;
    uint64_t nr;                /* slices in `bytes` */
    uint64_t end;               /* time at which the last of these ends */
    struct html_slice open;     /* may still grow; nr 0: there is none */
};

/* Add a slice; a part before the end of the track is cut.  False: no memory. */
bool html_track_add(struct html_track *t, const struct html_slice *s);

/* Move the open slice to the bytes.  False: no memory. */
bool html_track_flush(struct html_track *t);

/*
 * Copy all slices of a flushed track, condensed by a quantum, to a new track,
 * which is flushed.  False: no memory; the new track is empty.
 */
bool html_track_condense(const struct html_track *from, uint64_t quantum,
                         struct html_track *to);

/*
 * Read the slice at `p`, behind a slice that ended at s->to (0 before the
 * first).  Returns the place of the next slice.  Only for bytes of a track.
 */
const uint8_t *html_track_read(const uint8_t *p, struct html_slice *s);

void html_track_fini(struct html_track *t);

#endif /* XENALYZE_VIEWERS_HTML_TRACK_H */
