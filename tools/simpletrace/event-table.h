/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the events of a trace: from trace-events files, from the
 * declarations in the trace, or from nothing but a name.
 */
#ifndef SIMPLETRACE_EVENT_TABLE_H
#define SIMPLETRACE_EVENT_TABLE_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/err.h"
#include "simpletrace/out.h"
#include "tracetool/index.h"

#define ST_MAX_ARGS 11u         /* ten, and the vcpu's */

struct st_arg
{
    const char *name;
    bool is_string, is_signed, is_pointer, is_bool;
};

struct st_step;                 /* of a format: recipe.h */

struct st_event
{
    const char *name;
    const struct st_arg *args;
    size_t nr_args;
    size_t min_bytes;           /* bytes of its arguments */
    const struct st_step *steps;
    size_t nr_steps;            /* 0: it has no format */
    bool declared;              /* else nothing but the name is known */
    bool disabled;
    bool has_strings;           /* else it has always `least` bytes */

    /* What readers and sinks remember of it. */
    enum { ST_UNASKED, ST_WANTED, ST_UNWANTED } choice;
    bool told;                  /* that its declaration does not fit */
    uint64_t count, bytes;
    void *note;                 /* the sink's */
};

struct st_value                 /* of an argument */
{
    uint64_t word;
    const char *text;           /* of a string: not ended by a NUL */
    uint32_t length;
};

struct st_events
{
    struct arena arena;
    struct st_event **all;      /* by position */
    size_t nr, room;
    struct tt_index names;      /* of all, if there are any */
    struct st_event dropped;    /* what stands for lost ones */
};

int st_events_init(struct st_events *s);
void st_events_fini(struct st_events *s);

/* Add what these files declare.  `complain`: FILE:LINE:COL: what; or NULL. */
int st_events_read(struct st_events *s, char *const *paths, size_t nr,
                   void (*diagnose)(const char *text), struct err *e);

/* Add one declaration, as it stands in such a file.  NULL: it is none. */
struct st_event *st_events_add_declaration(struct st_events *s,
                                           const char *text, size_t length);

/* The one of this name; one of which only the name is known is added. */
struct st_event *st_events_find_or_add(struct st_events *s, const char *name,
                                       size_t length);

#endif /* SIMPLETRACE_EVENT_TABLE_H */
