/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Searches in the catalogue's table of classes.  A class is one bit of an id;
 * an id with no class bit, or with two, has no class.
 */
#include "libxentrace/class.h"

#include <string.h>

#include <public/trace.h>

#include "libxentrace/catalogue.h"

/* A name for a mask, not a class. */
static const struct xt_class all = { "all", TRC_ALL, "everything" };

static bool is_named(const struct xt_class *c, const char *name, size_t length)
{
    return strlen(c->name) == length && !memcmp(c->name, name, length);
}

const struct xt_class *xt_class_by_name(const char *name, size_t length)
{
    for ( size_t i = 0; i < xt_catalogue_nr_classes; i++ )
        if ( is_named(&xt_catalogue_classes[i], name, length) )
            return &xt_catalogue_classes[i];
    return is_named(&all, name, length) ? &all : NULL;
}

const struct xt_class *xt_class_of(uint32_t event)
{
    /* Classes precede their subclasses, so the first match is a class. */
    for ( size_t i = 0; i < xt_catalogue_nr_classes; i++ )
        if ( xt_catalogue_classes[i].mask >> TRC_CLS_SHIFT ==
             event >> TRC_CLS_SHIFT )
            return &xt_catalogue_classes[i];
    return NULL;
}
