/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Constants shared by guests and the hypervisor, as far as tracing uses them.
 */
#ifndef __XEN_PUBLIC_XEN_H__
#define __XEN_PUBLIC_XEN_H__ /* public/trace.h asks for it */

#define __XEN__ 1 /* Xen's own build has it on the command line */

#include <stdint.h>

typedef uint16_t domid_t;
typedef unsigned long xen_ulong_t;
typedef uint64_t __attribute__((__aligned__(8))) uint64_aligned_t;

#define DOMID_FIRST_RESERVED    ((domid_t)0x7ff0)
#define DOMID_SELF              ((domid_t)0x7ff0)
#define DOMID_IO                ((domid_t)0x7ff1)
#define DOMID_XEN               ((domid_t)0x7ff2)
#define DOMID_INVALID           ((domid_t)0x7ff4)
#define DOMID_IDLE              ((domid_t)0x7fff)

#define VIRQ_TBUF               4

#define __HYPERVISOR_set_trap_table         0
#define __HYPERVISOR_mmu_update             1
#define __HYPERVISOR_stack_switch           3
#define __HYPERVISOR_fpu_taskswitch         5
#define __HYPERVISOR_memory_op              12
#define __HYPERVISOR_multicall              13
#define __HYPERVISOR_update_va_mapping      14
#define __HYPERVISOR_set_timer_op           15
#define __HYPERVISOR_xen_version            17
#define __HYPERVISOR_console_io             18
#define __HYPERVISOR_grant_table_op         20
#define __HYPERVISOR_iret                   23
#define __HYPERVISOR_vcpu_op                24
#define __HYPERVISOR_set_segment_base       25
#define __HYPERVISOR_mmuext_op              26
#define __HYPERVISOR_sched_op               29
#define __HYPERVISOR_event_channel_op       32
#define __HYPERVISOR_physdev_op             33
#define __HYPERVISOR_hvm_op                 34
#define __HYPERVISOR_sysctl                 35

/* A guest's address as Xen carries it: 8 bytes, 8-byte aligned. */
#define XENSIM_GUEST_HANDLE(name, type)                                 \
    typedef struct                                                      \
    {                                                                   \
        type *p __attribute__((__aligned__(8)));                        \
    } name

XENSIM_GUEST_HANDLE(__guest_handle_64_uint8, uint8_t);
XENSIM_GUEST_HANDLE(__guest_handle_64_uint32, uint32_t);
XENSIM_GUEST_HANDLE(__guest_handle_64_uint64, uint64_t);
XENSIM_GUEST_HANDLE(__guest_handle_64_void, void);

/* A handle of a type that is one word. */
#define DEFINE_XEN_GUEST_HANDLE(name)                                   \
    XENSIM_GUEST_HANDLE(__guest_handle_64_##name, name)

#define XEN_GUEST_HANDLE_64(name)       __guest_handle_64_##name
#define XEN_GUEST_HANDLE(name)          __guest_handle_64_##name
#define XEN_GUEST_HANDLE_PARAM(name)    __guest_handle_64_##name
#define set_xen_guest_handle(hnd, val)  ((void)((hnd).p = (val)))

#endif /* __XEN_PUBLIC_XEN_H__ */
