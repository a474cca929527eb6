/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host and its domains, from the metadata of a trace: types, UUIDs,
 * weights, affinity, schedulers, topology, names of interrupts.
 *
 *     struct xt_host h = { .nr = 0 };
 *
 *     for each metadata record m: xt_host_add(&h, &m);
 *     xt_host_finish(&h);
 *     weight = xt_host_weight(&h, 1);      // of d1; NULL: unknown
 *
 * A later record replaces an earlier record about the same object, and a
 * meta_domain record replaces all records about its domain.  All values come
 * from a file and may be absurd; only the keys of objects are checked.
 */
#ifndef LIBXENTRACE_HOST_H
#define LIBXENTRACE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/meta.h"
#include "libxentrace/window.h"

/*
 * The collector asks for the states of all vcpus (meta_vcpu) when a capture
 * begins, which takes at most this time.
 */
#define XT_HOST_SNAPSHOT_NS 1000000000u

/* Records beyond this number of different objects are ignored. */
#define XT_HOST_MAX (1u << 18)

struct xt_host_entry
{
    uint64_t key;               /* kind and object */
    uint64_t number;            /* order of arrival */
    struct xt_meta m;
};

/* All bytes 0: nothing is known. */
struct xt_host
{
    struct xt_host_entry *all;  /* after xt_host_finish() by key, each once */
    size_t nr, room;
    uint64_t number;
    bool is_full;               /* records were ignored */
};

/* Add a record; those about other things are ignored.  0 or -ENOMEM. */
int xt_host_add(struct xt_host *h, const struct xt_meta *m);

/* Sort; to be called between the last record and the first query. */
void xt_host_finish(struct xt_host *h);

void xt_host_fini(struct xt_host *h);

/* --- queries; NULL: unknown ----------------------------------------------- */

/*
 * The first object of this kind (TRC_META_DOMAIN ...) with `after` NULL, or the
 * next.
 */
const struct xt_meta *xt_host_next(const struct xt_host *h, uint32_t event,
                                   const struct xt_meta *after);

const struct xt_rec_meta_domain *xt_host_domain(const struct xt_host *h,
                                                unsigned int id);
const struct xt_rec_meta_domain_uuid *xt_host_uuid(const struct xt_host *h,
                                                   unsigned int domain);
const struct xt_rec_meta_domain_weight *
xt_host_weight(const struct xt_host *h, unsigned int domain);
const struct xt_rec_meta_vcpu_budget *
xt_host_budget(const struct xt_host *h, unsigned int domain,
               unsigned int vcpu);
const struct xt_rec_meta_pool *xt_host_pool(const struct xt_host *h,
                                            unsigned int pool);
const struct xt_rec_meta_pool_times *
xt_host_pool_times(const struct xt_host *h, unsigned int pool);
const struct xt_rec_meta_cpu *xt_host_cpu(const struct xt_host *h,
                                          unsigned int cpu);

bool xt_host_domain_is_pv(const struct xt_rec_meta_domain *d);

/* Paused by the toolstack, or shut down: no vcpu of the domain may run. */
bool xt_host_domain_is_stopped(const struct xt_rec_meta_domain *d);

/* "PV", "PVH", "HVM", or "HVM or PVH". */
const char *xt_host_domain_type(const struct xt_rec_meta_domain *d);

/* --- affinity ------------------------------------------------------------- */

enum xt_affinity_kind { XT_AFFINITY_HARD, XT_AFFINITY_SOFT };

enum xt_affinity
{
    XT_AFFINITY_UNKNOWN,
    XT_AFFINITY_ANY,            /* all pcpus; soft: no preference */
    XT_AFFINITY_MASK,           /* bit n % 64 of word n / 64 is pcpu n */
};

#define XT_AFFINITY_WORDS (XT_MAX_CPUS / 64)

/* Fills in `mask` if it returns XT_AFFINITY_MASK. */
enum xt_affinity xt_host_affinity(const struct xt_host *h, unsigned int domain,
                                  unsigned int vcpu,
                                  enum xt_affinity_kind kind,
                                  uint64_t mask[XT_AFFINITY_WORDS]);

/*
 * The first vcpu from `vcpu` on with records of its own; XT_VCPU_OTHERS for the
 * records about all other vcpus; -1: there is none.
 */
#define XT_VCPU_OTHERS 0xffff

int xt_host_next_pinned(const struct xt_host *h, unsigned int domain,
                        unsigned int vcpu);

#define XT_AFFINITY_TEXT_MAX 256u   /* a longer text ends in "..." */

/*
 * "0-3,8" or "all", of the vcpu or of XT_VCPU_OTHERS.  False: unknown; soft: no
 * preference.
 */
bool xt_host_affinity_text(const struct xt_host *h, unsigned int domain,
                           unsigned int vcpu, enum xt_affinity_kind kind,
                           char text[XT_AFFINITY_TEXT_MAX]);

/* --- topology ------------------------------------------------------------- */

/* Pcpus that are not offline, and the units that they are in. */
struct xt_topology
{
    unsigned int cpus, cores, sockets, nodes;
};

/* 0 or -ENOMEM. */
int xt_host_count_units(const struct xt_host *h, struct xt_topology *t);

/* Numbers of schedulers, as Xen has them. */
enum xt_scheduler
{
    XT_SCHEDULER_UNKNOWN = 0,
    XT_SCHEDULER_SEDF = 4,
    XT_SCHEDULER_CREDIT,
    XT_SCHEDULER_CREDIT2,
    XT_SCHEDULER_ARINC653,
    XT_SCHEDULER_RTDS,
    XT_SCHEDULER_NULL,
    XT_SCHEDULERS
};

/* "credit2"; NULL: unknown. */
const char *xt_scheduler_name(uint32_t scheduler);

/* --- interrupts ----------------------------------------------------------- */

#define XT_IRQ_TEXT_MAX 97u     /* a longer text is cut; with its 0 */

/*
 * The line of dom0's interrupt; bytes that are not printable ASCII are replaced
 * by "?".
 */
bool xt_host_irq_text(const struct xt_host *h, unsigned int irq,
                      char text[XT_IRQ_TEXT_MAX]);

/*
 * The device of Xen's interrupt, such as "i8042".  False: unknown, or the line
 * is of an interrupt whose number is dom0's alone.
 */
bool xt_host_irq_device(const struct xt_host *h, unsigned int irq,
                        char text[XT_IRQ_TEXT_MAX]);

/* --- UUIDs ---------------------------------------------------------------- */

#define XT_UUID_TEXT 37u        /* with its 0 */

void xt_uuid_format(const struct xt_rec_meta_domain_uuid *u,
                    char text[XT_UUID_TEXT]);

#endif /* LIBXENTRACE_HOST_H */
