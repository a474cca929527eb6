/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties: the words before the name of an event.
 */
#include "tracetool/syntax.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

/* Bounds of the numbers before and after the '.' of a version. */
static int parse_version(struct tt_lex *l, uint16_t *version)
{
    struct tt_place at = l->token.at;
    uint64_t major, minor;

    if ( tt_syntax_number(l, &major, "a version, as 4.19,") ||
         tt_syntax_mark(l, '.', "a '.' in the version, as in 4.19,") ||
         tt_syntax_number(l, &minor, "the part of a version behind the '.'") )
        return -EINVAL;
    if ( major < 1 || major > 255 || minor > 255 )
    {
        tt_errors_add(l->errors, &at, "no Xen is called so: write the "
                      "version as in 4.19");
        return -EINVAL;
    }
    *version = major << 8 | minor;
    assert(*version != TT_ALWAYS);
    return 0;
}

static int parse_since(struct tt_written_event *e, struct tt_lex *l)
{
    return parse_version(l, &e->since);
}

static int parse_until(struct tt_written_event *e, struct tt_lex *l)
{
    return parse_version(l, &e->until);
}

static int parse_id(struct tt_written_event *e, struct tt_lex *l)
{
    e->id_at = l->token.at;
    return tt_syntax_number(l, &e->id, "an id, as 0x00021001,");
}

static const struct { const char *name; unsigned int bit; } families[] = {
    { "64", TT_FAMILY_64 }, { "levels", TT_FAMILY_LEVELS },
    { "nested", TT_FAMILY_NESTED },
};

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static int parse_family(struct tt_written_event *e, struct tt_lex *l)
{
    size_t i;

    do
    {
        for ( i = 0; i < NR(families); i++ )
            if ( tt_lex_is_word(l, families[i].name) )
                break;
        if ( i == NR(families) || (e->family & families[i].bit) )
        {
            tt_lex_expected(l, "a family (64, levels, nested; each once)");
            return -EINVAL;
        }
        e->family |= families[i].bit;
        tt_lex_next(l);
    } while ( tt_lex_take_mark(l, ',') );
    return 0;
}

static const struct prop
{
    const char *name;
    enum tt_prop bit;
    int (*parse)(struct tt_written_event *e, struct tt_lex *l); /* or NULL */
} props[] = {
    { "disable", TT_PROP_DISABLE, NULL }, { "vcpu", TT_PROP_VCPU, NULL },
    { "id", TT_PROP_ID, parse_id }, { "notime", TT_PROP_NOTIME, NULL },
    { "unused", TT_PROP_UNUSED, NULL }, { "private", TT_PROP_PRIVATE, NULL },
    { "family", TT_PROP_FAMILY, parse_family },
    { "since", TT_PROP_SINCE, parse_since },
    { "until", TT_PROP_UNTIL, parse_until },
};

#define KNOWN "known are disable, vcpu, id=, notime, unused, private, " \
              "family=, since=, until="

/* -EINVAL: reported; the caller may continue behind it. */
static int find_prop(struct tt_lex *l, const struct prop **found)
{
    char shown[TT_SHOWN];
    size_t i;

    for ( i = 0; i < NR(props); i++ )
        if ( tt_lex_is_word(l, props[i].name) )
        {
            *found = &props[i];
            return 0;
        }
    tt_errors_add(l->errors, &l->token.at, "%s is no property; " KNOWN,
                  tt_lex_show(l, shown));
    return -EINVAL;
}

static int parse_value_of(struct tt_written_event *e, const struct prop *prop,
                          struct tt_lex *l)
{
    struct tt_place at = l->token.at;
    char what[48];

    tt_lex_next(l);
    if ( prop->parse && (e->props & prop->bit) )
    {
        tt_errors_add(l->errors, &at, "%s= stands here twice: one of "
                      "the two must go", prop->name);
        return -EINVAL;
    }
    e->props |= prop->bit;
    if ( !prop->parse )
        return 0;
    snprintf(what, sizeof(what), "a '=' behind the property '%s'", prop->name);
    if ( tt_syntax_mark(l, '=', what) )
        return -EINVAL;
    return prop->parse(e, l);
}

/* Parse up to the name.  Each unknown word is reported. */
int tt_syntax_props(struct tt_written_event *e, struct tt_lex *l)
{
    const struct prop *prop;
    int rc = 0;

    assert(!e->props);
    while ( l->token.kind == TT_WORD &&
            (tt_lex_before_word(l) || tt_lex_before_mark(l, '=')) )
    {
        if ( find_prop(l, &prop) )
        {
            rc = -EINVAL;
            tt_lex_next(l);
            if ( tt_lex_take_mark(l, '=') )
                tt_lex_next(l);
        }
        else if ( parse_value_of(e, prop, l) )
            return -EINVAL;
    }
    return rc;
}
