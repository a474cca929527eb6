/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the numbers in facts; where stock xenalyze has a name, the same.
 * Each function returns NULL for a number without a name.
 */
#ifndef XENALYZE_MODEL_NAMES_H
#define XENALYZE_MODEL_NAMES_H

#include <stdint.h>

const char *state_name(unsigned int state);             /* enum fact_state */
const char *state_label(unsigned int state);            /* in pictures: the word
                                    of our tables, "waiting" for "runnable" */
const char *why_name(unsigned int why);
const char *domain_state_name(unsigned int state);
const char *pcpu_state_name(unsigned int state);
const char *handler_name(unsigned int minor);           /* fact_exit.handler */
const char *shadow_name(unsigned int kind);             /* of page faults;
                                    SHADOW_KINDS: without any event */
const char *hypercall_name(unsigned int number);
const char *pv_name(unsigned int kind);
const char *memory_name(unsigned int kind);
const char *pod_context_name(unsigned int context);
const char *irq_kind_name(unsigned int kind);
const char *xen_vector_name(uint64_t vector);           /* "local-timer" */
const char *volume_name(unsigned int kind);
const char *anomaly_name(unsigned int kind);            /* a few words */

#endif /* XENALYZE_MODEL_NAMES_H */
