/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands for QEMU, glib, dtrace(1) and LTTng around the generated code of all
 * back ends.  Each effect of a trace point is a line on standard output: the
 * same lines mean that two generators agree.  Each header that the generated
 * code includes, but trace/, is a link to this file (drop-in.sh).
 */
#ifndef TESTS_QEMU_EFFECTS_H
#define TESTS_QEMU_EFFECTS_H

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define unlikely(x) __builtin_expect(!!(x), 0)
#define G_GNUC_PRINTF(at, first) __attribute__((format(printf, at, first)))

/* ---- a vcpu ------------------------------------------------------------ */

typedef struct CPUState { unsigned long trace_dstate; } CPUState;
typedef struct QemuOptsList { int unused; } QemuOptsList;

static inline bool test_bit(unsigned int bit, unsigned long bits)
{
    return (bits >> bit) & 1;
}

/* ---- QEMU's log -------------------------------------------------------- */

extern bool message_with_timestamp;
extern unsigned int qemu_loglevel;
void qemu_log(const char *format, ...) G_GNUC_PRINTF(1, 2);

#define LOG_TRACE LOG_TRACE_BIT     /* signed or not, as versions of QEMU */
#define qemu_loglevel_mask(mask) ((qemu_loglevel & (mask)) != 0)
#define qemu_get_thread_id() 77
#define gettimeofday(time, zone) \
    (*(time) = (struct timeval){ 12, 345 })

/* ---- registration ------------------------------------------------------ */

#define trace_init(function)                                            \
    static void __attribute__((constructor)) effects_##function(void)   \
    {                                                                   \
        function();                                                     \
    }

/* ---- dtrace(1) and LTTng: macros with the text of the arguments -------- */

#define EFFECT(line) assert(dprintf(1, "%s\n", (line)) > 0)
#define tracepoint(provider, ...) \
    EFFECT("ust " #provider " " #__VA_ARGS__)
#define tracepoint_enabled(provider, name) (ust_is_enabled)
extern bool ust_is_enabled;

#endif /* TESTS_QEMU_EFFECTS_H */
