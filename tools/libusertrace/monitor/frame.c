/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A message extends from a bracket to its closing bracket, or, without
 * brackets, to the next blank.  Kinds of brackets are not compared: text that
 * is balanced with the wrong brackets is rejected by the JSON parser.
 *
 * QEMU accepts strings in single quotes from clients, too.  They are converted
 * to double quotes here, so the JSON parser needs no extension.
 */
#include "libusertrace/monitor/frame.h"

#include <string.h>

#include "common/debug.h"

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void append_byte(struct mon_frame *f, char byte)
{
    debug_assert(f->nr < sizeof(f->text));
    f->text[f->nr++] = byte;
}

/*
 * Inside single quotes, a double quote gets a backslash, and an escaped single
 * quote loses its backslash.
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

/* True: the message is complete. */
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
