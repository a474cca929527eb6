/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters are compiled for fast matching: events to flags by index in the
 * catalogue, pcpus and domains to bit sets.
 */
#include "xenalyze/filter/filter.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/opts.h"
#include "xenalyze/filter/domain-list.h"

#define NUMBERS 65536u          /* ids of pcpus and domains */
#define MAX_WORDS 256u
#define MAX_LENGTH 300u         /* longest word */

struct bits
{
    uint64_t words[NUMBERS / 64];
};

/* A numeric id: one event, or with `mask` a class of events. */
struct wanted_id
{
    uint32_t id;
    bool mask;
};

struct filter
{
    struct bits *pcpus, *domains;       /* NULL: all match */
    uint32_t *vcpus;                    /* domain << 16 | vcpu */
    bool *events;                       /* by index in the catalogue */
    struct wanted_id *ids;
    char **patterns;                    /* owned: names of programs' events */
    unsigned int nr_vcpus, nr_ids, nr_patterns;
    bool by_vcpu, by_event, has_programs;

    /* From struct filter_texts, while parsing. */
    const struct xt_domain_names *names;
    bool (*has_dump_name)(const struct xt_event *event, const char *pattern);
};

/* --- matching ------------------------------------------------------------- */

static bool has_bit(const struct bits *b, uint32_t n)
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
    debug_assert(!e || (size_t)(e - xt_catalogue_events) <
                       xt_catalogue_nr_events);
    if ( e && f->events[e - xt_catalogue_events] )
        return true;
    for ( unsigned int i = 0; i < f->nr_ids; i++ )
        if ( f->ids[i].mask ? in_class(id, f->ids[i].id)
                            : f->ids[i].id == id )
            return true;
    return false;
}

/* With both options, the domain and the vcpu have to match. */
static bool wants_vcpu_id(const struct filter *f, uint32_t vcpu_id)
{
    bool found = !f->nr_vcpus;

    debug_assert(f->by_vcpu == (f->domains || f->nr_vcpus));
    if ( vcpu_id == FILTER_NO_VCPU ||
         (f->domains && !has_bit(f->domains, vcpu_id >> 16)) )
        return false;
    for ( unsigned int i = 0; !found && i < f->nr_vcpus; i++ )
        found = f->vcpus[i] == vcpu_id;
    return found;
}

static bool has_meaning(const struct xt_field *field, const char *a,
                        const char *b)
{
    return field->sem && (!strcmp(field->sem->name, a) ||
                          (b && !strcmp(field->sem->name, b)));
}

/* Fields that name a domain and a vcpu, or a domain alone. */
static bool names_wanted(const struct filter *f, const struct xt_event *e,
                         const struct xt_record *r)
{
    uint64_t dom = UINT64_MAX, vcpu = UINT64_MAX, value;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        bool domain = has_meaning(&e->fields[i], "domain", NULL);

        if ( !domain && !has_meaning(&e->fields[i], "vcpu", "unit") )
            continue;
        if ( !xt_field_get(e, i, r, &value) )
            continue;
        *(domain ? &dom : &vcpu) = value & 0xffff;
        if ( domain && !f->nr_vcpus && has_bit(f->domains, dom) )
            return true;
        if ( dom == UINT64_MAX || vcpu == UINT64_MAX )
            continue;
        if ( wants_vcpu_id(f, dom << 16 | vcpu) )
            return true;
        dom = vcpu = UINT64_MAX;
    }
    return false;
}

bool filter_wants(const struct filter *f, const struct xt_catalogue *catalogue,
                  unsigned int cpu, uint32_t vcpu_id, const struct xt_record *r)
{
    const struct xt_event *e = NULL;

    if ( f->pcpus && !has_bit(f->pcpus, cpu) )
        return false;
    if ( f->by_event || f->by_vcpu )
        e = xt_catalogue_find(catalogue, r->event, r->words);
    if ( f->by_event && !wants_event(f, e, r->event) )
        return false;
    if ( !f->by_vcpu || wants_vcpu_id(f, vcpu_id) )
        return true;
    return e && xt_event_fits(e, r->words) && names_wanted(f, e, r);
}

