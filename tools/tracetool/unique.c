/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks for duplicates.  A reader of traces may have the events of several
 * programs, which share some events (tt_source.may_repeat).  Names are compared
 * without case, since constants and macros contain them.  Events of the
 * hypervisor may share a name or an id if no version of Xen has both.
 */
#include "tracetool/event.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

static bool same_versions(const struct tt_event *a, const struct tt_event *b)
{
    unsigned int a_end = a->until == TT_ALWAYS ? UINT16_MAX : a->until;
    unsigned int b_end = b->until == TT_ALWAYS ? UINT16_MAX : b->until;

    return a->since <= b_end && b->since <= a_end;
}

/* True if a number may be the id of both, for some values of fields. */
static bool same_id(const struct tt_event *a, const struct tt_event *b)
{
    return !((a->id ^ b->id) & ~(a->id_fields | b->id_fields));
}

static void report_name(struct tt_build *b, const struct tt_event *first,
                        const struct tt_event *second)
{
    if ( strcmp(first->name, second->name) )
        tt_errors_add(b->errors, &second->at, "'%.40s' and '%.40s' "
                      "(%.80s:%u) differ in case only, and make the same "
                      "constants: rename one", second->name, first->name,
                      first->at.file, first->at.line);
    else if ( b->may_repeat && first->at.file != second->at.file )
        tt_errors_add(b->errors, &second->at, "'%.60s' has other arguments or "
                      "another format than at %.80s:%u: print the traces of "
                      "the two programs one by one, each with its own file of "
                      "events", second->name, first->at.file, first->at.line);
    else
        tt_errors_add(b->errors, &second->at, "a second event '%.60s'; "
                      "the first is at %.80s:%u: rename one%s",
                      second->name, first->at.file, first->at.line,
                      second->in_xen ? ", or give them versions (since=, "
                      "until=) that do not overlap" : "");
}

/* Report once per declaration, not for each member of a family. */
static bool is_reported(const struct tt_event *events, size_t i)
{
    return i && events[i].at.line == events[i - 1].at.line &&
           events[i].at.column == events[i - 1].at.column &&
           events[i].at.file == events[i - 1].at.file;
}

/* Do two files declare the same event, with equal arguments and format? */
static bool is_repeated(const struct tt_build *b, const struct tt_event *first,
                        const struct tt_event *second)
{
    if ( !b->may_repeat || first->at.file == second->at.file ||
         first->in_xen || second->in_xen || strcmp(first->name, second->name) ||
         first->vcpu != second->vcpu || first->nr_args != second->nr_args ||
         strcmp(first->format, second->format) )
        return false;
    for ( size_t i = 0; i < first->nr_args; i++ )
        if ( strcmp(first->args[i].type, second->args[i].type) ||
             strcmp(first->args[i].name, second->args[i].name) )
            return false;
    return true;
}

static bool check_name(struct tt_build *b, const struct tt_event *events,
                       const struct tt_event *first,
                       const struct tt_event *second)
{
    bool both = first->in_xen && second->in_xen;

    assert(first < second);
    if ( strcasecmp(first->name, second->name) )
        return false;
    if ( is_repeated(b, first, second) )
        return true;
    if ( !both || same_versions(first, second) ||
         strcmp(first->name, second->name) )
        report_name(b, first, second);
    else if ( first->id != second->id && !is_reported(events, second - events) )
        tt_errors_add(b->errors, &second->at, "'%.60s' has another id "
                      "here than at %.80s:%u, and a constant has one "
                      "value: rename one", second->name, first->at.file,
                      first->at.line);
    else
        return false;
    return true;
}

static int check_names(struct tt_build *b)
{
    const struct tt_event *events = b->events.items;
    struct tt_index names;
    size_t i, j;
    uint64_t hash;

    if ( tt_index_init(&names, b->arena, b->events.nr) )
        return -ENOMEM;
    for ( i = 0; i < b->events.nr; i++ )
    {
        hash = tt_index_hash(events[i].name);
        for ( j = tt_index_first(&names, hash); j != TT_NONE;
              j = names.next[j] )
            if ( check_name(b, events, &events[j], &events[i]) )
                break;
        tt_index_add(&names, hash, i);
    }
    return 0;
}

static bool check_id(struct tt_build *b, const struct tt_event *first,
                     const struct tt_event *second)
{
    assert(first < second && first->in_xen && second->in_xen);
    if ( !same_id(first, second) || !same_versions(first, second) ||
         !strcasecmp(first->name, second->name) )
        return false;
    tt_errors_add(b->errors, &second->at, "'%.40s' (id 0x%08x) takes "
                  "an id of '%.40s' (0x%08x, %.80s:%u): give it another, "
                  "or versions that do not overlap", second->name,
                  second->id, first->name, first->id, first->at.file,
                  first->at.line);
    return true;
}

/*
 * The hash of an id covers only bits that no event uses as a field: events that
 * may have the same id agree in these bits.
 */
