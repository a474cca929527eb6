/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exit comes first, then its blocked part, then the vcpu's wait, then the
 * address of a read: an access is complete when the vcpu's next fact belongs to
 * another one.  A wait of a helper is a fact at its end, which is before the
 * answer.
 */
#include "xenalyze/account/device-access.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"
#include "xenalyze/account/vcpu-array.h"

void device_accesses_init(struct device_accesses *d)
{
    stats_pool_init(&d->pool);
    time_logs_init(&d->logs);
}

void device_accesses_fini(struct device_accesses *d)
{
    free(d->vcpus);
    free(d->domains);
    free(d->ranges);
    time_logs_fini(&d->logs);
    stats_pool_fini(&d->pool);
}

const char *access_part_name(enum access_part part)
{
    static const char *const names[] = {
        [ACCESS_XEN] = "xen", [ACCESS_HELPER_WAITS] = "helper waits",
        [ACCESS_MODEL] = "device model", [ACCESS_VCPU_WAITS] = "vcpu waits",
    };

    assert(part < ACCESS_PARTS);
    return names[part];
}

/* --- devices -------------------------------------------------------------- */

struct known_device { uint32_t first, last; const char *name; };

static const struct known_device known_ports[] = {
    { 0x20, 0x21, "pic" }, { 0x40, 0x43, "pit" }, { 0x60, 0x64, "keyboard" },
    { 0x70, 0x71, "rtc" }, { 0xa0, 0xa1, "pic" }, { 0x170, 0x177, "ide" },
    { 0x1f0, 0x1f7, "ide" }, { 0x2f8, 0x2ff, "serial" },
    { 0x376, 0x376, "ide" }, { 0x378, 0x37f, "parallel" },
    { 0x3b0, 0x3df, "vga" }, { 0x3f0, 0x3f5, "floppy" },
    { 0x3f6, 0x3f6, "ide" }, { 0x3f8, 0x3ff, "serial" },
    { 0x402, 0x402, "debug" }, { 0x510, 0x51b, "fw_cfg" },
    { 0xb000, 0xb03f, "acpi" }, { 0xcf8, 0xcff, "pci" },
};

static const struct known_device known_memory[] = {
    { 0xa0000, 0xbffff, "vga memory" }, { 0xfec00000, 0xfec00fff, "ioapic" },
    { 0xfed00000, 0xfed003ff, "hpet" }, { 0xfee00000, 0xfee00fff, "apic" },
};

#define PORT_GROUP 16u          /* unknown devices: ports, and bytes */
#define MEMORY_GROUP 4096u

/* Set the addresses and the name of the device at an address. */
static void find_device(struct access_range *r, bool is_port, uint64_t at)
{
    const struct known_device *known = is_port ? known_ports : known_memory;
    size_t nr = is_port ? sizeof(known_ports) / sizeof(*known)
                        : sizeof(known_memory) / sizeof(*known);
    uint64_t group = is_port ? PORT_GROUP : MEMORY_GROUP;

    r->is_port = is_port;
    r->first = at & -group;
    r->last = r->first + group - 1;
    for ( size_t i = 0; i < nr; i++ )
        if ( at >= known[i].first && at <= known[i].last )
        {
            r->first = known[i].first;
            r->last = known[i].last;
            r->name = known[i].name;
        }
    debug_assert(at >= r->first && at <= r->last);
}

const char *access_range_text(const struct access_range *r,
                              char text[ACCESS_TEXT])
{
    if ( r->is_other )
        return "others";
    if ( r->is_unknown )
        return r->is_port ? "unknown ports" : "unknown addresses";
    if ( r->name && !r->is_port )
        return r->name;
    snprintf(text, ACCESS_TEXT, "%s%s0x%" PRIx64, r->name ? r->name : "",
             r->name ? " " : r->is_port ? "port " : "at ", r->first);
    return text;
}

static bool range_has(const struct access_range *r,
                      const struct access_open *o)
{
    if ( r->is_other || r->is_port != o->is_port ||
         r->is_unknown == o->is_known )
        return false;
    return r->is_unknown || (o->at >= r->first && o->at <= r->last);
}

