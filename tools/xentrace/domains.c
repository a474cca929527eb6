/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A byte for each id that a domain can have: a host that makes and destroys
 * domains all day has been through all of them sooner or later.
 */
#include "xentrace/domains.h"

#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xentrace/about.h"

#define NR_IDS 0x7ff0u  /* others stand for none: public/xen.h */

enum { THERE = 1, TOLD = 2, NAMED = 4 };

int domains_init(struct domains *d, struct err *e)
{
    d->known = fault_calloc(NR_IDS, 1);
    return d->known ? 0 : err_sys(e, -ENOMEM, "cannot keep track of domains");
}

void domains_fini(struct domains *d)
{
    free(d->known);
    d->known = NULL;
}

struct telling
{
    struct domains *domains;
    hv_tell *tell;
    void *to;
};

/* This one is there; the hypervisor may say anything. */
static void see(void *telling, const struct xt_meta *m)
{
    const struct telling *t = telling;
    uint8_t *known;

    if ( m->event != TRC_META_DOMAIN || m->domain.dom >= NR_IDS )
        return;
    known = &t->domains->known[m->domain.dom];
    if ( !(*known & TOLD) )
        t->tell(t->to, m);
    *known |= THERE | TOLD;
}

static void name(const struct telling *t, struct hv *hv, unsigned int id)
{
    char text[HV_NAME_MAX];

    if ( !hv->type->domain_name(hv, id, text) )
        return;
    about_text(t->tell, t->to, TRC_META_DOMAIN_NAME, id, text);
    t->domains->known[id] |= NAMED;
}

void domains_news(struct domains *d, struct hv *hv, hv_tell *tell, void *to)
{
    struct telling t = { .domains = d, .tell = tell, .to = to };

    if ( !hv->type->domains )
        return;
    hv->type->domains(hv, see, &t);
    for ( unsigned int id = 0; id < NR_IDS; id++ )
    {
        if ( !(d->known[id] & THERE) )
            d->known[id] = 0;
        else if ( !(d->known[id] & NAMED) )
            name(&t, hv, id);
        d->known[id] &= ~THERE;
    }
}
