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
    hv_xen,
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

/* As much of it as fits: these are sentences for people. */
static void append(char *to, size_t size, const char *text)
{
    size_t len = strlen(to), more = strnlen(text, size - len - 1);

    memcpy(to + len, text, more);
    to[len + more] = 0;
}

/* If none is there, each says why it is not. */
static const struct hypervisor *by_probe(const struct hv_where *where,
                                         struct err *e)
{
    char why[sizeof(e->text)] = "";
    int rc = 0;

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        struct err no = ERR_INIT;

        rc = rows[i]()->probe(where, &no);
        if ( !rc )
            return rows[i]();
        append(why, sizeof(why), i ? "; " : "");
        append(why, sizeof(why), no.text);
    }
    err_set(e, rc, "no hypervisor: %s", why);
    return NULL;
}

/* "xen, xensim" */
static int unknown(const char *name, struct err *e)
{
    char all[64] = "";

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        append(all, sizeof(all), i ? ", " : "");
        append(all, sizeof(all), rows[i]()->name);
    }
    return err_set(e, -EINVAL, "--hypervisor=%s: there are %s", name, all);
}

int hv_open(struct hv **hv, const char *name, const struct hv_where *where,
            struct err *e)
{
    const struct hypervisor *type;

    assert(NR_ROWS > 0);
    type = name ? by_name(name) : by_probe(where, e);
    if ( !type && name )
        return unknown(name, e);
    return type ? type->open(hv, where, e) : e->code;
}

void hv_close(struct hv *hv)
{
    if ( hv )
        hv->type->close(hv);
}
