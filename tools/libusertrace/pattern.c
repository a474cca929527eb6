/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * On a mismatch, only the last star needs another try: an earlier star could
 * only consume more text, which the last star can consume as well.  So there
 * is no recursion, and the time is at most the product of both lengths for any
 * pattern.
 */
#include "libusertrace/pattern.h"

#include <assert.h>
#include <stddef.h>

#include "libusertrace/trace/control.h"

bool ut_pattern_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *again = NULL;

    assert(pattern && name);
    while ( *name )
    {
        if ( *pattern == '*' )
        {
            star = ++pattern;
            again = name;
        }
        else if ( *pattern == '?' || *pattern == *name )
        {
            pattern++;
            name++;
        }
        else if ( star )
        {
            pattern = star;
            name = ++again;
        }
        else
            return false;
    }
    while ( *pattern == '*' )
        pattern++;
    return !*pattern;
}

bool trace_event_is_pattern(const char *text)
{
    while ( *text && *text != '*' )
        text++;
    return *text;
}