static struct access_range *new_range(struct device_accesses *d,
                                      struct access_domain *own,
                                      uint16_t domain)
{
    struct access_range *r = arena_zalloc(&d->pool.arena, sizeof(*r),
                                          STATS_LINE);

    debug_assert(own->nr_ranges <= ACCESS_RANGES);
    d->failed |= !r;
    if ( !r )
        return NULL;
    r->domain = domain;
    own->nr_ranges++;
    d->nr_ranges++;
    return r;
}

/* The row of the device; NULL: no memory. */
static struct access_range *get_range(struct device_accesses *d,
                                      struct access_domain *own,
                                      const struct access_open *o,
                                      uint16_t domain)
{
    struct access_range **at = &own->ranges, *r;
    bool is_full = own->nr_ranges >= ACCESS_RANGES;

    while ( *at && !range_has(*at, o) && !(is_full && (*at)->is_other) )
        at = &(*at)->next;
    r = *at;
    if ( r )
        *at = r->next;
    else
    {
        r = new_range(d, own, domain);
        if ( !r )
            return NULL;
        if ( is_full )
            r->is_other = true;
        else if ( !o->is_known )
        {
            r->is_unknown = true;
            r->is_port = o->is_port;
        }
        else
            find_device(r, o->is_port, o->at);
    }
    /* The row of all others stays last, behind the devices. */
    at = &own->ranges;
    while ( r->is_other && *at )
        at = &(*at)->next;
    r->next = *at;
    *at = r;
    return r;
}

/* --- vcpus ---------------------------------------------------------------- */

static struct access_vcpu *get_access_vcpu(struct device_accesses *d,
                                           const struct vcpu *v)
{
    return vcpu_array_get(&d->vcpus, &d->nr_vcpus, v, &d->pool.arena,
                          sizeof(struct access_vcpu),
                          _Alignof(struct access_vcpu), &d->failed);
}

static uint64_t count_helper_wait(const void *vcpu, uint64_t from, uint64_t to)
{
    const struct access_vcpu *v = vcpu;

    return v && v->waits ? time_log_between(v->waits, from, to) : 0;
}

/*
 * Time in which a helper waited: the vcpu that was woken until its answer, or
 * until another vcpu, which answers, has begun to run.  Sets the vcpu whose
 * waits these are, or NULL.
 */
static uint64_t find_helper_wait(const struct access_vcpu *v,
                                 const struct access_vcpu *answers,
                                 uint64_t from, uint64_t to,
                                 const struct access_vcpu **waits)
{
    uint64_t waited = count_helper_wait(answers, from, to);
    uint64_t first = v->helper_woken >= v->open.start
                     ? count_helper_wait(v->helper, from, to) : 0;

    *waits = waited < first ? v->helper : answers;
    return waited < first ? first : waited;
}

/* The time of the answer; its pcpu may have been slow to continue the exit. */
static uint64_t find_answer(const struct access_open *o)
{
    uint64_t end = o->start + o->cycles, from = end - o->blocked;

    debug_assert(o->blocked <= o->cycles);
    if ( !o->answered || o->answered > end )
        return end;
    return o->answered > from ? o->answered : from;
}

/* --- one access ----------------------------------------------------------- */

static void vote_for_range(struct access_stretch *s,
                           const struct access_range *r, uint64_t cycles)
{
    if ( s->range == r )
        s->votes += cycles;
    else if ( s->votes >= cycles )
        s->votes -= cycles;
    else
    {
        s->range = r;
        s->votes = cycles - s->votes;
    }
}

