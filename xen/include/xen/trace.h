/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * include/xen/trace.h
 *
 * Copyright (C) 2003 by Intel Research Cambridge
 * Copyright (C) 2005 Bin Ren
 *
 * Functions and macros that write a record to the trace ring of the current
 * CPU, from any context: interrupts, NMIs and #MC included.
 *
 * While tracing is off a call site costs one test of tb_init_done. The macros
 * know the record's size and kind at build time, so they pass a finished
 * header word; functions with a byte count compute the header.
 *
 * Two generations of Xen use this header. 4.17 writes TRACE_nD(event, ...) for
 * a record with a time stamp and trace_var(event, cycles, ...); since 4.19 it
 * is TRACE_TIME(event, ...) and TRACE(event, ...), and trace() takes the
 * request for a time stamp in bit 31 of the event. All are supported.
 */

#ifndef __XEN_TRACE_H__
#define __XEN_TRACE_H__

#include <xen/types.h>
#include <xen/lib.h>
#include <public/sysctl.h>
#include <public/trace.h>

/* The header word of a record with `words` payload words. */
#define TRACE_HEADER(event, timed, words)                               \
    (TRC_HD_TO_EVENT((uint32_t)(event)) |                               \
     ((uint32_t)(words) << TRACE_EXTRA_SHIFT) |                         \
     ((timed) ? (uint32_t)TRC_HD_CYCLE_FLAG : 0))

#ifdef CONFIG_TRACEBUFFER

/* Tracing is on. Read at every trace point, written by control. */
extern bool tb_init_done;

#define trace_is_on() unlikely(ACCESS_ONCE(tb_init_done))

/*
 * Initialize once at boot. Called by an initcall; 4.17's setup.c calls it
 * again.
 */
void init_trace_bufs(void);

/* XEN_SYSCTL_tbuf_op.  0 or -errno. */
int tb_control(struct xen_sysctl_tbuf_op *tbc);

/* Would a record of this event be written on this CPU now? */
int trace_will_trace_event(uint32_t event);

/* Write a record: header as made by TRACE_HEADER, then its payload words. */
void trace_record(uint32_t header, const void *words);

/*
 * The function of 4.17. `extra` bytes are rounded up to words, zero-filled,
 * and limited to seven words.
 */
void __trace_var(uint32_t event, bool cycles, unsigned int extra,
                 const void *extra_data);

/*
 * The function since 4.19. A size that is not whole words, or over seven
 * words, is a bug of the caller: reported once, and no record is written.
 */
void trace(uint32_t event, unsigned int extra, const void *extra_data);

/* Record a hypercall, with selected arguments. */
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
 * Every argument becomes one word, evaluated only while tracing is on. More
 * than seven arguments do not build. TRC_HD_CYCLE_FLAG in the event of TRACE()
 * requests a time stamp.
 */
#define TRACE(event, ...)                                               \
    do {                                                                \
        if ( trace_is_on() )                                            \
        {                                                               \
            const uint32_t event_ = (event);                            \
            uint32_t words_[] = { __VA_ARGS__ };                        \
                                                                        \
            BUILD_BUG_ON(sizeof(words_) > TRACE_EXTRA_MAX * 4);         \
            trace_record(TRACE_HEADER(event_,                           \
                                      event_ & TRC_HD_CYCLE_FLAG,       \
                                      sizeof(words_) / 4), words_);     \
        }                                                               \
    } while ( 0 )

#define TRACE_TIME(event, ...) \
    TRACE((event) | TRC_HD_CYCLE_FLAG, ## __VA_ARGS__)

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
