/* SPDX-License-Identifier: MIT */
/*
 * include/public/trace.h
 *
 * Mark Williamson, (C) 2004 Intel Research Cambridge
 * Copyright (C) 2005 Bin Ren
 *
 * The ABI of Xen's trace buffers for readers: the record, the ring, the
 * directory of rings, the event ids, and control operations in addition to
 * those of public/sysctl.h.
 *
 * One header serves a 4.17 tree and newer ones: where spellings differ both
 * are defined, and an unused one costs nothing.
 */

#ifndef __XEN_PUBLIC_TRACE_H__
#define __XEN_PUBLIC_TRACE_H__

/*
 * A record, words of 32 bits in the byte order of the machine:
 *
 *    31 30  28 27         16 15   12 11               0
 *   +--+------+-------------+-------+------------------+
 *   |T | words|    class    |  sub  |      minor       |  header
 *   +--+------+-------------+-------+------------------+
 *   |           time stamp, low half                   |  only if T
 *   +--------------------------------------------------+
 *   |           time stamp, high half                  |  only if T
 *   +--------------------------------------------------+
 *   |           payload: `words` (0..7) words          |
 *   +--------------------------------------------------+
 *
 * so 4 to 40 bytes, aligned to 4 and to nothing better.
 */
#define TRACE_EXTRA_MAX    7
#define TRACE_EXTRA_SHIFT 28

#define TRC_HD_CYCLE_FLAG (1UL << 31)
#define TRC_HD_TO_EVENT(x) ((x) & 0x0fffffff)
#define TRC_HD_INCLUDES_CYCLE_COUNT(x) (!!((x) & TRC_HD_CYCLE_FLAG))
#define TRC_HD_EXTRA(x) (((x) >> TRACE_EXTRA_SHIFT) & TRACE_EXTRA_MAX)

/*
 * Classes and subclasses: one bit each.  An event is traced if the mask has
 * its class bit and its subclass bit; classes without subclasses use 0xf.
 */
#define TRC_CLS_SHIFT 16
#define TRC_SUBCLS_SHIFT 12
#define TRC_ALL 0x0ffff000

/* BEGIN events: made by events/regenerate, not by hand */

/* Classes */
#define TRC_GEN    0x0001f000 /* the trace itself */
#define TRC_SCHED  0x0002f000 /* the scheduler */
#define TRC_DOM0OP 0x0004f000 /* operations of dom0 */
#define TRC_HVM    0x0008f000 /* HVM and PVH guests */
#define TRC_MEM    0x0010f000 /* memory */
#define TRC_PV     0x0020f000 /* PV guests */
#define TRC_SHADOW 0x0040f000 /* shadow paging */
#define TRC_HW     0x0080f000 /* hardware */
#define TRC_GUEST  0x0800f000 /* emitted by guests */

/* Subclasses */
#define TRC_SCHED_MIN     0x00021000 /* changes of runstate */
#define TRC_SCHED_VERBOSE 0x00028000 /* other events of the scheduler */
#define TRC_SCHED_CLASS   0x00022000 /* internals of one scheduler */
#define TRC_DOM0_DOMOPS   0x00041000 /* new and destroyed domains */
#define TRC_HVM_ENTRYEXIT 0x00081000 /* VM entries and exits */
#define TRC_HVM_HANDLER   0x00082000 /* handlers of VM exits */
#define TRC_HVM_EMUL      0x00084000 /* emulated devices */
#define TRC_PV_ENTRY      0x00201000 /* entries into Xen */
#define TRC_PV_SUBCALL    0x00202000 /* the calls of a multicall */
#define TRC_HW_PM         0x00801000 /* power management */
#define TRC_HW_IRQ        0x00802000 /* interrupts */

