/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns are matched once per event, not once per record.  The last matching
 * pattern decides, so -N '*' -N '-qemu_mutex_*' prints everything else.
 * Losses may be of any event and any thread, so they are printed unless a
 * pattern excludes them.
 */
#include "simpletrace/trace-filter.h"

#include <fnmatch.h>

#include "common/debug.h"

static bool wants_name(const struct st_list *names, const char *name,
                       bool is_dropped)
{
    bool wanted = is_dropped || !names->nr || *names->text[0] == '-';

    for ( size_t i = 0; i < names->nr; i++ )
    {
        const char *pattern = names->text[i];
        bool out = *pattern == '-';

        if ( !fnmatch(pattern + out, name, 0) )
            wanted = !out;
    }
    return wanted;
}

static bool wants_event(const struct st_filter *s, const struct st_record *r)
{
    struct st_event *event = r->event;

    if ( event->choice == ST_UNASKED )
        event->choice = wants_name(&s->names, event->name, r->is_dropped) ?
                        ST_WANTED : ST_UNWANTED;
    return event->choice == ST_WANTED;
}

unsigned int st_filter_matches(const struct st_filter *s,
                               const struct st_record *record, uint64_t first)
{
    int64_t since = (int64_t)(record->time - first);
    unsigned int matches = 0;

    if ( !s->names.nr || wants_name(&s->names, record->event->name, false) )
        matches |= ST_BY_NAME;
    if ( !s->pid || record->pid == s->pid )
        matches |= ST_BY_PID;
    if ( !s->tid || record->tid == s->tid )
        matches |= ST_BY_TID;
    if ( !s->from || since >= (int64_t)s->from )
        matches |= ST_BY_FROM;
    if ( !s->to || since < (int64_t)s->to )
        matches |= ST_BY_TO;
    return matches;
}

bool st_filter_accepts(const struct st_filter *s,
                       const struct st_record *record, uint64_t first)
{
    int64_t since = (int64_t)(record->time - first);

    debug_assert(record->event);
    if ( s->names.nr && !wants_event(s, record) )
        return false;
    if ( s->pid && record->pid != s->pid )
        return false;
    if ( s->tid && record->tid != s->tid &&
         (record->tid || !record->is_dropped) )
        return false;
    return (!s->from || since >= (int64_t)s->from) &&
           (!s->to || since < (int64_t)s->to);
}
