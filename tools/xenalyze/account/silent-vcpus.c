/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xenalyze/account/silent-vcpus.h"

#include <assert.h>
#include <errno.h>

#include "libxentrace/internal.h"
#include "xenalyze/account/vcpu-array.h"
#include "xenalyze/account/wait-matrix.h"

const char *silent_state_name(enum silent_state state)
{
    static const char *const names[] = {
        [SILENT_WAITING] = "waiting", [SILENT_BLOCKED] = "blocked",
        [SILENT_OFFLINE] = "offline", [SILENT_STOPPED] = "stopped",
    };

    assert(state < SILENT_STATES);
    return names[state];
}

/* SILENT_STATES: absurd. */
static enum silent_state find_silent_state(const struct xt_host *host,
                                           const struct xt_rec_meta_vcpu *v)
{
    const struct xt_rec_meta_domain *d = xt_host_domain(host, v->dom);

    if ( v->state == STATE_OFFLINE )
        return SILENT_OFFLINE;
    if ( d && xt_host_domain_is_stopped(d) )
        return SILENT_STOPPED;
    return v->state == STATE_RUNNABLE ? SILENT_WAITING
           : v->state == STATE_BLOCKED ? SILENT_BLOCKED : SILENT_STATES;
}

/*
 * Was the state asked for when this trace began?  The file may have more than
 * one capture, or only the last records of one.
 */
static bool was_asked_at_begin(const struct xt_info *info,
                               const struct xt_clock *clock, uint64_t tsc)
{
    uint64_t most = xt_clock_cycles(clock, XT_HOST_SNAPSHOT_NS);
    uint64_t begin = info->has_run && info->run < info->start ? info->run
                                                               : info->start;

    return info->has_start && info->start - begin <= most && tsc >= begin &&
           tsc - begin <= most;
}

static bool is_silent(const struct wait_causes *w, unsigned int domain,
                      unsigned int vcpu)
{
    return wait_is_asked(w, domain, vcpu) &&
           !vcpu_array_find(w->vcpus, w->nr_vcpus, domain, vcpu);
}

static uint32_t count_host_vcpus(const struct xt_host *host)
{
    const struct xt_meta *m = NULL;
    uint32_t nr = 0;

    while ( (m = xt_host_next(host, TRC_META_VCPU, m)) )
        nr++;
    return nr;
}

int silent_vcpus_find(struct silent_vcpus *s, struct wait_causes *w,
                      const struct xt_info *info)
{
    uint32_t room = w->host ? count_host_vcpus(w->host) : 0;
    const struct xt_meta *m = NULL;

    assert(!s->nr);
    if ( !room )
        return 0;
    s->all = arena_array(&w->pool.arena, room, sizeof(*s->all),
                         _Alignof(struct silent_vcpu));
    if ( !s->all )
        return -ENOMEM;
    while ( (m = xt_host_next(w->host, TRC_META_VCPU, m)) )
    {
        enum silent_state state = find_silent_state(w->host, &m->vcpu);

        if ( state == SILENT_STATES ||
             !was_asked_at_begin(info, &w->clock, m->vcpu.tsc) ||
             !is_silent(w, m->vcpu.dom, m->vcpu.vcpu) )
            continue;
        assert(s->nr < room);
        s->all[s->nr++] = (struct silent_vcpu){ m->vcpu.dom, m->vcpu.vcpu,
                                                state };
        s->nr_waiting += state == SILENT_WAITING;
    }
    return 0;
}

const struct silent_vcpu *silent_vcpus_first(const struct silent_vcpus *s,
                                             enum silent_state state)
{
    for ( uint32_t i = 0; i < s->nr; i++ )
        if ( s->all[i].state == state )
            return &s->all[i];
    return NULL;
}
