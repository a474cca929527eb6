/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace is read once more, for nothing but who is in it: that takes its
 * time only where there was nothing to show.
 */
#include "xenalyze/no-match.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "xenalyze/engine/engine.h"

#define MOST_TEXT 100u          /* of what there is: a line has an end */

/* Numbers as ranges, "0-3,7", behind the prefix that some of them share. */
struct list
{
    char text[MOST_TEXT + 40];
    size_t used;
    char prefix[16];
    uint32_t first, last;
    bool open, full;
};

static void close_range(struct list *l)
{
    char range[40];
    int n = snprintf(range, sizeof(range),
                     l->first == l->last ? "%s%s%u" : "%s%s%u-%u",
                     l->used ? "," : "", l->prefix, l->first, l->last);

    if ( !l->open || l->full )
        return;
    l->full = l->used + n > MOST_TEXT;
    l->used += snprintf(l->text + l->used, sizeof(l->text) - l->used, "%s",
                        l->full ? ",..." : range);
    l->open = false;
}

static void add(struct list *l, const char *prefix, uint32_t id)
{
    if ( l->open && !strcmp(l->prefix, prefix) && id == l->last + 1 )
    {
        l->last = id;
        return;
    }
    close_range(l);
    snprintf(l->prefix, sizeof(l->prefix), "%s", prefix);
    l->first = l->last = id;
    l->open = true;
}

/* --- who there is --------------------------------------------------------- */

static bool has_pcpu(const struct filter *f, const struct fact_end *end)
{
    for ( unsigned int i = 0; i < end->nr_pcpus; i++ )
        if ( end->pcpus[i] && filter_wants_pcpu(f, i) )
            return true;
    return false;
}

static bool has_vcpu(const struct filter *f, const struct guests *w)
{
    for ( uint32_t i = 0; i < w->nr_domains; i++ )
        for ( uint32_t k = 0; k < w->domains[i]->nr_vcpus; k++ )
            if ( filter_wants_vcpu(f, w->domains[i]->id,
                                   w->domains[i]->vcpus[k]->id) )
                return true;
    return !filter_needs_vcpu(f);
}

bool nobody_is_wanted(const struct filter *f, const struct guests *guests,
                      const struct fact_end *end)
{
    return !has_pcpu(f, end) || !has_vcpu(f, guests);
}

static void list_pcpus(struct list *l, const struct guests *w,
                       const struct fact_end *end)
{
    (void)w;
    for ( unsigned int i = 0; i < end->nr_pcpus; i++ )
        if ( end->pcpus[i] )
            add(l, "", i);
}

static bool has_name(const struct domain *d)
{
    return d->id != DOMID_IDLE && d->id != DOMID_DEFAULT;
}

static void list_domains(struct list *l, const struct guests *w,
                         const struct fact_end *end)
{
    (void)end;
    for ( uint32_t i = 0; i < w->nr_domains; i++ )
        if ( has_name(w->domains[i]) )
            add(l, "", w->domains[i]->id);
}

static void list_vcpus(struct list *l, const struct guests *w,
                       const struct fact_end *end)
{
    char prefix[16];

    (void)end;
    for ( uint32_t i = 0; i < w->nr_domains; i++ )
    {
        snprintf(prefix, sizeof(prefix), "d%uv", w->domains[i]->id);
        for ( uint32_t k = 0; has_name(w->domains[i]) &&
                              k < w->domains[i]->nr_vcpus; k++ )
            add(l, prefix, w->domains[i]->vcpus[k]->id);
    }
}

/* --- what was asked for --------------------------------------------------- */

/* An option that says who is wanted, as if it were the only one. */
struct who
{
    const char *option;
    struct filter_texts texts;
    const char *text;           /* that of them; NULL: it was not given */
    void (*list)(struct list *l, const struct guests *w,
                 const struct fact_end *end);
};

struct census
{
    const struct config *config;
    const char *name;           /* of the trace */
    const struct guests *guests;
};

static int ask(const struct census *c, const struct who *who,
               const struct fact_end *end, struct err *e)
{
    struct list l = { .used = 0 };
    struct filter *f;
    int rc = filter_new(&f, &who->texts, e);

    if ( rc )
        return rc;
    if ( nobody_is_wanted(f, c->guests, end) )
    {
        who->list(&l, c->guests, end);
        close_range(&l);
        rc = err_set(e, -ENOENT, "%s %s: not in %s, which has %s",
                     who->option, who->text, c->name,
                     l.used ? l.text : "none that it names");
    }
    filter_free(f);
    return rc;
}

/* Each alone is there. */
static int ask_both(const struct census *c, const struct fact_end *end,
                    struct err *e)
{
    const struct filter_texts both = { .domains = c->config->domains,
                                       .vcpus = c->config->vcpus };
    struct filter *f;
    int rc = filter_new(&f, &both, e);

    if ( !rc && nobody_is_wanted(f, c->guests, end) )
        rc = err_set(e, -ENOENT, "--domain %s and --vcpu %s: no vcpu is meant "
                     "by both", both.domains, both.vcpus);
    filter_free(f);
    return rc;
}

static void begin(void *state, const struct fact_begin *f)
{
    struct census *c = state;

    c->guests = f->guests;
}

/* Of several segments, the first that lacks one says so. */
static int end(void *state, const struct fact_end *f, struct err *e)
{
    struct census *c = state;
    const struct config *o = c->config;
    const struct who whos[] = {
        { "--pcpu", { .pcpus = o->pcpus }, o->pcpus, list_pcpus },
        { "--domain", { .domains = o->domains }, o->domains, list_domains },
        { "--vcpu", { .vcpus = o->vcpus }, o->vcpus, list_vcpus },
    };
    int rc = 0;

    for ( size_t i = 0; !rc && i < sizeof(whos) / sizeof(whos[0]); i++ )
        if ( whos[i].text )
            rc = ask(c, &whos[i], f, e);
    return rc || !o->domains || !o->vcpus ? rc : ask_both(c, f, e);
}

int nobody_explain(const struct run *run, struct err *e)
{
    static const struct sink_ops ops = {
        .name = "nobody", .begin = begin, .end = end,
    };
    struct census c = { .config = run->config, .name = run->name };
    const struct sink sink = { &ops, &c };
    const struct analyze_options options = {
        .threads = run->config->threads, .info = &run->info,
    };
    struct err none = ERR_INIT;

    if ( xt_trace_rewind(run->trace, &none) )
        return err_set(e, -ENOENT, "nothing of %s is of those who are "
                       "wanted; --summary says who is there", run->name);
    return analyze_trace(run->trace, &options, &sink, 1, e);
}