/* TRC_GEN: the trace itself */
#define TRC_LOST_RECORDS       (TRC_GEN + 1)
#define TRC_TRACE_WRAP_BUFFER  (TRC_GEN + 2)
#define TRC_TRACE_CPU_CHANGE   (TRC_GEN + 3)
#define TRC_META_WINDOW        (TRC_GEN + 128)
#define TRC_META_VERSION       (TRC_GEN + 129)
#define TRC_META_TSC           (TRC_GEN + 130)
#define TRC_META_CLOCK         (TRC_GEN + 131)
#define TRC_META_START         (TRC_GEN + 132)
#define TRC_META_END           (TRC_GEN + 133)
#define TRC_META_XEN           (TRC_GEN + 134)
#define TRC_META_TEXT          (TRC_GEN + 135)
#define TRC_META_BOOT_ID       (TRC_GEN + 136)
#define TRC_META_CPU           (TRC_GEN + 137)
#define TRC_META_POOL          (TRC_GEN + 138)
#define TRC_META_DOMAIN        (TRC_GEN + 139)
#define TRC_META_DOMAIN_NAME   (TRC_GEN + 140)
#define TRC_META_VCPU          (TRC_GEN + 141)
#define TRC_META_AFFINITY      (TRC_GEN + 142)
#define TRC_META_LOST          (TRC_GEN + 143)
#define TRC_META_DOMAIN_UUID   (TRC_GEN + 144)
#define TRC_META_DOMAIN_WEIGHT (TRC_GEN + 145)
#define TRC_META_VCPU_BUDGET   (TRC_GEN + 146)
#define TRC_META_POOL_TIMES    (TRC_GEN + 147)
#define TRC_META_IRQ_NAME      (TRC_GEN + 148)
#define TRC_META_CUT           (TRC_GEN + 149)

/* TRC_SCHED_MIN: changes of runstate */
/* TRC_SCHED_RUNSTATE_CHANGE | (from << 8) | (to << 4): */
#define TRC_SCHED_RUNSTATE_CHANGE  (TRC_SCHED_MIN + 1)
#define TRC_SCHED_CONTINUE_RUNNING (TRC_SCHED_MIN + 2)

/* TRC_SCHED_VERBOSE: other events of the scheduler */
#define TRC_SCHED_DOM_ADD        (TRC_SCHED_VERBOSE + 1)
#define TRC_SCHED_DOM_REM        (TRC_SCHED_VERBOSE + 2)
#define TRC_SCHED_SLEEP          (TRC_SCHED_VERBOSE + 3)
#define TRC_SCHED_WAKE           (TRC_SCHED_VERBOSE + 4)
#define TRC_SCHED_YIELD          (TRC_SCHED_VERBOSE + 5)
#define TRC_SCHED_BLOCK          (TRC_SCHED_VERBOSE + 6)
#define TRC_SCHED_SHUTDOWN       (TRC_SCHED_VERBOSE + 7)
#define TRC_SCHED_CTL            (TRC_SCHED_VERBOSE + 8)
#define TRC_SCHED_ADJDOM         (TRC_SCHED_VERBOSE + 9)
#define TRC_SCHED_SWITCH         (TRC_SCHED_VERBOSE + 10)
#define TRC_SCHED_S_TIMER_FN     (TRC_SCHED_VERBOSE + 11)
#define TRC_SCHED_T_TIMER_FN     (TRC_SCHED_VERBOSE + 12)
#define TRC_SCHED_DOM_TIMER_FN   (TRC_SCHED_VERBOSE + 13)
#define TRC_SCHED_SWITCH_INFPREV (TRC_SCHED_VERBOSE + 14)
#define TRC_SCHED_SWITCH_INFNEXT (TRC_SCHED_VERBOSE + 15)
#define TRC_SCHED_SHUTDOWN_CODE  (TRC_SCHED_VERBOSE + 16)
#define TRC_SCHED_SWITCH_INFCONT (TRC_SCHED_VERBOSE + 17)

/* TRC_DOM0_DOMOPS: new and destroyed domains */
#define TRC_DOM0_DOM_ADD (TRC_DOM0_DOMOPS + 1)
#define TRC_DOM0_DOM_REM (TRC_DOM0_DOMOPS + 2)

/* TRC_HVM_ENTRYEXIT: VM entries and exits */
#define TRC_HVM_VMENTRY    (TRC_HVM_ENTRYEXIT + 0x01)
#define TRC_HVM_VMEXIT     (TRC_HVM_ENTRYEXIT + 0x02)
#define TRC_HVM_VMEXIT64   (TRC_HVM_ENTRYEXIT + 0x102)
#define TRC_HVM_SVM_EXIT   (TRC_HVM_ENTRYEXIT + 0x03)
#define TRC_HVM_SVM_EXIT64 (TRC_HVM_ENTRYEXIT + 0x103)

