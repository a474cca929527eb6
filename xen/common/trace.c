/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * common/trace.c: the trace rings.
 *
 * Copyright (C) 2004 by Intel Research Cambridge
 * Copyright (C) 2005 Bin Ren
 *
 * Authors of the first trace buffers, and so of the interface and the messages:
 * Mark Williamson, Rob Gardner.
 *
 * Each CPU writes records into its own ring, which dom0 maps and reads. The
 * writer takes no lock and disables nothing: a writer that is interrupted by
 * another one on the same CPU detects the nested writer, because the word with
 * the write position has changed. trace-ring.md beside this file has the
 * protocol, step by step, and the argument why it is safe; numbers in brackets
 * are its steps.
 *
 * From top to bottom: the ring (record, slow path, publication), the interface
 * for other code, visits (how control changes a ring), memory, the control
 * operations, CPU hotplug, boot.
 *
 * All code is in one file because it replaces one file.
 */

#include <xen/cpu.h>
#include <xen/cpumask.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/guest_access.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/nospec.h>
#include <xen/param.h>
#include <xen/percpu.h>
#include <xen/pfn.h>
#include <xen/sched.h>
#include <xen/smp.h>
#include <xen/softirq.h>
#include <xen/spinlock.h>
#include <xen/tasklet.h>
#include <xen/time.h>
#include <xen/trace.h>
#include <xen/xmalloc.h>

#include <asm/atomic.h>
#include <asm/io.h>
#include <asm/page.h>
#include <asm/system.h>
#include <asm/trace.h>

#include <public/sysctl.h>
#include <public/xen.h>

/*
 * Cold path: control operations, and events of once in a lap of a ring. The
 * compiler optimizes them for size, and the functions that only they call.
 */
#define rare_path __attribute__((__cold__))

#ifdef CONFIG_COMPAT
#include <compat/trace.h>
#define xen_t_buf t_buf
CHECK_t_buf;
#undef xen_t_buf
#endif

/* ------------------------------------------------------------------ */
/* The ring                                                           */

/*
 * The private part of a CPU's ring, one cache line. In per-CPU memory while the
 * CPU is up (attached), else in trace_parked[cpu]. An attached ring is touched
 * only by the CPU itself: by its writers at any time, by control through a
 * visit.
 */
struct ring {
    uint64_t state;        /* trace-ring.md: room or -owed | lap | place */
    unsigned int depth;    /* nested writers inside */
    bool live;             /* tracing, has pages, and the CPU mask wants it */
    bool notify_pending;   /* only plain stores of 0 and 1 */
    bool cons_bad;         /* cons was out of range at the last look */
    uint8_t **page;        /* NULL: no ring */
    uint32_t *cons;        /* in page 0, or &hidden */
    uint32_t *prod;        /* in page 0, or &hidden */
    uint64_t first_tsc;    /* time of the first record owed as lost */
    uint64_t lost;         /* records lost since boot */
    uint32_t hidden;       /* target of cons and prod while overwriting */
    uint32_t marked;       /* position where the mark was last checked */
} __aligned(64);

static DEFINE_PER_CPU(struct ring, trace_ring);

/* A bad cons not yet reported: cons, and prod in the upper half; 0: none. */
static DEFINE_PER_CPU(uint64_t, cons_report);

/* Read at every trace point, written by control: a cache line apart. */
bool __read_mostly tb_init_done;
static uint32_t __read_mostly trace_wanted = TRC_ALL; /* class bits only */
static uint32_t __read_mostly data_size;        /* record bytes of a ring */
static uint32_t __read_mostly ring_end;         /* place behind the last */

#define PLACE_BITS  28
#define PLACE_MASK  ((1U << PLACE_BITS) - 1)
#define LAP         (1U << PLACE_BITS)
#define FIRST_PLACE ((uint32_t)sizeof(struct t_buf))

#define LOST_WORDS  4
#define LOST_HEADER TRACE_HEADER(TRC_LOST_RECORDS, true, LOST_WORDS)

/* The write position: lap and place. */
static always_inline uint32_t where_of(uint64_t state)
{
    return state;
}

static always_inline int32_t room_of(uint64_t state)
{
    return state >> 32;
}

static always_inline uint32_t owed_of(uint64_t state)
{
    return room_of(state) < 0 ? (state >> 32) & 0x7fffffff : 0;
}

static always_inline uint64_t state_with_room(uint32_t where, uint32_t room)
{
    ASSERT((int32_t)room >= 0);

    return where | ((uint64_t)room << 32);
}

static always_inline uint64_t state_owing(uint32_t where, uint32_t owed)
{
    ASSERT((int32_t)owed >= 0);

    return where | ((uint64_t)(owed | 0x80000000U) << 32);
}

/* The position as published to dom0: bytes, modulo twice the ring. */
static always_inline uint32_t prod_of(uint32_t where)
{
    return (where & PLACE_MASK) - FIRST_PLACE + (where & LAP ? data_size : 0);
}

static always_inline unsigned int page_of(uint32_t where)
{
    return (where & PLACE_MASK) >> PAGE_SHIFT;
}

static noinline uint32_t advance_where(uint32_t where, uint32_t bytes)
{
    where += bytes;
    if ( (where & PLACE_MASK) >= ring_end )
        where += LAP - data_size;
    ASSERT((where & PLACE_MASK) < ring_end);

    return where;
}

static always_inline unsigned int record_size(uint32_t header)
{
    return 4 + 4 * TRC_HD_EXTRA(header) + (header >> 31) * 8;
}

/* The address of a place, valid up to the page's end. */
static always_inline void *address_of(const struct ring *r, uint32_t where)
{
    ASSERT((where & PLACE_MASK) >= FIRST_PLACE &&
           (where & PLACE_MASK) < ring_end);

    return r->page[page_of(where)] + (where & ~PAGE_MASK);
}

/*
 * Lengths known at build time become plain moves; a loop would become a call.
 */
static always_inline void copy_words(void *dst, const void *src,
                                     unsigned int words)
{
    uint8_t *to = dst;
    const uint8_t *from = src;

    ASSERT(words <= TRACE_EXTRA_MAX);
    if ( words & 4 )
    {
        memcpy(to, from, 16);
        to += 16;
        from += 16;
    }
    if ( words & 2 )
    {
        memcpy(to, from, 8);
        to += 8;
        from += 8;
    }
    if ( words & 1 )
        memcpy(to, from, 4);
}

static always_inline void fill_in(uint32_t *to, uint32_t header, uint64_t tsc,
                                  const void *words)
{
    *to++ = header;
    if ( header & TRC_HD_CYCLE_FLAG )
    {
        memcpy(to, &tsc, sizeof(tsc));
        to += 2;
    }
    copy_words(to, words, TRC_HD_EXTRA(header));
}

