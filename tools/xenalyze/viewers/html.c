/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page in HTML that shows the trace in any browser: a timeline, and tables of
 * numbers.  The page is in html/; this file fills in the data.
 *
 * Each row of the timeline has tracks (html-track.h).  While the trace is read,
 * the tracks of all rows together stay below HTML_MAX_BYTES: when those of a
 * pool grow beyond its room, its quantum doubles until there is room again.  At
 * the end, each track gets coarser copies, so the page draws any span of time
 * from a number of slices that depends on the width of the screen.
 *
 * The data are a JSON object with names, numbers and the places of tracks, and
 * the bytes of tracks as base64.
 */
#include "xenalyze/viewers/html.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/grow.h"
#include "xenalyze/account/account.h"
#include "xenalyze/viewers/viewer-text.h"

#define FIRST_QUANTUM 64u       /* ns */
#define LEVEL_STEP 4u           /* quantum of a level and of the next */
#define LEVEL_SHARE 3u          /* size of a level and of the next */
#define FEW_SLICES 256u         /* a track of fewer needs no coarser level */
#define SCREEN 256u             /* quanta in the coarsest level */

/* --- rows ----------------------------------------------------------------- */

/* NULL: beyond the bound, or no memory. */
static struct html_pcpu *get_html_pcpu(struct html *x, uint32_t pcpu)
{
    if ( pcpu >= HTML_MAX_PCPUS )
    {
        x->has_hidden_pcpus = true;
        return NULL;
    }
    if ( !grow_to_index(&x->pcpus, &x->nr_pcpus, pcpu, sizeof(*x->pcpus)) )
    {
        x->failed = true;
        return NULL;
    }
    assert(pcpu < x->nr_pcpus);
    return &x->pcpus[pcpu];
}

static struct html_vcpu *get_html_vcpu(struct html *x,
                                       const struct activity_vcpu *v)
{
    if ( v->number >= HTML_MAX_VCPUS )
    {
        x->has_hidden_vcpus = true;
        return NULL;
    }
    if ( !x->nr_hosts || !grow_to_index(&x->vcpus, &x->nr_vcpus, v->number,
                                        sizeof(*x->vcpus)) )
    {
        x->failed = true;
        return NULL;
    }
    assert(v->number < x->nr_vcpus);
    if ( !x->vcpus[v->number].vcpu )
        x->vcpus[v->number].host = x->nr_hosts - 1;
    x->vcpus[v->number].vcpu = v;
    return &x->vcpus[v->number];
}

/* Track `i` of the page, and its pool; NULL: no track is left. */
static struct html_levels *get_levels(struct html *x, size_t i,
                                      enum html_pool *pool)
{
    size_t pcpu = i / 2, vcpu = pcpu - x->nr_pcpus;
    size_t thread = i - 2 * (x->nr_pcpus + x->nr_vcpus);

    assert(x->nr_pcpus <= UINT32_MAX / 2);
    *pool = pcpu >= x->nr_pcpus && i % 2 ? HTML_EXITS : HTML_STATES;
    if ( pcpu < x->nr_pcpus )
        return i % 2 ? &x->pcpus[pcpu].loss : &x->pcpus[pcpu].run;
    if ( vcpu < x->nr_vcpus )
        return i % 2 ? &x->vcpus[vcpu].exits : &x->vcpus[vcpu].state;
    *pool = HTML_EXITS;
    return thread < x->nr_threads ? &x->threads[thread].events : NULL;
}

/* --- tracks --------------------------------------------------------------- */

static bool condense_track(struct html_track *t, uint64_t quantum)
{
    struct html_track old;

    if ( !html_track_flush(t) )
        return false;
    old = *t;
    if ( !html_track_condense(&old, quantum, t) )
    {
        *t = old;
        return false;
    }
    html_track_fini(&old);
    assert(t->quantum == quantum);
    return true;
}

/* Double the quantum of a pool. */
static void condense_pool(struct html *x, enum html_pool pool)
{
    uint64_t *quantum = &x->pools[pool].quantum;
    struct html_levels *levels;
    enum html_pool other;

    assert(*quantum < UINT64_MAX / 2);
    *quantum = *quantum ? 2 * *quantum : FIRST_QUANTUM;
    x->pools[pool].used = 0;
    for ( size_t i = 0; (levels = get_levels(x, i, &other)); i++ )
    {
        if ( other != pool || !levels->nr )
            continue;
        x->failed |= !condense_track(&levels->all[0], *quantum);
        x->pools[pool].used += levels->all[0].used;
    }
}

