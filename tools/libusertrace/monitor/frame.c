/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A message is what stands between a bracket and the one that closes it, or,
 * without brackets, between blanks.  Which bracket closes which does not
 * matter here: what is balanced in another way is no JSON, and is told so.
 *
 * QEMU takes strings in single quotes from clients, too.  They get double ones
 * on the way, so that what reads JSON need not know.
 */
#include "libusertrace/monitor/frame.h"

#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void append_byte(struct mon_frame *f, char byte)
{
    f->text[f->nr++] = byte;
}

/*
 * A double quote inside single ones gets a backslash; a single quote loses
 * what it has.
 */
static void put_string_byte(struct mon_frame *f, char byte)
{
    if ( f->escaped && byte == '\'' )
        f->text[f->nr - 1] = byte;
    else if ( !f->escaped && byte == f->quote )
    {
        f->quote = '\0';
        append_byte(f, '"');
        return;
    }
    else
    {
        if ( byte == '"' && !f->escaped )
            append_byte(f, '\\');
        append_byte(f, byte);
    }
    f->escaped = byte == '\\' && !f->escaped;
}

/* True: it ends here. */
static bool put_outer_byte(struct mon_frame *f, char byte)
{
    if ( is_blank(byte) )
    {
        if ( f->nr && f->depth )
            append_byte(f, ' ');
        return f->nr && !f->depth;
    }
    if ( byte == '"' || byte == '\'' )
    {
        f->quote = byte;
        byte = '"';
    }
    append_byte(f, byte);
    if ( byte == '{' || byte == '[' )
        f->depth++;
    if ( byte != '}' && byte != ']' )
        return false;
    f->depth -= f->depth > 0;
    return !f->depth;
}

enum mon_step mon_frame_put_byte(struct mon_frame *f, char byte)
{
    if ( f->nr + 2 > sizeof(f->text) )
        return MON_TOO_LONG;
    if ( f->quote )
    {
        put_string_byte(f, byte);
        return MON_MORE;
    }
    return put_outer_byte(f, byte) ? MON_WHOLE : MON_MORE;
}

void mon_frame_clear(struct mon_frame *f)
{
    f->nr = f->depth = 0;
    f->quote = '\0';
    f->escaped = false;
}