/* ------------------------------------------------------------------ */
/* The slow path: wraps, page ends, losses, the high-water mark       */

/* Bytes reserved by one exchange of the state: [pad][LOST][pad][record]. */
struct plan {
    uint32_t pad;          /* bytes; 0: absent. Likewise below */
    uint32_t lost;
    uint32_t pad2;
    uint32_t record;
    uint32_t total;
};

static struct plan make_plan(uint64_t state, unsigned int size)
{
    struct plan p = { .record = size };
    uint32_t to_end = ring_end - (where_of(state) & PLACE_MASK);

    ASSERT(to_end && to_end <= data_size);
    if ( owed_of(state) )
    {
        p.lost = record_size(LOST_HEADER);
        if ( p.lost > to_end )
        {
            p.pad = to_end;
            to_end = data_size;
        }
        to_end -= p.lost;
    }
    if ( size > to_end )
        p.pad2 = to_end; /* 0, if LOST ends where the ring ends */
    p.total = p.pad + p.lost + p.pad2 + p.record;
    ASSERT(!(p.total & 3));

    return p;
}

/*
 * How many bytes the fast path may write from `where` on before a page end,
 * the mark or the end of free space needs the slow path.
 */
static uint32_t make_room(uint32_t where, uint32_t used)
{
    uint32_t mark = data_size / 2;
    uint32_t page_left = PAGE_SIZE - (where & ~PAGE_MASK);
    uint32_t room = (used < mark ? mark : data_size) - used;

    ASSERT(used <= data_size && !(used & 3) && !(where & 3));

    return min(room, page_left);
}

/* Once for every change from a valid cons. */
static void rare_path note_bad_cons(struct ring *r, uint32_t cons,
                                    uint32_t prod)
{
    if ( r->cons_bad )
        return;

    r->cons_bad = true;
    r->notify_pending = true;
    write_atomic(&this_cpu(cons_report), cons | (uint64_t)prod << 32);
}

/*
 * Bytes not yet read by dom0. cons is untrusted: a value out of range counts
 * as a full ring, so nothing is written until cons is valid again.
 */
static uint32_t bytes_used(struct ring *r, uint64_t state)
{
    uint32_t cons = read_atomic(r->cons);
    uint32_t used = prod_of(where_of(state)) - cons;

    ASSERT(r->depth);
    if ( (int32_t)used < 0 )
        used += 2 * data_size;

    if ( likely(!(cons & 3) && cons < 2 * data_size && used <= data_size) )
    {
        r->cons_bad = false;
        return used;
    }

    note_bad_cons(r, cons, prod_of(where_of(state)));

    return data_size;
}

/* Write one record, perhaps across page ends. `words` NULL: zeroes. */
static uint32_t write_record(struct ring *r, uint32_t where, uint32_t header,
                             uint64_t tsc, const void *words)
{
    static const uint32_t zeroes[TRACE_EXTRA_MAX];
    uint32_t record[3 + TRACE_EXTRA_MAX];
    unsigned int i, size = record_size(header);
    uint32_t end = advance_where(where, size);

    ASSERT(r->page && size <= sizeof(record));
    fill_in(record, header, tsc, words ?: zeroes);
    for ( i = 0; i < size / 4; i++, where = advance_where(where, 4) )
        *(uint32_t *)address_of(r, where) = record[i];

    return end;
}

/* Fill the last bytes of the ring, at most one record. */
static uint32_t rare_path write_pad(struct ring *r, uint32_t where,
                                    unsigned int size, uint64_t tsc)
{
    unsigned int words = size / 4 - 1;
    bool timed = words > TRACE_EXTRA_MAX;

    ASSERT(size && !(size & 3));
    if ( timed )
        words -= 2;
    ASSERT(words <= TRACE_EXTRA_MAX);
    ASSERT((where & PLACE_MASK) + size == ring_end);

    return write_record(r, where,
                        TRACE_HEADER(TRC_TRACE_WRAP_BUFFER, timed, words),
                        tsc, NULL);
}

static uint32_t rare_path write_lost(struct ring *r, uint32_t where,
                                     uint32_t count, uint64_t first,
                                     uint64_t tsc)
{
    uint32_t words[LOST_WORDS] = {
        count,
        current->domain->domain_id | ((uint32_t)current->vcpu_id << 16),
        first,
        first >> 32,
    };

    ASSERT(count);

    return write_record(r, where, LOST_HEADER, tsc, words);
}

/* A ring with pages is a flight recorder while dom0 is kept out. */
static bool is_overwriting(const struct ring *r)
{
    ASSERT(r->page);

    return r->prod == &r->hidden;
}

/* The first record to begin in each page, while overwriting. */
static uint32_t *first_of(const struct ring *r)
{
    ASSERT(is_overwriting(r));

    return (uint32_t *)(r->page + (ring_end >> PAGE_SHIFT));
}

/*
 * A flight recorder is read from the first record that begins in some page:
 * note its position when it becomes known. Compare lap and page, not page
 * alone: a ring of one page wraps into the same page.
 */
static noinline uint32_t note_first(struct ring *r, uint32_t from, uint32_t end)
{
    ASSERT(from != end && (end & PLACE_MASK) < ring_end);
    if ( is_overwriting(r) && (from >> PAGE_SHIFT) != (end >> PAGE_SHIFT) )
        first_of(r)[page_of(end)] = end;

    return end;
}

/* Write the parts of a plan reserved at `state`. [11] */
static void write_plan(struct ring *r, uint64_t state, const struct plan *p,
                       uint64_t first, uint64_t tsc, uint32_t header,
                       const void *words)
{
    uint32_t at = where_of(state);

    ASSERT(p->lost || p->record);
    if ( p->pad )
        at = note_first(r, at, write_pad(r, at, p->pad, tsc));
    if ( p->lost )
        at = note_first(r, at, write_lost(r, at, owed_of(state), first, tsc));
    if ( p->pad2 )
        at = note_first(r, at, write_pad(r, at, p->pad2, tsc));
    if ( p->record )
        at = note_first(r, at, write_record(r, at, header, tsc, words));
    ASSERT(at == advance_where(where_of(state), p->total));
}

/*
 * Note the time of the first record that is owed as lost. The time is read
 * before `state` is checked again, so it is later than all records in the
 * ring. A nested writer with a loss has set its own time, which stays.
 */
static bool note_first_loss(struct ring *r, uint64_t state)
{
    uint64_t old = ACCESS_ONCE(r->first_tsc);
    uint64_t now = get_cycles();                                     /* [12] */

    ASSERT(r->depth && !owed_of(state));
    if ( ACCESS_ONCE(r->state) != state )
        return false;

    trace_cmpxchg(&r->first_tsc, old, now);                          /* [13] */

    return true;
}

