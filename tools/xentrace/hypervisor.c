/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which hypervisors there are, in the order in which they are looked for.
 */
#include "xentrace/hypervisor.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

typedef const struct hypervisor *(*hv_row)(void);

static const hv_row rows[] = {
    hv_xen,
    hv_xensim,
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct hypervisor *find_by_name(const char *name)
{
    for ( size_t i = 0; i < NR_ROWS; i++ )
        if ( !strcmp(rows[i]()->name, name) )
            return rows[i]();
    return NULL;
}

/* As much of it as fits: these are sentences for people. */
static void append_text(char *to, size_t size, const char *text)
{
    size_t len = strlen(to), more = strnlen(text, size - len - 1);

    memcpy(to + len, text, more);
    to[len + more] = 0;
}

/* If none is there, each says why it is not. */
static const struct hypervisor *find_by_probe(const struct hv_address *address,
                                              struct err *e)
{
    char why[sizeof(e->text)] = "";
    int rc = 0;

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        struct err no = ERR_INIT;

        rc = rows[i]()->probe(address, &no);
        if ( !rc )
            return rows[i]();
        append_text(why, sizeof(why), i ? "; " : "");
        append_text(why, sizeof(why), no.text);
    }
    err_set(e, rc, "no hypervisor: %s", why);
    return NULL;
}

/* "xen, xensim" */
static int explain_unknown_name(const char *name, struct err *e)
{
    char all[64] = "";

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        append_text(all, sizeof(all), i ? ", " : "");
        append_text(all, sizeof(all), rows[i]()->name);
    }
    return err_set(e, -EINVAL, "--hypervisor=%s: there are %s", name, all);
}

int hv_open(struct hv **hv, const char *name, const struct hv_address *address,
            struct err *e)
{
    const struct hypervisor *type;

    assert(NR_ROWS > 0);
    type = name ? find_by_name(name) : find_by_probe(address, e);
    if ( !type && name )
        return explain_unknown_name(name, e);
    return type ? type->open(hv, address, e) : e->code;
}

void hv_close(struct hv *hv)
{
    if ( hv )
        hv->type->close(hv);
}
