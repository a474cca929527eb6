/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The explanation reads the whole trace again, to list its pcpus, domains,
 * vcpus or events.  This costs time only when there was nothing to print.
 */
#include "xenalyze/no-match.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libxentrace/internal.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/lines/lines.h"

#define MAX_TEXT 100u           /* of a list, so that a message is one line */

#define MAX_RANGE (XT_LABEL_MAX + 24u)

/*
 * A list of names, and of numbers as ranges, "0-3,7", with a common prefix,
 * "d1v0-3" or "web1/0-3".
 */
struct id_list
{
    char text[MAX_TEXT + MAX_RANGE];
    size_t used;
    char prefix[XT_LABEL_MAX];
    uint32_t first, last;
    bool open;                  /* first .. last is not in the text yet */
    bool full;
};

static void append_item(struct id_list *l, const char *item)
{
    if ( l->full )
        return;
    l->full = l->used + !!l->used + strlen(item) > MAX_TEXT;
    l->used += snprintf(l->text + l->used, sizeof(l->text) - l->used, "%s%s",
                        l->used ? "," : "", l->full ? "..." : item);
    assert(l->used < sizeof(l->text));
}

static void close_range(struct id_list *l)
{
    char range[MAX_RANGE];

    if ( !l->open )
        return;
    snprintf(range, sizeof(range), l->first == l->last ? "%s%u" : "%s%u-%u",
             l->prefix, l->first, l->last);
    append_item(l, range);
    l->open = false;
}

static void add_name(struct id_list *l, const char *name)
{
    close_range(l);
    append_item(l, name);
}