/* Count a record as lost. False: the state has changed, start over. */
static bool count_lost(struct ring *r, uint64_t state)
{
    uint32_t owed = owed_of(state);
    uint64_t old;

    ASSERT(r->depth);
    if ( owed == 0 && !note_first_loss(r, state) )
        return false;

    if ( !trace_cmpxchg(&r->state, state,                            /* [14] */
                        state_owing(where_of(state),
                                    min(owed + 1, 0x7fffffffU))) )
        return false;

    do {
        old = ACCESS_ONCE(r->lost);
    } while ( !trace_cmpxchg(&r->lost, old, old + 1) );

    return true;
}

/*
 * Dom0 is notified when the unread bytes cross the mark from below. The last
 * check was at `marked`, perhaps above the mark; since then dom0 may have
 * read, and the fast path may have written up to the mark again. So the
 * condition is that the position of the last check is below the mark by now,
 * or has been read.
 */
static noinline void notice_mark(struct ring *r, uint32_t where, uint32_t used)
{
    uint32_t mark = data_size / 2;
    uint32_t old = prod_of(r->marked) - read_atomic(r->cons);

    ASSERT(used <= data_size);
    if ( (int32_t)old < 0 )
        old += 2 * data_size;

    /* More than the ring holds: dom0 has read past `marked`. */
    if ( (old < mark || old > data_size) && used >= mark &&
         !r->cons_bad && !is_overwriting(r) )
        r->notify_pending = true;
    r->marked = where;
}

/*
 * Write a record (header 0: none, only a LOST record that is owed) in the
 * general case. Returns its end, or the unchanged position if it was lost.
 */
static noinline uint32_t put_slow(struct ring *r, uint32_t header,
                                  const void *words)
{
    unsigned int size = header ? record_size(header) : 0;
    uint32_t used, end;
    uint64_t state, first, tsc;
    struct plan p;

    ASSERT(r->depth && r->page);
    for ( ; ; )
    {
        state = ACCESS_ONCE(r->state);
        used = bytes_used(r, state);
        p = make_plan(state, size);                                   /* [8] */

        if ( p.total > data_size - used )                             /* [9] */
        {
            if ( header && !count_lost(r, state) )
                continue;
            return where_of(state);
        }

        first = ACCESS_ONCE(r->first_tsc);
        tsc = get_cycles();
        end = advance_where(where_of(state), p.total);
        if ( trace_cmpxchg(&r->state, state,                         /* [10] */
                           state_with_room(end, make_room(end, used +
                                                               p.total))) )
            break;
    }

    write_plan(r, state, &p, first, tsc, header, words);
    notice_mark(r, end, used + p.total);

    return end;
}

/* ------------------------------------------------------------------ */
/* The fast path, and publication                                     */

static always_inline uint32_t put_fast(struct ring *r, uint32_t header,
                                       const void *words)
{
    unsigned int size = record_size(header);
    uint64_t state, tsc = 0;

    ASSERT(r->depth && r->live && r->page);
    do {
        state = ACCESS_ONCE(r->state);
        if ( unlikely(room_of(state) <= (int32_t)size) )              /* [3] */
            return put_slow(r, header, words);
        if ( header & TRC_HD_CYCLE_FLAG )
            tsc = get_cycles();                                       /* [4] */
    } while ( unlikely(!trace_cmpxchg(&r->state, state,               /* [5] */
                                      state + size -
                                      ((uint64_t)size << 32))) );

    /* `room` excludes a page end inside of the record. */
    ASSERT((where_of(state) & ~PAGE_MASK) + size < PAGE_SIZE);
    fill_in(address_of(r, where_of(state)), header, tsc, words);

    return where_of(state) + size;
}

/*
 * Scheduler locks may be held by a writer, so dom0 is notified from a tasklet,
 * and a bad cons is reported there.
 */
static void cf_check notify_dom0(void *unused)
{
    unsigned int cpu;

    for_each_online_cpu ( cpu )
    {
        uint64_t bad = read_atomic(&per_cpu(cons_report, cpu));

        if ( likely(!bad) )
            continue;
        write_atomic(&per_cpu(cons_report, cpu), 0);
        /* Rate-limited, as any message that a guest can cause. */
        printk(XENLOG_G_WARNING
               "trc#%u: bogus prod (%08x) and/or cons (%08x)\n",
               cpu, (uint32_t)(bad >> 32), (uint32_t)bad);
    }

    send_global_virq(VIRQ_TBUF);
}
static DECLARE_SOFTIRQ_TASKLET(notify_tasklet, notify_dom0, NULL);

/* Scheduling a tasklet takes a lock that an NMI may have interrupted. */
static noinline void schedule_notify(struct ring *r)
{
    ASSERT(!r->depth);
    if ( trace_in_nmi() )
        return;

    r->notify_pending = false;
    barrier();
    tasklet_schedule(&notify_tasklet);
}

static always_inline void ring_enter(struct ring *r)
{
    r->depth++;                                                       /* [1] */
    ASSERT(r->depth);
    barrier();
}

/*
 * `where`: all records below are complete, written here or by nested writers
 * that have returned.
 */
static always_inline void ring_leave(struct ring *r, uint32_t where)
{
    ASSERT(r->depth && (where & PLACE_MASK) >= FIRST_PLACE && !(where & 3));
    if ( unlikely(r->depth > 1) )                                     /* [6] */
    {
        barrier();
        r->depth--;
        return;
    }

    for ( ; ; )                                                       /* [7] */
    {
        ASSERT(r->depth == 1);
        /* The records before prod. Pairs with the reader's rmb. */
        smp_wmb();
        write_atomic(r->prod, prod_of(where));
        barrier();
        r->depth = 0;
        barrier();
        if ( likely(where_of(ACCESS_ONCE(r->state)) == where) )
            break;
        r->depth = 1;
        barrier();
        where = where_of(ACCESS_ONCE(r->state));
    }

    if ( unlikely(r->notify_pending) )
        schedule_notify(r);
}

/* ------------------------------------------------------------------ */
/* Interface for the rest of Xen                                      */

/* A mask selects by class and, independently, by subclass. */
static always_inline bool is_wanted(uint32_t header)
{
    uint32_t hit = header & ACCESS_ONCE(trace_wanted);

    return hit > 0xffff && (hit & 0xffff);
}

