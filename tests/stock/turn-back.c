/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn-back: where the reader of each ring stands, and where its writer does, a
 * line each; turn-back NUMBER...: put the readers there again.  If nothing is
 * traced meanwhile, who comes next finds what the last one found.
 */
#include <stdio.h>
#include <stdlib.h>

#include "xentrace/host-rings.h"

/* The rings that argv is about, or all that there are. */
static void visit(const struct rings *r, int argc, char **argv)
{
    unsigned int nr = argc > 1 ? (unsigned int)argc - 1 : r->nr_cpus;

    for ( unsigned int cpu = 0; cpu < nr && r->ring[cpu].buf; cpu++ )
    {
        struct t_buf *buf = r->ring[cpu].buf;

        if ( argc == 1 )
            printf("%u %u\n", __atomic_load_n(&buf->cons, __ATOMIC_RELAXED),
                   __atomic_load_n(&buf->prod, __ATOMIC_RELAXED));
        else
            __atomic_store_n(&buf->cons, strtoul(argv[1 + cpu], NULL, 10),
                             __ATOMIC_RELEASE);
    }
}

int main(int argc, char **argv)
{
    struct hv_address address = { .socket = NULL };
    struct hv_info info = { .nr_cpus = 0 };
    struct err e = ERR_INIT;
    struct rings rings;
    struct hv *hv;
    int rc = hv_open(&hv, "xensim", &address, &e);

    if ( !rc )
        rc = hv->type->info(hv, &info, &e);
    if ( !rc )
        rc = rings_open(&rings, hv, info.nr_cpus, &e);
    for ( unsigned int cpu = 0; !rc && cpu < info.nr_cpus; cpu++ )
        rc = rings_map(&rings, cpu, &e);
    if ( rc )
    {
        err_print("turn-back", &e);
        return EXIT_FAILURE;
    }
    visit(&rings, argc, argv);
    rings_close(&rings);
    hv_close(hv);
    return EXIT_SUCCESS;
}