bool filter_wants_name(const struct filter *f, const char *name)
{
    assert(f->has_programs || !f->nr_patterns);
    if ( !f->by_event )
        return true;
    for ( unsigned int i = 0; i < f->nr_patterns; i++ )
        if ( !fnmatch(f->patterns[i], name, 0) )
            return true;
    return false;
}

bool filter_wants_pcpu(const struct filter *f, unsigned int cpu)
{
    return !f->pcpus || has_bit(f->pcpus, cpu);
}

bool filter_wants_vcpu(const struct filter *f, unsigned int domain,
                       unsigned int vcpu)
{
    bool found = !f->nr_vcpus;

    if ( f->domains && !has_bit(f->domains, domain) )
        return false;
    for ( unsigned int i = 0; !found && i < f->nr_vcpus; i++ )
        found = vcpu == FILTER_NO_VCPU ? f->vcpus[i] >> 16 == domain
                                      : f->vcpus[i] == (domain << 16 | vcpu);
    return found;
}

bool filter_is_empty(const struct filter *f)
{
    return !f->pcpus && !f->by_event && !f->by_vcpu;
}

bool filter_needs_vcpu(const struct filter *f)
{
    return f->by_vcpu;
}

/* --- words ---------------------------------------------------------------- */

static int add_vcpu(struct filter *f, const char *word);

struct option
{
    const char *name, *expected;
    int (*add_word)(struct filter *f, const char *word);
    const char *(*closest)(const char *word, size_t length);    /* or NULL */
    bool comma_ends;            /* a comma at the end begins no word */
};

/* A word that is no id, in a trace with names; a vcpu's is behind a slash. */
static int report_unknown_domain(const struct filter *f, const char *word,
                                 const struct option *o, struct err *e)
{
    const char *slash = o->add_word == add_vcpu ? strrchr(word, '/') : NULL;
    int length = slash ? slash - word : (int)strlen(word);
    char text[DOMAIN_LIST_MAX];

    return err_set(e, -ENOENT, "%s: no domain is named %.*s; %s", o->name,
                   length, word, domain_list_format(f->names, word, text));
}

static int explain_word(const struct filter *f, int rc, const char *word,
                        const struct option *o, struct err *e)
{
    const char *closest = rc == -EINVAL && o->closest
                          ? o->closest(word, strlen(word)) : NULL;

    if ( closest )
        return err_usage(e, "%s: %s is invalid; is %s meant?", o->name, word,
                         closest);
    if ( rc == -EINVAL )
        return err_usage(e, "%s: %s is invalid; expected %s", o->name, word,
                         o->expected);
    return rc == -ENOENT ? report_unknown_domain(f, word, o, e)
                         : err_sys(e, rc, "%s", o->name);
}

/* Add each word of a comma-separated list. */
static int parse_words(struct filter *f, const char *text,
                       const struct option *o, struct err *e)
{
    char word[MAX_LENGTH];
    unsigned int nr = 0;
    int rc;

    while ( text )
    {
        size_t length = strcspn(text, ",");

        if ( !length || length >= sizeof(word) )
            return err_usage(e, "%s: a word is empty or too long; "
                             "expected %s", o->name, o->expected);
        if ( ++nr > MAX_WORDS )
            return err_usage(e, "%s: more than %u words", o->name,
                             MAX_WORDS);
        memcpy(word, text, length);
        word[length] = '\0';
        rc = o->add_word(f, word);
        if ( rc )
            return explain_word(f, rc, word, o, e);
        text = text[length] ? text + length + 1 : NULL;
        if ( text && !*text && o->comma_ends )
            text = NULL;
    }
    return 0;
}