/* TRC_HVM_HANDLER: handlers of VM exits */
#define TRC_HVM_PF_XEN           (TRC_HVM_HANDLER + 0x01)
#define TRC_HVM_PF_XEN64         (TRC_HVM_HANDLER + 0x101)
#define TRC_HVM_PF_INJECT        (TRC_HVM_HANDLER + 0x02)
#define TRC_HVM_PF_INJECT64      (TRC_HVM_HANDLER + 0x102)
#define TRC_HVM_INJ_EXC          (TRC_HVM_HANDLER + 0x03)
#define TRC_HVM_INJ_VIRQ         (TRC_HVM_HANDLER + 0x04)
#define TRC_HVM_REINJ_VIRQ       (TRC_HVM_HANDLER + 0x05)
#define TRC_HVM_IO_READ          (TRC_HVM_HANDLER + 0x06)
#define TRC_HVM_IO_WRITE         (TRC_HVM_HANDLER + 0x07)
#define TRC_HVM_CR_READ          (TRC_HVM_HANDLER + 0x08)
#define TRC_HVM_CR_READ64        (TRC_HVM_HANDLER + 0x108)
#define TRC_HVM_CR_WRITE         (TRC_HVM_HANDLER + 0x09)
#define TRC_HVM_CR_WRITE64       (TRC_HVM_HANDLER + 0x109)
#define TRC_HVM_DR_READ          (TRC_HVM_HANDLER + 0x0a)
#define TRC_HVM_DR_WRITE         (TRC_HVM_HANDLER + 0x0b)
#define TRC_HVM_MSR_READ         (TRC_HVM_HANDLER + 0x0c)
#define TRC_HVM_MSR_WRITE        (TRC_HVM_HANDLER + 0x0d)
#define TRC_HVM_CPUID            (TRC_HVM_HANDLER + 0x0e)
#define TRC_HVM_INTR             (TRC_HVM_HANDLER + 0x0f)
#define TRC_HVM_NMI              (TRC_HVM_HANDLER + 0x10)
#define TRC_HVM_SMI              (TRC_HVM_HANDLER + 0x11)
#define TRC_HVM_VMMCALL          (TRC_HVM_HANDLER + 0x12)
#define TRC_HVM_HLT              (TRC_HVM_HANDLER + 0x13)
#define TRC_HVM_INVLPG           (TRC_HVM_HANDLER + 0x14)
#define TRC_HVM_INVLPG64         (TRC_HVM_HANDLER + 0x114)
#define TRC_HVM_MCE              (TRC_HVM_HANDLER + 0x15)
#define TRC_HVM_IOPORT_READ      (TRC_HVM_HANDLER + 0x16)
#define TRC_HVM_IOPORT_WRITE     (TRC_HVM_HANDLER + 0x216)
#define TRC_HVM_IOMEM_READ       (TRC_HVM_HANDLER + 0x17)
#define TRC_HVM_IOMEM_READ64     (TRC_HVM_HANDLER + 0x117)
#define TRC_HVM_IOMEM_WRITE      (TRC_HVM_HANDLER + 0x217)
#define TRC_HVM_IOMEM_WRITE64    (TRC_HVM_HANDLER + 0x317)
#define TRC_HVM_CLTS             (TRC_HVM_HANDLER + 0x18)
#define TRC_HVM_LMSW             (TRC_HVM_HANDLER + 0x19)
#define TRC_HVM_LMSW64           (TRC_HVM_HANDLER + 0x119)
#define TRC_HVM_RDTSC            (TRC_HVM_HANDLER + 0x1a)
#define TRC_HVM_INTR_WINDOW      (TRC_HVM_HANDLER + 0x20)
#define TRC_HVM_NPF              (TRC_HVM_HANDLER + 0x21)
#define TRC_HVM_REALMODE_EMULATE (TRC_HVM_HANDLER + 0x22)
#define TRC_HVM_TRAP             (TRC_HVM_HANDLER + 0x23)
#define TRC_HVM_TRAP_DEBUG       (TRC_HVM_HANDLER + 0x24)
#define TRC_HVM_VLAPIC           (TRC_HVM_HANDLER + 0x25)
#define TRC_HVM_XCR_READ64       (TRC_HVM_HANDLER + 0x126)
#define TRC_HVM_XCR_WRITE64      (TRC_HVM_HANDLER + 0x127)

