/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the collector writes of the machine and of the capture, as structs.
 * The records, and the rules for them, are events/11-meta.trace-events.
 *
 *     struct xt_meta m;
 *
 *     if ( xt_meta_decode(&m, &record) && m.event == TRC_META_TSC )
 *         hz = m.tsc.hz;
 *
 * Their payloads are laid out as the structs that are generated from there, so
 * to encode is to copy; on machines of the one byte order that Xen runs on.
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
    uint32_t event;     /* TRC_META_...: which of these it is */
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
    };
};

/* False: not one of these.  Words that it has beyond those are passed over. */
bool xt_meta_decode(struct xt_meta *m, const struct xt_record *r);

#define XT_META_MAX_BYTES (4u + 4u * XT_RECORD_MAX_WORDS)

/* The record of m->event, at `to`: its size, at most XT_META_MAX_BYTES. */
size_t xt_meta_encode(const struct xt_meta *m, void *to);

/* --- texts, which come in parts ------------------------------------------ */

#define XT_META_PART 24u
#define XT_META_TEXT_MAX (255u * XT_META_PART)

/* How many parts a text of so many bytes has; one too long is cut. */
unsigned int xt_meta_count_parts(size_t length);

/* Part i of a text, at the record's t0, filled up with zeroes. */
void xt_meta_copy_part(void *t0, const char *text, size_t length,
                       unsigned int i);

/* A text on its way.  All zero: none. */
struct xt_meta_text
{
    unsigned int parts;             /* so many have come */
    char text[XT_META_TEXT_MAX + 1];
};

/*
 * Part `part` of `parts`, at t0.  True: that was the last, and t->text is the
 * text.  If a part is missing, so is the text.
 */
bool xt_meta_text_add(struct xt_meta_text *t, unsigned int part,
                      unsigned int parts, const void *t0);

#endif /* LIBXENTRACE_META_H */