/* States have half of the bytes, and exits the bytes without states. */
static size_t pool_room(const struct html *x, enum html_pool pool)
{
    assert(pool < HTML_POOLS);
    if ( pool == HTML_STATES || x->pools[HTML_STATES].used > HTML_STATES_BYTES )
        return HTML_STATES_BYTES;
    return HTML_MAX_BYTES - x->pools[HTML_STATES].used;
}

/* Condensing again for every few slices would be slow. */
static void bound_pool(struct html *x, enum html_pool pool)
{
    size_t room = pool_room(x, pool);

    if ( x->pools[pool].used <= room )
        return;
    do
        condense_pool(x, pool);
    while ( x->pools[pool].used > room / 3 * 2 && !x->failed );
    assert(x->failed || x->pools[pool].used <= room);
}

void html_add_slice(struct html *x, struct html_levels *levels,
                    enum html_pool pool, uint32_t mask,
                    const struct html_slice *s)
{
    struct html_track *t = &levels->all[0];
    size_t before = t->used;

    assert(s->nr == 1 && mask);
    if ( !levels->nr )
    {
        levels->nr = 1;
        t->key_mask = mask;
        t->quantum = x->pools[pool].quantum;
    }
    x->failed |= !html_track_add(t, s);
    x->pools[pool].used += t->used - before;
    x->from = s->from < x->from ? s->from : x->from;
    x->to = s->to > x->to ? s->to : x->to;
    bound_pool(x, pool);
}

static struct html_slice make_slice(uint32_t key, uint64_t from, uint64_t to)
{
    assert(from <= to);
    return (struct html_slice){
        .from = from, .to = to, .count = 1, .nr = 1,
        .shares = { { key, to - from } },
    };
}

/* --- activities ----------------------------------------------------------- */

static void html_open(void *state, const struct viewer_options *options,
                      FILE *out)
{
    struct html *x = state;

    assert(out && options);
    x->out = out;
    x->options = options;
    x->from = UINT64_MAX;
    arena_init(&x->texts, 0);
}

/* Labels of hosts differ. */
static bool is_new_host(const struct html *x)
{
    const struct viewer_host *host = x->options->host;

    return !x->nr_hosts ||
           (host && strcmp(host->label, x->hosts[x->nr_hosts - 1].label));
}

static bool add_host(struct html *x, const struct activity_begin *a)
{
    const struct viewer_host *host = x->options->host;
    char *label = arena_strdup(&x->texts, host ? host->label : "");

    if ( !label || !grow_to_index(&x->hosts, &x->hosts_room, x->nr_hosts,
                                  sizeof(*x->hosts)) )
        return false;
    x->hosts[x->nr_hosts++] = (struct html_host){
        .label = label, .begin = a->first, .hz = a->hz,
        .first_pcpu = x->options->first_pcpu,
    };
    return true;
}

static void html_begin(void *state, const struct activity_begin *a)
{
    struct html *x = state;

    if ( !x->nr_hosts )
    {
        x->has_wall = a->has_wall;
        x->wall = a->wall - (int64_t)a->first;
    }
    if ( is_new_host(x) && !add_host(x, a) )
        x->failed = true;
    if ( x->nr_hosts )
        x->hosts[x->nr_hosts - 1].segments++;
}

/* Tables of the current host, since its statistics are gone at the end. */
static int html_numbers(void *state)
{
    struct html *x = state;
    char *text = NULL;
    size_t size;
    FILE *out;
    int rc;

    if ( !x->nr_hosts )
        return -ENOMEM;
    out = open_memstream(&text, &size);
    if ( !out )
        return -ENOMEM;
    rc = html_write_numbers(out, x->options);
    rc = rc ? rc : html_write_waits(out, x->options);
    if ( fclose(out) )
        rc = -ENOMEM;
    if ( rc || (x->nr_hosts > 1 &&
                x->numbers_size + size > HTML_NUMBERS_BYTES) )
    {
        free(text);
        return rc;
    }
    assert(!x->hosts[x->nr_hosts - 1].numbers);
    x->hosts[x->nr_hosts - 1].numbers = text;
    x->numbers_size += size;
    return 0;
}

static void html_vcpu(void *state, const struct activity_vcpu *v)
{
    assert(v->label && v->domain_label);
    get_html_vcpu(state, v);
}