static int set_range(struct bits *b, const char *word)
{
    char first[MAX_LENGTH];
    const char *dash = strchr(word, '-');
    uint64_t from, to;

    if ( !dash || dash == word )
        dash = word + strlen(word);
    assert((size_t)(dash - word) < sizeof(first));
    memcpy(first, word, dash - word);
    first[dash - word] = '\0';
    if ( opts_number(first, &from) )
        return -EINVAL;
    to = from;
    if ( (*dash && opts_number(dash + 1, &to)) || from > to || to >= NUMBERS )
        return -EINVAL;
    assert(to < NUMBERS);
    for ( ; from <= to; from++ )
        b->words[from / 64] |= UINT64_C(1) << from % 64;
    return 0;
}

static int add_pcpus(struct filter *f, const char *word)
{
    if ( !f->pcpus )
        f->pcpus = fault_calloc(1, sizeof(*f->pcpus));
    return f->pcpus ? set_range(f->pcpus, word) : -ENOMEM;
}

/* Anything but a malformed number or range, if the trace has names. */
static bool may_be_name(const struct filter *f, const char *word)
{
    return xt_domain_names_any(f->names) &&
           (word[strspn(word, "0123456789-")] ||
            strlen(word) == XT_UUID_TEXT - 1);
}

/* All domains of this name: a domain gets a new id when it reboots. */
static int add_named_domains(struct filter *f, const char *word)
{
    const struct xt_domain_name *d;
    int rc = -ENOENT;
    size_t at = 0;

    while ( (d = xt_domain_names_find(f->names, word, strlen(word), &at)) )
    {
        f->domains->words[d->id / 64] |= UINT64_C(1) << d->id % 64;
        rc = 0;
    }
    return rc;
}

static int add_domains(struct filter *f, const char *word)
{
    int rc;

    f->by_vcpu = true;
    if ( !f->domains )
        f->domains = fault_calloc(1, sizeof(*f->domains));
    if ( !f->domains )
        return -ENOMEM;
    if ( !strcmp(word, "idle") )
        word = "32767";
    rc = set_range(f->domains, word[0] == 'd' ? word + 1 : word);
    return rc && may_be_name(f, word) ? add_named_domains(f, word) : rc;
}

static int add_vcpu_id(struct filter *f, uint64_t dom, uint64_t vcpu)
{
    uint32_t *more;

    if ( dom >= NUMBERS || vcpu >= NUMBERS )
        return -EINVAL;
    more = fault_realloc(f->vcpus, (f->nr_vcpus + 1) * sizeof(*more));
    if ( !more )
        return -ENOMEM;
    f->vcpus = more;
    f->vcpus[f->nr_vcpus++] = dom << 16 | vcpu;
    return 0;
}

/* "web1/0"; `slash` is the last one of the word. */
static int add_named_vcpus(struct filter *f, const char *word,
                           const char *slash)
{
    const struct xt_domain_name *d;
    int rc = -ENOENT;
    uint64_t vcpu;
    size_t at = 0;

    if ( opts_number(slash + 1, &vcpu) )
        return -EINVAL;
    while ( (d = xt_domain_names_find(f->names, word, slash - word, &at)) )
    {
        rc = add_vcpu_id(f, d->id, vcpu);
        if ( rc )
            return rc;
    }
    return rc;
}

/* "d1v0", "1/0", "web1/0"; a number is an id, also if a domain is named so. */
static int add_vcpu(struct filter *f, const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *first = word + (*word == 'd' && !slash);
    const char *end = slash ? slash : strchr(word, 'v');
    char domain[MAX_LENGTH];
    uint64_t dom, vcpu;
    bool is_number;

    f->by_vcpu = true;
    if ( !end || end <= first || (!slash && first == word) )
        return -EINVAL;
    assert((size_t)(end - first) < sizeof(domain));
    memcpy(domain, first, end - first);
    domain[end - first] = '\0';
    is_number = !opts_number(domain, &dom);
    if ( !is_number && slash && xt_domain_names_any(f->names) )
        return add_named_vcpus(f, word, slash);
    if ( !is_number || opts_number(end + 1, &vcpu) )
        return -EINVAL;
    return add_vcpu_id(f, dom, vcpu);
}

