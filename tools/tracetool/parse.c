/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From files to a model: parse the declarations of all files, then all events,
 * then check for conflicts between events.
 */
#include "tracetool/parse.h"

#include <assert.h>
#include <errno.h>

#include "tracetool/event.h"

static int build_event(void *ctx, const struct tt_written_event *e)
{
    return tt_event_build(ctx, e);
}

static int read_all(struct tt_build *b, struct tt_written *w,
                    const struct tt_source *sources, size_t nr)
{
    size_t i;
    int rc = 0;

    for ( i = 0; i < nr && !rc; i++ )
    {
        b->may_repeat |= sources[i].may_repeat;
        rc = tt_syntax_declarations(w, &sources[i]);
    }
    if ( !rc )
        rc = tt_unique_words(b);
    for ( i = 0; i < nr && !rc; i++ )
        rc = tt_syntax_events(w, &sources[i]);
    return rc ? rc : tt_unique_events(b);
}

/* An array even without events: loops add 0 to its address. */
static struct tt_model make_model(const struct tt_build *b)
{
    static const struct tt_event none;

    return (struct tt_model){
        .classes = b->written->classes.items,
        .nr_classes = b->written->classes.nr,
        .sems = b->written->sems.items, .nr_sems = b->written->sems.nr,
        .events = b->events.nr ? b->events.items : &none,
        .nr_events = b->events.nr,
    };
}

int tt_parse(struct arena *a, const struct tt_source *sources, size_t nr,
             struct tt_model *model, tt_report_fn *report, void *ctx)
{
    struct tt_errors errors;
    struct tt_written written = { .arena = a, .errors = &errors };
    struct tt_build b = { .arena = a, .errors = &errors,
                          .written = &written };
    int rc = tt_errors_init(&errors, a, sources, nr);

    assert(sources || !nr);
    written.event = build_event;
    written.ctx = &b;
    if ( !rc )
        rc = read_all(&b, &written, sources, nr);
    if ( rc )
        return rc;
    *model = make_model(&b);
    tt_errors_report(&errors, report, ctx);
    return errors.nr ? -EINVAL : 0;
}