/* TRC_HVM_EMUL: emulated devices */
#define TRC_HVM_EMUL_HPET_START_TIMER  (TRC_HVM_EMUL + 1)
#define TRC_HVM_EMUL_PIT_START_TIMER   (TRC_HVM_EMUL + 2)
#define TRC_HVM_EMUL_RTC_START_TIMER   (TRC_HVM_EMUL + 3)
#define TRC_HVM_EMUL_LAPIC_START_TIMER (TRC_HVM_EMUL + 4)
#define TRC_HVM_EMUL_HPET_STOP_TIMER   (TRC_HVM_EMUL + 5)
#define TRC_HVM_EMUL_PIT_STOP_TIMER    (TRC_HVM_EMUL + 6)
#define TRC_HVM_EMUL_RTC_STOP_TIMER    (TRC_HVM_EMUL + 7)
#define TRC_HVM_EMUL_LAPIC_STOP_TIMER  (TRC_HVM_EMUL + 8)
#define TRC_HVM_EMUL_PIT_TIMER_CB      (TRC_HVM_EMUL + 9)
#define TRC_HVM_EMUL_LAPIC_TIMER_CB    (TRC_HVM_EMUL + 10)
#define TRC_HVM_EMUL_PIC_INT_OUTPUT    (TRC_HVM_EMUL + 11)
#define TRC_HVM_EMUL_PIC_KICK          (TRC_HVM_EMUL + 12)
#define TRC_HVM_EMUL_PIC_INTACK        (TRC_HVM_EMUL + 13)
#define TRC_HVM_EMUL_PIC_POSEDGE       (TRC_HVM_EMUL + 14)
#define TRC_HVM_EMUL_PIC_NEGEDGE       (TRC_HVM_EMUL + 15)
#define TRC_HVM_EMUL_PIC_PEND_IRQ_CALL (TRC_HVM_EMUL + 16)
#define TRC_HVM_EMUL_LAPIC_PIC_INTR    (TRC_HVM_EMUL + 17)

/* TRC_MEM: memory */
#define TRC_MEM_PAGE_GRANT_MAP         (TRC_MEM + 1)
#define TRC_MEM_PAGE_GRANT_UNMAP       (TRC_MEM + 2)
#define TRC_MEM_PAGE_GRANT_TRANSFER    (TRC_MEM + 3)
#define TRC_MEM_SET_P2M_ENTRY          (TRC_MEM + 4)
#define TRC_MEM_DECREASE_RESERVATION   (TRC_MEM + 5)
#define TRC_MEM_POD_POPULATE           (TRC_MEM + 16)
#define TRC_MEM_POD_ZERO_RECLAIM       (TRC_MEM + 17)
#define TRC_MEM_POD_SUPERPAGE_SPLINTER (TRC_MEM + 18)

/* TRC_PV_ENTRY: entries into Xen */
#define TRC_PV_HYPERCALL               (TRC_PV_ENTRY + 0x01)
#define TRC_PV_HYPERCALL64             (TRC_PV_ENTRY + 0x101)
#define TRC_PV_TRAP                    (TRC_PV_ENTRY + 0x03)
#define TRC_PV_TRAP64                  (TRC_PV_ENTRY + 0x103)
#define TRC_PV_PAGE_FAULT              (TRC_PV_ENTRY + 0x04)
#define TRC_PV_PAGE_FAULT64            (TRC_PV_ENTRY + 0x104)
#define TRC_PV_FORCED_INVALID_OP       (TRC_PV_ENTRY + 0x05)
#define TRC_PV_FORCED_INVALID_OP64     (TRC_PV_ENTRY + 0x105)
#define TRC_PV_EMULATE_PRIVOP          (TRC_PV_ENTRY + 0x06)
#define TRC_PV_EMULATE_PRIVOP64        (TRC_PV_ENTRY + 0x106)
#define TRC_PV_EMULATE_4GB             (TRC_PV_ENTRY + 0x07)
#define TRC_PV_MATH_STATE_RESTORE      (TRC_PV_ENTRY + 0x08)
#define TRC_PV_PAGING_FIXUP            (TRC_PV_ENTRY + 0x09)
#define TRC_PV_PAGING_FIXUP64          (TRC_PV_ENTRY + 0x109)
#define TRC_PV_GDT_LDT_MAPPING_FAULT   (TRC_PV_ENTRY + 0x0a)
#define TRC_PV_GDT_LDT_MAPPING_FAULT64 (TRC_PV_ENTRY + 0x10a)
#define TRC_PV_PTWR_EMULATION          (TRC_PV_ENTRY + 0x0b)
#define TRC_PV_PTWR_EMULATION64        (TRC_PV_ENTRY + 0x10b)
#define TRC_PV_PTWR_EMULATION_PAE      (TRC_PV_ENTRY + 0x0c)
#define TRC_PV_HYPERCALL_V2            (TRC_PV_ENTRY + 0x0d)

