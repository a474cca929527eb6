/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has mistaken a domain learns which there are, and gets no empty tables.
 */
#ifndef XENALYZE_NO_MATCH_H
#define XENALYZE_NO_MATCH_H

#include <stdbool.h>

#include "xenalyze/filter/filter.h"
#include "xenalyze/model/model.h"
#include "xenalyze/outputs.h"

/* When a segment ends: is none of the vcpus that there are so far, or of the
   pcpus of the segment? */
bool nobody_is_wanted(const struct filter *f, const struct guests *guests,
                      const struct fact_end *end);

/*
 * After a pass that found nothing for --pcpu, --domain and --vcpu: -ENOENT, and
 * *e says what is there instead; 0: each is there, and there is nothing to be
 * said of it; or another -errno.
 */
int nobody_explain(const struct run *run, struct err *e);

#endif /* XENALYZE_NO_MATCH_H */