/* noinline: gcc would leave a jump here and copy the test into all callers. */
noinline void trace_record(uint32_t header, const void *words)
{
    struct ring *r;
    uint32_t where;

    if ( !is_wanted(header) )
        return;

    r = &this_cpu(trace_ring);
    ring_enter(r);
    if ( unlikely(!r->live) )
        where = where_of(ACCESS_ONCE(r->state));                      /* [2] */
    else if ( header & TRC_HD_CYCLE_FLAG ) /* constant for put_fast() */
        where = put_fast(r, header | TRC_HD_CYCLE_FLAG, words);
    else
        where = put_fast(r, header & ~TRC_HD_CYCLE_FLAG, words);
    ring_leave(r, where);
}

int trace_will_trace_event(uint32_t event)
{
    return trace_is_on() && is_wanted(event) && this_cpu(trace_ring).live;
}

/* Sizes that TRACE_nD never has: copied, so that no byte beyond is read. */
static void rare_path trace_slow(uint32_t event, bool cycles,
                                 unsigned int extra, const void *extra_data)
{
    uint32_t words[TRACE_EXTRA_MAX] = {};

    ASSERT(extra <= sizeof(words));
    extra = min(extra, (unsigned int)sizeof(words));
    memcpy(words, extra_data, extra);
    trace_record(TRACE_HEADER(event, cycles, DIV_ROUND_UP(extra, 4)), words);
}

void __trace_var(uint32_t event, bool cycles, unsigned int extra,
                 const void *extra_data)
{
    if ( unlikely(!trace_is_on()) )
        return;

    if ( likely(!(extra & 3) && extra <= 4 * TRACE_EXTRA_MAX) )
        trace_record(TRACE_HEADER(event, cycles, extra / 4), extra_data);
    else
        trace_slow(event, cycles, extra, extra_data);
}

void trace(uint32_t event, unsigned int extra, const void *extra_data)
{
    if ( unlikely(!trace_is_on()) )
        return;

    if ( likely(!(extra & 3) && extra <= 4 * TRACE_EXTRA_MAX) )
        trace_record(TRACE_HEADER(event, event & TRC_HD_CYCLE_FLAG, extra / 4),
                     extra_data);
    else
        printk_once(XENLOG_WARNING
                    "Trace event %#x bad size %u, discarding\n", event, extra);
}

/*
 * The hypercall arguments that are recorded: commands and counts, never
 * pointers. One bit per argument.
 */
static const uint8_t hypercall_args[] = {
    [__HYPERVISOR_mmu_update]     = 1U << 1,                /* count */
    [__HYPERVISOR_multicall]      = 1U << 1,                /* count */
    [__HYPERVISOR_grant_table_op] = (1U << 0) | (1U << 2),  /* cmd, count */
    [__HYPERVISOR_vcpu_op]        = (1U << 0) | (1U << 1),  /* cmd, vcpu */
    [__HYPERVISOR_mmuext_op]      = 1U << 1,                /* count */
    [__HYPERVISOR_sched_op]       = 1U << 0,                /* cmd */
};

/* op is chosen by the guest: bits that do not fit its field are cut off. */
void __trace_hypercall(uint32_t event, unsigned long op,
                       const xen_ulong_t *args)
{
    uint32_t words[1 + 2] = { op & ~TRC_PV_HYPERCALL_V2_ARG_MASK };
    unsigned int i, which = 0, n = 1;

    if ( !is_wanted(event) )
        return;

    if ( op < ARRAY_SIZE(hypercall_args) )
        which = array_access_nospec(hypercall_args, op);

    for ( i = 0; which >> i; i++ )
    {
        if ( !(which & (1U << i)) )
            continue;
        ASSERT(n < ARRAY_SIZE(words));
        words[0] |= TRC_PV_HYPERCALL_V2_ARG_32(i);
        words[n++] = args[i];
    }

    __trace_var(event, true, n * sizeof(*words), words);
}

/* ------------------------------------------------------------------ */
/* Visits: the only way for control to change rings                   */

/*
 * Control's own table of the present rings. Dom0 can read *info but not write
 * it; still, control reads nothing back from there.
 */
struct rings {
    unsigned int pages;        /* of each ring */
    unsigned int info_pages;
    struct t_info *info;
    uint8_t **page[];          /* [nr_cpu_ids]; NULL: CPU without a ring */
};

static DEFINE_SPINLOCK(trace_lock);  /* protects all that follows */
static struct rings *trace_rings;    /* NULL: none */
static struct ring *trace_parked;    /* [nr_cpu_ids]: of CPUs not attached */
static cpumask_t trace_attached;     /* CPUs with a ring in per-CPU memory */
static cpumask_t tb_cpu_mask;
static uint32_t tb_event_mask = TRC_ALL;
static bool tb_overwriting;       /* implies that tracing is on */

/* Only readers of crash dumps use this object, and find it by its magic. */
static const struct xen_trace_crash_info __used __aligned(64)
trace_crash_info = {
    .magic = XEN_TRACE_CRASH_MAGIC,
    .version = XEN_TRACE_CRASH_VERSION,
    .size = sizeof(trace_crash_info),
    .self = (unsigned long)&trace_crash_info,
    .root_table = (unsigned long)trace_root_table,
    .nr_cpus = (unsigned long)&nr_cpu_ids,
    .khz = (unsigned long)&cpu_khz,
    .rings = (unsigned long)&trace_rings,
    .percpu_offset = (unsigned long)__per_cpu_offset,
    .ring = (unsigned long)&per_cpu__trace_ring,
    .parked = (unsigned long)&trace_parked,
    .info = offsetof(struct rings, info),
    .ring_size = sizeof(struct ring),
    .state = offsetof(struct ring, state),
    .page = offsetof(struct ring, page),
    .prod = offsetof(struct ring, prod),
    .hidden = offsetof(struct ring, hidden),
};

typedef void visit_fn(struct ring *r, unsigned int cpu);

struct visit {
    visit_fn *change;
    bool busy;                 /* a CPU had a writer inside: repeat */
};

/*
 * Take the ring's pages away: a writer inside publishes into `hidden`. An NMI
 * may trace between any two of these lines: it must neither find the ring
 * live, nor publish the new state through the old prod.
 */
static void ring_detach(struct ring *r)
{
    r->live = false;
    barrier();
    r->cons = r->prod = &r->hidden;
    barrier();
    r->page = NULL;
    r->state = state_with_room(FIRST_PLACE, 0);
}

/* Runs on the CPU that owns the ring. A tracing NMI nests. */
static void cf_check visit_here(void *arg)
{
    struct visit *v = arg;
    unsigned int cpu = smp_processor_id();
    struct ring *r = &this_cpu(trace_ring);

    if ( !cpumask_test_cpu(cpu, &trace_attached) )
        return;

    if ( r->depth )
    {
        write_atomic(&v->busy, true);
        return;
    }

    ring_enter(r);
    v->change(r, cpu);
    ASSERT(r->depth == 1);
    ring_leave(r, where_of(r->state));
}