static void add_to_stretch(struct device_accesses *d, struct access_vcpu *v,
                           const struct access_range *r,
                           const uint64_t parts[ACCESS_PARTS], uint64_t from)
{
    struct stretch_search *s = &v->search;
    uint64_t time = access_device_time(parts);

    if ( stretch_begin_loss(s, &d->scale, from, stretch_cost(s, from)) )
        v->now = (struct access_stretch){ .range = r };
    for ( unsigned int i = 0; i < ACCESS_PARTS; i++ )
        v->now.sums[i] += parts[i];
    vote_for_range(&v->now, r, time);
    if ( stretch_end_loss(s, from + time, time,
                          (1 - STRETCH_CALM) * (double)time) )
        v->worst = v->now;
}

/* Split the time of the device model by the events of its process. */
static void split_model(struct device_accesses *d, const struct vcpu *vcpu,
                        const struct access_vcpu *waits, uint64_t from,
                        uint64_t to, uint64_t cycles)
{
    struct model_access a = {
        .domain = vcpu->domain->id, .index = vcpu->domain->index,
        .from = from, .to = to, .cycles = cycles,
        .waited = count_helper_wait, .arg = waits,
    };

    if ( d->model )
        model_parts_add(d->model, &a);
    if ( d->collect )
        d->collect(d->collect_arg, from, to);
}

/* The parts of an access, or of the part of it that is in the span. */
static void find_parts(struct access_vcpu *v, const uint64_t moments[4],
                       uint64_t parts[ACCESS_PARTS],
                       const struct access_vcpu **waits)
{
    uint64_t paused = moments[1], answer = moments[2];

    debug_assert(moments[0] <= paused && answer <= moments[3]);
    parts[ACCESS_XEN] = paused - moments[0];
    parts[ACCESS_VCPU_WAITS] = moments[3] - answer;
    parts[ACCESS_HELPER_WAITS] = paused < answer
                                 ? find_helper_wait(v, v->open.answers, paused,
                                                    answer, waits) : 0;
    parts[ACCESS_MODEL] = answer - paused - parts[ACCESS_HELPER_WAITS];
}

/* The same for the part of the access that is in the span. */
COLD
static void cut_parts(const struct device_accesses *d, struct access_vcpu *v,
                      const uint64_t moments[4], uint64_t parts[ACCESS_PARTS])
{
    const struct access_vcpu *waits;
    uint64_t cut[4];

    for ( unsigned int i = 0; i < 4; i++ )
        cut[i] = fact_span_limit(&d->span, moments[i]);
    find_parts(v, cut, parts, &waits);
}

/* Add the part of the access that is in the span to the sums of the vcpu. */
static void add_to_vcpu(struct device_accesses *d, struct access_vcpu *v,
                        const struct access_range *r,
                        const uint64_t moments[4],
                        uint64_t parts[ACCESS_PARTS])
{
    uint64_t whole = moments[3] - moments[0], from = moments[0];

    v->accesses++;
    if ( whole > v->longest )
    {
        v->longest = whole;
        v->longest_from = from;
    }
    if ( !fact_span_has(&d->span, from) ||
         !fact_span_has(&d->span, moments[3]) )
        cut_parts(d, v, moments, parts);
    for ( unsigned int i = 0; i < ACCESS_PARTS; i++ )
        v->sums[i] += parts[i];
    add_to_stretch(d, v, r, parts, fact_span_limit(&d->span, from));
}

/* Add the access in progress, and forget it. */
static void close_access(struct device_accesses *d, const struct vcpu *vcpu,
                         struct access_vcpu *v)
{
    struct access_open *o = &v->open;
    uint64_t end = o->start + o->cycles;
    uint64_t until = o->runs ? o->until : end;
    const uint64_t moments[] = { o->start, end - o->blocked, find_answer(o),
                                 until };
    const struct access_vcpu *waits = NULL;
    uint64_t parts[ACCESS_PARTS];
    struct access_range *r;

