/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points as stock's lines.
 */
#include "xenalyze/plot/points.h"

#include "common/num.h"

static char *put_vcpu(char *p, const struct point *point)
{
    p = num_u64(p, point->domain);
    *p++ = 'v';
    p = num_u64(p, point->vcpu);
    *p++ = ' ';
    return p;
}

static char *put_who(char *p, const struct point *point)
{
    if ( point->who == POINT_NOBODY )
        return p;
    if ( point->who == POINT_IRQ )
    {
        *p++ = 'i';
        p = num_hex(p, point->vcpu);
        *p++ = ' ';
        return p;
    }
    if ( point->who == POINT_D_VCPU )
        *p++ = 'd';
    return put_vcpu(p, point);
}

/* A clock that a pcpu sets back makes negative times: stock has 0 for them. */
static char *put_time(char *p, int64_t ns)
{
    return num_sec(p, ns < 0 ? 0 : (uint64_t)ns);
}

char *points_line(char *p, const struct point *point)
{
    p = put_who(p, point);
    p = put_time(p, point->time);
    *p++ = ' ';
    if ( point->unit == POINT_TIME )
        p = put_time(p, point->value);
    else if ( point->unit == POINT_LARGE )
        p = num_u64(p, (uint64_t)point->value);
    else
        p = num_i64(p, point->value);
    *p++ = '\n';
    return p;
}

static void put_line(void *state, const struct point *point)
{
    char line[POINTS_LINE_MAX];

    fwrite(line, 1, points_line(line, point) - line, state);
}

struct points points_to_file(FILE *out)
{
    return (struct points){ put_line, out };
}
