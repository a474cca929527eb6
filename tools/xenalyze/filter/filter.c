/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is asked of every record is prepared: of events, a mark by their place
 * in the catalogue; of pcpus and domains, a bit each.
 */
#include "xenalyze/filter/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/opts.h"

#define NUMBERS 65536u          /* of pcpus, and of domains */
#define MOST_WORDS 256u
#define MOST_LENGTH 128u        /* of a word */

struct bits
{
    uint64_t words[NUMBERS / 64];
};

/* An id as a number: one event, or with `mask` all of a class. */
struct wanted_id
{
    uint32_t id;
    bool mask;
};

struct filter
{
    struct bits *pcpus, *domains;       /* NULL: all */
    uint32_t *vcpus;                    /* domain << 16 | vcpu */
    bool *events;                       /* by place in the catalogue */
    struct wanted_id *ids;
    unsigned int nr_vcpus, nr_ids;
    bool by_who, by_event;
};

/* --- asking --------------------------------------------------------------- */

static bool has(const struct bits *b, uint32_t n)
{
    return n < NUMBERS && b->words[n / 64] >> n % 64 & 1;
}

static bool in_class(uint32_t event, uint32_t mask)
{
    return event >> TRC_CLS_SHIFT & mask >> TRC_CLS_SHIFT &&
           event >> TRC_SUBCLS_SHIFT & mask >> TRC_SUBCLS_SHIFT & 0xf;
}

static bool wants_event(const struct filter *f, const struct xt_event *e,
                        uint32_t id)
{
    if ( e && f->events[e - xt_catalogue_events] )
        return true;
    for ( unsigned int i = 0; i < f->nr_ids; i++ )
        if ( f->ids[i].mask ? in_class(id, f->ids[i].id)
                            : f->ids[i].id == id )
            return true;
    return false;
}

/* Of both a domain and a vcpu, a record must have the one and the other. */
static bool wants_who(const struct filter *f, uint32_t who)
{
    bool found = !f->nr_vcpus;

    if ( who == FILTER_NOBODY || (f->domains && !has(f->domains, who >> 16)) )
        return false;
    for ( unsigned int i = 0; !found && i < f->nr_vcpus; i++ )
        found = f->vcpus[i] == who;
    return found;
}

static bool is_named(const struct xt_field *field, const char *a,
                     const char *b)
{
    return field->sem && (!strcmp(field->sem->name, a) ||
                          (b && !strcmp(field->sem->name, b)));
}

/* A domain and the vcpu beside it, or a domain alone. */
static bool names_wanted(const struct filter *f, const struct xt_event *e,
                         const struct xt_record *r)
{
    uint64_t dom = UINT64_MAX, vcpu = UINT64_MAX, value;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        bool domain = is_named(&e->fields[i], "domain", NULL);

        if ( !domain && !is_named(&e->fields[i], "vcpu", "unit") )
            continue;
        if ( !xt_field_get(e, i, r, &value) )
            continue;
        *(domain ? &dom : &vcpu) = value & 0xffff;
        if ( domain && !f->nr_vcpus && has(f->domains, dom) )
            return true;
        if ( dom == UINT64_MAX || vcpu == UINT64_MAX )
            continue;
        if ( wants_who(f, dom << 16 | vcpu) )
            return true;
        dom = vcpu = UINT64_MAX;
    }
    return false;
}

bool filter_wants(const struct filter *f, const struct xt_catalogue *catalogue,
                  unsigned int cpu, uint32_t who, const struct xt_record *r)
{
    const struct xt_event *e = NULL;

    if ( f->pcpus && !has(f->pcpus, cpu) )
        return false;
    if ( f->by_event || f->by_who )
        e = xt_catalogue_find(catalogue, r->event, r->words);
    if ( f->by_event && !wants_event(f, e, r->event) )
        return false;
    if ( !f->by_who || wants_who(f, who) )
        return true;
    return e && xt_event_fits(e, r->words) && names_wanted(f, e, r);
}

bool filter_wants_pcpu(const struct filter *f, unsigned int cpu)
{
    return !f->pcpus || has(f->pcpus, cpu);
}

bool filter_wants_vcpu(const struct filter *f, unsigned int domain,
                       unsigned int vcpu)
{
    bool found = !f->nr_vcpus;

    if ( f->domains && !has(f->domains, domain) )
        return false;
    for ( unsigned int i = 0; !found && i < f->nr_vcpus; i++ )
        found = vcpu == FILTER_NOBODY ? f->vcpus[i] >> 16 == domain
                                      : f->vcpus[i] == (domain << 16 | vcpu);
    return found;
}

bool filter_is_empty(const struct filter *f)
{
    return !f->pcpus && !f->by_event && !f->by_who;
}

bool filter_needs_who(const struct filter *f)
{
    return f->by_who;
}

/* --- words ---------------------------------------------------------------- */

/* Call `take` for each word between commas. */
static int each_word(struct filter *f, const char *text, const char *option,
                     int (*take)(struct filter *f, const char *word),
                     struct err *e)
{
    char word[MOST_LENGTH];
    unsigned int nr = 0;
    int rc;

