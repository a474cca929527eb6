/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Learning from single records, of which few matter.
 */
#include "libxentrace/info.h"

#include <assert.h>
#include <string.h>

#include "libxentrace/meta.h"

#define SECOND 1000000000u

/* capture_flags of events/11-meta: overwrite, memory_buffer. */
#define SNAPSHOT_FLAGS (1u << 2 | 1u << 3)

/* A reading is some microseconds off: over a second, some ppm. */
#define FAR_APART (SECOND / 2)

/* A frequency outside of this range is damage. */
#define HZ_LEAST 1000000u
#define HZ_MOST UINT64_C(100000000000)

static bool is_speed(uint64_t hz)
{
    return hz >= HZ_LEAST && hz <= HZ_MOST;
}

static void learn_moment(struct xt_info *info,
                         const struct xt_rec_meta_clock *m)
{
    uint64_t cycles = m->tsc - info->wall_tsc, ns = m->mono - info->mono;

    if ( !info->has_wall )
    {
        info->has_wall = true;
        info->wall_tsc = m->tsc;
        info->wall = m->wall;
        info->mono = m->mono;
    }
    else if ( m->tsc > info->wall_tsc && m->mono > info->mono &&
              ns >= FAR_APART && ns > info->ns &&
              is_speed((unsigned __int128)cycles * SECOND / ns) )
    {
        info->cycles = cycles;
        info->ns = ns;
    }
}

/* A span that ends before the trace begins is damaged. */
static void learn_cut(struct xt_info *info, const struct xt_rec_meta_cut *m)
{
    if ( info->is_cut || m->from > m->until || m->origin > m->until )
        return;
    info->is_cut = true;
    info->cut_from = m->from;
    info->cut_until = m->until;
    info->cut_origin = m->origin;
}

static void learn_meta(struct xt_info *info, const struct xt_meta *m)
{
    if ( m->event == TRC_META_TSC && !info->hz && is_speed(m->tsc.hz) )
        info->hz = m->tsc.hz;
    if ( m->event == TRC_META_XEN && !info->cpus )
        info->cpus = m->xen.cpus;
    if ( m->event == TRC_META_CLOCK )
        learn_moment(info, &m->clock);
    if ( m->event == TRC_META_START && !info->has_run )
    {
        info->has_run = true;
        info->run = m->start.tsc;
        info->captured = m->start.events;
        info->is_snapshot = m->start.flags & SNAPSHOT_FLAGS;
    }
    if ( m->event == TRC_META_CUT )
        learn_cut(info, &m->cut);
    if ( m->event == TRC_META_BOOT_ID && !info->has_boot )
    {
        info->has_boot = true;
        memcpy(info->boot, &m->boot_id, sizeof(info->boot));
    }
}

void xt_info_learn(struct xt_info *info, const struct xt_record *r)
{
    struct xt_meta m;

    if ( r->event == TRC_META_XEN ||
         (xt_dialect_may_learn(r->event) &&
          !xt_dialect_is_known(&info->dialect)) )
        xt_dialect_learn(&info->dialect, r);
    if ( r->has_tsc && (!info->has_start || r->tsc < info->start) &&
         xt_record_is_timed(r) )
    {
        info->has_start = true;
        info->start = r->tsc;
    }
    if ( r->event >> TRC_CLS_SHIFT == TRC_GEN >> TRC_CLS_SHIFT &&
         xt_meta_decode(&m, r) )
        learn_meta(info, &m);
}

enum xt_speed xt_info_clock(const struct xt_info *info, uint64_t hz,
                            struct xt_clock *c)
{
    enum xt_speed speed = hz ? XT_SPEED_GIVEN :
                          info->ns ? XT_SPEED_MEASURED :
                          info->hz ? XT_SPEED_RECORDED : XT_SPEED_ASSUMED;

    assert(!info->ns || info->cycles);
    if ( speed == XT_SPEED_MEASURED )
        xt_clock_init(c, info->cycles, info->ns, info->start);
    else
        xt_clock_init(c, hz ? hz : info->hz ? info->hz : XT_CLOCK_HZ, SECOND,
                      info->start);
    if ( info->has_wall )
        xt_clock_set_wall(c, info->wall_tsc, info->wall);
    return speed;
}

void xt_info_set_origin(const struct xt_info *info, struct xt_clock *c,
                        uint64_t origin)
{
    assert(c->has_wall == info->has_wall);
    c->origin = origin;
    if ( info->has_wall )
        xt_clock_set_wall(c, info->wall_tsc, info->wall);
}
