/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which hypervisors there are, in the order in which they are looked for.
 */
#include "xentrace/hypervisor.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

typedef const struct hypervisor *(*row)(void);

static const row rows[] = {
    hv_xensim,
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct hypervisor *by_name(const char *name)
{
    for ( size_t i = 0; i < NR_ROWS; i++ )
        if ( !strcmp(rows[i]()->name, name) )
            return rows[i]();
    return NULL;
}

/* If none is there, what the first one said is the best advice. */
static const struct hypervisor *by_probe(const struct hv_where *where,
                                         struct err *e)
{
    for ( size_t i = 0; i < NR_ROWS; i++ )
        if ( !rows[i]()->probe(where, e) )
        {
            *e = (struct err)ERR_INIT;
            return rows[i]();
        }
    return NULL;
}

int hv_open(struct hv **hv, const char *name, const struct hv_where *where,
            struct err *e)
{
    const struct hypervisor *type;

    assert(NR_ROWS > 0);
    type = name ? by_name(name) : by_probe(where, e);
    if ( !type && name )
        return err_set(e, -EINVAL, "--hypervisor=%s: there is only %s", name,
                       rows[0]()->name);
    return type ? type->open(hv, where, e) : e->code;
}

void hv_close(struct hv *hv)
{
    if ( hv )
        hv->type->close(hv);
}
