/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points as lines of stock's xenalyze.
 */
#include "xenalyze/plot/points.h"

#include <assert.h>

#include "common/num.h"

#define LINE_MAX 128u

static char *put_point_vcpu(char *p, const struct point *point)
{
    p = num_u64(p, point->domain);
    *p++ = 'v';
    p = num_u64(p, point->vcpu);
    *p++ = ' ';
    return p;
}

static char *put_owner(char *p, const struct point *point)
{
    assert(point->owner <= POINT_IRQ);
    if ( point->owner == POINT_NO_OWNER )
        return p;
    if ( point->owner == POINT_IRQ )
    {
        *p++ = 'i';
        p = num_hex(p, point->vcpu);
        *p++ = ' ';
        return p;
    }
    if ( point->owner == POINT_D_VCPU )
        *p++ = 'd';
    return put_point_vcpu(p, point);
}

/* Stock prints 0 for a negative time, after a clock that went backward. */
static char *put_point_time(char *p, int64_t ns)
{
    return num_sec(p, ns < 0 ? 0 : (uint64_t)ns);
}

/* Returns the end of the line. */
static char *put_line(char *p, const struct point *point)
{
    assert(point->unit <= POINT_CYCLES);
    p = put_owner(p, point);
    p = put_point_time(p, point->time);
    *p++ = ' ';
    if ( point->unit == POINT_TIME )
        p = put_point_time(p, point->value);
    else if ( point->unit == POINT_LARGE )
        p = num_u64(p, (uint64_t)point->value);
    else
        p = num_i64(p, point->value);
    *p++ = '\n';
    return p;
}

static void print_point(void *state, const struct point *point)
{
    char line[LINE_MAX], *end = put_line(line, point);

    assert(end <= line + sizeof(line));
    fwrite(line, 1, end - line, state);
}

struct points points_to_file(FILE *out)
{
    return (struct points){ .put = print_point, .state = out };
}
