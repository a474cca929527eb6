/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: the number of records and bytes of each event.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/num.h"
#include "simpletrace/sink.h"
#include "tracetool/vec.h"

struct stats
{
    struct tt_vec seen;         /* struct st_event * */
    uint64_t records, bytes, lost, first, last;
};

static void stats_init(struct st_print *p)
{
    p->state = arena_new(&p->arena, struct stats);
    p->no_memory = !p->state;
}

static void add_event(struct st_print *p, struct stats *s,
                      struct st_event *event)
{
    struct st_event **seen = tt_vec_add(&p->arena, &s->seen, sizeof(*seen));

    if ( seen )
        *seen = event;
    else
        p->no_memory = true;
}

static void stats_add_record(struct st_print *p, const struct st_record *record)
{
    struct st_event *event = record->event;
    struct stats *s = p->state;

    if ( p->no_memory )
        return;
    if ( !event->count++ )
        add_event(p, s, event);
    event->bytes += record->bytes;
    if ( !s->records++ )
        s->first = s->last = record->time;
    if ( record->time < s->first )
        s->first = record->time;
    if ( record->time > s->last )
        s->last = record->time;
    if ( record->is_dropped && record->bytes >= 8 )
        s->lost += st_record_word(record, 0);
    s->bytes += record->bytes;
}

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : !a - !b;
}

/* By name, and events of one name by declaration. */
static int compare_declarations(const void *a, const void *b)
{
    const struct st_event *x = *(struct st_event *const *)a;
    const struct st_event *y = *(struct st_event *const *)b;
    int order = strcmp(x->name, y->name);

    assert(x->name && y->name);
    order = order ? order : compare_texts(x->format, y->format);
    if ( !order && x->nr_args != y->nr_args )
        order = x->nr_args < y->nr_args ? -1 : 1;
    if ( !order && x->min_bytes != y->min_bytes )
        order = x->min_bytes < y->min_bytes ? -1 : 1;
    return order;
}

/* Each trace has events of its own: add up those with one declaration. */
static void join_events(struct tt_vec *seen)
{
    struct st_event **events = seen->items;
    size_t nr = 0;

    assert(seen->nr);
    qsort(events, seen->nr, sizeof(*events), compare_declarations);
    for ( size_t i = 1; i < seen->nr; i++ )
        if ( compare_declarations(&events[nr], &events[i]) )
            events[++nr] = events[i];
        else
        {
            events[nr]->count += events[i]->count;
            events[nr]->bytes += events[i]->bytes;
        }
    seen->nr = nr + 1;
}

static int compare_count(const void *a, const void *b)
{
    const struct st_event *x = *(struct st_event *const *)a;
    const struct st_event *y = *(struct st_event *const *)b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1) :
                                  strcmp(x->name, y->name);
}

static void stats_print(struct st_print *p)
{
    struct stats *s = p->state;
    struct st_event **seen;
    uint64_t sum = 0;
    double seconds;

    assert(p->no_memory || s->records >= s->seen.nr);
    if ( p->no_memory )
        return;
    if ( s->seen.nr )
        join_events(&s->seen);
    seen = s->seen.items;
    seconds = (double)(s->last - s->first) / 1e9;
    st_out_print(&p->out, "%llu record%s of %zu event%s in %.6f s, %llu "
                 "event%s lost\n\n%12s %6s %12s  event\n",
                 (unsigned long long)s->records, num_plural(s->records),
                 s->seen.nr, num_plural(s->seen.nr), seconds,
                 (unsigned long long)s->lost, num_plural(s->lost), "records",
                 "%", "bytes");
    if ( s->seen.nr )
        qsort(seen, s->seen.nr, sizeof(*seen), compare_count);
    for ( size_t i = 0; i < s->seen.nr; i++ )
    {
        sum += seen[i]->count;
        st_out_print(&p->out, "%12llu %6.2f %12llu  ",
                     (unsigned long long)seen[i]->count,
                     100.0 * seen[i]->count / s->records,
                     (unsigned long long)seen[i]->bytes);
        st_out_escaped(&p->out, seen[i]->name, strlen(seen[i]->name));
        st_out_char(&p->out, '\n');
    }
    assert(sum == s->records);
}

const struct st_sink st_style_stats = {
    .name = "stats", .begin = stats_init, .record = stats_add_record,
    .end = stats_print,
};
