/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exit reasons of Intel and AMD: their names, and a dense number for each (the
 * CAUSE), the index of arrays of counters.  All reasons without a name share
 * the cause EXIT_OTHER; the raw `reason` distinguishes them.
 */
#ifndef XENALYZE_MODEL_EXIT_REASONS_H
#define XENALYZE_MODEL_EXIT_REASONS_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/libxentrace.h"

/* Causes: Intel's basic reasons, AMD's low codes, AMD's high codes, others. */
#define EXIT_VMX 0u
#define EXIT_NR_VMX 96u         /* from there on, reasons are only AMD's:
                                   xt_exit_is_svm() */
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
    /* The high bits are flags. */
    return (uint16_t)reason < EXIT_NR_VMX ? (uint16_t)reason : EXIT_OTHER;
}

/* The reasons, on both kinds of hardware, that conclusions depend on. */
#define EXIT_VMX_INTERRUPT 1u
#define EXIT_VMX_PORT 30u
#define EXIT_VMX_PAUSE 40u
#define EXIT_SVM_INTERRUPT 0x60u
#define EXIT_SVM_PAUSE 0x77u
#define EXIT_SVM_PORT 0x7bu

/* An interrupt of the host. */
static inline bool exit_is_interrupt(unsigned int hardware, uint32_t reason)
{
    return reason == (hardware == XT_HARDWARE_SVM ? EXIT_SVM_INTERRUPT
                                                  : EXIT_VMX_INTERRUPT);
}

/* An instruction that reads or writes a port. */
static inline bool exit_is_port(unsigned int hardware, uint32_t reason)
{
    return reason == (hardware == XT_HARDWARE_SVM ? EXIT_SVM_PORT
                                                  : EXIT_VMX_PORT);
}

/* The PAUSE instruction, repeated: the guest spins. */
static inline bool exit_is_pause(unsigned int hardware, uint32_t reason)
{
    return reason == (hardware == XT_HARDWARE_SVM ? EXIT_SVM_PAUSE
                                                  : EXIT_VMX_PAUSE);
}

/* "HLT", "VMEXIT_NPF"; NULL: no name. */
const char *exit_name(unsigned int cause);

/* The vendor's reason of a cause. */
uint32_t exit_reason(unsigned int cause);

#endif /* XENALYZE_MODEL_EXIT_REASONS_H */
