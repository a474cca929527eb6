/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export: files for viewers of other projects, written while the trace is
 * read.  A file gets its name when it is complete.  A format with numbers of
 * reports opens these reports.
 *
 * Several hosts are several passes with the same files: the exports stay open
 * between them.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/output-file.h"
#include "xenalyze/reports/table.h"

struct viewers
{
    const struct report_file *exports;  /* configured files */
    const char *output;         /* name of standard output, in messages */
    const struct log *log;
    bool has_hosts;             /* kept between passes */
    struct viewer_numbers numbers;      /* during viewers_write() */
    char *verdict;
    struct viewer *viewers[REPORT_MAX_EXPORTS];
    struct output_file files[REPORT_MAX_EXPORTS];
    size_t nr;
};

static bool viewers_are_requested(const struct report_config *c)
{
    return c->nr_exports;
}

static int open_viewer(struct report_pass *p, struct viewers *v, size_t i,
                       struct err *e)
{
    const struct report_file *f = &p->config->exports[i];
    const struct viewer_options options = {
        .trace = p->hosts ? p->hosts->name : p->name,
        .host = p->hosts ? &p->hosts->host : NULL,
        .names = p->request.names,
        .wants_pcpu = p->pcpus ? p->wants_pcpu : NULL,
        .wants_vcpu = p->wants_vcpu, .filter = p->filter,
        .numbers = &v->numbers, .programs = p->programs,
        .symbols = p->symbols,
    };
    bool is_output = !strcmp(f->path, "-");
    int rc = 0;

    assert(f->format && i <= v->nr);
    if ( i < v->nr )
        return viewer_begin_host(v->viewers[i], &options);
    v->files[i] = (struct output_file){ .fd = -1 };
    v->nr = i + 1;
    if ( !is_output )
        rc = output_file_open(&v->files[i], f->path, e);
    return rc ? rc : viewer_new(&v->viewers[i], f->format, &options,
                                is_output ? p->out : v->files[i].out);
}

static void add_viewer_sinks(struct report_pass *p, struct viewer *viewer)
{
    struct sink more;

    assert(viewer);
    report_add_sink(p, viewer_sink(viewer));
    if ( viewer_get_waits_sink(viewer, &more) )
        report_add_sink(p, more);
    if ( viewer_get_blocks_sink(viewer, &more) )
        report_add_sink(p, more);
    if ( viewer_get_queues_sink(viewer, &more) )
        report_add_sink(p, more);
}

static int viewers_open(struct report_pass *p, void **state, struct err *e)
{
    struct viewers *v = p->hosts ? p->hosts->viewers : NULL;
    int rc = 0;

    if ( !v )
    {
        v = fault_calloc(1, sizeof(*v));
        if ( !v )
            return -ENOMEM;
        v->exports = p->config->exports;
        v->log = p->log;
        v->output = p->output ? p->output : "the report";
        v->has_hosts = p->hosts;
        if ( p->hosts )
            p->hosts->viewers = v;
    }
    *state = v;
    for ( size_t i = 0; !rc && i < p->config->nr_exports; i++ )
    {
        rc = open_viewer(p, v, i, e);
        if ( !rc )
            add_viewer_sinks(p, v->viewers[i]);
    }
    return rc;
}

static void warn_pcpus(const struct viewers *v, size_t i, const char *name)
{
    uint32_t bound = viewer_pcpu_bound(v->viewers[i]);

    if ( bound )
        log_warning(v->log, "%s: more than %u pcpus: %s does not show what "
                    "further ones did", name, bound,
                    v->exports[i].format->name);
}

static int write_viewer(struct viewers *v, size_t i, const char *name,
                        struct err *e)
{
    struct output_file *f = &v->files[i];
    int rc = viewer_finish(v->viewers[i]);

    if ( rc == -ENOMEM )
        return err_sys(e, rc, "cannot export %s as %s", name,
                       v->exports[i].format->name);
    if ( rc )
        return err_sys(e, rc, "cannot write %s",
                       f->fd < 0 ? v->output : f->path);
    rc = f->fd < 0 ? 0 : output_file_commit(f, e);
    if ( !rc )
        warn_pcpus(v, i, name);
    return rc;
}

/* A verdict compares a vcpu with every vcpu in the trace. */
static bool has_verdict(const struct report_pass *p)
{
    assert(report_state(p, &report_why));
    return !p->pcpus && !p->domains && !p->vcpus;
}

