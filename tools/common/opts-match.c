/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a word of the command line to a row of the table: the row of exactly
 * this name; otherwise the only row whose name begins with the word; otherwise
 * an error message that suggests the most similar name.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/closest-word.h"
#include "common/edit-distance.h"
#include "common/opts-private.h"

const struct opt *opts_find_letter(const struct program *p, char letter)
{
    const struct opt *o;
    size_t i;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
        if ( o->letter == letter || o->also == letter )
            break;

    return o;
}

struct search
{
    const char *name;           /* the word; not terminated by a NUL */
    size_t len;
    struct match hit[2];        /* the first two, for the error message */
    unsigned int hits;
};

/* Compare with a row.  True: the full name matches, so the search ends. */
static bool consider_name(struct search *s, const struct opt *o, bool negated)
{
    size_t skip = negated ? strlen("no-") : 0;
    const struct match m = { .o = o, .negated = negated };

    assert(skip <= s->len);
    if ( o->name == NULL ||
         strncmp(o->name, s->name + skip, s->len - skip) != 0 )
        return false;

    if ( o->name[s->len - skip] == '\0' )
    {
        s->hit[0] = m;
        s->hits = 1;
        return true;
    }

    if ( opts_is_shown(o) && s->hits++ < 2 )
        s->hit[s->hits - 1] = m;
    return false;
}

static void search_all(struct search *s, const struct program *p)
{
    bool no = s->len >= 3 && !strncmp(s->name, "no-", 3);
    const struct opt *o;
    size_t i;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
        if ( consider_name(s, o, false) ||
             (no && o->type == OPT_FLAG && consider_name(s, o, true)) )
            return;
}

static int report_unknown(const struct program *p, const struct search *s,
                          struct err *e)
{
    int len = s->len < EDIT_DISTANCE_MAX ? s->len : EDIT_DISTANCE_MAX;
    struct closest_word c;
    const struct opt *o;
    size_t i;

    closest_word_init(&c, s->name, s->len);
    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
        if ( opts_is_shown(o) && o->name != NULL )
            closest_word_compare(&c, o->name);
    if ( c.best == NULL )
        return err_usage(e, "--%.*s: no such option; --help lists them",
                         len, s->name);

    return err_usage(e, "--%.*s: no such option; is --%s meant?", len,
                     s->name, c.best);
}

static int report_ambiguous(const struct search *s, struct err *e)
{
    const struct match *a = &s->hit[0], *b = &s->hit[1];

    assert(s->hits > 1 && a->o != NULL && b->o != NULL);
    return err_usage(e, "--%.*s: could be --%s%s or --%s%s%s",
                     (int)s->len, s->name, a->negated ? "no-" : "", a->o->name,
                     b->negated ? "no-" : "", b->o->name,
                     s->hits > 2 ? " or another" : "");
}

int opts_find_name(const struct program *p, const char *name, size_t len,
                   struct match *m, struct err *e)
{
    struct search s = { .name = name, .len = len };

    search_all(&s, p);
    if ( s.hits == 0 )
        return report_unknown(p, &s, e);
    if ( s.hits > 1 )
        return report_ambiguous(&s, e);

    assert(s.hit[0].o != NULL);
    *m = s.hit[0];
    return 0;
}
