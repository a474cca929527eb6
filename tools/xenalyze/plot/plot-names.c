/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of series and rows, and their colours.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <inttypes.h>

#include "xenalyze/model/model.h"

/* Distinct in hue first, then in lightness. */
static const uint32_t palette[PLOT_SERIES] = {
    0x1f77b4, 0xff7f0e, 0x2ca02c, 0x9467bd, 0x8c564b, 0xe377c2, 0x17becf,
    0xbcbd22, 0x003f5c, 0xf7b6d2, 0x7a9a01, 0x5254a3, 0xc49c94, 0x006d5b,
    0xffbb78, 0xaec7e8, 0x98df8a, 0xc5b0d5, 0x843c39, 0x6baed6, 0xe7ba52,
    0x637939, 0xce6dbd, 0x9edae5, 0x3182bd, 0xdbdb8d, 0xad494a, 0x756bb1,
};

#define RED 0xd6001c            /* for losses only */
#define GREY 0x9a9a9a

/* Green runs, orange waits, a blocked vcpu is pale, the unknown is grey. */
static const uint32_t state_colours[STATES] = {
    [STATE_RUNNING] = 0x2ca02c, [STATE_RUNNABLE] = 0xff7f0e,
    [STATE_BLOCKED] = 0xd9e2ec, [STATE_OFFLINE] = 0xb0b0b0,
    [STATE_LOST] = RED, [STATE_QUEUED] = 0xefefef, [STATE_INIT] = 0xefefef,
    [STATE_NO_DATA] = GREY,
};

/* A vcpu of an unusual number takes a few characters more. */
#define NAME_WIDTH (PLOT_NAME - 4u)

static uint32_t series_colour(uint64_t key, unsigned int place)
{
    unsigned int kind = key >> 48;

    if ( kind == PLOT_OF_LOST )
        return RED;
    if ( kind == PLOT_OF_OTHERS )
        return GREY;
    if ( kind == PLOT_OF_STATE && (key & 0xff) < STATES )
        return state_colours[key & 0xff];
    return palette[place % PLOT_SERIES];
}

/* The name of a vcpu or a domain, so that it fits into a legend. */
static void name_vcpu(char name[PLOT_NAME], uint32_t id,
                      const struct xt_domain_names *names)
{
    char text[XT_LABEL_MAX];

    snprintf(name, PLOT_NAME, "%s",
             xt_vcpu_column(names, id >> 16, id & 0xffff, NAME_WIDTH, text));
}

static void name_domain(char name[PLOT_NAME], uint32_t id,
                        const struct xt_domain_names *names)
{
    char text[XT_LABEL_MAX];

    snprintf(name, PLOT_NAME, "%s",
             xt_domain_column(names, id, NAME_WIDTH, text));
}

void plot_name_series(struct plot_series *series, uint64_t key,
                      unsigned int place, const struct xt_domain_names *names)
{
    static const char *const formats[] = {
        [PLOT_OF_IRQ] = "irq %" PRIx32, [PLOT_OF_ALL] = "all",
        [PLOT_OF_LOST] = "lost", [PLOT_OF_OTHERS] = "others",
    };
    unsigned int kind = key >> 48;
    uint32_t id = (uint32_t)key;

    assert(kind <= PLOT_OF_OTHERS && place < PLOT_SERIES);
    series->colour = series_colour(key, place);
    if ( kind == PLOT_OF_VCPU )
        name_vcpu(series->name, id, names);
    else if ( kind == PLOT_OF_DOMAIN )
        name_domain(series->name, id, names);
    else if ( kind == PLOT_OF_STATE )
        snprintf(series->name, PLOT_NAME, "%s", state_name(id));
    else
        snprintf(series->name, PLOT_NAME, formats[kind], id);
}

/* With very many pcpus several share a row, first .. last. */
void plot_name_row(struct plot_row *row, enum plot_unit unit, uint64_t first,
                   uint64_t last, const struct xt_domain_names *names)
{
    if ( unit == PLOT_VCPUS )
        name_vcpu(row->name, (uint32_t)first, names);
    else if ( first == last )
        snprintf(row->name, PLOT_NAME, "pcpu %" PRIu32, (uint32_t)first);
    else
        snprintf(row->name, PLOT_NAME, "%" PRIu32 "-%" PRIu32,
                 (uint32_t)first, (uint32_t)last);
}
