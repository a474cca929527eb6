/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the bytes of a peer to its messages: where one ends, without knowing
 * what it means.
 */
#ifndef LIBUSERTRACE_MONITOR_FRAME_H
#define LIBUSERTRACE_MONITOR_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define MON_FRAME_MAX (64u << 10)

struct mon_frame
{
    size_t nr;                  /* bytes of text */
    size_t depth;               /* of { and [ */
    char quote;                 /* in a string: what ends it */
    bool escaped;               /* it has a backslash, so far without more */
    char text[MON_FRAME_MAX];   /* not a C string */
};

enum mon_step { MON_MORE, MON_WHOLE, MON_TOO_LONG };

/*
 * One more byte.  MON_WHOLE: text is a message, good until the next byte.
 * After MON_TOO_LONG the stream has no more sense.
 */
enum mon_step mon_frame_put_byte(struct mon_frame *f, char byte);

/* Behind a message: the next one begins. */
void mon_frame_clear(struct mon_frame *f);

#endif /* LIBUSERTRACE_MONITOR_FRAME_H */
