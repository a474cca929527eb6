/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collecting names, and making labels that are safe to print and unambiguous.
 */
#include "libxentrace/domain-names.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/fault.h"
#include "common/utf8.h"
#include "libxentrace/meta.h"
#include "libxentrace/trace-private.h"
#include "libxentrace/visit-metadata.h"

#define NR_IDS 0x7ff0u          /* larger ids are reserved: public/xen.h */
#define LABEL_MIN 9u            /* length that no label is cut below */

/* --- collecting ----------------------------------------------------------- */

struct collector
{
    struct xt_domain_names *names;
    size_t room;
    struct xt_meta_text text;   /* incomplete name ... */
    uint16_t id;                /* ... and its domain */
    bool failed;                /* no memory */
    bool is_reused[NR_IDS];     /* another UUID came after the last name */
    uint32_t uuids[NR_IDS];     /* hash of the last one; 0: none */
};

/* Index of the first domain with this id or a higher one. */
static size_t find_id(const struct xt_domain_names *n, unsigned int id)
{
    size_t low = 0, high = n->nr;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( n->all[middle].id < id )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool grow_names(struct collector *c)
{
    size_t room = 2 * c->room + 16;
    struct xt_domain_name *all;

    assert(c->names->nr <= c->room);
    if ( c->names->nr < c->room )
        return true;
    all = fault_realloc(c->names->all, room * sizeof(*all));
    if ( !all )
        return false;
    c->names->all = all;
    c->room = room;
    return true;
}

/* The domain of this id, inserted if it is new.  NULL: no memory. */
static struct xt_domain_name *get_domain(struct collector *c, unsigned int id)
{
    struct xt_domain_names *n = c->names;
    size_t at = find_id(n, id);

    if ( at < n->nr && n->all[at].id == id )
        return &n->all[at];
    if ( !grow_names(c) )
        return NULL;
    memmove(n->all + at + 1, n->all + at, (n->nr - at) * sizeof(*n->all));
    n->nr++;
    n->all[at] = (struct xt_domain_name){ .id = id };
    assert((!at || n->all[at - 1].id < id) &&
           (at + 1 == n->nr || id < n->all[at + 1].id));
    return &n->all[at];
}

/* Is this one of the names that are joined by "+"? */
static bool has_part(const struct xt_domain_name *d, const char *text,
                     size_t length)
{
    const char *part = d->name, *end = d->name + d->latest;

    for ( const char *plus; part < end; part = plus + 1 )
    {
        plus = memchr(part, '+', end - part);
        assert(plus);
        if ( (size_t)(plus - part) == length && !memcmp(part, text, length) )
            return true;
    }
    return strlen(end) == length && !memcmp(end, text, length);
}

/* Former domains of the id keep their names in front. */
static void join_name(struct collector *c, struct xt_domain_name *d, char *name)
{
    bool is_reused = c->is_reused[d->id];
    size_t length = strlen(name), before = 0;

    c->is_reused[d->id] = false;
    if ( d->name && has_part(d, name, length) )
    {
        free(name);
        return;
    }
    if ( d->name )
        before = is_reused ? strlen(d->name) + 1 : d->latest;
    if ( before + length >= XT_NAME_MAX )
        before = 0;
    memmove(name + before, name, length + 1);
    if ( before )
    {
        memcpy(name, d->name, before - 1);
        name[before - 1] = '+';
    }
    free((char *)d->name);
    d->name = name;
    d->latest = before;
}

static void set_name(struct collector *c, unsigned int id, const char *text)
{
    size_t length = strnlen(text, XT_NAME_MAX - 1);
    char *name = fault_malloc(XT_NAME_MAX);
    struct xt_domain_name *d = name ? get_domain(c, id) : NULL;

    if ( !d )
    {
        free(name);
        c->failed = true;
        return;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    /* As in the summary: a terminal may interpret other bytes. */
    utf8_clean(name);
    join_name(c, d, name);
}

/* A domain that is renamed, as by a migration, keeps its UUID. */
static void note_uuid(struct collector *c,
                      const struct xt_rec_meta_domain_uuid *m)
{
    const uint32_t words[] = { m->id0, m->id1, m->id2, m->id3 };
    uint32_t hash = 1;

    if ( m->dom >= NR_IDS )
        return;
    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        hash = (hash ^ words[i]) * UINT32_C(0x9e3779b1);
    hash += !hash;
    c->is_reused[m->dom] |= c->uuids[m->dom] && c->uuids[m->dom] != hash;
    c->uuids[m->dom] = hash;
}

static void collect_record(void *collector, const struct xt_meta *m)
{
    struct collector *c = collector;

    c->failed |= xt_host_add(&c->names->host, m) != 0;
    if ( m->event == TRC_META_DOMAIN_UUID )
        note_uuid(c, &m->domain_uuid);
    if ( m->event != TRC_META_DOMAIN_NAME || m->domain_name.dom >= NR_IDS )
        return;
    if ( m->domain_name.dom != c->id )
        c->text.parts = 0;
    c->id = m->domain_name.dom;
    if ( xt_meta_text_add(&c->text, m->domain_name.part, m->domain_name.parts,
                          (const char *)m +
                          offsetof(struct xt_meta, domain_name.t0)) &&
         c->text.text[0] )
        set_name(c, c->id, c->text.text);
}

/* --- labels --------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
    return c != ' ' && c != ',' && c != '\\';
}

/* Remove a part of a character from the end of a text. */
static size_t cut_character(char *text, size_t length)
{
    size_t at = length;
    uint32_t code;

    while ( at && ((unsigned char)text[at - 1] & 0xc0) == 0x80 )
        at--;
    if ( at && (unsigned char)text[at - 1] >= 0xc0 &&
         !utf8_decode(text + at - 1, &code) )
        text[length = at - 1] = '\0';
    return length;
}

/*
 * Escape a name; *cut: it does not fit into `room` bytes with its 0.  Returns
 * the length.
 */
static size_t escape_name(const char *name, char *text, size_t room, bool *cut)
{
    size_t length = 0;

    *cut = false;
    for ( const unsigned char *c = (const void *)name; *c; c++ )
    {
        size_t needed = is_plain(*c) ? 1 : 4;

        if ( length + needed >= room )
        {
            *cut = true;
            break;
        }
        if ( is_plain(*c) )
            text[length] = *c;
        else
            snprintf(text + length, room - length, "\\x%02x", *c);
        length += needed;
    }
    text[length] = '\0';
    if ( *cut )
        length = cut_character(text, length);
    return length;
}

/*
 * True if a word could be taken for something else: for the id of a domain or
 * a vcpu, for a range, for a label with an id, or for a word of a report.
 */
static bool is_ambiguous(const char *text)
{
    static const char *const words[] = { "idle", "unknown", "others", "lost" };

    if ( !text[strspn(text, "0123456789-dvx")] || strpbrk(text, "#~") )
        return true;
    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        if ( !strcmp(text, words[i]) )
            return true;
    return false;
}

/* The length of a text cut to `room` characters, without a partial escape. */
static size_t cut_length(const char *text, size_t room)
{
    size_t length = utf8_cut(text, room);

    for ( size_t i = length < 3 ? 0 : length - 3; i < length; i++ )
        if ( text[i] == '\\' && length - i < 4 )
            return i;
    return length;
}

/* Shorten a label to `width` characters, with the id at the end. */
static void cut_label(char *text, unsigned int id, size_t width)
{
    char tail[8];
    size_t room = width - snprintf(tail, sizeof(tail), "~%u", id);
    size_t length = cut_length(text, room);

    assert(width >= LABEL_MIN);
    assert(length + strlen(tail) <= width);
    memcpy(text + length, tail, strlen(tail) + 1);
}

static void make_label(struct xt_domain_name *d, bool is_shared)
{
    /* A shared name also needs a tail: at most "#32751". */
    size_t room = sizeof(d->label) - 6;
    bool cut;
    size_t length = escape_name(d->name, d->label, room, &cut);

    if ( cut )
        cut_label(d->label, d->id, room - 1);
    else if ( is_shared || is_ambiguous(d->label) )
        snprintf(d->label + length, sizeof(d->label) - length, "#%u", d->id);
    d->length = strlen(d->label);
    assert(d->length && d->length < sizeof(d->label));
}

static int order_by_name(const void *a, const void *b)
{
    const struct xt_domain_name *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static int make_labels(struct xt_domain_names *n)
{
    struct xt_domain_name **sorted = fault_malloc((n->nr + 1) *
                                                  sizeof(*sorted));

    if ( !sorted )
        return -ENOMEM;
    for ( size_t i = 0; i < n->nr; i++ )
        sorted[i] = &n->all[i];
    qsort(sorted, n->nr, sizeof(*sorted), order_by_name);
    for ( size_t i = 0; i < n->nr; i++ )
    {
        make_label(sorted[i],
                   (i && !order_by_name(&sorted[i - 1], &sorted[i])) ||
                   (i + 1 < n->nr &&
                    !order_by_name(&sorted[i], &sorted[i + 1])));
        if ( sorted[i]->length > n->widest )
            n->widest = sorted[i]->length;
    }
    free(sorted);
    return 0;
}

/* --- UUIDs ---------------------------------------------------------------- */

static void set_uuid(struct xt_domain_uuid *u,
                     const struct xt_rec_meta_domain_uuid *m)
{
    struct xt_domain_name *d = &u->domain;

    *d = (struct xt_domain_name){ .id = m->dom };
    d->length = snprintf(d->label, sizeof(d->label), "d%u", d->id);
    xt_uuid_format(m, u->text);
}

static int collect_uuids(struct xt_domain_names *n)
{
    const struct xt_meta *m = NULL;
    size_t nr = 0;

    while ( (m = xt_host_next(&n->host, TRC_META_DOMAIN_UUID, m)) )
        nr++;
    n->uuids = fault_malloc((nr + 1) * sizeof(*n->uuids));
    if ( !n->uuids )
        return -ENOMEM;
    while ( (m = xt_host_next(&n->host, TRC_META_DOMAIN_UUID, m)) )
        set_uuid(&n->uuids[n->nr_uuids++], &m->domain_uuid);
    assert(n->nr_uuids == nr);
    return 0;
}

/* --- both ----------------------------------------------------------------- */

/* NULL: no memory. */
static struct collector *new_collector(struct xt_domain_names *n)
{
    struct collector *c = fault_calloc(1, sizeof(*c));

    *n = (struct xt_domain_names){ .nr = 0 };
    if ( c )
        c->names = n;
    return c;
}

/* All records have been collected; frees the collector. */
static int finish_names(struct xt_domain_names *n, struct collector *c,
                        struct err *e)
{
    int rc = !c || c->failed ? -ENOMEM : make_labels(n);

    free(c);
    xt_host_finish(&n->host);
    if ( !rc )
        rc = collect_uuids(n);
    if ( !rc )
        return 0;
    xt_domain_names_fini(n);
    return err_sys(e, rc, "cannot keep the names of domains");
}

int xt_domain_names_init(struct xt_domain_names *n, struct xt_trace *t,
                         struct err *e)
{
    struct collector *c = new_collector(n);

    if ( c )
        xt_trace_visit_metadata(t, collect_record, c);
    return finish_names(n, c, e);
}

int xt_domain_names_init_records(struct xt_domain_names *n, const void *bytes,
                                 size_t size, struct err *e)
{
    const unsigned char *at = bytes, *end = at + size;
    struct collector *c = new_collector(n);
    struct xt_record r;
    struct xt_meta m;

    assert(bytes || !size);
    for ( size_t done; c && (done = xt_record_decode(&r, at, end)); at += done )
        if ( xt_meta_decode(&m, &r) )
            collect_record(c, &m);
    return finish_names(n, c, e);
}

void xt_domain_names_fini(struct xt_domain_names *n)
{
    for ( size_t i = 0; i < n->nr; i++ )
        free((char *)n->all[i].name);
    free(n->all);
    free(n->uuids);
    xt_host_fini(&n->host);
    *n = (struct xt_domain_names){ .nr = 0 };
}

/* --- output --------------------------------------------------------------- */

static const struct xt_domain_name *
find_domain(const struct xt_domain_names *n, unsigned int id)
{
    size_t at = n ? find_id(n, id) : 0;

    return n && at < n->nr && n->all[at].id == id ? &n->all[at] : NULL;
}

const char *xt_domain_name(const struct xt_domain_names *n, unsigned int id)
{
    const struct xt_domain_name *d = find_domain(n, id);

    return d ? d->name : NULL;
}

/* Write the label of a domain with a name; returns its length. */
static size_t put_label(const struct xt_domain_name *d, size_t width,
                        char *text)
{
    assert(width >= LABEL_MIN);
    memcpy(text, d->label, d->length + 1);
    if ( d->length > width )
        cut_label(text, d->id, width);
    return strlen(text);
}

const char *xt_domain_column(const struct xt_domain_names *n, unsigned int id,
                             unsigned int width, char text[XT_LABEL_MAX])
{
    const struct xt_domain_name *d = find_domain(n, id);

    if ( d )
        put_label(d, width, text);
    else
        snprintf(text, XT_LABEL_MAX, "d%u", id);
    return text;
}

const char *xt_vcpu_column(const struct xt_domain_names *n,
                           unsigned int domain, unsigned int vcpu,
                           unsigned int width, char text[XT_LABEL_MAX])
{
    const struct xt_domain_name *d = find_domain(n, domain);
    char tail[12];
    size_t length, used;

    if ( !d )
    {
        snprintf(text, XT_LABEL_MAX, "d%uv%u", domain, vcpu);
        return text;
    }
    used = snprintf(tail, sizeof(tail), "/%u", vcpu);
    assert(used < sizeof(tail));
    /* Only the number of a vcpu above 99 is outside of a narrow column. */
    length = put_label(d, width > used + LABEL_MIN ? width - used : LABEL_MIN,
                       text);
    snprintf(text + length, XT_LABEL_MAX - length, "%s", tail);
    return text;
}

const char *xt_domain_label(const struct xt_domain_names *n, unsigned int id,
                            char text[XT_LABEL_MAX])
{
    return xt_domain_column(n, id, XT_LABEL_MAX, text);
}

const char *xt_vcpu_label(const struct xt_domain_names *n, unsigned int domain,
                          unsigned int vcpu, char text[XT_LABEL_MAX])
{
    return xt_vcpu_column(n, domain, vcpu, XT_LABEL_MAX, text);
}

const char *xt_domain_whole_name(const struct xt_domain_names *n,
                                 unsigned int id,
                                 char text[XT_WHOLE_NAME_MAX])
{
    const struct xt_domain_name *d = find_domain(n, id);
    bool cut = false;

    if ( !d )
        snprintf(text, XT_WHOLE_NAME_MAX, "d%u", id);
    else if ( escape_name(d->name, text, XT_WHOLE_NAME_MAX, &cut) < d->length )
        memcpy(text, d->label, d->length + 1);      /* with its id */
    assert(!cut);
    return text;
}

unsigned int xt_vcpu_column_width(const struct xt_domain_names *n,
                                  unsigned int least, unsigned int most)
{
    unsigned int width;

    assert(most >= XT_COLUMN_MIN && most >= least);
    if ( !n || !n->nr )
        return least;
    width = n->widest + 3; /* for "/15" */
    least = least < XT_COLUMN_MIN ? XT_COLUMN_MIN : least;
    return width < least ? least : width < most ? width : most;
}

/* Is this the name, but for bytes that were replaced? */
static bool matches_name(const char *name, const char *text, size_t length)
{
    char clean[XT_NAME_MAX];

    assert(name && text);
    if ( length >= sizeof(clean) || strlen(name) != length )
        return false;
    memcpy(clean, text, length);
    clean[length] = '\0';
    utf8_clean(clean);
    return !strcmp(name, clean);
}

/* Is this the name with the id, which only the label of a shared name has? */
static bool matches_name_and_id(const struct xt_domain_name *d,
                                const char *text, size_t length)
{
    char tail[8];
    size_t size = snprintf(tail, sizeof(tail), "#%u", d->id);

    assert(size < sizeof(tail));
    return length > size && !memcmp(text + length - size, tail, size) &&
           matches_name(d->name, text, length - size);
}

/* Does the text end in "~" and the id?  *begin: the length before these. */
static bool has_cut_tail(const struct xt_domain_name *d, const char *text,
                         size_t length, size_t *begin)
{
    char tail[8];
    size_t size = snprintf(tail, sizeof(tail), "~%u", d->id);

    assert(size < sizeof(tail));
    *begin = length - size;
    return length > size && !memcmp(text + length - size, tail, size);
}

/*
 * Is this the begin of the name, as it is or escaped, with "~" and the id, as
 * in a column of any width?  Or the whole name, escaped?
 */
static bool matches_cut_name(const struct xt_domain_name *d, const char *text,
                             size_t length)
{
    char whole[XT_WHOLE_NAME_MAX];
    size_t begin;
    bool cut, is_cut = has_cut_tail(d, text, length, &begin);

    if ( !is_cut && !memchr(text, '\\', length) )
        return false;
    escape_name(d->name, whole, sizeof(whole), &cut);
    assert(!cut);
    return (is_cut && (!strncmp(whole, text, begin) ||
                       !strncmp(d->name, text, begin))) ||
           (strlen(whole) == length && !memcmp(whole, text, length));
}

static bool matches_domain(const struct xt_domain_name *d, const char *text,
                           size_t length)
{
    return matches_name(d->name, text, length) ||
           has_part(d, text, length) ||
           (d->length == length && !memcmp(d->label, text, length)) ||
           matches_name_and_id(d, text, length) ||
           matches_cut_name(d, text, length);
}

/* The domain of the UUID number i, if the text is this UUID. */
static const struct xt_domain_name *
match_uuid(const struct xt_domain_names *n, size_t i, const char *text,
           size_t length)
{
    const struct xt_domain_uuid *u = &n->uuids[i];
    const struct xt_domain_name *d;

    if ( length != XT_UUID_TEXT - 1 || strncasecmp(u->text, text, length) )
        return NULL;
    d = find_domain(n, u->domain.id);
    return d ? d : &u->domain;
}

const struct xt_domain_name *
xt_domain_names_find(const struct xt_domain_names *n, const char *text,
                     size_t length, size_t *at)
{
    const struct xt_domain_name *d = NULL;

    for ( ; n && !d && *at < n->nr + n->nr_uuids; ++*at )
        if ( *at >= n->nr )
            d = match_uuid(n, *at - n->nr, text, length);
        else if ( matches_domain(&n->all[*at], text, length) )
            d = &n->all[*at];
    return d;
}
