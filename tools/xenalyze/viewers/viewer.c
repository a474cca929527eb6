/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats by name, and the choice between both kinds of formats.
 */
#include "xenalyze/viewers/viewer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/stacks.h"

#define FORMAT(format, ops, member, binary, numbers)                        \
    { .name = #format, .is_binary = (binary), .has_numbers = (numbers),     \
      .member = &ops },

#define RECORDS(format, folder)                                             \
    { .name = #format, .is_binary = true, .has_records = true,              \
      .is_folder = (folder) },

static const struct viewer_format formats[] = {
    VIEWER_TABLE(FORMAT) VIEWER_RECORDS_TABLE(RECORDS)
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

struct viewer
{
    const struct viewer_format *format;
    struct viewer_options options;
    FILE *out;
    struct activities activities;
    struct stacks stacks;
    void *state;                /* argument of the format's callbacks */
};

const struct viewer_format *viewer_find(const char *name, size_t length)
{
    for ( size_t i = 0; i < NR_FORMATS; i++ )
        if ( strlen(formats[i].name) == length &&
             !memcmp(formats[i].name, name, length) )
            return &formats[i];
    return NULL;
}

bool viewer_has_programs(const struct viewer_format *format)
{
    return format->activities && format->activities->program;
}

bool viewer_has_hosts(const struct viewer_format *format)
{
    assert(format);
    return format->activities;
}

int viewer_new(struct viewer **viewer, const struct viewer_format *format,
               const struct viewer_options *options, FILE *out)
{
    struct viewer *v = *viewer = fault_calloc(1, sizeof(*v));

    assert(!format->activities != !format->stacks && out);
    if ( !v )
        return -ENOMEM;
    v->format = format;
    v->options = *options;
    v->out = out;
    stacks_init(&v->stacks, &v->options);
    if ( !format->activities )
        return 0;
    v->state = fault_calloc(1, format->activities->size);
    if ( activities_init(&v->activities, format, &v->options, v->state) ||
         !v->state )
        return -ENOMEM;
    format->activities->open(v->state, &v->options, out);
    return 0;
}

int viewer_begin_host(struct viewer *v, const struct viewer_options *options)
{
    assert(v->options.host && options->host && viewer_has_hosts(v->format));
    v->options = *options;
    v->options.first_pcpu = v->activities.nr_pcpus;
    return activities_begin_host(&v->activities);
}

static void close_activities(struct viewer *v)
{
    const struct activity_ops *ops = v->format->activities;

    assert(ops);
    if ( v->state && ops->close )
        ops->close(v->state);
    activities_fini(&v->activities);
}

void viewer_free(struct viewer *v)
{
    if ( !v )
        return;
    if ( v->format->activities )
        close_activities(v);
    stacks_fini(&v->stacks);
    free(v->state);
    free(v);
}

struct sink viewer_sink(struct viewer *v)
{
    return v->format->activities ? activities_sink(&v->activities)
                                 : stacks_sink(&v->stacks);
}

bool viewer_get_waits_sink(struct viewer *v, struct sink *sink)
{
    struct activity_waits *waits = v->activities.waits;

    assert(!waits || v->format->activities);
    if ( waits )
        *sink = wait_causes_sink(&waits->causes);
    return waits;
}

/* A selection lacks the wakers. */
bool viewer_get_blocks_sink(struct viewer *v, struct sink *sink)
{
    struct activity_blocks *blocks = v->activities.blocks;

    assert(!blocks || v->format->activities);
    if ( !blocks || v->options.wants_pcpu || v->options.wants_vcpu )
        return false;
    *sink = block_reasons_sink(&blocks->reasons);
    return true;
}

/* A selection lacks changes. */
bool viewer_get_queues_sink(struct viewer *v, struct sink *sink)
{
    struct activity_queues *queues = v->activities.queues;

    assert(!queues || v->format->activities);
    return queues && !v->options.wants_pcpu && !v->options.wants_vcpu &&
           activity_queues_get_sink(queues, sink);
}

void viewer_add_path(struct viewer *v, uint64_t from, uint64_t to,
                     const char *path, const char *name)
{
    const struct activity_path part = {
        .from = from, .to = to, .path = path, .name = name };

    assert(path && name);
    if ( v->format->activities )
        activities_add_path(&v->activities, &part);
}

bool viewer_hides_vcpus(const struct viewer *v)
{
    assert(v->format);
    return v->activities.has_hidden_vcpus;
}

uint32_t viewer_pcpu_bound(const struct viewer *v)
{
    const struct activity_ops *ops = v->format->activities;

    return ops && v->activities.nr_pcpus > ops->max_pcpus ? ops->max_pcpus : 0;
}

bool viewer_is_empty(const struct viewer *v)
{
    return v->format->activities ? !v->activities.has_any
                                 : !v->stacks.map.used;
}

int viewer_add_numbers(struct viewer *v)
{
    assert(v->format->has_numbers && v->format->activities->numbers);
    return v->format->activities->numbers(v->state);
}

int viewer_finish(struct viewer *v)
{
    int rc;

    if ( v->format->activities )
    {
        assert(v->state);
        rc = v->format->activities->finish(v->state);
        return v->activities.failed ? -ENOMEM : rc;
    }
    rc = stacks_close(&v->stacks);
    return rc ? rc : v->format->stacks->write(&v->stacks, v->out);
}
