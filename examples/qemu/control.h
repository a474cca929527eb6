/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's trace/control.h with libusertrace.  The headers of libusertrace are in
 * the folder usertrace/ below.
 *
 * Functions of QEMU that depend on QEMU's options, log or monitor are in
 * control.c.  They have names of their own, because libusertrace has functions
 * of QEMU's names.
 */
#ifndef USERTRACE_QEMU_CONTROL_H
#define USERTRACE_QEMU_CONTROL_H

#include "qemu/osdep.h"         /* missing in generated code */

#define USERTRACE_OWN_CPUSTATE

#define trace_init_backends usertrace_qemu_init_backends
#define trace_init_file usertrace_qemu_init_file
#define trace_opt_parse usertrace_qemu_opt_parse
#define trace_enable_events usertrace_qemu_enable_events
#define st_print_trace_file_status usertrace_qemu_print_file_status

#include "usertrace/control.h"

extern QemuOptsList qemu_trace_opts;

/* A vcpu before trace_init_vcpu() or after trace_fini_vcpu() has no state. */
#define trace_init_vcpu usertrace_qemu_init_vcpu
#define trace_fini_vcpu usertrace_qemu_fini_vcpu
#define trace_event_set_vcpu_state_dynamic usertrace_qemu_set_vcpu_state

void trace_init_vcpu(CPUState *cpu);
void trace_fini_vcpu(CPUState *cpu);
void trace_event_set_vcpu_state_dynamic(CPUState *cpu, TraceEvent *ev,
                                        bool state);

#endif /* USERTRACE_QEMU_CONTROL_H */
