/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a trace: declared in trace-events files or in the trace
 * itself, or known by name only.
 */
#ifndef SIMPLETRACE_EVENT_TABLE_H
#define SIMPLETRACE_EVENT_TABLE_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/err.h"
#include "simpletrace/out.h"
#include "tracetool/index.h"
#include "tracetool/parse.h"

#define ST_MAX_ARGS 11u         /* ten, and the vcpu */

struct st_arg
{
    const char *name, *type;    /* type: as declared */
    bool is_string, is_signed, is_pointer, is_bool;
};

struct st_step;                 /* a step of a format: recipe.h */

struct st_event
{
    const char *name;           /* ST_PAD bytes behind it are readable */
    const struct st_arg *args;
    size_t nr_args;
    size_t min_bytes;           /* least size of the arguments */
    const char *format;         /* C source, as declared; NULL: undeclared */
    const struct st_step *steps;
    size_t nr_steps;            /* 0: no format */
    size_t room, string_steps;  /* space that the steps need: recipe.h */
    bool declared;              /* false: only the name is known */
    bool disabled;
    bool has_strings;           /* otherwise the size is always min_bytes */

    /* State of readers and sinks. */
    enum { ST_UNASKED, ST_WANTED, ST_UNWANTED } choice;
    uint64_t count, bytes;
    struct st_text shown;       /* name as style text prints it; or empty */
    struct st_text *json;       /* keys of style json; or NULL */
    void *handler;              /* function of a script; or NULL */
};

struct st_value                 /* value of an argument */
{
    uint64_t word;
    const char *text;           /* contents of a string, padded (out.h) */
    uint32_t length;
};

struct st_events
{
    struct arena arena;
    struct st_event **all;      /* in order of declaration */
    size_t nr, room;
    struct tt_index names;      /* index of all, if there are any */
    struct st_event dropped;    /* the event of losses */
};

int st_events_init(struct st_events *s);
void st_events_fini(struct st_events *s);

/*
 * Add the declarations of these files.  `diagnose` gets each error as
 * FILE:LINE:COL: text; if it is NULL, *e gets the first one.
 */
int st_events_read(struct st_events *s, char *const *paths, size_t nr,
                   void (*diagnose)(const char *text), struct err *e);

/* The same for declarations in memory. */
int st_events_parse(struct st_events *s, struct tt_source *sources, size_t nr,
                    void (*diagnose)(const char *text), struct err *e);

/* Parse one declaration, as in a trace-events file.  NULL: an error. */
struct st_event *st_events_add_declaration(struct st_events *s,
                                           const char *text, size_t length);

/* A copy with ST_PAD zeros behind it.  NULL: no memory. */
char *st_copy_padded(struct arena *a, const char *text, size_t length);

/* Find an event by name; an unknown name becomes an undeclared event. */
struct st_event *st_events_find_or_add(struct st_events *s, const char *name,
                                       size_t length);

#endif /* SIMPLETRACE_EVENT_TABLE_H */