/* TRC_PV_SUBCALL: the calls of a multicall */
#define TRC_PV_HYPERCALL_SUBCALL (TRC_PV_SUBCALL + 14)

/* TRC_SHADOW: shadow paging */
#define TRC_SHADOW_NOT_SHADOW                 (TRC_SHADOW + 1)
#define TRC_SHADOW_FAST_PROPAGATE             (TRC_SHADOW + 2)
#define TRC_SHADOW_FAST_MMIO                  (TRC_SHADOW + 3)
#define TRC_SHADOW_FALSE_FAST_PATH            (TRC_SHADOW + 4)
#define TRC_SHADOW_MMIO                       (TRC_SHADOW + 5)
#define TRC_SHADOW_FIXUP                      (TRC_SHADOW + 6)
#define TRC_SHADOW_DOMF_DYING                 (TRC_SHADOW + 7)
#define TRC_SHADOW_EMULATE                    (TRC_SHADOW + 8)
#define TRC_SHADOW_EMULATE_UNSHADOW_USER      (TRC_SHADOW + 9)
#define TRC_SHADOW_EMULATE_UNSHADOW_EVTINJ    (TRC_SHADOW + 10)
#define TRC_SHADOW_EMULATE_UNSHADOW_UNHANDLED (TRC_SHADOW + 11)
#define TRC_SHADOW_WRMAP_BF                   (TRC_SHADOW + 12)
#define TRC_SHADOW_PREALLOC_UNPIN             (TRC_SHADOW + 13)
#define TRC_SHADOW_RESYNC_FULL                (TRC_SHADOW + 14)
#define TRC_SHADOW_RESYNC_ONLY                (TRC_SHADOW + 15)

/* TRC_HW_PM: power management */
#define TRC_PM_FREQ_CHANGE (TRC_HW_PM + 1)
#define TRC_PM_IDLE_ENTRY  (TRC_HW_PM + 2)
#define TRC_PM_IDLE_EXIT   (TRC_HW_PM + 3)

/* TRC_HW_IRQ: interrupts */
#define TRC_HW_IRQ_MOVE_CLEANUP_DELAY (TRC_HW_IRQ + 1)
#define TRC_HW_IRQ_MOVE_CLEANUP       (TRC_HW_IRQ + 2)
#define TRC_HW_IRQ_BIND_VECTOR        (TRC_HW_IRQ + 3)
#define TRC_HW_IRQ_CLEAR_VECTOR       (TRC_HW_IRQ + 4)
#define TRC_HW_IRQ_MOVE_FINISH        (TRC_HW_IRQ + 5)
#define TRC_HW_IRQ_ASSIGN_VECTOR      (TRC_HW_IRQ + 6)
#define TRC_HW_IRQ_UNMAPPED_VECTOR    (TRC_HW_IRQ + 7)
#define TRC_HW_IRQ_HANDLED            (TRC_HW_IRQ + 8)
/* END events: constants of your own go below */

/*
 * Since 4.19 the vendor is in the name, and AMD's exits have an id of their
 * own.
 */
#define TRC_HVM_VMX_EXIT   TRC_HVM_VMEXIT
#define TRC_HVM_VMX_EXIT64 TRC_HVM_VMEXIT64

/*
 * Events of TRC_SCHED_CLASS carry the scheduler's id in the top three bits
 * of the minor, which leaves 512 events to each of eight schedulers.
 */
#define TRC_SCHED_ID_BITS 3
#define TRC_SCHED_ID_SHIFT (TRC_SUBCLS_SHIFT - TRC_SCHED_ID_BITS)
#define TRC_SCHED_ID_MASK \
    (((1UL << TRC_SCHED_ID_BITS) - 1) << TRC_SCHED_ID_SHIFT)