static void html_run(void *state, const struct activity_span *a)
{
    struct html_pcpu *p = get_html_pcpu(state, a->pcpu);
    uint32_t key = a->vcpu->number < HTML_MAX_VCPUS ? a->vcpu->number + 1
                                                    : HTML_OTHERS;
    struct html_slice s = make_slice(key, a->from, a->to);

    if ( p )
        html_add_slice(state, &p->run, HTML_STATES, UINT32_MAX, &s);
}

/* A waker without a row: 0. */
static uint32_t get_origin(const struct activity_span *a)
{
    if ( a->state == ACTIVITY_RUNNING )
        return a->pcpu + 1;
    if ( !a->is_wakeup )
        return 0;
    assert(a->state == ACTIVITY_RUNNABLE);
    if ( a->waker )
        return a->waker->number < HTML_MAX_VCPUS ? (a->waker->number + 1) << 1
                                                 : 0;
    return a->waker_pcpu < HTML_MAX_PCPUS ? (a->waker_pcpu + 1) << 1 | 1 : 0;
}

static void html_span(void *state, const struct activity_span *a)
{
    struct html *x = state;
    struct html_vcpu *v = get_html_vcpu(state, a->vcpu);
    struct html_slice s = make_slice(a->state |
                                     get_origin(a) << HTML_STATE_BITS,
                                     a->from, a->to);

    assert(a->state != ACTIVITY_NONE);
    x->used_states |= 1u << a->state;
    if ( v )
        html_add_slice(state, &v->state, HTML_STATES, HTML_STATE_MASK, &s);
}

/* The number of a name; a new name gets the next number. */
static uint32_t number_name(struct html *x, unsigned int index)
{
    assert(index < HTML_NAMES);
    if ( !x->numbers[index] )
    {
        x->names[x->nr_names++] = index;
        x->numbers[index] = x->nr_names;
    }
    return x->numbers[index];
}

static void html_exit(void *state, const struct activity_exit *a)
{
    struct html_vcpu *v = get_html_vcpu(state, a->vcpu);
    unsigned int handler = a->handler < HTML_HANDLERS ? a->handler : 0;
    struct html_slice s;

    debug_assert(a->cause < EXIT_CAUSES);
    if ( !v )
        return;
    s = make_slice(number_name(state, a->cause * HTML_HANDLERS + handler),
                   a->from, a->to);
    html_add_slice(state, &v->exits, HTML_EXITS, UINT32_MAX, &s);
}

static void html_loss(void *state, const struct activity_pcpu_span *a)
{
    struct html_pcpu *p = get_html_pcpu(state, a->pcpu);
    struct html_slice s = make_slice(1, a->from, a->to);

    assert(a->from <= a->to);
    if ( !p )
        return;
    s.count = a->count ? a->count : 1;
    html_add_slice(state, &p->loss, HTML_STATES, UINT32_MAX, &s);
}

/* --- levels --------------------------------------------------------------- */

/* The first quantum that condenses about a quarter of the slices. */
static uint64_t find_quantum(const struct html *x, const struct html_track *t)
{
    uint64_t quantum = t->quantum ? t->quantum : FIRST_QUANTUM;
    uint64_t mean = (x->to - x->from) / t->nr;

    assert(t->nr && x->from <= x->to);
    while ( quantum < mean / LEVEL_STEP )
        quantum *= LEVEL_STEP;
    return quantum;
}

static void add_levels(struct html *x, struct html_levels *levels)
{
    struct html_track *last = &levels->all[0], next;
    uint64_t quantum;

    x->failed |= !html_track_flush(last);
    if ( x->failed || last->nr <= FEW_SLICES )
        return;
    quantum = find_quantum(x, last);
    for ( ; quantum <= (x->to - x->from) / SCREEN && last->nr > FEW_SLICES &&
            levels->nr < HTML_LEVELS; quantum *= LEVEL_STEP )
    {
        if ( !html_track_condense(last, quantum, &next) )
        {
            x->failed = true;
            return;
        }
        if ( next.used > last->used / LEVEL_SHARE )
        {
            html_track_fini(&next);
            continue;
        }
        last = &levels->all[levels->nr++];
        *last = next;
    }
    assert(levels->nr <= HTML_LEVELS);
}

/* --- the file ------------------------------------------------------------- */

static void write_lines(FILE *out, const char *const *lines)
{
    assert(*lines);
    for ( ; *lines; lines++ )
        fputs(*lines, out);
}

