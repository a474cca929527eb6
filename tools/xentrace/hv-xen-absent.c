/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces hv-xen.c in builds without Xen's libraries, so that --hypervisor=xen
 * fails with the reason.
 */
#include "xentrace/hypervisor.h"

#include <errno.h>

static int fail_absent(struct err *e)
{
    return err_set(e, -ENOTSUP, "this xentrace cannot trace Xen: it was built "
                   "without Xen's libraries (libxen-dev)");
}

static int absent_probe(const struct hv_address *address, struct err *e)
{
    (void)address;
    return fail_absent(e);
}

static int absent_open(struct hv **hv, const struct hv_address *address,
                       struct err *e)
{
    (void)hv;
    (void)address;
    return fail_absent(e);
}

const struct hypervisor *hv_xen(void)
{
    static const struct hypervisor type = {
        .name = "xen", .probe = absent_probe, .open = absent_open,
    };

    return &type;
}
