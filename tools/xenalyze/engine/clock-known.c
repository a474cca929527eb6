/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes on pcpus with a known offset, and how well those of one more pcpu fit
 * between them.
 */
#include <assert.h>
#include <string.h>

#include "xenalyze/engine/clock-align-private.h"

void clock_sum_sizes(size_t *begins, unsigned int nr)
{
    for ( unsigned int i = 1; i <= nr; i++ )
        begins[i] += begins[i - 1];
}

void clock_restore_begins(size_t *begins, unsigned int nr)
{
    memmove(begins + 1, begins, nr * sizeof(*begins));
    begins[0] = 0;
}

void clock_group_events(struct aligner *a, const struct clock_probe *p)
{
    const unsigned int nr = a->options->nr_pcpus;

    for ( size_t i = 0; i < p->nr; i++ )
        a->begins[p->events[i].pcpu + 1]++;
    clock_sum_sizes(a->begins, nr);
    assert(a->begins[nr] == p->nr);
    for ( size_t i = 0; i < p->nr; i++ )
        a->events[a->begins[p->events[i].pcpu]++] = p->events[i];
    clock_restore_begins(a->begins, nr);
}

/* A run right after the wake-up. */
static bool is_fast(const struct aligner *a, const struct clock_event *wake,
                    const struct clock_event *run, int64_t offset)
{
    /* Damaged times may be anywhere. */
    int64_t time = (int64_t)(run->time - wake->time + (uint64_t)offset);

    return clock_is_ready(wake) && clock_is_run(run) &&
           time <= CLOCK_PEAK_LATENCIES * a->options->latency;
}

size_t clock_skip_to_vcpu(const struct aligner *a, size_t at, uint32_t vcpu)
{
    size_t step = 1, from = at, to;

    while ( from + step < a->nr_known && a->known[from + step].vcpu < vcpu )
        step *= 2;
    to = from + step < a->nr_known ? from + step : a->nr_known;
    while ( from < to )
    {
        size_t middle = from + (to - from) / 2;

        if ( a->known[middle].vcpu < vcpu )
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Skip known events of the pcpu.  False: the vcpu has no more. */
static bool skip_pcpu(const struct aligner *a, size_t *at, uint32_t vcpu,
                      unsigned int pcpu)
{
    while ( *at < a->nr_known && a->known[*at].vcpu == vcpu &&
            a->known[*at].pcpu == pcpu )
        ++*at;
    return *at < a->nr_known && a->known[*at].vcpu == vcpu;
}

/* How well the events of a vcpu fit: those from y to y_end, and the known. */
static int64_t rate_vcpu(const struct aligner *a, size_t x,
                         const struct clock_event *y,
                         const struct clock_event *y_end, int64_t offset)
{
    const struct clock_event *last = NULL, *next;
    const uint32_t vcpu = y->vcpu;
    const unsigned int pcpu = y->pcpu;
    bool last_known = false, is_known, has_known;
    int64_t rate = 0;

    while ( (has_known = skip_pcpu(a, &x, vcpu, pcpu)) || y < y_end )
    {
        is_known = y == y_end ||
                   (has_known && clock_is_earlier(&a->known[x], y, offset));
        next = is_known ? &a->known[x++] : y++;
        if ( last && last_known != is_known )
            rate += last->new != next->old ? -1 : 1 +
                    is_fast(a, last, next, is_known ? -offset : offset);
        last = next;
        last_known = is_known;
    }
    return rate;
}

int64_t clock_rate_offset(const struct aligner *a, unsigned int pcpu,
                          int64_t offset)
{
    const struct clock_event *e = a->events;
    size_t x = 0, next;
    int64_t rate = 0;

    for ( size_t y = a->begins[pcpu]; y < a->begins[pcpu + 1]; y = next )
    {
        next = y + 1;
        while ( next < a->begins[pcpu + 1] && e[next].vcpu == e[y].vcpu )
            next++;
        x = clock_skip_to_vcpu(a, x, e[y].vcpu);
        rate += rate_vcpu(a, x, &e[y], &e[next], offset);
    }
    return rate;
}

void clock_add_pcpu(struct aligner *a, unsigned int pcpu, int64_t offset)
{
    const struct clock_event *x = a->known, *x_end = x + a->nr_known;
    const struct clock_event *y = a->events + a->begins[pcpu];
    const struct clock_event *y_end = a->events + a->begins[pcpu + 1];
    struct clock_event *to = a->merged;

    assert(!a->is_known[pcpu]);
    while ( x < x_end || y < y_end )
        if ( y == y_end || (x < x_end && clock_is_earlier(x, y, offset)) )
            *to++ = *x++;
        else
        {
            *to = *y++;
            to->time += offset;
            to++;
        }
    a->nr_known = to - a->merged;
    a->merged = a->known;
    a->known = to - a->nr_known;
    a->offsets[pcpu] = offset;
    a->is_known[pcpu] = true;
}

void clock_remove_pcpu(struct aligner *a, unsigned int pcpu)
{
    size_t nr = 0;

    assert(a->is_known[pcpu]);
    for ( size_t i = 0; i < a->nr_known; i++ )
        if ( a->known[i].pcpu != pcpu )
            a->known[nr++] = a->known[i];
    a->nr_known = nr;
    a->is_known[pcpu] = false;
}
