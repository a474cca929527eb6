/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splits the bytes of a peer into messages, without interpreting them.
 */
#ifndef LIBUSERTRACE_MONITOR_FRAME_H
#define LIBUSERTRACE_MONITOR_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define MON_FRAME_MAX (64u << 10)

struct mon_frame
{
    size_t nr;                  /* bytes of text */
    size_t depth;               /* open { and [ */
    char quote;                 /* inside a string: its closing quote */
    bool escaped;               /* the last byte was an unpaired backslash */
    char text[MON_FRAME_MAX];   /* not a C string */
};

enum mon_step { MON_MORE, MON_WHOLE, MON_TOO_LONG };

/*
 * Add one byte.  MON_WHOLE: text is a complete message, valid until the next
 * byte.  MON_TOO_LONG: the stream cannot be continued.
 */
enum mon_step mon_frame_put_byte(struct mon_frame *f, char byte);

/* After a message: start the next. */
void mon_frame_clear(struct mon_frame *f);

#endif /* LIBUSERTRACE_MONITOR_FRAME_H */