/* A change that is made twice is the same as one: see `busy`. */
static void visit_cpus(const cpumask_t *cpus, visit_fn *change)
{
    struct visit v = { .change = change };

    ASSERT(spin_is_locked(&trace_lock));
    do {
        v.busy = false;
        on_selected_cpus(cpus, visit_here, &v, 1);
    } while ( read_atomic(&v.busy) );
}

/* Change every ring: attached ones by visits, parked ones in place. */
static void change_rings(visit_fn *change)
{
    unsigned int cpu;

    ASSERT(spin_is_locked(&trace_lock));
    visit_cpus(&cpu_online_map, change);

    for ( cpu = 0; trace_parked && cpu < nr_cpu_ids; cpu++ )
        if ( !cpumask_test_cpu(cpu, &trace_attached) )
            change(&trace_parked[cpu], cpu);
}

/* --- the changes --- */

/* `live` is set last: an NMI that finds it set finds the rest complete. */
static void cf_check rare_path change_ready(struct ring *r, unsigned int cpu)
{
    barrier();
    r->live = r->page && cpumask_test_cpu(cpu, &tb_cpu_mask) &&
              cpumask_test_cpu(cpu, &trace_attached);
}

static void cf_check rare_path change_live(struct ring *r, unsigned int cpu)
{
    if ( tb_init_done )
        change_ready(r, cpu);
    else
        r->live = false;
}

/*
 * Write the LOST record that no later record would write. Stock forgets the
 * count here; an old reader finds one LOST record more.
 */
static void cf_check rare_path change_stop(struct ring *r, unsigned int cpu)
{
    r->live = false;
    barrier();
    if ( owed_of(r->state) && r->page &&
         cpumask_test_cpu(cpu, &trace_attached) )
        put_slow(r, 0, NULL);
    ASSERT(!r->live);
    r->state = state_with_room(where_of(r->state), 0);
}

/* Publish to dom0, and take cons from dom0, from now on. */
static void attach_reader(struct ring *r)
{
    struct t_buf *buf = (void *)r->page[0];

    ASSERT(!r->live && !owed_of(r->state));
    r->cons = &buf->cons;
    r->prod = &buf->prod;
}

/* Attach the pages of the present rings, empty, or none. */
static void cf_check rare_path change_attach(struct ring *r,
                                             unsigned int cpu)
{
    ASSERT(!r->live);
    ring_detach(r);
    if ( !trace_rings || !trace_rings->page[cpu] )
        return;

    r->page = trace_rings->page[cpu];
    attach_reader(r);
}

/*
 * Store both words of the shared header at once: no reader sees a half.  The
 * records need no barrier here, since ring_leave() had one behind each of them.
 */
static void share_window(struct ring *r, uint32_t from, uint32_t to)
{
    const union {
        struct t_buf buf;
        uint64_t both;
    } window = {
        .buf = { .cons = prod_of(from), .prod = prod_of(to) },
    };

    BUILD_BUG_ON(sizeof(window) != sizeof(window.both));
    ASSERT(!r->live && window.buf.cons < 2 * data_size &&
           window.buf.prod < 2 * data_size);
    write_atomic((uint64_t *)r->page[0], window.both);
    r->marked = to;
}

/*
 * Unread records are discarded: they would be overwritten. hidden gets its
 * value when the visit ends, and so does that of a parked ring.
 */
static void cf_check rare_path change_overwrite(struct ring *r,
                                                unsigned int cpu)
{
    uint32_t where = where_of(r->state);

    ASSERT(!r->live && !owed_of(r->state));
    if ( !r->page )
        return;

    ASSERT(trace_rings && r->page == trace_rings->page[cpu]);
    ASSERT(room_of(r->state) == 0);
    share_window(r, where, where);
    r->cons = r->prod = &r->hidden;
    memset(first_of(r), 0, trace_rings->pages * sizeof(*first_of(r)));
    first_of(r)[page_of(where)] = where;
}

/* The pages behind the head's page hold the oldest complete records. */
static uint32_t oldest_record(const struct ring *r)
{
    const uint32_t *first = first_of(r);
    unsigned int i, page = page_of(where_of(r->state));

    ASSERT(first[page]);
    for ( i = 1; i < trace_rings->pages; i++ )
        if ( first[(page + i) % trace_rings->pages] )
            return first[(page + i) % trace_rings->pages];

    return first[page];
}

static void cf_check rare_path change_freeze(struct ring *r,
                                             unsigned int cpu)
{
    if ( !r->page || !is_overwriting(r) )
        return;

    ASSERT(!r->live && room_of(r->state) == 0);
    share_window(r, oldest_record(r), where_of(r->state));
    attach_reader(r);
}

/* ------------------------------------------------------------------ */
/* Memory                                                             */

/* Shared pages may be freed only after a visit of all CPUs. */
static bool unshare_page(void *va)
{
    struct page_info *pg = virt_to_page(va);
    /* Never set where Xen's heap is separate (arm32), and never changes. */
    unsigned long heap = read_atomic(&pg->count_info) & PGC_xen_heap;
    unsigned long unused = heap | PGC_allocated | 1;

    /* From one reference to none in one step: a new mapping cannot race. */
    if ( cmpxchg(&pg->count_info, unused, heap) != unused )
        return false;

    free_domheap_page(pg); /* off dom_xen's list; a heap page is not freed */

    return true;
}

/*
 * A control operation is one hypercall, however many pages it handles. Timers,
 * RCU and tasklets of this CPU do not wait for its end.
 */
static void serve_softirqs(unsigned long i)
{
    if ( i % 64 == 63 )
        process_pending_softirqs();
}

static noinline void share_page(void *va, enum XENSHARE_flags flags)
{
    share_xen_page_with_privileged_guests(virt_to_page(va), flags);
}

/*
 * Page i of all pages that dom0 can map, the rings first, then t_info; NULL
 * behind the last and for CPUs without a ring.
 */
struct shared_page {
    void *va;
    enum XENSHARE_flags flags;
};

static unsigned long nr_shared(const struct rings *g)
{
    return (unsigned long)nr_cpu_ids * g->pages + g->info_pages;
}

static struct shared_page shared_page(const struct rings *g, unsigned long i)
{
    unsigned long nr_ring_pages = (unsigned long)nr_cpu_ids * g->pages;
    struct shared_page s = { .flags = SHARE_rw };

    ASSERT(i < nr_shared(g));
    if ( i >= nr_ring_pages )
    {
        s.va = (uint8_t *)g->info + ((i - nr_ring_pages) << PAGE_SHIFT);
        s.flags = SHARE_ro;
    }
    else if ( g->page[i / g->pages] )
        s.va = g->page[i / g->pages][i % g->pages];

    return s;
}

