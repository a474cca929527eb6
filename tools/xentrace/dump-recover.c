/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the end to the begin: a record can begin at a word if it is plausible
 * and if a record can begin behind it.
 */
#include "xentrace/dump-recover.h"

#include <assert.h>
#include <stdlib.h>

#include "common/fault.h"
#include "libxentrace/libxentrace.h"

#define NO_RECORD UINT64_MAX

/*
 * Fillers have any size.  Guests trace their own events, without declarations.
 */
static bool is_plausible(const struct xt_catalogue *catalogue,
                         const struct xt_record *r)
{
    return xt_record_is_possible(r) &&
           (r->event == TRC_TRACE_WRAP_BUFFER ||
            r->event >> TRC_CLS_SHIFT == TRC_GUEST >> TRC_CLS_SHIFT ||
            xt_catalogue_find(catalogue, r->event, r->words));
}

size_t dump_recover(const struct xt_catalogue *catalogue,
                    const unsigned char *bytes, size_t size, uint64_t until)
{
    size_t words = size / 4, at = words, begin = words, next;
    uint64_t *first;    /* the first time behind each word, or NO_RECORD */

    assert(size % 4 == 0);
    first = fault_malloc((words + 1) * sizeof(*first));
    if ( !first )
        return 0;
    first[words] = until < NO_RECORD ? until : NO_RECORD - 1;
    while ( at-- )
    {
        struct xt_record r;

        first[at] = NO_RECORD;
        next = at + xt_record_decode(&r, bytes + 4 * at, bytes + size) / 4;
        if ( next == at || first[next] == NO_RECORD ||
             !is_plausible(catalogue, &r) ||
             (xt_record_is_timed(&r) && r.tsc > first[next]) )
            continue;
        first[at] = xt_record_is_timed(&r) ? r.tsc : first[next];
        begin = at;
    }
    free(first);
    return size - 4 * begin;
}
