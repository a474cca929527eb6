/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each row of the catalogue is compared with each item of the pattern.  Several
 * versions of an event are one line, and metadata, which Xen never traces, is
 * left out.
 */
#include "xentrace/list-events.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include <public/trace.h>

#include "common/opts.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/meta-event.h"

#define ITEM_MAX_BYTES 64u
#define NAME_COLUMNS 34
#define LINE_COLUMNS 80

/* --- selection ------------------------------------------------------------ */

static bool is_in_mask(uint32_t id, uint32_t mask)
{
    uint32_t both = id & mask;

    return both >> TRC_CLS_SHIFT && both >> TRC_SUBCLS_SHIFT & 0xf;
}

static bool parse_mask(const char *item, uint32_t *mask)
{
    const struct xt_class *class = xt_class_by_name(item, strlen(item));
    uint64_t number;

    if ( class )
        *mask = class->mask;
    else if ( isdigit((unsigned char)*item) && !opts_number(item, &number) &&
              number <= UINT32_MAX )
        *mask = number;
    else
        return false;
    return true;
}

static bool event_matches(const struct xt_event *event, const char *item)
{
    uint32_t mask;

    if ( !*item )
        return true;
    if ( parse_mask(item, &mask) )
        return mask & ~TRC_ALL ? event->id == mask
                               : is_in_mask(event->id, mask);
    return !fnmatch(item, event->name, 0) ||
           (event->constant && !fnmatch(item, event->constant, 0));
}

/* A class is listed with its subclasses, a subclass alone. */
static bool class_matches(const struct xt_class *class, const char *item)
{
    size_t length = strlen(item);

    return !strncmp(class->name, item, length) &&
           (!length || !class->name[length] || class->name[length] == ':');
}

/* --- lines ---------------------------------------------------------------- */

static void print_class(const struct xt_class *class, FILE *out)
{
    fprintf(out, "%-*s  0x%08x  %s\n", NAME_COLUMNS, class->name, class->mask,
            class->text ? class->text : "");
}

/* The names of the fields, as many as fit into the line. */
static void print_fields(const struct xt_event *event, int column, FILE *out)
{
    for ( unsigned int i = 0; i < event->nr_fields; i++ )
    {
        const char *name = event->fields[i].name;
        bool is_last = i + 1 == event->nr_fields;

        if ( column + (int)strlen(name) + (is_last ? 1 : 5) > LINE_COLUMNS )
        {
            fputs(" ...", out);
            return;
        }
        column += fprintf(out, "%s%s", i ? " " : "", name);
    }
}

static void print_event(const struct xt_event *event, FILE *out)
{
    int column = fprintf(out, "%-*s  0x%08x  ", NAME_COLUMNS, event->name,
                         event->id);

    print_fields(event, column, out);
    putc('\n', out);
}

static bool is_listed(const struct xt_event *event)
{
    const struct xt_event *first = xt_catalogue_events;

    return !event->unused &&
           !xt_event_is_meta(event->id) &&
           (event == first || event[-1].id != event->id);
}

/* The rows of one item; returns their number. */
static unsigned int list_item(const char *item, FILE *out)
{
    unsigned int nr = 0;

    for ( size_t i = 0; i < xt_catalogue_nr_classes; i++ )
        if ( class_matches(&xt_catalogue_classes[i], item) )
        {
            print_class(&xt_catalogue_classes[i], out);
            nr++;
        }
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( is_listed(&xt_catalogue_events[i]) &&
             event_matches(&xt_catalogue_events[i], item) )
        {
            print_event(&xt_catalogue_events[i], out);
            nr++;
        }
    return nr;
}

int list_events(const char *pattern, FILE *out, struct err *e)
{
    const char *at = pattern ? pattern : "";

    do
    {
        size_t length = strcspn(at, ",");
        char item[ITEM_MAX_BYTES] = "";

        if ( length < sizeof(item) )
            memcpy(item, at, length);
        if ( (pattern && !*item) || !list_item(item, out) )
            return err_usage(e, "list %.*s: no class or event of this name; "
                             "try a pattern, as in 'sched_*'",
                             (int)(length < 80 ? length : 80), at);
        at += length;
    }
    while ( *at++ );
    return fflush(out) || ferror(out)
           ? err_sys(e, errno ? -errno : -EIO,
                     "cannot write to standard output") : 0;
}