/*
 * Take all pages back from dom0, or none: if one is mapped, the pages taken so
 * far are shared again.
 */
static int unshare_rings(const struct rings *g)
{
    unsigned long i, n = nr_shared(g);
    struct shared_page s;

    ASSERT(spin_is_locked(&trace_lock));
    ASSERT(!tb_init_done);
    for ( i = 0; i < n; i++ )
    {
        serve_softirqs(i);
        s = shared_page(g, i);
        if ( s.va && !unshare_page(s.va) )
            break;
    }
    if ( i == n )
        return 0;

    while ( i-- > 0 )
    {
        serve_softirqs(i);
        s = shared_page(g, i);
        if ( !s.va )
            continue;
        page_set_owner(virt_to_page(s.va), NULL);
        share_page(s.va, s.flags);
    }

    return -EBUSY;
}

static void free_page_list(uint8_t **page, unsigned int pages)
{
    unsigned int i;

    for ( i = 0; page && i < pages && page[i]; i++ )
    {
        serve_softirqs(i);
        free_xenheap_pages(page[i], 0);
    }
    xfree(page);
}

/*
 * Allocate the pages of one ring. The array has room for first[] behind the
 * pointers.
 */
static uint8_t **alloc_page_list(unsigned int cpu, unsigned int pages)
{
    unsigned int i;
    uint8_t **page = xzalloc_bytes(pages * (sizeof(*page) + sizeof(uint32_t)));

    ASSERT(pages && cpu < nr_cpu_ids);
    if ( !page )
        return NULL;

    for ( i = 0; i < pages; i++ )
    {
        serve_softirqs(i);
        /* A frame number in t_info has 32 bits. */
        page[i] = alloc_xenheap_pages(0, MEMF_bits(32 + PAGE_SHIFT));
        if ( !page[i] )
        {
            printk(XENLOG_INFO "xentrace: memory allocation failed "
                   "on cpu %u after %u pages\n", cpu, i);
            free_page_list(page, pages);
            return NULL;
        }
        clear_page(page[i]);
    }

    return page;
}

/* Offset of the lists of frame numbers in t_info, in words. */
static unsigned int info_head(void)
{
    return DIV_ROUND_UP(offsetof(struct t_info, mfn_offset[NR_CPUS]),
                        sizeof(uint32_t));
}

/* Publish a ring in t_info: the list first, then its offset. */
static void list_ring(struct rings *g, unsigned int cpu)
{
    unsigned int i, offset = info_head() + cpu * g->pages;
    uint32_t *mfn = (uint32_t *)g->info + offset;

    ASSERT(g->page[cpu] && offset <= 0xffff);
    ASSERT(offset + g->pages <=
           g->info_pages * (PAGE_SIZE / sizeof(uint32_t)));
    for ( i = 0; i < g->pages; i++ )
        mfn[i] = virt_to_mfn(g->page[cpu][i]);

    for ( i = 0; i < g->pages; i++ )
    {
        serve_softirqs(i);
        share_page(g->page[cpu][i], SHARE_rw);
    }

    printk(XENLOG_INFO "xentrace: p%u mfn %x offset %u\n",
           cpu, mfn[0], offset);

    smp_wmb(); /* The list before its offset, for a reader of t_info. */
    write_atomic(&g->info->mfn_offset[cpu], (uint16_t)offset);
}

/* Limit the size to what mfn_offset[] of the last CPU can express. */
static unsigned int clamp_pages(unsigned int pages)
{
    unsigned int most = (0xffff - info_head()) / max(nr_cpu_ids - 1, 1U);

    BUILD_BUG_ON(0xffff * (uint64_t)PAGE_SIZE > PLACE_MASK);
    ASSERT(most);
    if ( pages <= most )
        return pages;

    printk(XENLOG_INFO "xentrace: requested number of %u pages "
           "reduced to %u\n", pages, most);

    return most;
}

static void free_rings(struct rings *g)
{
    unsigned int cpu;

    if ( !g )
        return;

    ASSERT(g != trace_rings);
    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        free_page_list(g->page[cpu], g->pages);
    if ( g->info )
        free_xenheap_pages(g->info, get_order_from_pages(g->info_pages));
    xfree(g);
}

/* get_info reports the size of t_info, also after a failed attempt. */
static unsigned int t_info_pages;

/* Allocate the array of parked rings, at the first use. */
static int alloc_parked(void)
{
    unsigned int cpu;

    ASSERT(spin_is_locked(&trace_lock));
    if ( trace_parked )
        return 0;

    trace_parked = xzalloc_array(struct ring, nr_cpu_ids);
    if ( !trace_parked )
        return -ENOMEM;

    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        ring_detach(&trace_parked[cpu]);

    return 0;
}

static int alloc_rings(unsigned int pages, struct rings **out)
{
    unsigned int cpu;
    struct rings *g = xzalloc_bytes(sizeof(*g) +
                                    nr_cpu_ids * sizeof(g->page[0]));

    ASSERT(pages);
    if ( !g || alloc_parked() )
        goto fail;

    g->pages = clamp_pages(pages);
    g->info_pages = PFN_UP((nr_cpu_ids * g->pages + info_head()) *
                           sizeof(uint32_t));
    if ( !trace_rings )
        t_info_pages = g->info_pages;
    printk(XENLOG_INFO "xentrace: requesting %u t_info pages "
           "for %u trace pages on %u cpus\n",
           g->info_pages, g->pages, nr_cpu_ids);

    g->info = alloc_xenheap_pages(get_order_from_pages(g->info_pages), 0);
    if ( !g->info )
        goto fail;
    memset(g->info, 0, g->info_pages * PAGE_SIZE);
    g->info->tbuf_size = g->pages;

    for_each_online_cpu ( cpu )
    {
        g->page[cpu] = alloc_page_list(cpu, g->pages);
        if ( !g->page[cpu] )
            goto fail;
    }

    *out = g;
    return 0;

 fail:
    free_rings(g);
    return -ENOMEM;
}

/* Share new rings with dom0. Nothing can fail from here on. */
static void share_rings(struct rings *g)
{
    unsigned int i, cpu;

    ASSERT(spin_is_locked(&trace_lock) && g != trace_rings);
    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        if ( g->page[cpu] )
            list_ring(g, cpu);

    for ( i = 0; i < g->info_pages; i++ )
        share_page((uint8_t *)g->info + i * PAGE_SIZE, SHARE_ro);
}

/* ------------------------------------------------------------------ */
/* Control operations                                                 */

/* Stop tracing: no record is being written when this returns. */
static void pause_tracing(void)
{
    write_atomic(&tb_init_done, false);
    change_rings(change_live);
}

/*
 * CPUs begin at once, when call sites see tb_init_done: a vcpu that moved
 * between CPUs that begin in turn would be in the trace by halves.
 */