    debug_assert(o->is_open && o->blocked <= o->cycles && end <= until);
    o->is_open = false;
    if ( o->start > d->span.until || until < d->span.first )
    {
        v->helper = NULL;
        return;
    }
    if ( !grow_to_index(&d->domains, &d->nr_domains, vcpu->domain->index,
                        sizeof(*d->domains)) )
    {
        d->failed = true;
        return;
    }
    r = get_range(d, &d->domains[vcpu->domain->index], o, vcpu->domain->id);
    if ( !r )
        return;
    find_parts(v, moments, parts, &waits);
    if ( o->blocked )
    {
        r->answered++;
        split_model(d, vcpu, waits, moments[1], moments[2],
                    parts[ACCESS_MODEL]);
    }
    stats_add(&r->whole, &d->pool, until - o->start, o->start);
    for ( unsigned int i = 0; i < ACCESS_PARTS; i++ )
        stats_add(&r->parts[i], &d->pool, parts[i], o->start);
    add_to_vcpu(d, v, r, moments, parts);
    v->helper = NULL;
}

/* Without a wait, the vcpu ran at the end of the exit. */
static void flush_access(struct device_accesses *d, const struct vcpu *vcpu,
                         struct access_vcpu *v)
{
    if ( v->open.is_open )
        close_access(d, vcpu, v);
}

static void begin_access(struct device_accesses *d, struct access_vcpu *v,
                         const struct fact_exit *exit,
                         const struct fact_handle *f, bool is_known)
{
    flush_access(d, exit->vcpu, v);
    v->open = (struct access_open){
        .is_open = true, .is_known = is_known,
        .is_port = f ? f->kind == HANDLE_PIO
                     : exit_is_port(exit->hardware, exit->reason),
        .at = f ? f->at : 0, .start = exit->start, .cycles = exit->cycles,
    };
}

/* The exit of an access has ended: did it make the one in progress? */
static bool has_begun(const struct access_vcpu *v, const struct fact_exit *exit)
{
    return v->open.is_open && !v->open.runs && v->open.start == exit->start;
}

/* A device model has answered a read, and the vcpu runs again. */
static void add_late_address(struct device_accesses *d, struct access_vcpu *v,
                             const struct fact_handle *f)
{
    struct access_open *o = &v->open;

    if ( !o->is_open || o->is_known || !o->runs )
        return;
    o->is_known = true;
    o->is_port = f->kind == HANDLE_PIO;
    o->at = f->at;
    close_access(d, f->vcpu, v);
}

static void access_add_handle(void *state, const struct fact_handle *f)
{
    struct device_accesses *d = state;
    struct access_vcpu *v;

    if ( f->kind != HANDLE_PIO && f->kind != HANDLE_MMIO )
        return;
    v = get_access_vcpu(d, f->vcpu);
    if ( v && !f->exit )
        add_late_address(d, v, f);
    else if ( v && !has_begun(v, f->exit) )
        begin_access(d, v, f->exit, f, true);
}

static void access_add_exit_block(void *state, const struct fact_exit_block *f)
{
    struct device_accesses *d = state;
    struct access_vcpu *v = f->is_access ? get_access_vcpu(d, f->exit->vcpu)
                                         : NULL;

    if ( !v )
        return;
    if ( !has_begun(v, f->exit) )
        begin_access(d, v, f->exit, f->handle,
                     f->handle && f->handle->kind == HANDLE_NPF);
    if ( f->cycles > v->open.cycles )
        return;
    v->open.blocked = f->cycles;
    v->open.answered = v->answered;
}

static void note_helper(struct device_accesses *d, const struct fact_wait *f)
{
    struct access_vcpu *waker = get_access_vcpu(d, f->waker);
    struct access_vcpu *woken = get_access_vcpu(d, f->vcpu);

    if ( waker && woken )
    {
        waker->helper = woken;
        waker->helper_woken = f->woken;
    }
}

/* The log of the round trips gets the wait from their own sink. */
static void log_wait(struct device_accesses *d, struct access_vcpu *v,
                     const struct fact_wait *f)
{
    if ( !v->waits )
        v->waits = d->trips ? io_trips_get_waits(d->trips, f->vcpu)
                            : &v->own_waits;
    if ( !d->trips )
        time_log_add(&v->own_waits, &d->logs, f->from, f->to, false);
}

