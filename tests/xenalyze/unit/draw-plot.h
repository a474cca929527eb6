/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of pictures: points, and the bytes of the file.
 */
#ifndef TESTS_XENALYZE_UNIT_DRAW_PLOT_H
#define TESTS_XENALYZE_UNIT_DRAW_PLOT_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/plot/plot-draw.h"

static const struct plot_about things = { "things", "value", PLOT_NUMBER };

static inline void put_vcpu_point(struct plot *p, int64_t time,
                                  int64_t value, uint32_t vcpu)
{
    const struct points points = plot_points(p);
    const struct point point = { .owner = POINT_VCPU, .domain = 1,
                                 .vcpu = vcpu, .time = time,
                                 .value = value };

    points.put(points.state, &point);
}

static inline char *read_and_remove(const char *path, size_t *size)
{
    FILE *f = fopen(path, "r");
    struct stat st;
    char *text;

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fstat(fileno(f), &st), 0);
    text = calloc(1, st.st_size + 1);
    *size = fread(text, 1, st.st_size, f);
    fclose(f);
    unlink(path);
    return text;
}

/* Draw to a file and return its bytes, which the caller frees. */
static inline char *draw_plot(struct plot *p, enum plot_format format,
                              size_t *size)
{
    char path[32];
    struct err e = ERR_INIT;

    snprintf(path, sizeof(path), "plot-%d", (int)getpid());
    ck_assert_int_eq(plot_write(p, format, path, &e), 0);
    return read_and_remove(path, size);
}

/* After any failure there is the whole file, or none. */
static inline void fail_each(enum fault_kind kind, enum plot_format format)
{
    char path[32];

    snprintf(path, sizeof(path), "plot-%d", (int)getpid());
    for ( uint64_t n = 1; ; n++ )
    {
        struct err e = ERR_INIT;
        struct plot *p;
        int rc;

        fault_arm(kind, n);
        rc = plot_new(&p, &things, "a/trace");
        if ( rc == 0 )
        {
            put_vcpu_point(p, 0, 10, 0);
            rc = plot_write(p, format, path, &e);
            plot_free(p);
        }
        ck_assert_int_eq(access(path, F_OK), rc ? -1 : 0);
        unlink(path);
        if ( !fault_fired(kind) )
            break;
        ck_assert_int_ne(rc, 0);
    }
    fault_disarm();
}

#endif /* TESTS_XENALYZE_UNIT_DRAW_PLOT_H */