static void start_tracing(void)
{
    ASSERT(trace_rings);
    change_rings(change_ready);
    write_atomic(&tb_init_done, true);
}

/* Replace the rings: all writers are out, or find no ring. */
static void install_rings(struct rings *g)
{
    ASSERT(!tb_init_done && g != trace_rings);
    trace_rings = g;
    data_size = g ? g->pages * PAGE_SIZE - FIRST_PLACE : 0;
    ring_end = data_size + FIRST_PLACE;
    tb_overwriting = false;
    change_rings(change_attach);
}

static int op_get_info(struct xen_sysctl_tbuf_op *tbc)
{
    tbc->evt_mask = tb_event_mask;
    tbc->buffer_mfn = trace_rings ? virt_to_mfn(trace_rings->info) : 0;
    tbc->size = t_info_pages * PAGE_SIZE;

    return 0;
}

static int op_set_cpu_mask(struct xen_sysctl_tbuf_op *tbc)
{
    cpumask_var_t mask;
    int rc = xenctl_bitmap_to_cpumask(&mask, &tbc->cpu_mask);

    if ( rc )
        return rc;

    cpumask_copy(&tb_cpu_mask, mask);
    free_cpumask_var(mask);
    change_rings(change_live);

    return 0;
}

static void set_evt_mask(uint32_t mask)
{
    ASSERT(spin_is_locked(&trace_lock));
    tb_event_mask = mask;
    write_atomic(&trace_wanted, mask & TRC_ALL);
}

static int op_set_evt_mask(struct xen_sysctl_tbuf_op *tbc)
{
    set_evt_mask(tbc->evt_mask);

    return 0;
}

/* Stock starts tracing when the memory is allocated; tools rely on it. */
static int set_size(unsigned int pages)
{
    struct rings *g = NULL;
    int rc;

    ASSERT(!trace_rings);
    if ( pages == 0 )
        return -EINVAL;

    rc = alloc_rings(pages, &g);
    if ( rc )
    {
        printk(XENLOG_WARNING
               "xentrace: allocation failed! Tracing disabled.\n");
        return rc;
    }

    share_rings(g);
    install_rings(g);
    printk("xentrace: initialised\n");

    return 0;
}

/* Allowed once, for old callers; resize allows more. */
static int op_set_size(struct xen_sysctl_tbuf_op *tbc)
{
    int rc;

    if ( trace_rings && tbc->size == trace_rings->pages )
        return -EBUSY;
    if ( trace_rings )
    {
        printk(XENLOG_INFO "xentrace: tb_set_size from %u to %u "
               "not implemented\n", trace_rings->pages, tbc->size);
        return -EINVAL;
    }

    rc = set_size(tbc->size);
    if ( !rc )
        start_tracing();

    return rc;
}

static int op_enable(void)
{
    if ( !trace_rings )
        return -EINVAL;

    start_tracing();

    return 0;
}

/*
 * A flight recorder that stops offers its records. An old tool, which never
 * asked for one, finds a normal ring after the next enable.
 */
static int op_disable(void)
{
    write_atomic(&tb_init_done, false);
    change_rings(change_stop);
    if ( tb_overwriting )
        change_rings(change_freeze);
    tb_overwriting = false;

    return 0;
}

static int op_overwrite(void)
{
    if ( !trace_rings )
        return -EINVAL;

    op_disable();
    ASSERT(!tb_init_done && !tb_overwriting);
    change_rings(change_overwrite);
    tb_overwriting = true;
    start_tracing();

    return 0;
}

static int op_freeze(void)
{
    return tb_overwriting ? op_disable() : -EINVAL;
}

/* Replace the present rings by g (NULL: none). */
static int replace_rings(struct rings *g)
{
    struct rings *old = trace_rings;
    bool was_on = tb_init_done;
    int rc;

    ASSERT(old && old != g);
    pause_tracing();
    rc = unshare_rings(old);
    if ( !rc )
    {
        if ( g )
            share_rings(g);
        install_rings(g);
        t_info_pages = g ? g->info_pages : 0;
        free_rings(old);
    }
    if ( was_on && trace_rings )
        start_tracing();

    return rc;
}

static int op_free(void)
{
    return trace_rings ? replace_rings(NULL) : -EINVAL;
}

static int op_resize(unsigned int pages)
{
    struct rings *g = NULL;
    int rc;

    if ( !trace_rings || pages == 0 )
        return -EINVAL;

    rc = alloc_rings(pages, &g);
    if ( rc )
        return rc;

    rc = replace_rings(g);
    if ( rc )
        free_rings(g);

    return rc;
}

static struct xen_tbuf_cpu cpu_state(unsigned int cpu)
{
    bool up = cpumask_test_cpu(cpu, &trace_attached);
    const struct ring *r = up ? &per_cpu(trace_ring, cpu)
                              : trace_parked ? &trace_parked[cpu] : NULL;

    ASSERT(cpu < nr_cpu_ids);
    return (struct xen_tbuf_cpu){
        .flags = (trace_rings && trace_rings->page[cpu]
                  ? XEN_TBUF_CPU_RING : 0) |
                 (cpumask_test_cpu(cpu, &tb_cpu_mask)
                  ? 0 : XEN_TBUF_CPU_MASKED) |
                 (up ? XEN_TBUF_CPU_ONLINE : 0),
        .lost = r ? read_atomic(&r->lost) : 0,
    };
}

static int op_state(struct xen_sysctl_tbuf_op *tbc)
{
    struct xen_sysctl_tbuf_state s;
    unsigned int cpu, nr;

    BUILD_BUG_ON(sizeof(s) > sizeof(*tbc));
    memcpy(&s, tbc, sizeof(s));
    if ( s.version != XEN_TBUF_STATE_VERSION )
        return -EINVAL;

    nr = min(s.nr_cpus, (uint32_t)nr_cpu_ids);
    for ( cpu = 0; cpu < nr; cpu++ )
    {
        struct xen_tbuf_cpu entry = cpu_state(cpu);

        if ( copy_to_guest_offset(s.cpus, cpu, &entry, 1) )
            return -EFAULT;
    }

    s.nr_cpus = nr_cpu_ids;
    s.flags = (tb_init_done ? XEN_TBUF_ENABLED : 0) |
              (tb_overwriting ? XEN_TBUF_OVERWRITE : 0);
    s.evt_mask = tb_event_mask;
    s.pages = trace_rings ? trace_rings->pages : 0;
    memcpy(tbc, &s, sizeof(s));

    return 0;
}

