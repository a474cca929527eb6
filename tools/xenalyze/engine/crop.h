/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sinks in front of sinks: they let through what somebody wants to see, and cut
 * what reaches over the borders of a span of time.
 */
#ifndef XENALYZE_ENGINE_CROP_H
#define XENALYZE_ENGINE_CROP_H

#include "common/arena.h"
#include "xenalyze/engine/engine.h"

/* Does anything have to be kept from anybody? */
bool clip_is_needed(const struct analyze_options *o);

/*
 * *out: as many sinks, each in front of one of `sinks`; all in `arena`.  0 or
 * -ENOMEM.
 */
int clip_sinks(struct arena *arena, const struct analyze_options *o,
               const struct sink *sinks, size_t nr, struct sink **out);

#endif /* XENALYZE_ENGINE_CROP_H */
