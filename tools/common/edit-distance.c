/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Levenshtein distance by the usual table, of which an array holds one row
 * at a time; `corner` is the field to the upper left.
 */
#include "common/edit-distance.h"

#include <assert.h>
#include <string.h>

unsigned int edit_distance(const char *a, size_t len, const char *b)
{
    unsigned int row[EDIT_DISTANCE_MAX + 1], corner, above;
    size_t i, j, blen = strlen(b);

    assert(blen <= EDIT_DISTANCE_MAX);
    for ( j = 0; j <= blen; j++ )
        row[j] = j;

    for ( i = 0; i < len; i++ )
    {
        corner = row[0]++;
        for ( j = 0; j < blen; j++ )
        {
            above = row[j + 1];
            row[j + 1] = corner + (a[i] != b[j]);
            if ( above + 1 < row[j + 1] )
                row[j + 1] = above + 1;
            if ( row[j] + 1 < row[j + 1] )
                row[j + 1] = row[j] + 1;
            corner = above;
        }
    }
    return row[blen];
}