/* An old tool knows the first six, and an unknown operation is -EINVAL. */
static int run_op(struct xen_sysctl_tbuf_op *tbc)
{
    switch ( tbc->cmd )
    {
    case XEN_SYSCTL_TBUFOP_get_info:
        return op_get_info(tbc);

    case XEN_SYSCTL_TBUFOP_set_cpu_mask:
        return op_set_cpu_mask(tbc);

    case XEN_SYSCTL_TBUFOP_set_evt_mask:
        return op_set_evt_mask(tbc);

    case XEN_SYSCTL_TBUFOP_set_size:
        return op_set_size(tbc);

    case XEN_SYSCTL_TBUFOP_enable:
        return op_enable();

    case XEN_SYSCTL_TBUFOP_disable:
        return op_disable();

    case XEN_SYSCTL_TBUFOP_state:
        return op_state(tbc);

    case XEN_SYSCTL_TBUFOP_overwrite:
        return op_overwrite();

    case XEN_SYSCTL_TBUFOP_freeze:
        return op_freeze();

    case XEN_SYSCTL_TBUFOP_free:
        return op_free();

    case XEN_SYSCTL_TBUFOP_resize:
        return op_resize(tbc->size);

    default:
        return -EINVAL;
    }
}

int rare_path tb_control(struct xen_sysctl_tbuf_op *tbc)
{
    int rc;

    spin_lock(&trace_lock);
    rc = run_op(tbc);
    spin_unlock(&trace_lock);

    return rc;
}

/* ------------------------------------------------------------------ */
/* CPU hotplug                                                        */

/*
 * Pointers at `hidden`, which is inside of the struct, move along. `depth`
 * does not: it counts the caller, and an NMI may trace meanwhile.
 */
static void move_ring(struct ring *to, const struct ring *from)
{
    struct ring copy = *from;

    ASSERT(to != from);
    ASSERT(!from->live && !to->live);
    copy.depth = to->depth;
    if ( from->prod == &from->hidden )
        copy.cons = copy.prod = &to->hidden;
    *to = copy;
}

/*
 * Make the ring of a CPU that is about to trace, parked as yet. Without memory
 * the CPU comes up without a ring.
 */
static void add_ring(unsigned int cpu)
{
    ASSERT(spin_is_locked(&trace_lock));
    ASSERT(!cpumask_test_cpu(cpu, &trace_attached));
    if ( !trace_rings || trace_rings->page[cpu] )
        return;

    trace_rings->page[cpu] = alloc_page_list(cpu, trace_rings->pages);
    if ( !trace_rings->page[cpu] )
        return;

    list_ring(trace_rings, cpu);
    change_attach(&trace_parked[cpu], cpu);
    if ( tb_overwriting )
        change_overwrite(&trace_parked[cpu], cpu);
}

/* The per-CPU memory may be new. */
static void cpu_prepare(unsigned int cpu)
{
    ASSERT(!cpumask_test_cpu(cpu, &trace_attached));
    ring_detach(&per_cpu(trace_ring, cpu));
}

static void cf_check rare_path change_unpark(struct ring *r,
                                             unsigned int cpu)
{
    ASSERT(cpumask_test_cpu(cpu, &trace_attached));
    if ( trace_parked )
        move_ring(r, &trace_parked[cpu]);
    change_live(r, cpu);
}

/*
 * The ring is made here and not earlier: control operations that ran while the
 * CPU came up took only the CPUs online into account.
 */
static void cpu_arrive(unsigned int cpu)
{
    spin_lock(&trace_lock);
    add_ring(cpu);
    cpumask_set_cpu(cpu, &trace_attached);
    visit_cpus(cpumask_of(cpu), change_unpark);
    spin_unlock(&trace_lock);
}

/*
 * Runs on the CPU itself, in stop_machine: no control operation is in
 * progress, since stop_machine interrupts none.
 */
static void cpu_leave(unsigned int cpu)
{
    struct ring *r = &this_cpu(trace_ring);

    ASSERT(cpu == smp_processor_id() && cpumask_test_cpu(cpu, &trace_attached));
    ring_enter(r);
    change_stop(r, cpu);
    ring_leave(r, where_of(r->state));

    ring_enter(r);
    cpumask_clear_cpu(cpu, &trace_attached);
    if ( trace_parked )
        move_ring(&trace_parked[cpu], r);
    ring_detach(r);
    ring_leave(r, where_of(r->state));
}

static int cf_check rare_path cpu_callback(struct notifier_block *nfb,
                                           unsigned long action, void *hcpu)
{
    unsigned int cpu = (unsigned long)hcpu;

    switch ( action )
    {
    case CPU_UP_PREPARE:
        cpu_prepare(cpu);
        break;

    case CPU_ONLINE:
        cpu_arrive(cpu);
        break;

    case CPU_DYING:
        cpu_leave(cpu);
        break;
    }

    return NOTIFY_DONE;
}

static struct notifier_block cpu_nfb = {
    .notifier_call = cpu_callback,
};

/* ------------------------------------------------------------------ */
/* Boot                                                               */

static unsigned int opt_tbuf_size;  /* pages of each CPU's ring */
static unsigned int opt_tevt_mask;
integer_param("tbuf_size", opt_tbuf_size);
integer_param("tevt_mask", opt_tevt_mask);

static void __init boot_rings(unsigned int pages)
{
    if ( set_size(pages) )
    {
        printk("xentrace: allocation size %u failed, disabling\n", pages);
        return;
    }

    if ( opt_tevt_mask )
    {
        printk("xentrace: Starting tracing, enabling mask %x\n",
               opt_tevt_mask);
        set_evt_mask(opt_tevt_mask);
    }
    start_tracing();
}

void __init rare_path init_trace_bufs(void)
{
    static bool __initdata done;
    unsigned int cpu;

    /* share_window() stores cons and prod at once. */
    BUILD_BUG_ON(offsetof(struct t_buf, prod) !=
                 offsetof(struct t_buf, cons) + sizeof(uint32_t));
    BUILD_BUG_ON(sizeof(struct t_buf) != sizeof(uint64_t));
    /* A page has room for a loss and the longest record. */
    BUILD_BUG_ON(PAGE_SIZE - FIRST_PLACE <
                 2 * (3 + TRACE_EXTRA_MAX) * sizeof(uint32_t));

    if ( done )
        return;
    done = true;

    cpumask_setall(&tb_cpu_mask);
    for_each_online_cpu ( cpu )
    {
        ring_detach(&per_cpu(trace_ring, cpu));
        cpumask_set_cpu(cpu, &trace_attached);
    }
    register_cpu_notifier(&cpu_nfb);

    spin_lock(&trace_lock);
    if ( opt_tbuf_size )
        boot_rings(opt_tbuf_size);
    spin_unlock(&trace_lock);
}

static int __init cf_check init_trace(void)
{
    init_trace_bufs();

    return 0;
}
__initcall(init_trace);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