NOINLINE
static void access_wait_slow(struct device_accesses *d,
                             const struct fact_wait *f)
{
    struct access_vcpu *v = get_access_vcpu(d, f->vcpu);
    bool is_woken = f->why == WHY_WAKE && f->waker && !vcpu_is_idle(f->waker);

    if ( !v )
        return;
    if ( v->open.is_open && !v->open.runs &&
         f->from == v->open.start + v->open.cycles && f->from <= f->to )
    {
        v->open.runs = true;
        v->open.until = f->to;
        v->open.answers = is_woken ? get_access_vcpu(d, f->waker) : NULL;
        if ( v->open.is_known )
            close_access(d, f->vcpu, v);
    }
    log_wait(d, v, f);
    if ( is_woken && f->waker->domain != f->vcpu->domain )
        note_helper(d, f);
}

static void access_add_wait(void *state, const struct fact_wait *f)
{
    struct device_accesses *d = state;
    const struct access_vcpu *v = grow_find_object(&d->vcpus, d->nr_vcpus,
                                                   f->vcpu->index);

    /* Most vcpus have no access in progress, and most logs are shared. */
    if ( !v || v->open.is_open || !v->waits || !d->trips ||
         (f->why == WHY_WAKE && f->waker &&
          f->waker->domain != f->vcpu->domain) )
        access_wait_slow(d, f);
}

/* The vcpu of a record of the scheduler; NULL: unknown. */
static struct access_vcpu *find_access_vcpu(struct device_accesses *d,
                                            uint16_t domain, uint16_t id)
{
    const struct vcpu *v = guests_get_vcpu(d->guests, domain, id);

    return v ? get_access_vcpu(d, v) : NULL;
}

static void note_pause_in_access(struct device_accesses *d,
                                 const struct fact_event *f)
{
    const struct xt_rec_sched_sleep *r = xt_view_sched_sleep(f->record);
    struct access_vcpu *v = r ? find_access_vcpu(d, r->dom, r->vcpu) : NULL;

    if ( v )
        v->pauses = f->vcpu;
}

/* The end of a pause is no answer, unless the helper is what has paused. */
static void note_answer(struct device_accesses *d, const struct fact_event *f)
{
    const struct xt_rec_sched_wake *r = xt_view_sched_wake(f->record);
    struct access_vcpu *v = r ? find_access_vcpu(d, r->dom, r->vcpu) : NULL;

    if ( !v || v->answered )
        return;
    if ( !v->pauses || v->pauses != f->vcpu ||
         (v->helper && f->vcpu && v->helper->domain == f->vcpu->domain->id &&
          v->helper->id == f->vcpu->id) )
        v->answered = f->time;
}

static enum fact_event_need access_needs_event(uint32_t event)
{
    return event == TRC_SCHED_WAKE || event == TRC_SCHED_SLEEP
           ? NEED_EVENT : NEED_NO_EVENT;
}

static void access_add_event(void *state, const struct fact_event *f)
{
    if ( f->record->event == TRC_SCHED_WAKE )
        note_answer(state, f);
    else if ( f->record->event == TRC_SCHED_SLEEP )
        note_pause_in_access(state, f);
}

/* --- segments ------------------------------------------------------------- */

static void access_begin(void *state, const struct fact_begin *f)
{
    struct device_accesses *d = state;

    d->guests = f->guests;
    d->span = fact_begin_span(f);
    if ( f->segment )
        return;
    d->clock = *f->clock;
    d->scale = stretch_scale_make(f->clock);
}

static bool access_needs_runstate(unsigned int state, unsigned int next)
{
    return state == STATE_RUNNING && next != STATE_RUNNING;
}

static void access_add_runstate(void *state, const struct fact_runstate *f)
{
    struct device_accesses *d = state;
    struct access_vcpu *v = grow_find_object(&d->vcpus, d->nr_vcpus,
                                             f->vcpu->index);

    if ( v && access_needs_runstate(f->state, f->next) )
    {
        v->answered = 0;
        v->pauses = NULL;
    }
}

