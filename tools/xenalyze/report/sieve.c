/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xenalyze/report/sieve.h"

#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

int sieve_init(struct sieve *s)
{
    s->begun = s->bounded = s->over = false;
    s->items = NULL;
    s->room = 0;
    s->start = 0;
    if ( s->filter && filter_is_empty(s->filter) )
        s->filter = NULL;
    return dump_state_init(&s->state);
}

void sieve_fini(struct sieve *s)
{
    dump_state_fini(&s->state);
    free(s->items);
}

/* --- time ----------------------------------------------------------------- */

static int resolve(struct sieve *s, uint64_t first, uint64_t last,
                   struct err *e)
{
    int rc;

    s->from = 0;
    s->to = UINT64_MAX;
    rc = moment_resolve(&s->span.from, &s->clock, first, last, &s->from, e);
    if ( !rc )
        rc = moment_resolve(&s->span.to, &s->clock, first, last, &s->to, e);
    s->bounded = s->span.from.kind || s->span.to.kind;
    s->start = first;
    return rc;
}

/* Of a mapped file, go there at once; of anything else, wait and see. */
static int begin(struct sieve *s, struct err *e)
{
    struct err none = ERR_INIT;
    uint64_t first, last;
    int rc;

    s->begun = true;
    if ( !s->span.from.kind || s->next != NULL )
        return 0;
    rc = xt_trace_span(s->trace, &first, &last, &none);
    if ( rc == -ESPIPE || (!rc && first > last) )
        return 0;
    if ( !rc )
        rc = resolve(s, first, last, e);
    return rc ? rc : xt_trace_seek(s->trace, s->from, e);
}

/* Leave out what is before and behind.  False: nothing of it is left. */
static bool cut(struct sieve *s, struct xt_batch *b)
{
    while ( b->nr && b->items->time < s->from )
    {
        b->items++;
        b->nr--;
    }
    /* In the order of the file there are more behind one that is too late. */
    while ( b->nr && b->items[b->nr - 1].time > s->to )
    {
        s->over = s->next == NULL;
        b->nr--;
    }
    return b->nr;
}

/* --- the filter ----------------------------------------------------------- */

static int make_room(struct sieve *s, size_t nr)
{
    struct xt_item *items;

    if ( nr <= s->room )
        return 0;
    items = fault_realloc(s->items, nr * sizeof(*items));
    if ( !items )
        return -ENOMEM;
    s->items = items;
    s->room = nr;
    return 0;
}

/* Is it wanted?  -ENOMEM if nobody can know. */
static int wanted(struct sieve *s, const struct xt_batch *b,
                  const struct xt_item *item)
{
    unsigned int cpu = xt_item_cpu(item);
    uint32_t who = FILTER_NOBODY;
    struct xt_record r;
    bool yes;

    xt_batch_record(b, item, &r);
    if ( filter_needs_who(s->filter) )
    {
        if ( dump_state_show(&s->state, cpu) )
            return -ENOMEM;
        who = s->state.pcpus[cpu].face.who;
    }
    yes = filter_wants(s->filter, s->catalogue, cpu, who, &r);
    if ( filter_needs_who(s->filter) &&
         dump_state_see(&s->state, NULL, false, cpu, item->time, &r) )
        return -ENOMEM;
    return yes;
}

static int sift(struct sieve *s, struct xt_batch *b)
{
    size_t nr = 0;
    int rc;

    if ( make_room(s, b->nr) )
        return -ENOMEM;
    for ( size_t i = 0; i < b->nr; i++ )
    {
        rc = wanted(s, b, &b->items[i]);
        if ( rc < 0 )
            return rc;
        if ( rc )
            s->items[nr++] = b->items[i];
    }
    b->items = s->items;
    b->nr = nr;
    return 0;
}

/* --- both ----------------------------------------------------------------- */

static int fetch(struct sieve *s, struct xt_batch *b, struct err *e)
{
    return s->next ? s->next(s->next_arg, b, e)
                   : xt_trace_next_batch(s->trace, b, e);
}

static int note_segment(struct sieve *s, const struct xt_batch *b,
                        struct err *e)
{
    bool first = !s->bounded && !s->start;

    if ( !first && b->segment == s->segment )
        return 0;
    s->segment = b->segment;
    dump_state_reset(&s->state);
    if ( first )
        return resolve(s, b->items->time, 0, e);
    s->start = b->items->time;
    return 0;
}

int sieve_next(void *sieve, struct xt_batch *b, struct err *e)
{
    struct sieve *s = sieve;
    int rc = s->begun ? 0 : begin(s, e);

    while ( !rc && !s->over )
    {
        rc = fetch(s, b, e);
        if ( rc <= 0 )
            return rc;
        rc = note_segment(s, b, e);
        if ( rc || (s->bounded && !cut(s, b)) )
            continue;
        if ( s->filter && sift(s, b) )
            return err_sys(e, -ENOMEM, "cannot filter");
        if ( b->nr )
            return 1;
    }
    return rc;
}
