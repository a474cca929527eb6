/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ABI of each event: existence, length, time stamp.  Written by hand from
 * the records of Xen 4.17 on purpose: a table generated from this tree's
 * headers or catalogue would repeat their errors.
 */
#include <stddef.h>

#include "judge.h"

enum timed { NO, YES, ANY };

/* Ids from `first` to `last`, with any of `optional_bits`. */
struct abi_event {
    uint32_t first, last;
    enum timed timed;
    unsigned int min_words, max_words; /* words */
    uint32_t optional_bits;
};

static const struct abi_event abi_events[] = {
    /* Trace: LOST, pad */
    { 0x01f001, 0x01f001, YES, 4, 4, 0 },
    { 0x01f002, 0x01f002, ANY, 0, 7, 0 },
    /* Runstates: two bits of the old state, two of the new */
    { 0x021001, 0x021001, YES, 1, 1, 0x330 },
    { 0x021002, 0x021002, YES, 1, 1, 0 },
    /* Schedulers */
    { 0x022001, 0x02200b, ANY, 0, 7, 0 },
    { 0x022201, 0x022201, ANY, 0, 7, 0 },
    { 0x022202, 0x022202, YES, 2, 2, 0 },
    { 0x022203, 0x022203, YES, 4, 4, 0 },
    { 0x022204, 0x022204, ANY, 0, 7, 0 },
    { 0x022205, 0x022205, YES, 3, 3, 0 },
    { 0x022206, 0x022206, YES, 1, 1, 0 },
    { 0x022207, 0x022207, YES, 3, 3, 0 },
    { 0x022208, 0x022209, YES, 0, 0, 0 },
    { 0x02220a, 0x02220a, YES, 2, 2, 0 },
    { 0x02220b, 0x02220b, YES, 4, 4, 0 },
    { 0x02220c, 0x02220c, YES, 6, 6, 0 },
    { 0x02220d, 0x02220d, YES, 3, 3, 0 },
    { 0x02220e, 0x02220e, YES, 1, 1, 0 },
    { 0x02220f, 0x022210, YES, 2, 2, 0 },
    { 0x022211, 0x022211, YES, 6, 6, 0 },
    { 0x022212, 0x022212, ANY, 0, 7, 0 },
    { 0x022213, 0x022213, YES, 4, 4, 0 },
    { 0x022214, 0x022214, YES, 3, 3, 0 },
    { 0x022215, 0x022216, YES, 2, 2, 0 },
    { 0x022217, 0x022217, YES, 1, 1, 0 },
    { 0x022801, 0x022806, ANY, 0, 7, 0 },
    { 0x022a01, 0x022a06, ANY, 0, 7, 0 },
    /* Scheduling, verbose */
    { 0x028001, 0x028002, YES, 1, 1, 0 },
    { 0x028003, 0x028006, YES, 2, 2, 0 },
    { 0x028007, 0x028007, YES, 3, 3, 0 },
    { 0x028008, 0x028008, ANY, 0, 7, 0 },
    { 0x028009, 0x028009, YES, 1, 1, 0 },
    { 0x02800a, 0x02800a, YES, 4, 4, 0 },
    { 0x02800b, 0x02800b, ANY, 0, 7, 0 },
    { 0x02800e, 0x02800e, YES, 3, 3, 0 },
    { 0x02800f, 0x02800f, YES, 4, 4, 0 },
    { 0x028010, 0x028010, YES, 3, 3, 0 },
    { 0x028011, 0x028011, YES, 4, 4, 0 },
    /* Domains */
    { 0x041001, 0x041002, YES, 1, 1, 0 },
    /* HVM: entry and exit */
    { 0x081001, 0x081001, YES, 0, 0, 0 },
    { 0x081002, 0x081002, YES, 2, 2, 0 },
    { 0x081003, 0x081003, ANY, 0, 7, 0 },
    { 0x081102, 0x081102, YES, 3, 3, 0 },
    { 0x081103, 0x081103, ANY, 0, 7, 0 },
    { 0x081401, 0x081403, ANY, 0, 7, 0 },
    { 0x081502, 0x081503, ANY, 0, 7, 0 },
    /* HVM: handlers */
    { 0x082001, 0x082006, ANY, 0, 7, 0 },
    { 0x082008, 0x08200d, ANY, 0, 7, 0 },
    { 0x08200e, 0x08200e, NO, 6, 6, 0 },
    { 0x08200f, 0x082011, ANY, 0, 7, 0 },
    { 0x082012, 0x082013, NO, 1, 1, 0 },
    { 0x082014, 0x08201b, ANY, 0, 7, 0 },
    { 0x082020, 0x082020, NO, 3, 3, 0 },
    { 0x082021, 0x082021, NO, 6, 6, 0 },
    { 0x082022, 0x082025, ANY, 0, 7, 0 },
    { 0x082100, 0x082102, ANY, 0, 7, 0 },
    { 0x082108, 0x082109, ANY, 0, 7, 0 },
    { 0x082114, 0x082114, ANY, 0, 7, 0 },
    { 0x082117, 0x082117, ANY, 0, 7, 0 },
    { 0x082119, 0x082119, ANY, 0, 7, 0 },
    { 0x082126, 0x082127, ANY, 0, 7, 0 },
    { 0x082216, 0x082217, ANY, 0, 7, 0 },
    { 0x082317, 0x082317, ANY, 0, 7, 0 },
    /* HVM: emulated devices */
    { 0x084001, 0x084011, ANY, 0, 7, 0 },
    /* Memory */
    { 0x10f001, 0x10f003, YES, 1, 1, 0 },
    { 0x10f004, 0x10f004, NO, 6, 6, 0 },
    { 0x10f005, 0x10f005, NO, 4, 4, 0 },
    { 0x10f010, 0x10f011, NO, 6, 6, 0 },
    { 0x10f012, 0x10f012, NO, 4, 4, 0 },
    /* PV */
    { 0x201001, 0x201001, ANY, 0, 7, 0 },
    { 0x201003, 0x201003, YES, 2, 2, 0 },
    { 0x201004, 0x201004, YES, 3, 3, 0 },
    { 0x201005, 0x201006, YES, 1, 1, 0 },
    { 0x201007, 0x201007, ANY, 0, 7, 0 },
    { 0x201008, 0x201008, YES, 0, 0, 0 },
    { 0x201009, 0x20100a, YES, 2, 2, 0 },
    { 0x20100b, 0x20100c, ANY, 0, 7, 0 },
    { 0x20100d, 0x20100d, YES, 1, 3, 0 },
    { 0x201103, 0x201103, YES, 3, 3, 0 },
    { 0x201104, 0x201104, YES, 5, 5, 0 },
    { 0x201105, 0x201106, YES, 2, 2, 0 },
    { 0x201109, 0x20110a, YES, 4, 4, 0 },
    { 0x20110b, 0x20110b, YES, 6, 6, 0 },
    { 0x20200e, 0x20200e, YES, 1, 3, 0 },
    /* Hardware: power, interrupts */
    { 0x801001, 0x801001, ANY, 0, 7, 0 },
    { 0x801002, 0x801002, YES, 4, 4, 0 },
    { 0x801003, 0x801003, YES, 6, 6, 0 },
    { 0x802001, 0x802002, YES, 3, 3, 0 },
    { 0x802003, 0x802004, YES, 7, 7, 0 },
    { 0x802005, 0x802005, YES, 3, 3, 0 },
    { 0x802006, 0x802006, YES, 7, 7, 0 },
    { 0x802007, 0x802007, YES, 1, 1, 0 },
    { 0x802008, 0x802008, YES, 3, 3, 0 },
    /* Guests */
    { 0x800f000, 0x800ffff, NO, 0, 7, 0 },
    /* Shadow: two bits have the paging level */
    { 0x40f001, 0x40f00f, NO, 0, 7, 0x300 },
};

enum abi_match abi_compare(const struct record *r)
{
    unsigned int i;

    for ( i = 0; i < sizeof(abi_events) / sizeof(*abi_events); i++ )
    {
        const struct abi_event *k = &abi_events[i];
        uint32_t base = r->event & ~k->optional_bits;

        if ( base < k->first || base > k->last )
            continue;
        if ( (k->timed != ANY && (k->timed == YES) != r->timed) ||
             r->words < k->min_words || r->words > k->max_words )
            return FIT_SHAPE;
        return FIT_YES;
    }

    return FIT_UNKNOWN;
}
