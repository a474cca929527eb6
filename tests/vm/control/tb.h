/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace control operations as dom0 sees them: one hypercall each, without
 * retries, since their results are under test; and a reader of the mapped rings
 * that checks all records.
 *
 * Built with -include .../public/trace.h of the tree under test, behind
 * xen/sysctl.h: it defines the operations from 0x100 on.
 */
#ifndef TB_H
#define TB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xen/xen.h>
#include <xen/trace.h>

#define MAX_CPUS 64

/* Hypercalls.  All return 0 or -errno. */
int tb_open(void);
int tb_op(uint32_t cmd, uint32_t arg);          /* size or evt_mask */
int tb_cpu_mask(uint64_t cpus, uint32_t bits);
int tb_info(uint64_t *mfn, uint32_t *bytes, uint32_t *evt_mask);

/* The decoded result of XEN_SYSCTL_TBUFOP_state. */
struct tb_state {
    struct xen_sysctl_tbuf_state head;
    struct xen_tbuf_cpu cpu[MAX_CPUS];
};
int tb_state(struct tb_state *s);
/*
 * The same with room for `nr` pcpus, as a struct of this version; the room
 * behind keeps the byte 0xa5, unless Xen writes there.
 */
int tb_state_part(struct tb_state *s, uint32_t nr, uint32_t version);

int tb_hotplug(unsigned int cpu, bool up);
long long tb_free_pages(void);
/* A hypercall without effect, traced with this number; `id` is that of the
   vcpu. */
void tb_number(uint32_t id, uint32_t number);

/* Arguments of the numbered hypercalls. */
#define NUMBER_CMD 0x5e000000u      /* vcpu_op has no such command */
#define FIRST_NUMBER 0x10000u

/* The rings, mapped. */
struct tb_view {
    const struct t_info *info;
    unsigned int info_pages;
    unsigned int pages;            /* per ring */
    unsigned int cpus;
    uint32_t data_size;
    struct t_buf *buf[MAX_CPUS];   /* NULL: none */
};
int tb_map_open(void);
int tb_map(struct tb_view *v, unsigned int cpus);
int tb_map_page(void **page, uint32_t mfn);
void tb_unmap_page(void *page);
void tb_unmap(struct tb_view *v);

/* Results of reading one ring; initialize with zeroes. */
#define MAX_IDS 16
struct tb_seen {
    uint64_t records, bytes, pads, lost_records, lost, empty;
    uint64_t last_tsc;
    uint64_t lost_since[MAX_IDS];  /* losses since the last number of the id */
    uint32_t number[MAX_IDS];      /* last of tb_number() */
    uint64_t numbers;
    uint64_t gaps;                 /* missing numbers, accounted for as lost */
    unsigned int errors;
    char error[240];               /* the first error */
};

/*
 * Read and consume all records.  `strict`: missing numbers are an error unless
 * at least as many records were lost.
 */
void tb_drain(struct tb_view *v, unsigned int cpu, struct tb_seen *s,
              bool strict);
void tb_drain_all(struct tb_view *v, struct tb_seen *s, bool strict);

#endif
