/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's trace/control-target.c with libusertrace: vcpus that come and go.
 * libusertrace keeps the state of a vcpu's events and finds the state by the
 * address of the CPUState.
 */
#include "qemu/osdep.h"

#include "hw/core/cpu.h"
#include "qemu/error-report.h"
#include "trace/trace-root.h"

void usertrace_qemu_init_vcpu(CPUState *cpu)
{
    if ( usertrace_vcpu_add(cpu, cpu->cpu_index, NULL) )
        warn_report("vcpu %d: events of vcpus are not traced",
                    cpu->cpu_index);
    trace_guest_cpu_enter(cpu);
}

void usertrace_qemu_fini_vcpu(CPUState *cpu)
{
    trace_guest_cpu_exit(cpu);
    usertrace_vcpu_remove(cpu);
}
