/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a guest left: reasons of Intel and AMD by name, and all that a record
 * can claim as a dense number (the CAUSE), so that whoever counts can do so
 * in an array.  What has no name has a cause, too: EXIT_OTHER for the lot of
 * them, told apart by `reason`.
 */
#ifndef XENALYZE_MODEL_EXIT_REASONS_H
#define XENALYZE_MODEL_EXIT_REASONS_H

#include <stdint.h>

#include "libxentrace/libxentrace.h"

/* Causes: Intel's basic reasons, AMD's low codes, AMD's high ones, others. */
#define EXIT_VMX 0u
#define EXIT_NR_VMX 128u
#define EXIT_SVM (EXIT_VMX + EXIT_NR_VMX)
#define EXIT_NR_SVM 256u
#define EXIT_SVM_HIGH (EXIT_SVM + EXIT_NR_SVM)
#define EXIT_NR_SVM_HIGH 16u
#define EXIT_OTHER (EXIT_SVM_HIGH + EXIT_NR_SVM_HIGH)
#define EXIT_CAUSES (EXIT_OTHER + 1)

unsigned int exit_cause_svm(uint32_t reason);

/* hardware: enum xt_hardware; unknown counts as Intel's. */
static inline unsigned int exit_cause(unsigned int hardware, uint32_t reason)
{
    if ( hardware == XT_HARDWARE_SVM )
        return exit_cause_svm(reason);
    /* The high bits say how it went, not why it came to that. */
    return (uint16_t)reason < EXIT_NR_VMX ? (uint16_t)reason : EXIT_OTHER;
}

/* "HLT", "VMEXIT_NPF"; NULL: it has none. */
const char *exit_name(unsigned int cause);

/* The reason that a cause stands for, as both makers number them. */
uint32_t exit_reason(unsigned int cause);

#endif /* XENALYZE_MODEL_EXIT_REASONS_H */
