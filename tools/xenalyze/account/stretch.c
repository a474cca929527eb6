/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for the worst stretch.  Scores are floating-point numbers: sums of
 * times of a damaged trace do not overflow.
 */
#include "xenalyze/account/stretch.h"

#include <assert.h>

#include "common/compiler.h"

static uint64_t convert_to_cycles(const struct xt_clock *clock, uint64_t ns)
{
    return (uint64_t)((unsigned __int128)ns * xt_clock_hz(clock) / 1000000000u);
}

struct stretch_scale stretch_scale_make(const struct xt_clock *clock)
{
    return (struct stretch_scale){
        .hurts = convert_to_cycles(clock, STRETCH_HURTS_NS),
        .gap = convert_to_cycles(clock, STRETCH_GAP_NS),
    };
}

void stretch_close(struct stretch_search *s, const struct stretch_scale *scale)
{
    assert(scale);
    if ( s->is_open && s->now.score >= (double)scale->hurts )
    {
        s->nr++;
        s->length += s->now.to - s->now.from;
        s->total_lost += s->now.lost;
    }
    s->is_open = false;
}

double stretch_cost(const struct stretch_search *s, uint64_t at)
{
    return s->is_open && at > s->last ? STRETCH_CALM * (double)(at - s->last)
                                      : 0;
}

COLD
void stretch_begin_slow(struct stretch_search *s,
                        const struct stretch_scale *scale, uint64_t at)
{
    if ( s->is_open )
        stretch_close(s, scale);
    s->now = (struct stretch){ .from = at, .to = at };
    s->is_open = true;
    s->score = 0;
    s->lost = 0;
}
