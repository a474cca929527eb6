/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of hypervisors, in the order of the search.
 */
#include "xentrace/hypervisor.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/closest-word.h"

typedef const struct hypervisor *(*hv_row)(void);

static const hv_row rows[] = {
    hv_xen,
    hv_xensim,
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Append as much of the text as fits. */
static void append_fitting(char *to, size_t size, const char *text)
{
    size_t used = strlen(to), length = strnlen(text, size - used - 1);

    assert(used < size);
    memcpy(to + used, text, length);
    to[used + length] = 0;
}

/* If no hypervisor is present, *e lists the reason of each back end. */
static int find_by_probe(const struct hypervisor **type,
                         const struct hv_address *address, struct err *e)
{
    char why[sizeof(e->text)] = "";
    int rc = 0;

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        struct err reason = ERR_INIT;

        *type = rows[i]();
        rc = (*type)->probe(address, &reason);
        if ( !rc )
            return 0;
        append_fitting(why, sizeof(why), i ? "; " : "");
        append_fitting(why, sizeof(why), reason.text);
    }
    return err_set(e, rc, "no hypervisor found: %s", why);
}

static int find_by_name(const struct hypervisor **type, const char *name,
                        struct err *e)
{
    const char *names[NR_ROWS + 1];

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        *type = rows[i]();
        names[i] = (*type)->name;
        if ( !strcmp(names[i], name) )
            return 0;
    }
    names[NR_ROWS] = NULL;
    return closest_word_refuse(names, "--hypervisor", name, e);
}

int hv_open(struct hv **hv, const char *name, const struct hv_address *address,
            struct err *e)
{
    const struct hypervisor *type;
    int rc;

    assert(NR_ROWS > 0);
    assert(hv && address);
    rc = name ? find_by_name(&type, name, e) : find_by_probe(&type, address, e);
    return rc ? rc : type->open(hv, address, e);
}

int hv_query(struct hv *hv, struct hv_info *info, struct err *e)
{
    int rc = hv->type->info(hv, info, e);

    if ( rc )
        return err_sys(e, rc, "cannot query Xen about its machine");
    if ( !info->nr_cpus || info->nr_cpus > XT_MAX_CPUS )
        return err_set(e, -EPROTO, "Xen reports %u pcpus; there can be 1 to %u",
                       info->nr_cpus, XT_MAX_CPUS);
    return 0;
}

void hv_close(struct hv *hv)
{
    if ( hv )
        hv->type->close(hv);
}
