/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scatterplots, one row each:
 *
 *     row(KIND, option, argument of the option or "", help of the option,
 *         title of its picture, label of the axis, unit, kind of fact,
 *         function of scatter.c that makes points of the fact,
 *         name of the records that such a fact needs, and of their classes)
 *
 * The enum, the sinks, the names and the options are made of these rows.
 */
#ifndef XENALYZE_PLOT_SCATTER_KINDS_H
#define XENALYZE_PLOT_SCATTER_KINDS_H

#define SCATTER_TABLE(row) \
    row(RUNSTATE, "runstate", "", \
        "changes of runstates", \
        "runstates (heights are shares of time)", \
        "vcpu", PLOT_VCPUS, runstate, plot_runstate, \
        "changes of runstates", "sched:min") \
    row(RUNSTATE_TIME, "runstate-time", "", \
        "duration of runstates", \
        "duration of runstates", \
        "time", PLOT_TIME, runstate, plot_runstate_time, \
        "changes of runstates", "sched:min") \
    row(PCPU, "pcpu", "", \
        "pcpus on which vcpus start to run", \
        "pcpus on which vcpus started to run", \
        "pcpu", PLOT_PLACES, runstate, plot_pcpu, \
        "changes of runstates", "sched:min") \
    row(RDTSC, "rdtsc", "", \
        "TSC values that guests read", \
        "TSC values that guests read", \
        "TSC", PLOT_NUMBER, handle, plot_rdtsc, \
        "RDTSC exits", "hvm") \
    row(IRQ, "irq", "", \
        "pcpus that handled device interrupts", \
        "pcpus that handled device interrupts", \
        "pcpu", PLOT_PLACES, irq, plot_irq, \
        "device interrupts", "hw:irq") \
    row(INTERRUPT_EIP, "interrupt-eip", "VECTOR", \
        "guest addresses that an interrupt hit", \
        "guest addresses that interrupts hit", \
        "address", PLOT_ADDRESS, handle, plot_interrupt_eip, \
        "VM exits for that interrupt", "hvm") \
    row(EXTINT_CYCLES, "extint-cycles", "VECTOR", \
        "cost of VM exits for an interrupt", \
        "duration of VM exits for interrupts", \
        "time", PLOT_TIME, handle, plot_extint_cycles, \
        "VM exits for that interrupt", "hvm") \
    row(IO, "io", "PORT", \
        "cost of accesses to an I/O port", \
        "duration of VM exits for accesses to the I/O port", \
        "time", PLOT_TIME, handle, plot_io, \
        "accesses to that I/O port", "hvm") \
    row(UNPIN_PROMOTE, "unpin-promote", "", \
        "unpinned and promoted shadow page tables", \
        "shadow page tables", \
        "-10 unshadowed, 0 unpinned, 2 promoted", PLOT_NUMBER, handle, \
        plot_unpin_promote, \
        "changes of shadow page tables", "hvm,shadow") \
    row(CR3_SWITCH, "cr3-switch", "", \
        "frames that guests load into CR3", \
        "frames that guests load into CR3", \
        "frame", PLOT_ADDRESS, exit, plot_cr3_switch, \
        "loads of CR3", "hvm") \
    row(WAKE_TO_HALT, "wake-to-halt", "", \
        "how long guests run after a wake-up", \
        "from the interrupt that wakes a guest to its next halt", \
        "time", PLOT_TIME, wake_to_halt, plot_wake_to_halt, \
        "interrupts that wake a guest", "sched:min,hvm") \
    row(VMEXIT_EIP, "vmexit-eip", "", \
        "guest addresses of VM exits", \
        "guest addresses of VM exits", \
        "address", PLOT_ADDRESS, exit, plot_vmexit_eip, \
        "VM exits", "hvm:entryexit")

#endif /* XENALYZE_PLOT_SCATTER_KINDS_H */
