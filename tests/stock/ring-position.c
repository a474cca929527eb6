/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring-position: print cons and prod of each ring, a line each; ring-position
 * CONS...: set cons of the rings.  If nothing is traced meanwhile, the next
 * reader gets the same records as the last one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "xentrace/host-rings.h"

/* Print or set cons of the rings given in argv, or of all rings. */
static void position_rings(const struct rings *r, int argc, char **argv)
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
        err_print("ring-position", &e);
        return EXIT_FAILURE;
    }
    position_rings(&rings, argc, argv);
    rings_close(&rings);
    hv_close(hv);
    return EXIT_SUCCESS;
}