void html_write_levels(struct html *x, const struct html_levels *levels,
                       size_t *offset)
{
    fputs(",[", x->out);
    for ( unsigned int i = 0; i < levels->nr; i++ )
    {
        const struct html_track *t = &levels->all[i];

        assert(!t->open.nr);
        fprintf(x->out, "%s[%" PRIu64 ",%zu,%zu,%" PRIu64 "]", i ? "," : "",
                t->quantum, *offset, t->used, t->nr);
        *offset += t->used;
    }
    fputs("]", x->out);
}

static void write_rows(struct html *x)
{
    size_t offset = 0;
    bool more = false;

    fputs(",\n\"pcpus\":[", x->out);
    for ( uint32_t i = 0; i < x->nr_pcpus; i++ )
    {
        const struct html_pcpu *p = &x->pcpus[i];

        if ( !p->run.nr && !p->loss.nr )
            continue;
        fprintf(x->out, "%s\n[%" PRIu32, more ? "," : "", i);
        html_write_levels(x, &p->run, &offset);
        html_write_levels(x, &p->loss, &offset);
        putc(']', x->out);
        more = true;
    }
    fputs("],\n\"vcpus\":[", x->out);
    /* The array may have free items at its end. */
    for ( uint32_t i = 0; i < x->nr_vcpus && x->vcpus[i].vcpu; i++ )
    {
        const struct html_vcpu *v = &x->vcpus[i];

        fprintf(x->out, "%s\n[%" PRIu32 ",%" PRIu32 ",", i ? "," : "",
                v->vcpu->domain, v->vcpu->id);
        viewer_write_json(x->out, v->vcpu->label);
        putc(',', x->out);
        viewer_write_json(x->out, v->vcpu->domain_label);
        html_write_levels(x, &v->state, &offset);
        html_write_levels(x, &v->exits, &offset);
        fprintf(x->out, ",%" PRIu32 "]", v->host);
    }
    putc(']', x->out);
    html_write_programs(x, &offset);
}

static const char *name_call(unsigned int number)
{
    static const unsigned int first_kind = ACTIVITY_CALLS / 2;
    const char *name;

    assert(number < ACTIVITY_CALLS);
    name = number > first_kind ? pv_name(number - first_kind)
           : number ? hypercall_name(number - 1) : NULL;
    return name ? name : "hypercall";
}

static void write_name_of(struct html *x, unsigned int index)
{
    unsigned int cause = index / HTML_HANDLERS;
    unsigned int handler = index % HTML_HANDLERS;
    char name[EXIT_REPORT_NAME], text[2 * EXIT_REPORT_NAME + 32];
    const char *work = handler ? handler_name(handler) : NULL;

    assert(index < HTML_NAMES);
    if ( cause >= EXIT_CAUSES )
        viewer_write_json(x->out, name_call(index -
                                            EXIT_CAUSES * HTML_HANDLERS));
    else
    {
        snprintf(text, sizeof(text), "%s%s%s", exit_report_name(cause, name),
                 work ? ": " : "", work ? work : "");
        viewer_write_json(x->out, text);
    }
}

static void write_head(struct html *x)
{
    fputs("{\"trace\":", x->out);
    viewer_write_json(x->out, x->options->trace);
    fprintf(x->out, ",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"quantum\":%"
            PRIu64 ",\"exit_quantum\":%" PRIu64, x->from, x->to,
            x->pools[HTML_STATES].quantum, x->pools[HTML_EXITS].quantum);
    if ( x->has_wall )
        fprintf(x->out, ",\"wall_ms\":%" PRId64, x->wall / 1000000);
    fprintf(x->out, ",\"hidden_rows\":%s,\"used_states\":%u",
            x->has_hidden_pcpus || x->has_hidden_vcpus ? "true" : "false",
            x->used_states);
    fputs(",\n\"states\":[", x->out);
    for ( unsigned int i = 0; i < ACTIVITY_STATES; i++ )
        fprintf(x->out, "%s\"%s\"", i ? "," : "", activity_state_name(i));
    fputs("],\n\"names\":[\"others\"", x->out);
    assert(x->nr_names <= HTML_NAMES);
    for ( unsigned int i = 0; i < x->nr_names; i++ )
    {
        putc(',', x->out);
        write_name_of(x, x->names[i]);
    }
    putc(']', x->out);
}