static void add_id(struct id_list *l, const char *prefix, uint32_t id)
{
    assert(!l->open || l->first <= l->last);
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

/* --- pcpus, domains and vcpus of the trace -------------------------------- */

static bool has_pcpu(const struct filter *f, const struct fact_end *end)
{
    for ( unsigned int i = 0; i < end->nr_pcpus; i++ )
        if ( end->has_records[i] && filter_wants_pcpu(f, i) )
            return true;
    return false;
}

static bool has_vcpu(const struct filter *f, const struct guests *w)
{
    /* After guests_sort(). */
    assert(w->domains || !w->nr_domains);
    for ( uint32_t i = 0; i < w->nr_domains; i++ )
        for ( uint32_t k = 0; k < w->domains[i]->nr_vcpus; k++ )
            if ( filter_wants_vcpu(f, w->domains[i]->id,
                                   w->domains[i]->vcpus[k]->id) )
                return true;
    return !filter_needs_vcpu(f);
}

bool no_match_in_segment(const struct filter *f, const struct guests *guests,
                         const struct fact_end *end)
{
    return !has_pcpu(f, end) || !has_vcpu(f, guests);
}

struct no_match
{
    const struct config *config;
    const char *name;           /* of the trace */
    const struct guests *guests;
    const struct xt_domain_names *names;
};

static void list_pcpus(struct id_list *l, const struct no_match *c,
                       const struct fact_end *end)
{
    (void)c;
    for ( unsigned int i = 0; i < end->nr_pcpus; i++ )
        if ( end->has_records[i] )
            add_id(l, "", i);
}

/* The domains of idle vcpus and of unknown vcpus are no domains of a user. */
static bool domain_is_listed(const struct domain *d)
{
    return d->id != XT_DOMAIN_IDLE && d->id != XT_DOMAIN_DEFAULT;
}

static void list_domains(struct id_list *l, const struct no_match *c,
                         const struct fact_end *end)
{
    char label[XT_LABEL_MAX];

    (void)end;
    for ( uint32_t i = 0; i < c->guests->nr_domains; i++ )
    {
        const struct domain *d = c->guests->domains[i];

        if ( !domain_is_listed(d) )
            continue;
        if ( xt_domain_name(c->names, d->id) )
            add_name(l, xt_domain_label(c->names, d->id, label));
        else
            add_id(l, "", d->id);
    }
}

static void list_vcpus(struct id_list *l, const struct no_match *c,
                       const struct fact_end *end)
{
    char prefix[XT_LABEL_MAX], label[XT_LABEL_MAX];

    (void)end;
    for ( uint32_t i = 0; i < c->guests->nr_domains; i++ )
    {
        const struct domain *d = c->guests->domains[i];
        bool named = xt_domain_name(c->names, d->id);

        snprintf(prefix, sizeof(prefix), "%.*s%c", (int)sizeof(prefix) - 2,
                 xt_domain_label(c->names, d->id, label), named ? '/' : 'v');
        for ( uint32_t k = 0; domain_is_listed(d) && k < d->nr_vcpus; k++ )
            add_id(l, prefix, d->vcpus[k]->id);
    }
}

/* --- the options ---------------------------------------------------------- */

/* A filter option, checked as if it were the only one. */
struct filter_option
{
    const char *name;
    struct filter_texts texts;
    const char *text;           /* its argument; NULL: not given */
    void (*list)(struct id_list *l, const struct no_match *c,
                 const struct fact_end *end);
};

/* The reason why a list is empty. */
static const char *explain_none(const struct fact_end *end)
{
    return end->sched_records
           ? "only idle vcpus"
           : "no scheduler events: vcpus are unknown; capture with xentrace "
             "-e sched:min";
}

static int check_option(const struct no_match *c,
                        const struct filter_option *option,
                        const struct fact_end *end, struct err *e)
{
    struct id_list l = { .used = 0 };
    struct filter *f;
    int rc = filter_new(&f, &option->texts, e);

    if ( rc )
        return rc;
    if ( no_match_in_segment(f, c->guests, end) )
    {
        option->list(&l, c, end);
        close_range(&l);
        rc = err_set(e, -ENOENT, "%s %s matches nothing in %s, which has %s",
                     option->name, option->text, c->name,
                     l.used ? l.text : explain_none(end));
    }
    filter_free(f);
    return rc;
}

/* Each option matches, but maybe no vcpu matches both. */
static int check_both(const struct no_match *c, const struct fact_end *end,
                      struct err *e)
{
    const struct filter_texts both = { .domains = c->config->domains,
                                       .vcpus = c->config->vcpus,
                                       .names = c->names };
    struct filter *f;
    int rc = filter_new(&f, &both, e);

    if ( !rc && no_match_in_segment(f, c->guests, end) )
        rc = err_set(e, -ENOENT, "no vcpu matches both --domain %s and "
                     "--vcpu %s", both.domains, both.vcpus);
    filter_free(f);
    return rc;
}

static void no_match_begin(void *state, const struct fact_begin *f)
{
    struct no_match *c = state;

    c->guests = f->guests;
}

/* The first segment without a match ends the search. */
static int no_match_end(void *state, const struct fact_end *f, struct err *e)
{
    struct no_match *c = state;
    const struct config *o = c->config;
    const struct filter_option options[] = {
        { "--pcpu", { .pcpus = o->pcpus }, o->pcpus, list_pcpus },
        { "--domain", { .domains = o->domains, .names = c->names }, o->domains,
          list_domains },
        { "--vcpu", { .vcpus = o->vcpus, .names = c->names }, o->vcpus,
          list_vcpus },
    };
    int rc = 0;

    for ( size_t i = 0; !rc && i < sizeof(options) / sizeof(options[0]); i++ )
        if ( options[i].text )
            rc = check_option(c, &options[i], f, e);
    return rc || !o->domains || !o->vcpus ? rc : check_both(c, f, e);
}

/* --- events --------------------------------------------------------------- */

static bool has_event(const struct filter *f,
                      const struct xt_catalogue *catalogue,
                      const struct xt_event_counts *t)
{
    for ( size_t i = 0; i < t->used; i++ )
    {
        const struct xt_record r = { .event = t->rows[i].event };

        if ( filter_wants(f, catalogue, 0, FILTER_NO_VCPU, &r) )
            return true;
    }
    return false;
}

static void list_events(const struct xt_event_counts *t, char *text,
                        size_t size)
{
    const char *last = "";
    size_t used = 0;

    text[0] = '\0';
    for ( size_t i = 0; i < t->used; i++ )
    {
        const struct xt_event *event = xt_catalogue_by_id(t->rows[i].event);

        /* Records about the trace are no answer. */
        if ( !event || !strcmp(event->name, last) ||
             t->rows[i].event >> TRC_CLS_SHIFT == TRC_GEN >> TRC_CLS_SHIFT )
            continue;
        last = event->name;
        if ( used + strlen(event->name) + 8 < size )
            used += snprintf(text + used, size - used, "%s%s",
                             used ? "," : "", event->name);
        else
        {
            snprintf(text + used, size - used, ",...");
            return;
        }
    }
}

static int count_events(const struct run *run, struct xt_counts *counts,
                        struct err *e)
{
    int rc = xt_trace_rewind(run->trace, e);

    return rc ? rc : count_trace(counts, run->trace, NULL, NULL, e);
}

static int check_events(const struct run *run, struct err *e)
{
    const struct filter_texts texts = { .events = run->config->events,
                                        .has_dump_name = dump_has_name };
    struct xt_catalogue *catalogue = NULL;
    struct filter *f = NULL;
    struct xt_counts counts;
    char text[MAX_TEXT];
    int rc = xt_counts_init(&counts);

    rc = rc ? rc : filter_new(&f, &texts, e);
    rc = rc ? rc : xt_catalogue_new(&catalogue, &run->info.dialect);
    rc = rc ? rc : count_events(run, &counts, e);
    if ( !rc && !has_event(f, catalogue, &counts.events) )
    {
        list_events(&counts.events, text, sizeof(text));
        rc = err_set(e, -ENOENT, "--event %s matches nothing in %s, which has "
                     "%s", texts.events, run->name,
                     *text ? text : "no event with a name");
    }
    xt_catalogue_free(catalogue);
    filter_free(f);
    xt_counts_fini(&counts);
    return rc ? err_sys(e, rc, "cannot analyze %s", run->name) : 0;
}

/* --- all options ---------------------------------------------------------- */

/* Each option matches, but no record matches all. */
static int refuse_all(const struct run *run, const char *remedy,
                      struct err *e)
{
    const struct config *c = run->config;
    const struct { const char *name, *text; } options[] = {
        { "--time", c->time }, { "--pcpu", c->pcpus },
        { "--domain", c->domains }, { "--vcpu", c->vcpus },
        { "--event", c->events },
    };
    char text[2 * MAX_TEXT];
    size_t used = 0;

    text[0] = '\0';
    for ( size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++ )
        if ( options[i].text && used < sizeof(text) )
            used += snprintf(text + used, sizeof(text) - used, " %s %s",
                             options[i].name, options[i].text);
    return err_set(e, -ENOENT, "no record of %s matches%s%s", run->name, text,
                   remedy);
}

static int check_guests(const struct run *run, struct err *e)
{
    static const struct sink_ops ops = {
        .name = "no-match", .begin = no_match_begin, .end = no_match_end,
    };
    struct no_match c = { .config = run->config, .name = run->name,
                          .names = &run->names };
    const struct sink sink = { &ops, &c };
    const struct analyze_options options = {
        .threads = run->config->threads, .info = &run->info,
    };
    int rc = xt_trace_rewind(run->trace, e);

    return rc ? rc : analyze_trace(run->trace, &options, &sink, 1, e);
}

int no_match_explain(const struct run *run, struct err *e)
{
    const struct config *o = run->config;
    struct err none = ERR_INIT;
    int rc = 0;

    if ( xt_trace_rewind(run->trace, &none) )
        return refuse_all(run, "; --summary lists its domains and vcpus, "
                          "--count its events", e);
    if ( o->pcpus || o->domains || o->vcpus )
        rc = check_guests(run, e);
    if ( !rc && o->events )
        rc = check_events(run, e);
    return rc ? rc : refuse_all(run, "", e);
}
