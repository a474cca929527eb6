/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Optimal string alignment distance.  Three rows of the usual table are in
 * memory: the row of the current byte of `a`, and the two rows above.
 */
#include "common/edit-distance.h"

#include <assert.h>
#include <string.h>

static unsigned int choose_least(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

unsigned int edit_distance(const char *a, size_t len, const char *b)
{
    unsigned int rows[3][EDIT_DISTANCE_MAX + 1];
    size_t i, j, blen = strlen(b);

    assert(blen <= EDIT_DISTANCE_MAX);
    for ( j = 0; j <= blen; j++ )
        rows[0][j] = j;

    for ( i = 1; i <= len; i++ )
    {
        unsigned int *row = rows[i % 3], *above = rows[(i + 2) % 3];
        const unsigned int *second = rows[(i + 1) % 3];

        row[0] = i;
        for ( j = 1; j <= blen; j++ )
        {
            row[j] = choose_least(above[j - 1] + (a[i - 1] != b[j - 1]),
                                  choose_least(above[j], row[j - 1]) + 1);
            if ( i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                 a[i - 2] == b[j - 1] )
                row[j] = choose_least(row[j], second[j - 2] + 1);
        }
    }
    return rows[len % 3][blen];
}