    while ( text )
    {
        size_t length = strcspn(text, ",");

        if ( !length || length >= sizeof(word) || ++nr > MOST_WORDS )
            return err_set(e, -EINVAL, "%s: %s", option,
                           nr > MOST_WORDS ? "more than 256 words"
                                           : "a word that is empty or long");
        memcpy(word, text, length);
        word[length] = '\0';
        rc = take(f, word);
        if ( rc )
            return rc == -EINVAL
                   ? err_set(e, rc, "%s: what is %s?", option, word)
                   : err_sys(e, rc, "%s", option);
        text = text[length] ? text + length + 1 : NULL;
    }
    return 0;
}

static int set_range(struct bits *b, const char *word)
{
    char first[MOST_LENGTH];
    const char *dash = strchr(word, '-');
    uint64_t from, to;

    if ( !dash || dash == word )
        dash = word + strlen(word);
    memcpy(first, word, dash - word);
    first[dash - word] = '\0';
    if ( opts_number(first, &from) )
        return -EINVAL;
    to = from;
    if ( (*dash && opts_number(dash + 1, &to)) || from > to || to >= NUMBERS )
        return -EINVAL;
    for ( ; from <= to; from++ )
        b->words[from / 64] |= UINT64_C(1) << from % 64;
    return 0;
}

static int take_pcpus(struct filter *f, const char *word)
{
    if ( !f->pcpus )
        f->pcpus = fault_calloc(1, sizeof(*f->pcpus));
    return f->pcpus ? set_range(f->pcpus, word) : -ENOMEM;
}

static int take_domains(struct filter *f, const char *word)
{
    f->by_who = true;
    if ( !f->domains )
        f->domains = fault_calloc(1, sizeof(*f->domains));
    if ( !f->domains )
        return -ENOMEM;
    if ( !strcmp(word, "idle") )
        word = "32767";
    return set_range(f->domains, word[0] == 'd' ? word + 1 : word);
}

/* "d1v0" */
static int take_vcpus(struct filter *f, const char *word)
{
    char domain[MOST_LENGTH];
    const char *v = strchr(word, 'v');
    uint64_t dom, vcpu;
    uint32_t *more;

    f->by_who = true;
    if ( *word != 'd' || !v )
        return -EINVAL;
    memcpy(domain, word + 1, v - word - 1);
    domain[v - word - 1] = '\0';
    if ( opts_number(domain, &dom) || opts_number(v + 1, &vcpu) ||
         dom >= NUMBERS || vcpu >= NUMBERS )
        return -EINVAL;
    more = fault_realloc(f->vcpus, (f->nr_vcpus + 1) * sizeof(*more));
    if ( !more )
        return -ENOMEM;
    f->vcpus = more;
    f->vcpus[f->nr_vcpus++] = dom << 16 | vcpu;
    return 0;
}

static int take_id(struct filter *f, uint64_t id)
{
    struct wanted_id *more;

    if ( id >> 28 || !id )
        return -EINVAL;
    more = fault_realloc(f->ids, (f->nr_ids + 1) * sizeof(*more));
    if ( !more )
        return -ENOMEM;
    f->ids = more;
    f->ids[f->nr_ids++] = (struct wanted_id){ .id = id, .mask = !(id & 0xfff) };
    return 0;
}

/* A class, an id, or a pattern of names. */
static int take_events(struct filter *f, const char *word)
{
    const struct xt_class *class = xt_class_by_name(word, strlen(word));
    bool found = false;
    uint64_t id;

    f->by_event = true;
    if ( class )
        return take_id(f, class->mask & 0x0fffffff);
    if ( !opts_number(word, &id) )
        return take_id(f, id);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];

        if ( fnmatch(word, e->name, 0) &&
             (!e->constant || fnmatch(word, e->constant, 0)) )
            continue;
        f->events[i] = found = true;
    }
    return found ? 0 : -EINVAL;
}

int filter_new(struct filter **out, const struct filter_texts *t,
               struct err *e)
{
    struct filter *f = fault_calloc(1, sizeof(*f));
    int rc = 0;

    *out = NULL;
    if ( f )
        f->events = fault_calloc(xt_catalogue_nr_events, sizeof(*f->events));
    if ( !f || !f->events )
        rc = err_sys(e, -ENOMEM, "cannot filter");
    if ( !rc )
        rc = each_word(f, t->pcpus, "--pcpu", take_pcpus, e);
    if ( !rc )
        rc = each_word(f, t->domains, "--domain", take_domains, e);
    if ( !rc )
        rc = each_word(f, t->vcpus, "--vcpu", take_vcpus, e);
    if ( !rc )
        rc = each_word(f, t->events, "--event", take_events, e);
    if ( rc )
        filter_free(f);
    else
        *out = f;
    return rc;
}

void filter_free(struct filter *f)
{
    if ( !f )
        return;
    free(f->pcpus);
    free(f->domains);
    free(f->vcpus);
    free(f->events);
    free(f->ids);
    free(f);
}
