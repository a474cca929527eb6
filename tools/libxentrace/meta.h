/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metadata records of the collector, about the machine and the capture, as
 * structs. events/11-meta.trace-events declares the records.
 *
 *     struct xt_meta m;
 *
 *     if ( xt_meta_decode(&m, &record) && m.event == TRC_META_TSC )
 *         hz = m.tsc.hz;
 *
 * The generated structs have the layout of the payloads, so that encoding is
 * copying, on machines of Xen's byte order.
 */
#ifndef LIBXENTRACE_META_H
#define LIBXENTRACE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/record.h"
#include "libxentrace/records.h"

struct xt_meta
{
    uint32_t event;     /* TRC_META_...: selects the member */
    union
    {
        struct xt_rec_meta_version version;
        struct xt_rec_meta_tsc tsc;
        struct xt_rec_meta_clock clock;
        struct xt_rec_meta_start start;
        struct xt_rec_meta_end end;
        struct xt_rec_meta_xen xen;
        struct xt_rec_meta_text text;
        struct xt_rec_meta_boot_id boot_id;
        struct xt_rec_meta_cpu cpu;
        struct xt_rec_meta_pool pool;
        struct xt_rec_meta_domain domain;
        struct xt_rec_meta_domain_name domain_name;
        struct xt_rec_meta_vcpu vcpu;
        struct xt_rec_meta_affinity affinity;
        struct xt_rec_meta_lost lost;
        struct xt_rec_meta_domain_uuid domain_uuid;
        struct xt_rec_meta_domain_weight domain_weight;
        struct xt_rec_meta_vcpu_budget vcpu_budget;
        struct xt_rec_meta_pool_times pool_times;
        struct xt_rec_meta_irq_name irq_name;
        struct xt_rec_meta_cut cut;
    };
};

/* False if the record is not metadata.  Additional words are ignored. */
bool xt_meta_decode(struct xt_meta *m, const struct xt_record *r);

#define XT_META_MAX_BYTES (4u + 4u * XT_RECORD_MAX_WORDS)

/*
 * Write the record of m->event at `to`.  Returns its size, at most
 * XT_META_MAX_BYTES.
 */
size_t xt_meta_encode(const struct xt_meta *m, void *to);

/* --- texts in parts ------------------------------------------------------- */

#define XT_META_PART 24u
#define XT_META_TEXT_MAX (255u * XT_META_PART)

/* Number of parts for a text of `length` bytes; a longer text is truncated. */
unsigned int xt_meta_count_parts(size_t length);

/* Copy part i of a text to t0, padded with zeroes. */
void xt_meta_copy_part(void *t0, const char *text, size_t length,
                       unsigned int i);

/* Set m->text to part i of a text, except for its kind. */
void xt_meta_set_part(struct xt_meta *m, const char *text, unsigned int i);

/* A partial text.  All zero: none. */
struct xt_meta_text
{
    unsigned int parts;             /* parts that have come */
    char text[XT_META_TEXT_MAX + 1];
};

/*
 * Add part `part` of `parts`, from t0.  True with the last part: t->text is
 * complete.  A text with a missing part is dropped.
 */
bool xt_meta_text_add(struct xt_meta_text *t, unsigned int part,
                      unsigned int parts, const void *t0);

#endif /* LIBXENTRACE_META_H */
