/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One byte per possible domain id: a host that creates and destroys domains all
 * day uses every id sooner or later.
 */
#include "xentrace/domains.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xentrace/metadata.h"

#define NR_IDS 0x7ff0u  /* larger ids are reserved: public/xen.h */

/* NEW: first reported in this poll. */
enum { SEEN = 1, REPORTED = 2, NAMED = 4, NEW = 8 };

int domains_init(struct domains *d, struct err *e)
{
    d->known = fault_calloc(NR_IDS, 1);
    return d->known ? 0 : err_sys(e, -ENOMEM, "cannot allocate the list of "
                                  "domains");
}

void domains_fini(struct domains *d)
{
    free(d->known);
    d->known = NULL;
}

struct domain_poll
{
    struct domains *domains;
    hv_record_fn *put;
    void *arg;
};

/* The domain of a record about a property; NR_IDS: no such record. */
static uint32_t property_domain(const struct xt_meta *m)
{
    switch ( m->event )
    {
    case TRC_META_AFFINITY:
        return m->affinity.dom;
    case TRC_META_DOMAIN_UUID:
        return m->domain_uuid.dom;
    case TRC_META_DOMAIN_WEIGHT:
        return m->domain_weight.dom;
    default:
        return NR_IDS;
    }
}

/* Records about properties follow their domain. */
static void note_property(const struct domain_poll *t, const struct xt_meta *m)
{
    uint32_t id = property_domain(m);

    if ( id < NR_IDS && t->domains->known[id] & NEW )
        t->put(t->arg, m);
}

/* Report a domain; the record comes from the hypervisor and is not trusted. */
static void note_domain(void *domain_poll, const struct xt_meta *m)
{
    const struct domain_poll *t = domain_poll;
    uint8_t *known;

    if ( m->event != TRC_META_DOMAIN )
        note_property(t, m);
    if ( m->event != TRC_META_DOMAIN || m->domain.dom >= NR_IDS )
        return;
    known = &t->domains->known[m->domain.dom];
    if ( !(*known & REPORTED) )
    {
        t->put(t->arg, m);
        *known |= NEW;
    }
    *known |= SEEN | REPORTED;
}

static void put_details(const struct domain_poll *t, struct hv *hv,
                        unsigned int id)
{
    if ( hv->type->domain_details && t->domains->known[id] & NEW )
        hv->type->domain_details(hv, id, t->put, t->arg);
}

static void poll_name(const struct domain_poll *t, struct hv *hv,
                      unsigned int id)
{
    char text[HV_NAME_MAX];

    assert(id < NR_IDS && t->domains->known[id] & REPORTED);
    if ( !hv->type->domain_name(hv, id, text) )
        return;
    metadata_put_text(t->put, t->arg, TRC_META_DOMAIN_NAME, id, text);
    t->domains->known[id] |= NAMED;
}

void domains_poll(struct domains *d, struct hv *hv, hv_record_fn *put,
                  void *arg)
{
    struct domain_poll t = { .domains = d, .put = put, .arg = arg };

    if ( !hv->type->domains )
        return;
    assert(hv->type->domain_name);
    hv->type->domains(hv, note_domain, &t);
    for ( unsigned int id = 0; id < NR_IDS; id++ )
    {
        put_details(&t, hv, id);
        if ( !(d->known[id] & SEEN) )
            d->known[id] = 0;
        else if ( !(d->known[id] & NAMED) )
            poll_name(&t, hv, id);
        d->known[id] &= ~(SEEN | NEW);
    }
}
