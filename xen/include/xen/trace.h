/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * include/xen/trace.h
 *
 * What hypervisor code calls to leave a record in the trace ring of the CPU
 * it runs on.  Any context may: interrupts, NMIs and #MC included.
 *
 * The call site pays for one test of tb_init_done while tracing is off.  The
 * macros know the record's size and kind at build time, so they hand over a
 * finished header word; the functions that take a byte count make one.
 *
 * Two generations of Xen call this header.  4.17 says TRACE_nD(event, ...)
 * for a record with a time stamp and trace_var(event, cycles, ...); since
 * 4.19 it is TRACE_TIME(event, ...) and TRACE(event, ...), and trace() wants
 * the time stamp asked for in bit 31 of the event.  All are here.
 */

#ifndef __XEN_TRACE_H__
#define __XEN_TRACE_H__

#include <xen/types.h>
#include <xen/lib.h>
#include <public/sysctl.h>
#include <public/trace.h>

/* The header word of a record of `words` payload words. */
#define TRACE_HEADER(event, timed, words)                               \
    (TRC_HD_TO_EVENT((uint32_t)(event)) |                               \
     ((uint32_t)(words) << TRACE_EXTRA_SHIFT) |                         \
     ((timed) ? (uint32_t)TRC_HD_CYCLE_FLAG : 0))

#ifdef CONFIG_TRACEBUFFER

/* Tracing is on, somewhere.  Read at every trace point, written by control. */
extern bool tb_init_done;

#define trace_is_on() unlikely(ACCESS_ONCE(tb_init_done))

/* Once at boot.  Called by an initcall here; 4.17's setup.c calls it again. */
void init_trace_bufs(void);

/* XEN_SYSCTL_tbuf_op.  0 or -errno. */
int tb_control(struct xen_sysctl_tbuf_op *tbc);

/* Would a record of this event be taken on this CPU, right now? */
int trace_will_trace_event(uint32_t event);

/* The record itself: header as of TRACE_HEADER, then that many words. */
void trace_record(uint32_t header, const void *words);

/*
 * 4.17's spelling.  `extra` bytes are rounded up to words, zero-filled, and
 * cut at seven words.
 */
void __trace_var(uint32_t event, bool cycles, unsigned int extra,
                 const void *extra_data);

/*
 * Today's spelling.  A size that is not whole words, or over seven, is a bug
 * of the caller: said once, and no record.
 */
void trace(uint32_t event, unsigned int extra, const void *extra_data);

/* A hypercall, with those of its arguments that are worth a word. */
void __trace_hypercall(uint32_t event, unsigned long op,
                       const xen_ulong_t *args);

#else /* !CONFIG_TRACEBUFFER */

#include <xen/errno.h>

#define tb_init_done false
#define trace_is_on() false

static inline void init_trace_bufs(void) {}

static inline int tb_control(struct xen_sysctl_tbuf_op *tbc)
{
    return -ENOSYS;
}

static inline int trace_will_trace_event(uint32_t event)
{
    return 0;
}

static inline void trace_record(uint32_t header, const void *words) {}
static inline void __trace_var(uint32_t event, bool cycles, unsigned int extra,
                               const void *extra_data) {}
static inline void trace(uint32_t event, unsigned int extra,
                         const void *extra_data) {}
static inline void __trace_hypercall(uint32_t event, unsigned long op,
                                     const xen_ulong_t *args) {}

#endif /* CONFIG_TRACEBUFFER */

static inline void trace_var(uint32_t event, bool cycles, unsigned int extra,
                             const void *extra_data)
{
    if ( trace_is_on() )
        __trace_var(event, cycles, extra, extra_data);
}

static inline void trace_time(uint32_t event, unsigned int extra,
                              const void *extra_data)
{
    trace(event | TRC_HD_CYCLE_FLAG, extra, extra_data);
}

/*
 * Every argument becomes one word; its value is not even computed while
 * tracing is off.  More than seven do not build.
 */
#define TRACE_WORDS_(event, timed, ...)                                 \
    do {                                                                \
        if ( trace_is_on() )                                   \
        {                                                               \
            uint32_t words_[] = { __VA_ARGS__ };                        \
                                                                        \
            BUILD_BUG_ON(sizeof(words_) > TRACE_EXTRA_MAX * 4);         \
            trace_record(TRACE_HEADER(event, timed, sizeof(words_) / 4), \
                         words_);                                       \
        }                                                               \
    } while ( 0 )

#define TRACE(event, ...)      TRACE_WORDS_(event, false, ## __VA_ARGS__)
#define TRACE_TIME(event, ...) TRACE_WORDS_(event, true, ## __VA_ARGS__)

#define TRACE_varD(e, ...) TRACE_TIME(e, ## __VA_ARGS__)

#define TRACE_0D(e)                         TRACE_TIME(e)
#define TRACE_1D(e, d1)                     TRACE_TIME(e, d1)
#define TRACE_2D(e, d1, d2)                 TRACE_TIME(e, d1, d2)
#define TRACE_3D(e, d1, d2, d3)             TRACE_TIME(e, d1, d2, d3)
#define TRACE_4D(e, d1, d2, d3, d4)         TRACE_TIME(e, d1, d2, d3, d4)
#define TRACE_5D(e, d1, d2, d3, d4, d5)     TRACE_TIME(e, d1, d2, d3, d4, d5)
#define TRACE_6D(e, d1, d2, d3, d4, d5, d6) \
    TRACE_TIME(e, d1, d2, d3, d4, d5, d6)

#endif /* __XEN_TRACE_H__ */
