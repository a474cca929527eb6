/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metadata has the event mask of the capture.  Traces without metadata are
 * judged by the subclasses of their records: a class with several subclasses is
 * traced if two have records, since some events are rare.
 */
#include "xenalyze/traced-classes.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <public/trace.h>

#include "libxentrace/catalogue.h"
#include "libxentrace/libxentrace.h"

#define NR_CLASSES 12u
#define SUBCLASSES(id) ((id) >> TRC_SUBCLS_SHIFT & 0xf)

struct traced_classes
{
    unsigned int seen[NR_CLASSES];      /* subclasses, by class bit */
};

static void note_record(struct traced_classes *t, const struct xt_record *r)
{
    uint32_t class = r->event >> TRC_CLS_SHIFT & ((1u << NR_CLASSES) - 1);

    if ( class )
        t->seen[__builtin_ctz(class)] |= SUBCLASSES(r->event);
}

/* 0, or -errno: the trace cannot be read again. */
static int read_classes(const struct run *run, struct traced_classes *t)
{
    struct err ignored = ERR_INIT;
    struct xt_records records;
    struct xt_record r;
    struct xt_window w;
    int rc = xt_trace_rewind(run->trace, &ignored);

    *t = (struct traced_classes){ .seen = { 0 } };
    while ( !rc && (rc = xt_trace_copy_window(run->trace, &w, &ignored)) > 0 )
    {
        xt_trace_begin_records(run->trace, &w, &records);
        while ( xt_records_next(&records, &r) )
            note_record(t, &r);
        rc = 0;
    }
    return rc;
}

/* The subclasses of a class mask that have events in the catalogue. */
static unsigned int find_subclasses(uint32_t mask)
{
    const struct xt_event *event = NULL;
    unsigned int subclasses = 0;

    assert(mask >> TRC_CLS_SHIFT);
    while ( (event = xt_catalogue_next(event, mask)) )
        subclasses |= SUBCLASSES(event->id);
    return subclasses;
}

static bool is_traced(const struct traced_classes *t, uint32_t mask,
                      uint32_t captured)
{
    uint32_t class = mask >> TRC_CLS_SHIFT;
    unsigned int expected = __builtin_popcount(find_subclasses(mask)), nr;

    assert(class && class < 1u << NR_CLASSES);
    if ( captured )
        return (captured & mask) == mask;
    nr = __builtin_popcount(t->seen[__builtin_ctz(class)] & SUBCLASSES(mask));
    return nr && nr >= (expected < 2 ? expected : 2);
}

void traced_classes_list_missing(const struct run *run, const char *classes,
                                 char *text, size_t size)
{
    struct traced_classes t = { .seen = { 0 } };
    const struct xt_class *class;
    size_t length, used = 0;
    int rc = run->info.captured ? 0 : read_classes(run, &t);

    assert(size);
    text[0] = '\0';
    for ( ; *classes; classes += length + (classes[length] == ',') )
    {
        length = strcspn(classes, ",");
        class = xt_class_by_name(classes, length);
        assert(class);
        if ( (!rc && is_traced(&t, class->mask,
                                run->info.captured)) || used >= size )
            continue;
        used += snprintf(text + used, size - used, "%s%.*s", used ? "," : "",
                         (int)length, classes);
    }
}