static int print_verdict_text(const struct report_pass *p, struct viewers *v)
{
    struct report_pass copy = *p;
    size_t size;
    int rc;

    if ( !has_verdict(p) )
        return 0;
    copy.out = open_memstream(&v->verdict, &size);
    if ( !copy.out )
        return -ENOMEM;
    rc = report_why.print(&copy, report_state(p, &report_why));
    if ( fclose(copy.out) && !rc )
        rc = -ENOMEM;
    assert(rc || v->verdict);
    return rc;
}

static int complete_numbers(const struct report_pass *p, struct viewers *v)
{
    int rc;

    if ( !report_page.is_requested(p->config) )
        return 0;
    free(v->verdict);           /* the last host has one */
    v->verdict = NULL;
    rc = print_verdict_text(p, v);
    v->numbers = (struct viewer_numbers){
        .summary = account_summary(p),
        .latency = report_state(p, &report_latency), .verdict = v->verdict,
        .waits = has_verdict(p) ? report_why_waits(p) : NULL,
        .clock_assumed = p->clock_assumed, .is_selection = p->is_selection,
    };
    assert(v->numbers.latency);
    return rc;
}

static int viewers_write(struct report_pass *p, void *state, struct err *e)
{
    struct viewers *v = state;
    int rc = complete_numbers(p, v);

    assert(v->nr == p->config->nr_exports);
    if ( rc )
        return err_sys(e, rc, "cannot export %s", p->name);
    for ( size_t i = 0; !rc && i < v->nr; i++ )
    {
        if ( viewer_is_empty(v->viewers[i]) )
            return report_refuse_source(p, "runstates or VM exits of known "
                                        "vcpus", "sched:min,hvm", e);
        if ( v->exports[i].format->has_numbers &&
             viewer_add_numbers(v->viewers[i]) )
            return err_sys(e, -ENOMEM, "cannot export %s", p->name);
        if ( !v->has_hosts )
            rc = write_viewer(v, i, p->name, e);
    }
    return rc;
}

void report_viewers_add_path(const struct report_pass *p, uint64_t from,
                             uint64_t to, const char *path, const char *name)
{
    struct viewers *v = report_state(p, &report_viewers);

    assert(v);
    for ( size_t i = 0; i < v->nr; i++ )
        viewer_add_path(v->viewers[i], from, to, path, name);
}

static void free_viewers(struct viewers *v)
{
    assert(v);
    for ( size_t i = 0; i < v->nr; i++ )
    {
        viewer_free(v->viewers[i]);
        output_file_discard(&v->files[i]);
    }
    free(v->verdict);
    free(v);
}

static void viewers_free(void *state)
{
    struct viewers *v = state;

    if ( v && !v->has_hosts )
        free_viewers(v);
}

int report_hosts_write(struct report_hosts *h, struct err *e)
{
    bool hides_vcpus = false;
    int rc = 0;

    assert(h->viewers && h->name);
    for ( size_t i = 0; !rc && i < h->viewers->nr; i++ )
    {
        hides_vcpus |= viewer_hides_vcpus(h->viewers->viewers[i]);
        rc = write_viewer(h->viewers, i, h->name, e);
    }
    if ( !rc && hides_vcpus )
        log_warning(h->viewers->log, "%s: more than %u vcpus of all hosts: "
                    "further ones have no row", h->name, GUESTS_MAX_VCPUS);
    return rc;
}

void report_hosts_fini(struct report_hosts *h)
{
    if ( h->viewers )
        free_viewers(h->viewers);
    h->viewers = NULL;
}

bool report_viewers_show_losses(const struct report_pass *p)
{
    for ( size_t i = 0; i < p->config->nr_exports; i++ )
        if ( !p->config->exports[i].format->activities )
            return false;
    return p->config->nr_exports;
}

const struct report report_viewers = {
    .name = "viewers", .kind = REPORT_AUXILIARY,
    .is_requested = viewers_are_requested, .open = viewers_open,
    .write = viewers_write, .free = viewers_free,
};

static bool page_is_requested(const struct report_config *c)
{
    for ( size_t i = 0; i < c->nr_exports; i++ )
        if ( c->exports[i].format->has_numbers )
            return true;
    return false;
}

/* Opens the reports whose numbers a format has. */
const struct report report_page = {
    .name = "page", .kind = REPORT_AUXILIARY,
    .needs = { &report_account, &report_latency, &report_why },
    .is_requested = page_is_requested,
};
