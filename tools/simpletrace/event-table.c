/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracetool's parser reads the declarations; the parts that a trace needs are
 * copied, so the parser's memory can be freed.
 *
 * Lookup by name happens once per mapping of a trace, not once per record.
 */
#include "simpletrace/event-table.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "simpletrace/recipe.h"
#include "tracetool/parse.h"
#include "tracetool/sources.h"

#define MAX_DIAGNOSTIC 1024

static const struct st_arg lost = { .name = "num_events_dropped",
                                     .type = "uint64_t" };
static const char lost_name[32] = "Dropped_Event";

_Static_assert(sizeof(lost_name) >= sizeof("Dropped_Event") + ST_PAD,
               "the name is padded");

char *st_copy_padded(struct arena *a, const char *text, size_t length)
{
    char *copy = arena_zalloc(a, length + ST_PAD, 1);

    if ( copy && length )
        memcpy(copy, text, length);
    return copy;
}

int st_events_init(struct st_events *s)
{
    *s = (struct st_events){ .dropped = {
        .name = lost_name, .args = &lost, .nr_args = 1, .min_bytes = 8,
        .declared = true, .format = "",
    } };
    arena_init(&s->arena, 1u << 14);
    return 0;
}

void st_events_fini(struct st_events *s)
{
    fault_free(s->all);
    arena_fini(&s->arena);
}

static int append_event(struct st_events *s, struct st_event *event)
{
    size_t room = s->room ? s->room * 2 : 256;
    struct st_event **all;

    assert(event->name && event->declared);
    assert(s->nr <= s->room);
    if ( s->nr == s->room )
    {
        all = fault_realloc(s->all, room * sizeof(*all));
        if ( !all )
            return -ENOMEM;
        s->all = all;
        s->room = room;
    }
    s->all[s->nr++] = event;
    return 0;
}

static struct st_arg copy_argument(struct st_events *s,
                                   const struct tt_arg *from)
{
    return (struct st_arg){
        .name = arena_strdup(&s->arena, from->name),
        .type = arena_strdup(&s->arena, from->type),
        .is_string = from->kind == TT_STRING, .is_signed = from->is_signed,
        .is_pointer = from->kind == TT_POINTER,
        .is_bool = from->kind == TT_BOOL,
    };
}

/*
 * QEMU's property vcpu adds a first argument that is not written in the file.
 */
static int copy_arguments(struct st_events *s, struct st_event *event,
                          const struct tt_event *from)
{
    size_t i, nr = from->nr_args + from->vcpu;
    struct st_arg *args = arena_array(&s->arena, nr, sizeof(*args),
                                      _Alignof(struct st_arg));

    if ( (!args && nr) || nr > ST_MAX_ARGS )
        return -ENOMEM;
    if ( from->vcpu )
        args[0] = (struct st_arg){ .name = "__cpu", .type = "void *",
                                   .is_pointer = true };
    for ( i = from->vcpu; i < nr; i++ )
    {
        args[i] = copy_argument(s, &from->args[i - from->vcpu]);
        if ( !args[i].name || !args[i].type )
            return -ENOMEM;
        event->has_strings |= args[i].is_string;
    }
    for ( i = 0; i < nr; i++ )
        event->min_bytes += args[i].is_string ? 4 : 8;
    event->args = args;
    event->nr_args = nr;
    return 0;
}

static struct st_event *copy_event(struct st_events *s,
                                   const struct tt_event *from)
{
    struct st_event *event = arena_new(&s->arena, struct st_event);

    if ( !event )
        return NULL;
    event->name = st_copy_padded(&s->arena, from->name, strlen(from->name));
    event->declared = true;
    event->disabled = from->disabled;
    event->format = arena_strdup(&s->arena, from->format);
    if ( !event->name || !event->format || copy_arguments(s, event, from) ||
         st_recipe_make(&s->arena, event, from) )
        return NULL;
    return event;
}

static struct st_event *find_event(const struct st_events *s, const char *name)
{
    size_t i;

    assert(s->names.first);
    for ( i = tt_index_first(&s->names, tt_index_hash(name)); i != TT_NONE;
          i = s->names.next[i] )
        if ( !strcmp(s->all[i]->name, name) )
            return s->all[i];
    return NULL;
}

