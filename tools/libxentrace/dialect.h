/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which Xen a trace is of.  A trace that our collector wrote says so; stock's
 * does not, but some records give it away: by their size, by an id that only
 * one version has, by a word that only one CPU leaves out.
 */
#ifndef LIBXENTRACE_DIALECT_H
#define LIBXENTRACE_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/record.h"

/* As the record meta_xen has them. */
enum xt_hardware { XT_HARDWARE_UNKNOWN, XT_HARDWARE_VMX, XT_HARDWARE_SVM };

/* All zero: nothing is known. */
struct xt_dialect
{
    uint16_t version;           /* 0x0413: 4.19, or as good as */
    uint8_t hardware;           /* enum xt_hardware, or as meta_xen said */
    bool from_metadata;         /* by meta_xen: no need to guess */
};

/* Note what this record gives away.  What was found first, stays. */
void xt_dialect_learn(struct xt_dialect *d, const struct xt_record *r);

/*
 * What the user says, for what the trace neither says nor gives away; 0, of
 * either: he does not.
 */
void xt_dialect_assume(struct xt_dialect *d, uint16_t version,
                       enum xt_hardware hardware);

/* Is it worth a look?  Of most records one at their event is enough. */
static inline bool xt_dialect_may_learn(uint32_t event)
{
    switch ( event >> TRC_SUBCLS_SHIFT )
    {
    case TRC_GEN >> TRC_SUBCLS_SHIFT:
    case TRC_HVM_HANDLER >> TRC_SUBCLS_SHIFT:
    case TRC_MEM >> TRC_SUBCLS_SHIFT:
    case TRC_SHADOW >> TRC_SUBCLS_SHIFT:
        return true;
    case TRC_HVM_ENTRYEXIT >> TRC_SUBCLS_SHIFT:
        return event != TRC_HVM_VMENTRY;
    }
    return false;
}

/* Nothing more to learn? */
static inline bool xt_dialect_is_known(const struct xt_dialect *d)
{
    return d->from_metadata || (d->version && d->hardware);
}

#endif /* LIBXENTRACE_DIALECT_H */
