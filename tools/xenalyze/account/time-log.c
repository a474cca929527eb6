/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times are added in order, and most questions are about the latest ones, so
 * the array of points is searched from its end, with a growing step; then an
 * index is bisected.
 */
#include "xenalyze/account/time-log.h"

#include <assert.h>
#include <string.h>

#include "common/compiler.h"

void time_logs_init(struct time_logs *all)
{
    arena_init(&all->arena, 0);
    all->max = TIME_LOGS_MAX;
}

void time_logs_fini(struct time_logs *all)
{
    arena_fini(&all->arena);
}

/* --- room ----------------------------------------------------------------- */

#define FINEST 6u               /* points that remain: one in 1/64 of the time
                                   since then, or less often */

/* Points so near before a point are dropped. */
static uint64_t find_near_limit(const struct time_log *l,
                                const struct time_log_point *p)
{
    return l->coarse > FINEST ? UINT64_MAX
                              : (l->points[l->nr - 1].at - p->at) >>
                                (FINEST - l->coarse);
}

/*
 * Drop some of the first `nr` points that are near to the next one; the first
 * one remains.  Returns how many.
 */
static uint32_t drop_points(struct time_log *l, uint32_t nr)
{
    struct time_log_point *points = l->points;
    uint32_t kept = nr, i = nr;

    while ( i )
    {
        uint64_t at = points[kept].at;
        uint64_t limit = find_near_limit(l, &points[kept]);
        uint64_t marks = points[kept].is_marked;

        for ( ; i > 1 && at - points[i - 1].at <= limit; i-- )
            marks |= points[i - 1].is_marked;
        points[kept].is_marked = marks & 1;
        points[--kept] = points[--i];
    }
    memmove(points, points + kept, (l->nr - kept) * sizeof(*points));
    l->nr -= kept;
    return kept;
}

/* Keep the latest quarter. */
static void thin_points(struct time_log *l)
{
    uint32_t old = l->nr - l->nr / 4, wanted = old / 4 ? old / 4 : 1, dropped;

    assert(old > 1 && old < l->nr && l->nr == l->room);
    l->dropped_until = l->points[old].at;
    dropped = drop_points(l, old);
    while ( dropped < wanted && l->coarse <= FINEST )
    {
        l->coarse++;
        dropped += drop_points(l, old - dropped);
    }
    assert(dropped);
}

static bool grow_points(struct time_log *l, struct time_logs *all,
                        uint32_t room)
{
    struct time_log_point *points =
        arena_alloc(&all->arena, room * sizeof(*points),
                    _Alignof(struct time_log_point));

    all->failed |= !points;
    if ( !points )
        return false;
    if ( l->nr )
        memcpy(points, l->points, l->nr * sizeof(*points));
    all->grown += l->room ? room : 0;
    l->points = points;
    l->room = room;
    return true;
}

/* Make room for a time from `from` on; false: no memory. */
static bool make_room_for_time(struct time_log *l, struct time_logs *all,
                               uint64_t from)
{
    uint32_t room = l->room ? 4 * l->room : TIME_LOG_FIRST;

    if ( l->room && l->nr &&
         (room > TIME_LOG_MAX || room > all->max - all->grown) )
        thin_points(l);
    else if ( (l->nr || !l->room) && !grow_points(l, all, room) )
        return false;
    if ( !l->nr )
        l->points[l->nr++] = (struct time_log_point){ .at = from };
    l->limit = l->room;
    return true;
}

COLD
void time_log_add_slow(struct time_log *l, struct time_logs *all,
                       uint64_t from, uint64_t to, bool is_marked)
{
    if ( make_room_for_time(l, all, from) )
        time_log_add_fast(l, from, to, is_marked);
}

/* --- questions ------------------------------------------------------------ */

size_t time_log_count(const struct time_log *l, uint64_t time)
{
    size_t low = 0, high = l->nr;

    for ( size_t step = 1; step <= high; step *= 2 )
    {
        if ( l->points[high - step].at <= time )
        {
            low = high - step + 1;
            break;
        }
        high -= step;
    }
    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( l->points[middle].at <= time )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The part until `time` of the times between two points. */
static uint64_t divide_evenly(const struct time_log_point *p, uint64_t time)
{
    unsigned __int128 sum = p[1].sum - p[0].sum;

    return (uint64_t)(sum * (time - p[0].at) / (p[1].at - p[0].at));
}

/* The time in the state until a moment, behind the first n points. */
static uint64_t sum_until(const struct time_log *l, size_t n, uint64_t time)
{
    const struct time_log_point *p = l->points + n;
    uint64_t begin;

    debug_assert(n <= l->nr);
    if ( !n )
        return 0;
    if ( n == l->nr )
        return p[-1].sum;
    if ( p->at <= l->dropped_until )
        return p[-1].sum + divide_evenly(p - 1, time);
    begin = time_log_begin(p);
    return p[-1].sum + (time > begin ? time - begin : 0);
}

uint64_t time_log_between_slow(const struct time_log *l, uint64_t from,
                               uint64_t to)
{
    return sum_until(l, time_log_count(l, to), to) -
           sum_until(l, time_log_count(l, from), from);
}