static void write_hosts(const struct html *x)
{
    assert(x->nr_hosts && x->hosts);
    fputs(",\n\"hosts\":[", x->out);
    for ( uint32_t i = 0; i < x->nr_hosts; i++ )
    {
        const struct html_host *h = &x->hosts[i];

        fputs(i ? ",\n{\"label\":" : "\n{\"label\":", x->out);
        viewer_write_json(x->out, h->label);
        fprintf(x->out, ",\"begin\":%" PRIu64 ",\"first_pcpu\":%" PRIu32
                ",\"hz\":%" PRIu64 ",\"segments\":%u%s}", h->begin,
                h->first_pcpu, h->hz, h->segments,
                h->numbers ? h->numbers : "");
    }
    putc(']', x->out);
}

/* --- base64 --------------------------------------------------------------- */

#define BASE64_LINE 19200u      /* characters */

struct base64
{
    FILE *out;
    unsigned int bits, nr;      /* bytes that wait for a group of three */
    size_t column;
};

static void write_group(struct base64 *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";

    assert(b->nr && b->nr <= 3);
    b->bits <<= 8 * (3 - b->nr);
    for ( unsigned int i = 0; i < 4; i++ )
        putc_unlocked(i > b->nr ? '=' : digits[b->bits >> (18 - 6 * i) & 63],
                      b->out);
    b->bits = b->nr = 0;
    b->column += 4;
    if ( b->column % BASE64_LINE == 0 )
        putc_unlocked('\n', b->out);
}

static void write_base64(struct base64 *b, const struct html_levels *levels)
{
    for ( unsigned int i = 0; i < levels->nr; i++ )
        for ( size_t k = 0; k < levels->all[i].used; k++ )
        {
            assert(b->nr < 3);
            b->bits = b->bits << 8 | levels->all[i].bytes[k];
            b->nr++;
            if ( b->nr == 3 )
                write_group(b);
        }
}

static void write_tracks(struct html *x)
{
    struct base64 b = { .out = x->out };
    struct html_levels *levels;
    enum html_pool pool;

    for ( size_t i = 0; (levels = get_levels(x, i, &pool)); i++ )
        write_base64(&b, levels);
    if ( b.nr )
        write_group(&b);
    assert(!b.nr);
}

static int html_finish(void *state)
{
    struct html *x = state;
    struct html_levels *levels;
    enum html_pool pool;

    /* States may have come last. */
    bound_pool(x, HTML_EXITS);
    for ( size_t i = 0; (levels = get_levels(x, i, &pool)); i++ )
        if ( levels->nr )
            add_levels(x, levels);
    if ( x->failed )
        return -ENOMEM;
    assert(x->from <= x->to);
    write_lines(x->out, html_page_before);
    write_head(x);
    write_hosts(x);
    write_rows(x);
    fputs("}</script>\n<script type=\"application/octet-stream\" "
          "id=\"tracks\">", x->out);
    write_tracks(x);
    write_lines(x->out, html_page_after);
    return 0;
}

static void html_call(void *state, const struct activity_call *a)
{
    struct html_vcpu *v = get_html_vcpu(state, a->vcpu);
    struct html_slice s;

    assert(a->number < ACTIVITY_CALLS);
    if ( !v )
        return;
    s = make_slice(number_name(state, EXIT_CAUSES * HTML_HANDLERS + a->number),
                   a->time, a->time);
    html_add_slice(state, &v->exits, HTML_EXITS, UINT32_MAX, &s);
}

static void html_close(void *state)
{
    struct html *x = state;
    struct html_levels *levels;
    enum html_pool pool;

    for ( size_t i = 0; (levels = get_levels(x, i, &pool)); i++ )
        for ( unsigned int k = 0; k < levels->nr; k++ )
            html_track_fini(&levels->all[k]);
    assert(!x->nr_vcpus || x->vcpus);
    for ( uint32_t i = 0; i < x->nr_hosts; i++ )
        free(x->hosts[i].numbers);
    free(x->hosts);
    free(x->pcpus);
    free(x->vcpus);
    html_free_programs(x);
    arena_fini(&x->texts);
}

const struct activity_ops html_ops = {
    .size = sizeof(struct html), .max_pcpus = HTML_MAX_PCPUS,
    .open = html_open, .begin = html_begin,
    .vcpu = html_vcpu, .run = html_run, .span = html_span, .exit = html_exit,
    .call = html_call, .loss = html_loss, .thread = html_add_thread,
    .program = html_add_program, .numbers = html_numbers,
    .finish = html_finish, .close = html_close,
};