/* An event that several files declare has a position for each. */
static int add_model_events(struct st_events *s, const struct tt_model *model)
{
    struct st_event *event;
    size_t i;

    assert(!s->nr);
    if ( tt_index_init(&s->names, &s->arena, model->nr_events) )
        return -ENOMEM;
    for ( i = 0; i < model->nr_events; i++ )
    {
        event = find_event(s, model->events[i].name);
        if ( !event )
            event = copy_event(s, &model->events[i]);
        if ( !event || append_event(s, event) )
            return -ENOMEM;
        tt_index_add(&s->names, tt_index_hash(event->name), i);
    }
    return 0;
}

struct diagnosis
{
    void (*diagnose)(const char *text);     /* or NULL: */
    struct err *e;              /* gets the first error */
};

static void report_syntax_error(void *ctx, const struct tt_place *at,
                                const char *text)
{
    const struct diagnosis *d = ctx;
    char line[MAX_DIAGNOSTIC];

    snprintf(line, sizeof(line), "%s:%u:%u: %s", at->file, at->line,
             at->column, text);
    if ( d->diagnose )
        d->diagnose(line);
    else
        err_set(d->e, -EINVAL, "%s", line);
}

/* A trace, say, would have a syntax error in each line. */
static int refuse_binary(const struct tt_source *sources, size_t nr,
                         struct err *e)
{
    assert(sources || !nr);
    for ( size_t i = 0; i < nr; i++ )
        if ( sources[i].length &&
             memchr(sources[i].text, '\0', sources[i].length) )
            return err_set(e, -EINVAL, "%s is not a file of events, but "
                           "binary: see trace-events(5)", sources[i].name);
    return 0;
}

int st_events_parse(struct st_events *s, struct tt_source *sources, size_t nr,
                    void (*diagnose)(const char *text), struct err *e)
{
    struct diagnosis d = { .diagnose = diagnose, .e = e };
    struct tt_model model;
    struct arena a;
    int rc = refuse_binary(sources, nr, e);

    if ( rc )
        return rc;
    arena_init(&a, 1u << 16);
    for ( size_t i = 0; i < nr; i++ )
        sources[i].may_repeat = true;
    rc = tt_parse(&a, sources, nr, &model, report_syntax_error, &d);
    if ( rc == -EINVAL )
        err_set(e, rc, "the file of events has errors, see trace-events(5): "
                "correct it, or omit the file");
    if ( !rc )
        rc = add_model_events(s, &model);
    if ( rc )
        err_sys(e, rc, "cannot read the events");
    arena_fini(&a);
    return rc;
}

int st_events_read(struct st_events *s, char *const *paths, size_t nr,
                   void (*diagnose)(const char *text), struct err *e)
{
    struct tt_source *sources = NULL;
    int rc = tt_sources_read(paths, nr, &sources, e);

    if ( !rc )
        rc = st_events_parse(s, sources, nr, diagnose, e);
    tt_sources_free(sources, nr);
    return rc;
}

static void ignore_error(void *ctx, const struct tt_place *at, const char *text)
{
    (void)ctx;
    (void)at;
    (void)text;
}

struct st_event *st_events_add_declaration(struct st_events *s,
                                           const char *text, size_t length)
{
    struct tt_source source = { .name = "trace" };
    struct st_event *event = NULL;
    struct tt_model model;
    struct arena a;
    char *line;

    arena_init(&a, 1u << 12);
    /* The parser requires a final newline. */
    line = arena_alloc(&a, length + 1, 1);
    if ( line )
    {
        memcpy(line, text, length);
        line[length] = '\n';
        source.text = line;
        source.length = length + 1;
        if ( !tt_parse(&a, &source, 1, &model, ignore_error, NULL) &&
             model.nr_events == 1 )
            event = copy_event(s, &model.events[0]);
    }
    arena_fini(&a);
    return event;
}

struct st_event *st_events_find_or_add(struct st_events *s, const char *name,
                                       size_t length)
{
    struct st_event *event = arena_new(&s->arena, struct st_event), *known;

    assert(name);
    if ( event )
        event->name = st_copy_padded(&s->arena, name, length);
    if ( !event || !event->name )
        return NULL;
    known = s->nr ? find_event(s, event->name) : NULL;
    return known ? known : event;
}
