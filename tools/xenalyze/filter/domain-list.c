/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Close matches come first, then as many labels as fit.
 */
#include "xenalyze/filter/domain-list.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/edit-distance.h"
#include "xenalyze/filter/filter.h"

#define MOST_CLOSE 3u           /* suggestions */
#define ROOM_FOR_REST 16u       /* for " and 32752 more" */

struct line
{
    char *text;
    size_t used;
};

/* Append if `reserve` characters are left behind it. */
static bool append_label(struct line *l, size_t reserve, const char *before,
                         const char *label)
{
    size_t left = DOMAIN_LIST_MAX - l->used;

    if ( strlen(before) + strlen(label) + reserve >= left )
        return false;
    l->used += snprintf(l->text + l->used, left, "%s%s", before, label);
    assert(l->used < DOMAIN_LIST_MAX);
    return true;
}

/* The name in `word` does not contain the number of a vcpu. */
static size_t name_length(const char *word)
{
    const char *slash = strrchr(word, '/');

    return slash ? (size_t)(slash - word) : strlen(word);
}

static bool is_close(const struct xt_domain_name *d, const char *word,
                     size_t length)
{
    return edit_distance(word, length, d->label) <= EDIT_DISTANCE_CLOSE;
}

static void append_close(struct line *l, const struct xt_domain_names *n,
                         const char *word)
{
    size_t length = name_length(word);
    unsigned int nr = 0;

    for ( size_t i = 0; i < n->nr && nr < MOST_CLOSE; i++ )
        if ( is_close(&n->all[i], word, length) )
            nr += append_label(l, ROOM_FOR_REST, nr ? " or " : "did you mean ",
                               n->all[i].label);
    if ( nr )
        append_label(l, 0, "", "? ");
}

const char *domain_list_format(const struct xt_domain_names *n,
                               const char *word, char text[DOMAIN_LIST_MAX])
{
    struct line l = { .text = text };
    char rest[ROOM_FOR_REST + 8];
    size_t i = 0;

    assert(xt_domain_names_any(n));
    snprintf(text, DOMAIN_LIST_MAX, "the trace has no names of domains");
    if ( !n->nr )
        return text;
    *text = '\0';
    append_close(&l, n, word);
    while ( i < n->nr &&
            append_label(&l, ROOM_FOR_REST, i ? ", " : "the trace has ",
                         n->all[i].label) )
        i++;
    snprintf(rest, sizeof(rest), "%zu more", n->nr - i);
    if ( i < n->nr )
        append_label(&l, 0, " and ", rest);
    return text;
}

int filter_find_domain(const struct xt_domain_names *names, const char *option,
                       const char *name, uint64_t *id, struct err *e)
{
    size_t length = strcspn(name, ","), at = 0;
    char word[XT_NAME_MAX], text[DOMAIN_LIST_MAX];
    const struct xt_domain_name *d;

    snprintf(word, sizeof(word), "%.*s", (int)length, name);
    if ( !xt_domain_names_any(names) )
        return err_usage(e, "--%s: %s is no number, and the trace has no names "
                         "of domains", option, word);
    d = xt_domain_names_find(names, name, length, &at);
    if ( !d )
        return err_set(e, -ENOENT, "--%s: no domain is named %s; %s", option,
                       word, domain_list_format(names, word, text));
    if ( xt_domain_names_find(names, name, length, &at) )
        return err_usage(e, "--%s: several domains are named %s; choose one, "
                         "such as %s", option, word, d->label);
    *id = d->id;
    return 0;
}