/* In the order of domains and ids, since the indices depend on threads. */
static int flush_accesses(struct device_accesses *d)
{
    uint32_t nr = d->nr_vcpus;
    struct access_vcpu **all = vcpu_array_copy(d->vcpus, &nr);

    if ( !all )
        return -ENOMEM;
    for ( uint32_t i = 0; i < nr; i++ )
        if ( all[i]->open.is_open )
            close_access(d, guests_get_vcpu(d->guests, all[i]->domain,
                                            all[i]->id), all[i]);
    free(all);
    return 0;
}

/* Times of the next segment cannot be compared. */
static int access_end(void *state, const struct fact_end *f, struct err *e)
{
    struct device_accesses *d = state;

    (void)f;
    d->failed |= flush_accesses(d) < 0;
    if ( d->model )
        model_parts_end_segment(d->model);
    for ( uint32_t i = 0; i < d->nr_vcpus; i++ )
        if ( d->vcpus[i] )
        {
            d->vcpus[i]->open.is_open = false;
            time_log_clear(&d->vcpus[i]->own_waits);
            d->vcpus[i]->helper = NULL;
            d->vcpus[i]->answered = 0;
            stretch_close(&d->vcpus[i]->search, &d->scale);
        }
    return d->failed || d->pool.failed || d->logs.failed
           ? err_sys(e, -ENOMEM, "cannot keep accesses to devices") : 0;
}

struct sink device_accesses_sink(struct device_accesses *d)
{
    static const struct sink_ops ops = {
        .name = "device accesses", .ordered = true, .no_rivals = true,
        .early_facts = true, .late_facts = true, .from_hvm = true,
        .begin = access_begin, .end = access_end,
        .runstate = access_add_runstate, .wait = access_add_wait,
        .handle = access_add_handle, .exit_block = access_add_exit_block,
        .event = access_add_event, .needs_runstate = access_needs_runstate,
        .handle_needs = 1u << HANDLE_PIO | 1u << HANDLE_MMIO,
        .needs_event = access_needs_event,
    };

    return (struct sink){ &ops, d };
}

/* --- order ---------------------------------------------------------------- */

static int compare_ranges(const void *a, const void *b)
{
    const struct access_range *x = *(struct access_range *const *)a;
    const struct access_range *y = *(struct access_range *const *)b;

    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    if ( x->is_other != y->is_other )
        return x->is_other ? 1 : -1;
    if ( x->whole.sum != y->whole.sum )
        return x->whole.sum > y->whole.sum ? -1 : 1;
    if ( x->is_port != y->is_port )
        return x->is_port ? -1 : 1;
    if ( x->is_unknown != y->is_unknown )
        return x->is_unknown ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

void device_accesses_close(struct device_accesses *d)
{
    size_t n = 0;

    d->ranges = fault_calloc(d->nr_ranges + 1, sizeof(*d->ranges));
    d->failed |= !d->ranges;
    for ( uint32_t i = 0; d->ranges && i < d->nr_domains; i++ )
        for ( struct access_range *r = d->domains[i].ranges; r; r = r->next )
            d->ranges[n++] = r;
    assert(!d->ranges || n == d->nr_ranges);
    d->nr_ranges = n;
    if ( n )
        qsort(d->ranges, n, sizeof(*d->ranges), compare_ranges);
    vcpu_array_sort(&d->vcpus, &d->nr_vcpus);
}

const struct access_vcpu *device_accesses_find(const struct device_accesses *d,
                                               uint16_t domain, uint16_t id)
{
    return vcpu_array_find(d->vcpus, d->nr_vcpus, domain, id);
}

uint64_t access_device_time(const uint64_t sums[ACCESS_PARTS])
{
    return sums[ACCESS_XEN] + sums[ACCESS_HELPER_WAITS] + sums[ACCESS_MODEL];
}

const struct access_range *
device_accesses_find_top(const struct device_accesses *d, uint16_t domain)
{
    size_t i = 0;

    while ( i < d->nr_ranges && d->ranges[i]->domain != domain )
        i++;
    return i < d->nr_ranges ? d->ranges[i] : NULL;
}
