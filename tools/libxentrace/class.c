/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of classes, and two ways to look into it.  A class is one bit of
 * an id; an id with no such bit or with two belongs to none.
 */
#include "libxentrace/class.h"

#include <string.h>

#include <public/trace.h>

static const struct xt_class classes[] = {
    { "gen",           TRC_GEN,           "of the trace itself" },
    { "sched",         TRC_SCHED,         "the scheduler" },
    { "sched:min",     TRC_SCHED_MIN,     "changes of runstate" },
    { "sched:class",   TRC_SCHED_CLASS,   "inside one scheduler" },
    { "sched:verbose", TRC_SCHED_VERBOSE, "the rest of the scheduler" },
    { "dom0op",        TRC_DOM0OP,        "operations of dom0" },
    { "dom0op:domops", TRC_DOM0_DOMOPS,   "domains come and go" },
    { "hvm",           TRC_HVM,           "HVM and PVH guests" },
    { "hvm:entryexit", TRC_HVM_ENTRYEXIT, "VM entries and exits" },
    { "hvm:handler",   TRC_HVM_HANDLER,   "what an exit was for" },
    { "hvm:emul",      TRC_HVM_EMUL,      "emulated devices" },
    { "mem",           TRC_MEM,           "memory" },
    { "pv",            TRC_PV,            "PV guests" },
    { "pv:entry",      TRC_PV_ENTRY,      "ways into Xen" },
    { "pv:subcall",    TRC_PV_SUBCALL,    "the calls of a multicall" },
    { "shadow",        TRC_SHADOW,        "shadow paging" },
    { "hw",            TRC_HW,            "hardware" },
    { "hw:pm",         TRC_HW_PM,         "power management" },
    { "hw:irq",        TRC_HW_IRQ,        "interrupts" },
    { "guest",         TRC_GUEST,         "emitted by guests" },
    { "all",           TRC_ALL,           "everything" },
};

#define NR_CLASSES (sizeof(classes) / sizeof(classes[0]))

const struct xt_class *xt_classes(size_t *nr)
{
    *nr = NR_CLASSES;
    return classes;
}

const struct xt_class *xt_class_by_name(const char *name, size_t length)
{
    for ( size_t i = 0; i < NR_CLASSES; i++ )
        if ( strlen(classes[i].name) == length &&
             !memcmp(classes[i].name, name, length) )
            return &classes[i];
    return NULL;
}

const struct xt_class *xt_class_of(uint32_t event)
{
    /* A class comes before its subclasses, so the first match is the class. */
    for ( size_t i = 0; i < NR_CLASSES; i++ )
        if ( classes[i].mask >> TRC_CLS_SHIFT == event >> TRC_CLS_SHIFT )
            return &classes[i];
    return NULL;
}
