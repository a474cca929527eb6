/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One record after the other, and only the few that matter.
 */
#include "libxentrace/info.h"

#include "libxentrace/meta.h"

#define SECOND 1000000000u

static void learn_meta(struct xt_info *info, const struct xt_meta *m)
{
    if ( m->event == TRC_META_TSC && !info->hz )
        info->hz = m->tsc.hz;
    if ( m->event == TRC_META_CLOCK && !info->has_wall )
    {
        info->has_wall = true;
        info->wall_tsc = m->clock.tsc;
        info->wall = m->clock.wall;
    }
}

void xt_info_learn(struct xt_info *info, const struct xt_record *r)
{
    struct xt_meta m;

    if ( !xt_dialect_known(&info->dialect) )
        xt_dialect_learn(&info->dialect, r);
    if ( xt_record_is_timed(r) && (!info->has_start || r->tsc < info->start) )
    {
        info->has_start = true;
        info->start = r->tsc;
    }
    if ( xt_meta_decode(&m, r) )
        learn_meta(info, &m);
}

void xt_info_clock(const struct xt_info *info, uint64_t hz,
                   struct xt_clock *c)
{
    if ( !hz )
        hz = info->hz ? info->hz : XT_CLOCK_HZ;
    xt_clock_init(c, hz, SECOND, info->start);
    if ( info->has_wall )
        xt_clock_set_wall(c, info->wall_tsc, info->wall);
}
