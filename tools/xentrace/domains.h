/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which domains there are, and what is new of that.  Domains come and go while
 * a capture runs, and a name may come later than its domain.
 */
#ifndef XENTRACE_DOMAINS_H
#define XENTRACE_DOMAINS_H

#include <stdint.h>

#include "common/err.h"
#include "xentrace/hypervisor.h"

struct domains
{
    uint8_t *known;     /* of each possible id: what was told of it */
};

int domains_init(struct domains *d, struct err *e);
void domains_fini(struct domains *d);

/*
 * Tell what was not told yet: domains, and names of domains.  One that has gone
 * is forgotten, since its id may be given to another.
 */
void domains_poll(struct domains *d, struct hv *hv, hv_record_fn *put,
                  void *arg);

#endif /* XENTRACE_DOMAINS_H */
