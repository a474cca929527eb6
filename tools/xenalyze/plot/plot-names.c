/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of series and rows.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <inttypes.h>

#include "xenalyze/model/model.h"

/* A vcpu of an unusual number takes a few characters more. */
#define NAME_WIDTH (PLOT_NAME - 4u)

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

/* "irq 24 eth0"; a long device is cut. */
static void name_irq(char name[PLOT_NAME], uint32_t id,
                     const struct xt_domain_names *names)
{
    int used = snprintf(name, PLOT_NAME, "irq %" PRIu32, id);
    char device[XT_IRQ_TEXT_MAX];

    if ( names && xt_host_irq_device(&names->host, id, device) )
        snprintf(name + used, PLOT_NAME - used, " %.*s",
                 (int)PLOT_NAME - used - 2, device);
}

static void name_others(char name[PLOT_NAME], uint32_t nr)
{
    if ( nr )
        snprintf(name, PLOT_NAME, "%" PRIu32 " others", nr);
    else
        snprintf(name, PLOT_NAME, "others");
}

void plot_name_series(char name[PLOT_NAME], uint64_t key,
                      const struct xt_domain_names *names)
{
    uint32_t id = (uint32_t)key;

    assert(key >> 48 != PLOT_OF_STATE || id < STATES);
    switch ( (enum plot_kind)(key >> 48) )
    {
    case PLOT_OF_VCPU:
        name_vcpu(name, id, names);
        break;
    case PLOT_OF_DOMAIN:
        name_domain(name, id, names);
        break;
    case PLOT_OF_IRQ:
        name_irq(name, id, names);
        break;
    case PLOT_OF_STATE:
        snprintf(name, PLOT_NAME, "%s", state_label(id));
        break;
    case PLOT_OF_IDLE:
        snprintf(name, PLOT_NAME, "idle");
        break;
    case PLOT_OF_LOST:
        snprintf(name, PLOT_NAME, "lost");
        break;
    case PLOT_OF_OTHERS:
        name_others(name, id);
        break;
    }
}

/* The name of a row is drawn left of it, where there is less room. */
#define ROW_NAME_WIDTH 16u

static void name_vcpu_row(struct plot_row *row, uint32_t id,
                          const struct xt_domain_names *names)
{
    char text[XT_LABEL_MAX];

    snprintf(row->name, PLOT_NAME, "%s",
             xt_vcpu_column(names, id >> 16, id & 0xffff, ROW_NAME_WIDTH,
                            text));
}

/* With very many pcpus several share a row, first .. last. */
void plot_name_row(struct plot_row *row, enum plot_unit unit, uint64_t first,
                   uint64_t last, const struct xt_domain_names *names)
{
    assert(first <= last);
    row->key = first;
    if ( unit == PLOT_VCPUS )
        name_vcpu_row(row, (uint32_t)first, names);
    else if ( first == last )
        snprintf(row->name, PLOT_NAME, "pcpu %" PRIu32, (uint32_t)first);
    else
        snprintf(row->name, PLOT_NAME, "%" PRIu32 "-%" PRIu32,
                 (uint32_t)first, (uint32_t)last);
}
