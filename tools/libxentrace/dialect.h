/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The dialect of a trace: the version of Xen and the hardware.  Our collector
 * records both; in a trace of stock xentrace some records imply them: by their
 * size, by an id of only one version, by a word that only one kind of hardware
 * omits.
 */
#ifndef LIBXENTRACE_DIALECT_H
#define LIBXENTRACE_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/record.h"

/* Values as in the record meta_xen. */
enum xt_hardware { XT_HARDWARE_UNKNOWN, XT_HARDWARE_VMX, XT_HARDWARE_SVM };

/* All zero: nothing is known. */
struct xt_dialect
{
    uint16_t version;           /* 0x0413: 4.19, or a version like it */
    uint8_t hardware;           /* enum xt_hardware, or a value of meta_xen */
    bool from_metadata;         /* meta_xen is known: no further record counts
                                 */
};

/* Learn from a record.  The first result is kept. */
void xt_dialect_learn(struct xt_dialect *d, const struct xt_record *r);

/* An exit reason that only AMD has; bits above 15 are flags of Intel. */
static inline bool xt_exit_is_svm(uint32_t reason)
{
    return (reason >= 0x60 && reason <= 0xffff) || reason == UINT32_MAX;
}

/* Set what the trace does not tell, from the user; 0 if unknown. */
void xt_dialect_assume(struct xt_dialect *d, uint16_t version,
                       enum xt_hardware hardware);

/*
 * Can a record of this event change the dialect?  Its id rules most events out.
 */
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

/* True if no record can add anything. */
static inline bool xt_dialect_is_known(const struct xt_dialect *d)
{
    return d->from_metadata || (d->version && d->hardware);
}

#endif /* LIBXENTRACE_DIALECT_H */