#define TRC_SCHED_EVT_MASK (~(TRC_SCHED_ID_MASK))

#define TRC_SCHED_CSCHED   0
#define TRC_SCHED_CSCHED2  1
/* 2 was SEDF */
#define TRC_SCHED_ARINC653 3
#define TRC_SCHED_RTDS     4
#define TRC_SCHED_SNULL    5

#define TRC_SCHED_CLASS_EVT(_c, _e)                                     \
    ((TRC_SCHED_CLASS |                                                 \
      ((TRC_SCHED_##_c << TRC_SCHED_ID_SHIFT) & TRC_SCHED_ID_MASK)) +   \
     ((_e) & TRC_SCHED_EVT_MASK))

/* Flags within a minor. */
#define TRC_64_FLAG        0x100 /* HVM, PV: addresses are 64 bits wide */
#define TRC_HVM_NESTEDFLAG 0x400 /* exit of a nested guest */

/*
 * HYPERCALL_V2 and SUBCALL: word 0 is the hypercall's number (bits 0-19) and
 * above it two bits for each of its six arguments: 0 not recorded, 1 as one
 * word, 2 as two words, low half first. The recorded arguments follow in
 * order. TRC_64_FLAG is never set.
 */
#define TRC_PV_HYPERCALL_V2_ARG_32(i) (0x1 << (20 + 2 * (i)))
#define TRC_PV_HYPERCALL_V2_ARG_64(i) (0x2 << (20 + 2 * (i)))
#define TRC_PV_HYPERCALL_V2_ARG_MASK  (0xfff00000U)

/* One record, as drawn above. */
struct t_rec {
    uint32_t event:28;
    uint32_t extra_u32:3;        /* payload words */
    uint32_t cycles_included:1;  /* which half of the union is valid */
    union {
        struct {
            uint32_t cycles_lo, cycles_hi;
            uint32_t extra_u32[7];
        } cycles;
        struct {
            uint32_t extra_u32[7];
        } nocycles;
    } u;
};

/*
 * One ring: this header, then `size` bytes of records, together a whole
 * number of pages.  cons and prod count bytes modulo 2 * size, so that an
 * empty ring (equal) and a full one (size apart) differ; byte x of the ring
 * stands at x % size.  The reader moves cons, Xen moves prod.  No record
 * straddles the end: a TRC_TRACE_WRAP_BUFFER record fills what is left.
 */
struct t_buf {
    uint32_t cons;
    uint32_t prod;
    /* records */
};

/*
 * The directory of all rings, shared read-only. mfn_offset[cpu] is the offset
 * of the cpu's list of tbuf_size frame numbers (uint32_t), in uint32_t from
 * the start of this struct; 0: the cpu has no ring.
 */
struct t_info {
    uint16_t tbuf_size;
    uint16_t mfn_offset[];
    /* lists of frame numbers */
};

/*
 * How a reader of a crash dump finds the rings: one object of this type, on a
 * boundary of 64 bytes, in the read-only data of Xen's image.  The image is
 * contiguous in machine memory.  The magic may occur elsewhere in a dump: the
 * object is at the machine address that root_table gives for `self`.
 *
 * Addresses are virtual.  A newer version only adds fields at the end.
 */
#define XEN_TRACE_CRASH_MAGIC   "Xen trace rings"
#define XEN_TRACE_CRASH_VERSION 1

struct xen_trace_crash_info {
    char magic[16];
    uint32_t version;
    uint32_t size;                  /* of this struct */
    unsigned long self;             /* this object */
    unsigned long root_table;       /* page tables, of Xen; 0: not known */
    unsigned long nr_cpus;          /* uint32_t: possible CPUs */
    unsigned long khz;              /* uint32_t: frequency of time stamps */
    unsigned long rings;            /* pointer to the directory; NULL: none */
    unsigned long percpu_offset;    /* array of long, of each CPU */
    unsigned long ring;             /* per-CPU struct, without the offset */
    unsigned long parked;           /* pointer to the array of such structs of
                                       CPUs that have none (page is NULL) */
    uint32_t info;                  /* in the directory: pointer to t_info */
    uint32_t ring_size;             /* the struct, and offsets in it: */
    uint32_t state;                 /* uint64_t; bit 63: bits 32 to 62 are the
                                       losses since the last LOST record */
    uint32_t page;                  /* pointer to the array of the pages'
                                       addresses, and behind the last page, in
                                       overwrite mode, to uint32_t first[page]:
                                       bits 0 to 27 are the place of a record
                                       that begins in the page; 0: none */
    uint32_t prod;                  /* pointer to prod; to `hidden`: overwrite
                                       mode, t_buf is not in use */
    uint32_t hidden;                /* uint32_t: prod in overwrite mode */
};

/*
 * Operations of XEN_SYSCTL_tbuf_op in addition to those of sysctl.h, numbered
 * from 0x100 on.  A hypervisor without them returns -EINVAL, as for any unknown
 * operation, and changes nothing: a tool may probe.  The structs of sysctl.h
 * are unchanged, and so is XEN_SYSCTL_INTERFACE_VERSION.
 *
 * state      Read the state of tracing: struct xen_sysctl_tbuf_state.
 * overwrite  Keep the newest records: the rings become a flight recorder,
 *            empty for a reader until freeze.  Unread records are discarded.
 *            No reader may drain during overwrite or freeze: a late store to
 *            cons would be out of place.
 * freeze     End overwriting: stop tracing and publish the records in the
 *            rings; a ring that wrapped has all but one page and a record.
 *            A later enable continues behind them, without overwriting.
 * free       Stop tracing and free the memory of the rings.  Afterwards
 *            set_size may choose another size.
 * resize     Replace the rings by rings of `size` (IN) pages.  Unread records
 *            are discarded, counters and masks stay, tracing continues if it
 *            was on (without overwriting).
 *
 * All but state use struct xen_sysctl_tbuf_op; resize reads its `size`, the
 * others none of its fields.
 *
 * -EINVAL without rings, with nothing to freeze, for size 0, or for another
 * version of the struct of state.  While a reader has a page mapped free and
 * resize return -EBUSY; without memory resize returns -ENOMEM.  Both leave
 * everything unchanged.
 */
#define XEN_SYSCTL_TBUFOP_state     0x100
#define XEN_SYSCTL_TBUFOP_overwrite 0x101
#define XEN_SYSCTL_TBUFOP_freeze    0x102
#define XEN_SYSCTL_TBUFOP_free      0x103
#define XEN_SYSCTL_TBUFOP_resize    0x104

#define XEN_TBUF_STATE_VERSION 1

#define XEN_TBUF_ENABLED   (1U << 0) /* tracing now */
#define XEN_TBUF_OVERWRITE (1U << 1) /* flight recorder */

#define XEN_TBUF_CPU_RING   (1U << 0) /* has a ring */
#define XEN_TBUF_CPU_MASKED (1U << 1) /* excluded by the cpu mask */
#define XEN_TBUF_CPU_ONLINE (1U << 2)

/* Not for guests, and with types of xen.h: include it before. */
#if (defined(__XEN__) || defined(__XEN_TOOLS__)) && \
    defined(__XEN_PUBLIC_XEN_H__)

struct xen_tbuf_cpu {
    uint32_t flags;             /* XEN_TBUF_CPU_* */
    uint32_t pad;               /* 0 */
    uint64_aligned_t lost;      /* records lost since boot, reported or not */
};
typedef struct xen_tbuf_cpu xen_tbuf_cpu_t;
DEFINE_XEN_GUEST_HANDLE(xen_tbuf_cpu_t);

/*
 * In the place of struct xen_sysctl_tbuf_op, within the union of struct
 * xen_sysctl, and not larger.
 */
struct xen_sysctl_tbuf_state {
    uint32_t cmd;               /* IN: XEN_SYSCTL_TBUFOP_state */
    uint32_t version;           /* IN: XEN_TBUF_STATE_VERSION */
    /* OUT: the first nr_cpus entries, or as many as there are */
    XEN_GUEST_HANDLE_64(xen_tbuf_cpu_t) cpus;
    uint32_t nr_cpus;           /* IN: room in cpus.  OUT: possible cpus */
    uint32_t flags;             /* OUT: XEN_TBUF_* */
    uint32_t evt_mask;          /* OUT */
    uint32_t pages;             /* OUT: of each ring; 0: no rings */
};

#endif /* __XEN__ || __XEN_TOOLS__ */

#endif /* __XEN_PUBLIC_TRACE_H__ */
