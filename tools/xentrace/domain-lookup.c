/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of domains in triggers, as in EVENT:dom=web1.  A name is looked up
 * once, before the capture: the id of a domain that restarts changes.
 */
#include "xentrace/trigger.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/edit-distance.h"
#include "xentrace/hypervisor.h"

#define NR_IDS 0x7ff0u  /* larger ids are reserved: public/xen.h */

struct lookup
{
    const char *name;           /* the wanted one */
    unsigned int nr_names;      /* names that could be read */
    unsigned int matches;
    uint16_t id[2];             /* ids of the first matches */
    unsigned int distance;      /* distance of `close` */
    char close[HV_NAME_MAX];    /* the most similar name; "": none */
};

static void note_id(void *ids, const struct xt_meta *m)
{
    uint64_t *seen = ids;

    if ( m->event == TRC_META_DOMAIN && m->domain.dom < NR_IDS )
        seen[m->domain.dom / 64] |= 1ull << m->domain.dom % 64;
}

/* UINT_MAX for a name that is no suggestion: too long, or not printable. */
static unsigned int get_distance(const struct lookup *l, const char *name)
{
    size_t length = 0;

    while ( name[length] >= ' ' && name[length] <= '~' )
        length++;
    return name[length] || length > EDIT_DISTANCE_MAX
           ? UINT_MAX : edit_distance(l->name, strlen(l->name), name);
}

static void compare_name(struct lookup *l, uint16_t id, const char *name)
{
    unsigned int distance = get_distance(l, name);

    l->nr_names++;
    if ( !strcmp(name, l->name) )
    {
        if ( l->matches < 2 )
            l->id[l->matches] = id;
        l->matches++;
    }
    else if ( distance < l->distance )
    {
        l->distance = distance;
        snprintf(l->close, sizeof(l->close), "%s", name);
    }
}

static void read_names(struct lookup *l, struct hv *hv)
{
    uint64_t seen[NR_IDS / 64 + 1] = { 0 };
    char name[HV_NAME_MAX];

    if ( !hv->type->domains )
        return;
    assert(hv->type->domain_name);
    hv->type->domains(hv, note_id, seen);
    for ( unsigned int id = 0; id < NR_IDS; id++ )
        if ( seen[id / 64] >> id % 64 & 1 &&
             hv->type->domain_name(hv, id, name) )
            compare_name(l, id, name);
}

static int find_named_domain(struct trigger *trigger, struct hv *hv,
                             struct err *e)
{
    struct lookup l = { .name = trigger->domain,
                        .distance = EDIT_DISTANCE_CLOSE + 1 };

    read_names(&l, hv);
    if ( !l.nr_names )
        return err_set(e, -EACCES, "--snapshot-on=%.80s: cannot read the names "
                       "of domains; give the number of %.40s", trigger->text,
                       trigger->domain);
    if ( !l.matches && *l.close )
        return err_set(e, -ENOENT, "--snapshot-on=%.80s: no domain is named "
                       "%.40s; did you mean %s?", trigger->text,
                       trigger->domain, l.close);
    if ( !l.matches )
        return err_set(e, -ENOENT, "--snapshot-on=%.80s: no domain is named "
                       "%.40s; give a name or a number of a running domain",
                       trigger->text, trigger->domain);
    if ( l.matches > 1 )
        return err_set(e, -EINVAL, "--snapshot-on=%.80s: several domains are "
                       "named %.40s; give a number, such as %u or %u",
                       trigger->text, trigger->domain, l.id[0], l.id[1]);
    trigger->value = l.id[0];
    trigger->domain = NULL;
    return 0;
}

int triggers_find_domains(struct triggers *t, struct hv *hv, struct err *e)
{
    int rc = 0;

    for ( unsigned int i = 0; !rc && i < t->nr; i++ )
        if ( t->list[i].domain )
            rc = find_named_domain(&t->list[i], hv, e);
    return rc;
}
