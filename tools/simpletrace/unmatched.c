/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each option is checked alone: one that matched no record is at fault.  Only
 * records before the first match are noted, so a filter that matches costs
 * nothing more.
 */
#include "simpletrace/unmatched.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/num.h"

#define MAX_TEXT 100u           /* of a list, so that a message is one line */

/* --- what the traces have ------------------------------------------------- */

static void note_id(struct st_seen_ids *s, uint32_t id)
{
    size_t i;

    for ( i = 0; i < s->nr && i < ST_MAX_SEEN; i++ )
        if ( s->ids[i] == id )
            return;
    if ( !id || s->nr > ST_MAX_SEEN )
        return;
    if ( s->nr < ST_MAX_SEEN )
        s->ids[s->nr] = id;
    s->nr++;
}

bool st_unmatched_note(struct st_unmatched *u, const struct st_filter *f,
                       const struct st_record *record, uint64_t first)
{
    unsigned int matches = st_filter_matches(f, record, first);
    int64_t since = (int64_t)(record->time - first);

    u->seen = true;
    u->matched |= matches;
    note_id(&u->pids, record->pid);
    note_id(&u->tids, record->tid);
    if ( since > (int64_t)u->span )
        u->span = since;
    return matches == ST_BY_ALL;
}

/* --- the message ---------------------------------------------------------- */

/* Append an item that is not in the list yet, or "..." in its place. */
static void append_to_list(char list[MAX_TEXT], const char *item)
{
    size_t used = strlen(list), length = strlen(item);
    bool fits = used + length + sizeof(",,...") <= MAX_TEXT;
    const char *at = list;

    for ( ; *at; at += strcspn(at, ","), at += *at == ',' )
        if ( strcspn(at, ",") == length && !memcmp(at, item, length) )
            return;
    if ( used < 3 || strcmp(list + used - 3, "...") )
        snprintf(list + used, MAX_TEXT - used, "%s%s", used ? "," : "",
                 fits ? item : "...");
}

/* The events whose names were compared; others have no record. */
static void list_seen_events(char list[MAX_TEXT], const struct st_reader *r)
{
    for ( size_t i = 0; i < r->map_nr; i++ )
        if ( r->map[i] && r->map[i]->choice != ST_UNASKED )
            append_to_list(list, r->map[i]->name);
}

static void list_seen_ids(char list[MAX_TEXT], const struct st_seen_ids *s)
{
    char id[NUM_U64_MAX + 1];

    for ( size_t i = 0; i < s->nr; i++ )
    {
        snprintf(id, sizeof(id), "%u", i < ST_MAX_SEEN ? s->ids[i] : 0);
        append_to_list(list, i < ST_MAX_SEEN ? id : "...");
    }
}

static int explain_name(const struct st_unmatched *u,
                        const struct st_filter *f,
                        const struct st_merge *m, const char *name,
                        struct err *e)
{
    char list[MAX_TEXT] = "";

    (void)u;
    for ( size_t i = 0; i < m->nr; i++ )
        list_seen_events(list, &m->readers[i]);
    return err_set(e, -ENOENT, "--name %.60s%s matches nothing in %.60s: the "
                   "events are %s", f->names.text[0],
                   f->names.nr > 1 ? " ..." : "", name,
                   *list ? list : "losses only");
}

static int explain_id(const char *option, uint64_t id, const char *what,
                      const struct st_seen_ids *seen, const char *name,
                      struct err *e)
{
    char list[MAX_TEXT] = "";

    list_seen_ids(list, seen);
    return err_set(e, -ENOENT, "--%s %llu matches nothing in %.60s: the %s are "
                   "%s", option, (unsigned long long)id, name, what,
                   *list ? list : "unknown");
}

static int explain_pid(const struct st_unmatched *u, const struct st_filter *f,
                       const struct st_merge *m, const char *name,
                       struct err *e)
{
    (void)m;
    return explain_id("pid", f->pid, "processes", &u->pids, name, e);
}

static int explain_tid(const struct st_unmatched *u, const struct st_filter *f,
                       const struct st_merge *m, const char *name,
                       struct err *e)
{
    (void)m;
    return explain_id("tid", f->tid, "threads", &u->tids, name, e);
}

static int explain_span(const struct st_unmatched *u,
                        const struct st_filter *f,
                        const struct st_merge *m, const char *name,
                        struct err *e)
{
    char from[NUM_CLOCK_MAX], length[NUM_CLOCK_MAX];

    (void)m;
    *num_duration(from, f->from) = '\0';
    *num_duration(length, u->span) = '\0';
    return err_set(e, -ENOENT, "--from %s matches nothing in %.60s: the "
                   "last record is at %s", from, name, length);
}

static const struct
{
    unsigned int by;
    const char *name;
    int (*explain)(const struct st_unmatched *u, const struct st_filter *f,
                   const struct st_merge *m, const char *name,
                   struct err *e);
} filter_options[] = {
    { ST_BY_NAME, "--name", explain_name },
    { ST_BY_PID, "--pid", explain_pid },
    { ST_BY_TID, "--tid", explain_tid },
    { ST_BY_FROM, "--from", explain_span },
    { ST_BY_TO, "--to", NULL }, /* matches the first record at least */
};

#define NR_OPTIONS (sizeof(filter_options) / sizeof(filter_options[0]))

static unsigned int given_options(const struct st_filter *f)
{
    return (f->names.nr ? ST_BY_NAME : 0) | (f->pid ? ST_BY_PID : 0) |
           (f->tid ? ST_BY_TID : 0) | (f->from ? ST_BY_FROM : 0) |
           (f->to ? ST_BY_TO : 0);
}

/* Each option matches some record, but no record matches all. */
static int explain_all(unsigned int given, const char *name, struct err *e)
{
    char list[MAX_TEXT] = "";

    for ( size_t i = 0; i < NR_OPTIONS; i++ )
        if ( given & filter_options[i].by )
            append_to_list(list, filter_options[i].name);
    return err_set(e, -ENOENT, "no record of %.100s matches all of %s", name,
                   list);
}

int st_unmatched_explain(const struct st_unmatched *u,
                         const struct st_filter *f,
                         const struct st_merge *m, struct err *e)
{
    const char *name = m->nr == 1 ? m->readers[0].in.name : "the traces";
    unsigned int given = given_options(f);

    if ( !given )
        return 0;
    if ( !u->seen )
        return err_set(e, -ENOENT, "no record in %.100s: the filter matches "
                       "nothing", name);
    for ( size_t i = 0; i < NR_OPTIONS; i++ )
        if ( !(u->matched & filter_options[i].by) && filter_options[i].explain )
            return filter_options[i].explain(u, f, m, name, e);
    return explain_all(given, name, e);
}
