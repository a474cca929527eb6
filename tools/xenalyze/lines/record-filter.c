/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xenalyze/lines/record-filter.h"

#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

/*
 * Bytes of a file to look back, at first and at most.  A pcpu that is in use
 * has changed its vcpu in the former; the latter is read in a blink.
 */
#define LOOK_BACK (16u << 20)
#define LOOK_BACK_MORE 8u
#define LOOK_BACK_MOST (128u << 20)

int sieve_init(struct sieve *s)
{
    s->begun = s->bounded = s->over = false;
    s->items = NULL;
    s->room = 0;
    s->start = 0;
    s->held.nr = 0;
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

/* --- records, and what is before the span -------------------------------- */

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

static bool wants_early(const struct sieve *s)
{
    return s->early || (s->filter && filter_needs_who(s->filter));
}

/* What is before the span leaves the batch, and is shown to who wants it. */
static int pass_over(struct sieve *s, struct xt_batch *b)
{
    struct xt_batch early = *b;
    int rc = 0;

    for ( early.nr = 0; b->nr && b->items->time < s->from; early.nr++ )
    {
        b->items++;
        b->nr--;
    }
    if ( !early.nr || !wants_early(s) )
        return 0;
    if ( s->filter )
        rc = sift(s, &early);
    return rc || !s->early ? rc : s->early->see(s->early_arg, &early);
}

/* As xt_trace_next_batch, from the begin of the span on. */
static int next(struct sieve *s, struct xt_batch *b, struct err *e)
{
    int rc;

    do
    {
        rc = fetch(s, b, e);
        if ( rc <= 0 )
            return rc;
        rc = note_segment(s, b, e);
        if ( !rc && s->bounded && pass_over(s, b) )
            rc = err_sys(e, -ENOMEM, "cannot filter");
    } while ( !rc && !b->nr );
    return rc ? rc : 1;
}

/* --- where to begin ------------------------------------------------------ */

static bool knows(const struct sieve *s)
{
    if ( s->filter && filter_needs_who(s->filter) &&
         !dump_state_knows(&s->state) )
        return false;
    return !s->early || !s->early->knows || s->early->knows(s->early_arg);
}

static void forget(struct sieve *s, uint64_t first)
{
    dump_state_reset(&s->state);
    if ( s->early && s->early->forget )
        s->early->forget(s->early_arg);
    s->segment = 0;
    s->start = first;
    s->held.nr = 0;
}

/* Read up to the span, from as far before it as it takes. */
static int look_back(struct sieve *s, uint64_t first, struct err *e)
{
    uint64_t from = 0;
    int rc = 0;

    for ( size_t bytes = LOOK_BACK; !rc; bytes *= LOOK_BACK_MORE )
    {
        rc = xt_trace_find_start(s->trace, s->from, bytes, &from, e);
        xt_trace_read_until(s->trace, s->to);
        if ( !rc )
            rc = xt_trace_seek(s->trace, from, e);
        if ( !rc )
            rc = next(s, &s->held, e);
        if ( rc < 0 || !from || bytes >= LOOK_BACK_MOST || knows(s) )
            break;
        forget(s, first);
        rc = xt_trace_rewind(s->trace, e);
    }
    return rc < 0 ? rc : 0;
}

/* Of a mapped file, go there at once; of anything else, wait and see. */
static int begin(struct sieve *s, struct err *e)
{
    struct err none = ERR_INIT;
    uint64_t first, last;
    int rc;

    s->begun = true;
    if ( (!s->span.from.kind && !s->span.to.kind) || s->next != NULL )
        return 0;
    rc = xt_trace_span(s->trace, &first, &last, &none);
    if ( rc == -ESPIPE || (!rc && first > last) )
        return 0;
    if ( !rc )
        rc = resolve(s, first, last, e);
    if ( rc )
        return rc;
    xt_trace_read_until(s->trace, s->to);
    if ( !s->span.from.kind )
        return 0;
    return wants_early(s) ? look_back(s, first, e)
                          : xt_trace_seek(s->trace, s->from, e);
}

/* --- all of it ----------------------------------------------------------- */

/* Leave out what is behind the span.  False: nothing is left. */
static bool cut(struct sieve *s, struct xt_batch *b)
{
    /* In the order of the file there are more behind one that is too late. */
    while ( b->nr && b->items[b->nr - 1].time > s->to )
    {
        s->over = s->next == NULL;
        b->nr--;
    }
    return b->nr;
}

int sieve_next(void *sieve, struct xt_batch *b, struct err *e)
{
    struct sieve *s = sieve;
    int rc = s->begun ? 0 : begin(s, e);

    while ( !rc && !s->over )
    {
        *b = s->held;
        s->held.nr = 0;
        rc = b->nr ? 1 : next(s, b, e);
        if ( rc <= 0 )
            return rc;
        rc = 0;
        if ( s->bounded && !cut(s, b) )
            continue;
        if ( s->filter && sift(s, b) )
            return err_sys(e, -ENOMEM, "cannot filter");
        if ( b->nr )
            return 1;
    }
    return rc;
}
