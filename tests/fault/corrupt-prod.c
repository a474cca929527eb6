/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corrupt-prod PCPU: write an invalid prod to the ring of a pcpu again and
 * again, while a reader reads the ring.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "xentrace/host-rings.h"

int main(int argc, char **argv)
{
    struct timespec interval = { .tv_nsec = 1000 };
    unsigned int cpu = argc > 1 ? atoi(argv[1]) : 0;
    struct hv_address address = { .socket = NULL };
    struct err e = ERR_INIT;
    struct rings rings;
    struct hv *hv;

    if ( hv_open(&hv, "xensim", &address, &e) ||
         rings_open(&rings, hv, cpu + 1, &e) || rings_map(&rings, cpu, &e) ||
         !rings.ring[cpu].buf )
    {
        fprintf(stderr, "corrupt-prod: %s\n", e.text);
        return 1;
    }
    for ( unsigned int i = 0; i < 5000; i++ )
    {
        __atomic_store_n(&rings.ring[cpu].buf->prod, 0xfffffff1,
                         __ATOMIC_RELAXED);
        nanosleep(&interval, NULL);
    }
    rings_close(&rings);
    hv_close(hv);
    return 0;
}
