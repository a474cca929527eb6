/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict on a vcpu: which causes made the vcpu wait, largest first, in
 * words for an administrator.  The rules are rows of a table in verdict.c.
 */
#ifndef XENALYZE_ACCOUNT_VERDICT_H
#define XENALYZE_ACCOUNT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xenalyze/account/device-access.h"
#include "xenalyze/account/wait-cause.h"

struct verdict_rule
{
    enum wait_cause cause;
    /* Does the rule fit?  NULL: always.  The first row that fits counts. */
    bool (*test)(const struct wait_vcpu *v);
    const char *name;           /* in JSON */
    const char *headline;       /* a sentence without its subject, at most 44
                                   characters if a rival follows */
    const char *why;            /* explains the share of the waiting time */
    const char *help;           /* advice */
};

/* The rule for a cause of the vcpu's waits. */
const struct verdict_rule *verdict_find_rule(const struct wait_vcpu *v,
                                             enum wait_cause cause);

struct verdict_finding
{
    enum wait_cause cause;
    uint64_t cycles;
    const struct verdict_rule *rule;
    const struct wait_moment *worst;
};

/* Causes of the vcpu's waits, largest first; returns their number. */
size_t verdict_find(const struct wait_vcpu *v,
                    struct verdict_finding findings[WAIT_CAUSES]);

/*
 * The rule for the headline: that of the largest cause.  The usual rate limit
 * only prolongs the run of another vcpu, so its time counts as that vcpu's; a
 * longer limit is a cause of its own.
 */
const struct verdict_rule *verdict_find_headline(const struct wait_causes *w,
                                                 const struct wait_vcpu *v);

/*
 * The rule for a vcpu that loses more time to emulated devices than to waiting
 * for a pcpu, and at least 5 % of its time; NULL: this is no cause.
 */
const struct verdict_rule *verdict_find_device(const struct wait_vcpu *v,
                                               const struct access_vcpu *a);

/* Time in which the state of the vcpu is known. */
uint64_t verdict_known_time(const struct wait_vcpu *v);

/*
 * Does the vcpu wait too long?  That is at least 5 % of its time; or 1 %, if
 * that is 10 % of the time in which it wanted to run, with a p99 of at least
 * 100 us.
 */
bool verdict_is_slow(const struct wait_causes *w, const struct wait_vcpu *v);

#endif /* XENALYZE_ACCOUNT_VERDICT_H */
