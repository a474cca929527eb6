/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xenalyze/part-selection.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <public/trace.h>

#include "libxentrace/meta-event.h"
#include "xenalyze/lines/lines.h"

static const struct
{
    const char *option;
    size_t at;                  /* the argument in struct config */
} selecting[] = {
    { "--pcpu", offsetof(struct config, pcpus) },
    { "--domain", offsetof(struct config, domains) },
    { "--vcpu", offsetof(struct config, vcpus) },
    { "--event", offsetof(struct config, events) },
};

bool part_selection_format(const struct config *config,
                           char text[PART_SELECTION_MAX])
{
    size_t used = 0;

    for ( size_t i = 0; i < sizeof(selecting) / sizeof(selecting[0]); i++ )
    {
        const char *argument = *(const char *const *)
                               ((const char *)config + selecting[i].at);

        if ( !argument || used >= PART_SELECTION_MAX )
            continue;
        used += snprintf(text + used, PART_SELECTION_MAX - used, "%s%s=%s",
                         used ? " " : "", selecting[i].option, argument);
    }
    if ( used >= PART_SELECTION_MAX )
        memcpy(text + PART_SELECTION_MAX - 4, "...", 4);
    return used;
}

struct selection_search
{
    const struct run *run;
    struct xt_meta_text text;
};

static void warn_selection(void *arg, const struct xt_meta *m)
{
    struct selection_search *s = arg;

    if ( m->event == TRC_META_TEXT && m->text.kind == FILE_TEXT_SELECTION &&
         xt_meta_text_add(&s->text, m->text.part, m->text.parts,
                          &m->text.t0) )
        log_warning(s->run->log, "%s has only those records of a trace that "
                    "%s selected; the report lacks all others", s->run->name,
                    s->text.text);
}

void part_selection_warn(const struct run *run)
{
    struct selection_search search = { .run = run };

    if ( run->info.is_cut )
        xt_trace_visit_metadata(run->trace, warn_selection, &search);
}
