/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Injected allocation failures. A test lets the 1st, 2nd, 3rd ... allocation
 * fail until the operation under test succeeds, and checks for leaks and
 * corruption each time.
 */
#include "xensim/runtime/machine.h"

static unsigned int until_failure; /* 0: disarmed */

void xensim_fail_allocation(unsigned int nth)
{
    __atomic_store_n(&until_failure, nth, __ATOMIC_RELAXED);
}

bool alloc_fault_now(void)
{
    unsigned int left = __atomic_load_n(&until_failure, __ATOMIC_RELAXED);

    do
        if ( !left )
            return false;
    while ( !__atomic_compare_exchange_n(&until_failure, &left, left - 1,
                                         false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED) );
    return left == 1;
}
