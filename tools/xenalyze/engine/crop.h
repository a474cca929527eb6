/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters in front of sinks: drop facts about other pcpus and vcpus than the
 * wanted ones, and crop facts to a span of time.
 */
#ifndef XENALYZE_ENGINE_CROP_H
#define XENALYZE_ENGINE_CROP_H

#include "common/arena.h"
#include "xenalyze/engine/engine.h"

/* Do the options restrict facts at all? */
bool crop_is_needed(const struct analyze_options *o);

/*
 * Facts that end before this time have no effect: the begin of the span, or
 * some time before the span if a sink has `early_facts`.
 */
uint64_t crop_find_begin(const struct analyze_options *o,
                         const struct xt_clock *clock,
                         const struct sink *sinks, size_t nr);

/*
 * Records up to this time are read.  Those behind the selected span name the
 * pcpu of a wait and the reason of a blocked time.  A VM exit belongs to the
 * span in which it begins, and may end long behind, since the guest may sleep.
 */
uint64_t crop_choose_stop(const struct analyze_options *o,
                          const struct xt_clock *clock,
                          const struct sink *sinks, size_t nr);

/*
 * *out: an array of filters, each in front of the sink of the same index,
 * allocated in `arena`.  0 or -ENOMEM.
 */
int crop_sinks(struct arena *arena, const struct analyze_options *o,
               const struct sink *sinks, size_t nr, struct sink **out);

#endif /* XENALYZE_ENGINE_CROP_H */
