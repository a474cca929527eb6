/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a declaration to its events: a single event, or the members of a family.
 */
#include "tracetool/event.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

/* "TRC_SCHED_WAKE", the constant in public/trace.h. */
static const char *make_constant(struct arena *a, const char *name)
{
    size_t length = strlen(name);
    char *text = arena_alloc(a, length + sizeof("TRC_"), 1), *at = text;

    assert(*name);
    if ( !text )
        return NULL;
    memcpy(at, "TRC_", 4);
    for ( at += 4; *name; name++ )
        *at++ = toupper((unsigned char)*name);
    assert((size_t)(at - text) == length + 4);
    *at = '\0';
    return text;
}

static const char *join_name(struct arena *a, const char *name,
                             const char *suffix)
{
    size_t length = strlen(name), more = strlen(suffix) + 1;
    char *text = arena_alloc(a, length + more, 1);

    if ( !text )
        return NULL;
    memcpy(text, name, length);
    memcpy(text + length, suffix, more);
    return text;
}

static int name_member(struct tt_build *b, const struct tt_written_event *e,
                       const struct tt_member *member, struct tt_event *event)
{
    event->name = join_name(b->arena, e->name, member->suffix);
    if ( !event->name )
        return -ENOMEM;
    if ( !event->in_xen || !member->has_constant )
        return 0;
    /* A constant per width (reg); members for levels share the base's. */
    event->constant = make_constant(b->arena, member->reg ? event->name :
                                    e->name);
    return event->constant ? 0 : -ENOMEM;
}

static struct tt_event begin_event(const struct tt_build *b,
                                   const struct tt_written_event *e,
                                   const struct tt_member *member)
{
    const struct tt_class *classes = b->written->classes.items;

    assert(e->class <= b->written->classes.nr);
    assert(!(e->id >> 28) && !(e->id & member->id));
    return (struct tt_event){
        .class = e->class ? &classes[e->class - 1] : NULL,
        .at = e->at, .format = "\"\"",
        .disabled = (e->props & TT_PROP_DISABLE) != 0,
        .vcpu = (e->props & TT_PROP_VCPU) != 0,
        .in_xen = (e->props & TT_PROP_ID) != 0,
        .timed = !(e->props & TT_PROP_NOTIME),
        .unused = (e->props & TT_PROP_UNUSED) != 0,
        .is_private = (e->props & TT_PROP_PRIVATE) != 0,
        .id = (uint32_t)e->id | member->id,
        .since = e->since, .until = e->until,
    };
}

/* The layout and the format rely on tt_check_event(); readers on these. */
static void assert_field(const struct tt_event *e, const struct tt_arg *a)
{
    assert(a->bits && a->bits <= 64);
    assert(a->present < a - e->args);
    if ( a->in_id )
        assert(a->bit + a->bits <= 12 && a->present < 0 && !a->optional);
    else if ( a->present < 0 )
        assert(a->bit + a->bits <= 32 * e->max_words);
    else
        assert(a->bit % 32 == 0);
}

static void assert_args(const struct tt_event *e)
{
    unsigned int bit = 0;       /* end of the previous field */

    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        const struct tt_arg *a = &e->args[i];

        assert(a->name && *a->name && a->type && *a->type);
        assert(a->kind <= TT_STRING && a->width <= 64);
        if ( !e->in_xen )
            continue;
        assert_field(e, a);
        if ( a->in_id || a->present >= 0 )
            continue;
        assert(bit <= a->bit);  /* sorted, and none overlaps another */
        bit = a->bit + a->bits;
    }
}

static void assert_pieces(const struct tt_event *e)
{
    for ( size_t i = 0; i < e->nr_pieces; i++ )
    {
        const struct tt_piece *p = &e->pieces[i];

        assert(p->text && p->length);
        assert(p->arg >= -1 && p->arg < (int)e->nr_args);
        assert(p->optional == (p->group != 0) && p->group <= TT_MAX_GROUPS);
    }
}

static void assert_event(const struct tt_event *e)
{
    assert(e->name && *e->name && e->format);
    assert(e->in_xen || (!e->constant && e->nr_args <= TT_MAX_ARGS));
    assert(e->in_xen || (!e->id && !e->id_fields && !e->max_words));
    assert(!(e->id & e->id_fields) && !(e->id_fields & ~0xfffu));
    assert(e->words <= e->max_words && e->max_words <= TT_MAX_WORDS);
    assert(e->until == TT_ALWAYS || e->since <= e->until);
    assert_args(e);
    assert_pieces(e);
}

static int add_member(struct tt_build *b, const struct tt_written_event *e,
                      const struct tt_member *member)
{
    struct tt_event event = begin_event(b, e, member), *kept;
    size_t before = b->errors->nr;
    int rc = name_member(b, e, member, &event);

    if ( !rc )
        rc = tt_layout(b, e, member, &event);
    if ( !rc )
        rc = tt_format(b, e, &event);
    if ( rc == -ENOMEM )
        return rc;
    if ( b->errors->nr == before )
        assert_event(&event);
    kept = tt_vec_add(b->arena, &b->events, sizeof(*kept));
    if ( !kept )
        return -ENOMEM;
    *kept = event;
    return rc;
}

/* Stop at an error: the other members would repeat it. */
int tt_event_build(struct tt_build *b, const struct tt_written_event *e)
{
    struct tt_member members[TT_MAX_MEMBERS];
    size_t i, nr, before = b->errors->nr;
    int rc = 0;

    assert(b->errors);
    tt_check_event(b, e);
    if ( b->errors->nr != before )
        return 0;
    nr = tt_family_members(e->family, members);
    assert(nr && nr <= TT_MAX_MEMBERS);
    for ( i = 0; i < nr && !rc; i++ )
        rc = add_member(b, e, &members[i]);
    return rc == -ENOMEM ? rc : 0;
}