static int add_id(struct filter *f, uint64_t id)
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

/* By a name in the catalogue, or by Xen's constant. */
static bool has_name(const struct xt_event *e, const char *pattern)
{
    return !fnmatch(pattern, e->name, 0) ||
           (e->constant && !fnmatch(pattern, e->constant, 0));
}

static bool add_matching(struct filter *f, const char *pattern,
                         bool (*matches)(const struct xt_event *e,
                                         const char *pattern))
{
    bool found = false;

    assert(f->by_event);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( matches(&xt_catalogue_events[i], pattern) )
            f->events[i] = found = true;
    return found;
}

/* The name of an unknown event in the dump: "82009(8:2:9)". */
static bool is_unknown_event(const char *word, uint64_t *id)
{
    char *end;

    *id = strtoull(word, &end, 16);
    return end > word && *end == '(';
}

static int add_pattern(struct filter *f, const char *word)
{
    char **more = fault_realloc(f->patterns,
                                (f->nr_patterns + 1) * sizeof(*more));

    assert(f->nr_patterns < MAX_WORDS);
    if ( !more )
        return -ENOMEM;
    f->patterns = more;
    f->patterns[f->nr_patterns] = fault_strdup(word);
    return f->patterns[f->nr_patterns++] ? 0 : -ENOMEM;
}

/* A class, an id, or a pattern of names. */
static int add_events(struct filter *f, const char *word)
{
    const struct xt_class *class = xt_class_by_name(word, strlen(word));
    uint64_t id;

    f->by_event = true;
    if ( f->has_programs && add_pattern(f, word) )
        return -ENOMEM;
    if ( class )
        return add_id(f, class->mask & 0x0fffffff);
    if ( !opts_number(word, &id) || is_unknown_event(word, &id) )
        return add_id(f, id);
    if ( add_matching(f, word, has_name) ||
         (f->has_dump_name && add_matching(f, word, f->has_dump_name)) )
        return 0;
    return f->has_programs ? 0 : -EINVAL;
}

static const struct option pcpu_option = {
    "--pcpu", "pcpus and ranges, such as 0,4-7", add_pcpus,
    NULL, false,
};

static const struct option domain_option = {
    "--domain", "domains and ranges, such as 0,3-5,idle,web1", add_domains,
    NULL, false,
};

static const struct option vcpu_option = {
    "--vcpu", "vcpus, such as d1v0,d1v1,web1/0", add_vcpu,
    NULL, false,
};

static const struct option event_option = {
    "--event", "names, patterns, classes or ids of events, such as "
               "sched_*,hvm:handler,0x28004", add_events,
    xt_catalogue_closest_name,
    /* The dump prints "csched2:ratelimit, d1v0 ...". */
    true,
};

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
    else
    {
        f->names = t->names;
        f->has_dump_name = t->has_dump_name;
        f->has_programs = t->has_programs;
    }
    if ( !rc )
        rc = parse_words(f, t->pcpus, &pcpu_option, e);
    if ( !rc )
        rc = parse_words(f, t->domains, &domain_option, e);
    if ( !rc )
        rc = parse_words(f, t->vcpus, &vcpu_option, e);
    if ( !rc )
        rc = parse_words(f, t->events, &event_option, e);
    if ( rc )
    {
        filter_free(f);
        return rc;
    }
    f->names = NULL;
    f->has_dump_name = NULL;
    *out = f;
    return 0;
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
    for ( unsigned int i = 0; i < f->nr_patterns; i++ )
        free(f->patterns[i]);
    free(f->patterns);
    free(f);
}