static int check_ids(struct tt_build *b)
{
    const struct tt_event *events = b->events.items;
    uint32_t fields = 0, key;
    struct tt_index ids;
    size_t i, j;

    for ( i = 0; i < b->events.nr; i++ )
        fields |= events[i].id_fields;
    if ( tt_index_init(&ids, b->arena, b->events.nr) )
        return -ENOMEM;
    for ( i = 0; i < b->events.nr; i++ )
    {
        if ( !events[i].in_xen )
            continue;
        key = events[i].id & ~fields;
        for ( j = tt_index_first(&ids, key); j != TT_NONE; j = ids.next[j] )
            if ( check_id(b, &events[j], &events[i]) )
                break;
        tt_index_add(&ids, key, i);
    }
    return 0;
}

static void report_again(struct tt_build *b, const struct tt_place *at,
                         const char *name, const struct tt_place *first)
{
    tt_errors_add(b->errors, at, "'%.40s' is declared at %.80s:%u "
                  "already: one of the two must go", name, first->file,
                  first->line);
}

static int check_sems(struct tt_build *b)
{
    const struct tt_sem *sems = b->written->sems.items;
    size_t i, j, nr = b->written->sems.nr;
    uint64_t hash;

    if ( tt_index_init(&b->sems, b->arena, nr) )
        return -ENOMEM;
    for ( i = 0; i < nr; i++ )
    {
        hash = tt_index_hash(sems[i].name);
        for ( j = tt_index_first(&b->sems, hash); j != TT_NONE;
              j = b->sems.next[j] )
            if ( !strcasecmp(sems[i].name, sems[j].name) )
            {
                report_again(b, &sems[i].at, sems[i].name, &sems[j].at);
                break;
            }
        tt_index_add(&b->sems, hash, i);
    }
    return 0;
}

const struct tt_sem *tt_find_sem(const struct tt_build *b, const char *name)
{
    const struct tt_sem *sems = b->written->sems.items;
    size_t i;

    if ( !name )
        return NULL;
    for ( i = tt_index_first(&b->sems, tt_index_hash(name)); i != TT_NONE;
          i = b->sems.next[i] )
        if ( !strcmp(sems[i].name, name) )
            return &sems[i];
    return NULL;
}

static int check_class_names(struct tt_build *b)
{
    const struct tt_class *classes = b->written->classes.items;
    size_t i, j, nr = b->written->classes.nr;
    uint64_t hash;

    if ( tt_index_init(&b->classes, b->arena, nr) )
        return -ENOMEM;
    for ( i = 0; i < nr; i++ )
    {
        hash = tt_index_hash(classes[i].name);
        for ( j = tt_index_first(&b->classes, hash); j != TT_NONE;
              j = b->classes.next[j] )
            if ( !strcasecmp(classes[i].name, classes[j].name) )
            {
                report_again(b, &classes[i].at, classes[i].name,
                             &classes[j].at);
                break;
            }
        tt_index_add(&b->classes, hash, i);
    }
    return 0;
}

static int check_class_ids(struct tt_build *b)
{
    const struct tt_class *classes = b->written->classes.items;
    size_t i, j, nr = b->written->classes.nr;
    struct tt_index ids;

    if ( tt_index_init(&ids, b->arena, nr) )
        return -ENOMEM;
    for ( i = 0; i < nr; i++ )
    {
        for ( j = tt_index_first(&ids, classes[i].id); j != TT_NONE;
              j = ids.next[j] )
            if ( classes[i].id == classes[j].id )
            {
                tt_errors_add(b->errors, &classes[i].at, "class "
                              "'%.40s' has the id of '%.40s' (%.80s:%u): "
                              "one of the two must go", classes[i].name,
                              classes[j].name, classes[j].at.file,
                              classes[j].at.line);
                break;
            }
        tt_index_add(&ids, classes[i].id, i);
    }
    return 0;
}

int tt_unique_words(struct tt_build *b)
{
    int rc = check_sems(b);

    if ( !rc )
        rc = check_class_names(b);
    return rc ? rc : check_class_ids(b);
}

/* A constant, as TRC_SCHED_MIN, is either a class or an event. */
static void check_constant(struct tt_build *b, const struct tt_event *e)
{
    const struct tt_class *classes = b->written->classes.items;
    size_t i;

    assert(e->in_xen && e->constant);
    for ( i = tt_index_first(&b->classes, tt_index_hash(e->name));
          i != TT_NONE; i = b->classes.next[i] )
        if ( !strcasecmp(classes[i].name, e->name) )
            break;
    if ( i != TT_NONE )
        tt_errors_add(b->errors, &e->at, "class '%.40s' (%.80s:%u) has "
                      "the constant %.60s already: rename the event",
                      classes[i].name, classes[i].at.file,
                      classes[i].at.line, e->constant);
}

static void check_constants(struct tt_build *b)
{
    const struct tt_event *e = b->events.items;
    size_t i;

    for ( i = 0; i < b->events.nr; i++, e++ )
        if ( e->constant )
            check_constant(b, e);
}

int tt_unique_events(struct tt_build *b)
{
    int rc = check_names(b);

    check_constants(b);
    return rc ? rc : check_ids(b);
}
