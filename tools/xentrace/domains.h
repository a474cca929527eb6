/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains of the host, reported when they are new.  Domains come and go
 * during a capture, and a name may appear later than its domain.
 */
#ifndef XENTRACE_DOMAINS_H
#define XENTRACE_DOMAINS_H

#include <stdint.h>

#include "common/err.h"
#include "xentrace/hypervisor.h"

struct domains
{
    uint8_t *known;     /* flags of each possible id */
};

int domains_init(struct domains *d, struct err *e);
void domains_fini(struct domains *d);

/*
 * Put records of domains, their properties and names that were not reported
 * before.  A domain
 * that has gone is forgotten, because its id may be reused.
 */
void domains_poll(struct domains *d, struct hv *hv, hv_record_fn *put,
                  void *arg);

#endif /* XENTRACE_DOMAINS_H */
