/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of a single declaration.  An event with an id belongs to the
 * hypervisor and obeys the rules of records; an event without id belongs to a
 * program and obeys QEMU's rules.  These checks are independent of the members
 * of a family, so they run once per declaration.
 */
#include "tracetool/event.h"

#include <assert.h>
#include <string.h>

/* Properties that require an id. */
static const struct { unsigned int bit; const char *name; } of_ids[] = {
    { TT_PROP_NOTIME, "notime" }, { TT_PROP_UNUSED, "unused" },
    { TT_PROP_PRIVATE, "private" }, { TT_PROP_FAMILY, "family" },
    { TT_PROP_SINCE, "since" }, { TT_PROP_UNTIL, "until" },
};

static void check_user_props(struct tt_build *b,
                             const struct tt_written_event *e)
{
    size_t i;

    for ( i = 0; i < sizeof(of_ids) / sizeof(of_ids[0]); i++ )
        if ( e->props & of_ids[i].bit )
            tt_errors_add(b->errors, &e->props_at, "'%s' is for events "
                          "of the hypervisor: give an id=, or leave it "
                          "out", of_ids[i].name);
}

static void check_user_arg(struct tt_build *b,
                           const struct tt_written_arg *arg)
{
    if ( arg->type.sized )
        tt_errors_add(b->errors, &arg->at, "'%s' is for events of the "
                      "hypervisor (those with an id=): take uint64_t",
                      arg->type.sized->name);
    if ( arg->has_bits || arg->in_id || !arg->name )
        tt_errors_add(b->errors, &arg->bits_at, "only events of the "
                      "hypervisor (those with an id=) have bit fields and "
                      "id fields: leave out the ':' or '@'");
    else if ( arg->optional || arg->present )
        tt_errors_add(b->errors, &arg->at, "only events of the "
                      "hypervisor (those with an id=) have arguments that "
                      "may be absent: leave out the [ ] or '?'");
}

static void check_user(struct tt_build *b, const struct tt_written_event *e)
{
    size_t i;

    check_user_props(b, e);
    for ( i = 0; (e->props & TT_PROP_VCPU) && i < e->nr_args; i++ )
        if ( e->args[i].name && !strcmp(e->args[i].name, "__cpu") )
            tt_errors_add(b->errors, &e->args[i].at, "'__cpu' is the vcpu, "
                          "which is an argument of each event with 'vcpu': "
                          "rename this argument");
    if ( e->nr_args > TT_MAX_ARGS )
        tt_errors_add(b->errors, &e->args[TT_MAX_ARGS].at,
                      "'%.60s' has %zu arguments, and %u are the most: "
                      "leave some out, or split the event", e->name,
                      e->nr_args, TT_MAX_ARGS);
    for ( i = 0; i < e->nr_args; i++ )
        check_user_arg(b, &e->args[i]);
}

static void check_class(struct tt_build *b, const struct tt_written_event *e)
{
    const struct tt_class *classes = b->written->classes.items;
    const struct tt_class *class = e->class ? &classes[e->class - 1] : NULL;
    uint32_t sub = e->id & TT_ID_SUBCLASS;

    assert(e->class <= b->written->classes.nr);
    if ( !(e->id & TT_ID_CLASS) || !sub )
        tt_errors_add(b->errors, &e->id_at, "this id has no bit of a "
                      "%s, so no mask can ever select it: write it as in "
                      "0x00021001", sub ? "class (0x0fff0000)" :
                      "subclass (0xf000)");
    else if ( class && ((e->id & TT_ID_CLASS) != (class->id & TT_ID_CLASS) ||
                        (sub & ~class->id)) )
        tt_errors_add(b->errors, &e->id_at, "this id is not in class "
                      "'%.40s' (0x%08x, %.80s:%u): move the event, or mend "
                      "the id", class->name, class->id, class->at.file,
                      class->at.line);
}

static void check_id(struct tt_build *b, const struct tt_written_event *e)
{
    uint32_t family = tt_family_bits(e->family);

    if ( e->id >> 28 )
        tt_errors_add(b->errors, &e->id_at, "an id has 28 bits: leave "
                      "out what is above 0x0fffffff");
    else
        check_class(b, e);
    if ( e->id & family )
        tt_errors_add(b->errors, &e->id_at, "the family of '%.60s' "
                      "fills in bits 0x%x of the id: leave them zero",
                      e->name, family);
    if ( (e->family & TT_FAMILY_64) && (e->family & TT_FAMILY_LEVELS) )
        tt_errors_add(b->errors, &e->at, "families 64 and levels both "
                      "want bit 0x100 of the id: take one of them");
}

static void check_props(struct tt_build *b, const struct tt_written_event *e)
{
    if ( e->props & TT_PROP_VCPU )
        tt_errors_add(b->errors, &e->props_at, "'vcpu' is for events "
                      "of QEMU: give the vcpu as an argument");
    if ( e->since && e->until && e->since > e->until )
        tt_errors_add(b->errors, &e->props_at, "since= is later than "
                      "until=: exchange them");
}

static void check_type(struct tt_build *b, const struct tt_written_event *e,
                       const struct tt_written_arg *arg)
{
    unsigned int family = !arg->type.sized ? 0 : arg->type.sized->by_levels ?
                          TT_FAMILY_LEVELS : TT_FAMILY_64;

    if ( !arg->type.fixed )
        tt_errors_add(b->errors, &arg->at, "a record holds integers of "
                      "fixed width, and '%.40s' is none: take one of "
                      "uint8_t to uint64_t, int8_t to int64_t",
                      arg->type.text);
    else if ( family && !(e->family & family) )
        tt_errors_add(b->errors, &arg->at, "'%s' gets its width from a "
                      "family: add family=%s", arg->type.sized->name,
                      family == TT_FAMILY_64 ? "64" : "levels");
    if ( arg->type.sized && arg->has_bits )
        tt_errors_add(b->errors, &arg->bits_at, "'%s' has no one width "
                      "that a bit field could be part of: take uint32_t",
                      arg->type.sized->name);
}

static void check_bits(struct tt_build *b, const struct tt_written_arg *arg)
{
    assert(arg->has_bits && !arg->in_id);
    if ( arg->type.fixed && (!arg->bits || arg->bits > arg->type.width) )
        tt_errors_add(b->errors, &arg->bits_at, "a bit field of "
                      "'%.40s' has 1 to %u bits", arg->type.text,
                      arg->type.width);
}

/* @ SHIFT: inside the 12 low bits of the id, and these bits are zero. */
static void check_id_field(struct tt_build *b, const struct tt_written_event *e,
                           const struct tt_written_arg *arg, uint32_t *taken)
{
    uint32_t mask;

    if ( !arg->has_bits || !arg->bits || arg->bits > 12 || arg->shift > 11 ||
         arg->bits + arg->shift > 12 )
    {
        tt_errors_add(b->errors, &arg->at, "a field of the id lies in "
                      "its 12 low bits, or it would change the class: "
                      "write it as in 'uint8_t x:2 @ 8'");
        return;
    }
    mask = ((1u << arg->bits) - 1) << arg->shift;
    if ( mask & *taken )
        tt_errors_add(b->errors, &arg->at, "bits 0x%x of the id are "
                      "taken already: give this field others",
                      mask & *taken);
    if ( mask & e->id )
        tt_errors_add(b->errors, &arg->at, "id= must be zero where the "
                      "argument goes: take 0x%x out of it",
                      (unsigned int)(mask & e->id));
    *taken |= mask;
}

static void check_absent(struct tt_build *b, const struct tt_written_event *e,
                         const struct tt_written_arg *arg)
{
    bool fits = arg->type.fixed && !arg->type.sized && !arg->type.is_signed &&
                arg->type.width == 32 && !arg->has_bits && arg->name;

    assert(e->args <= arg && arg < e->args + e->nr_args);
    if ( arg->present && !fits )
        tt_errors_add(b->errors, &arg->at, "an argument with '?' has "
                      "32 or 64 bits, as the other one says: declare it "
                      "as uint32_t");
    if ( arg->present && e->args[e->nr_args - 1].optional )
        tt_errors_add(b->errors, &arg->at, "'?' and a tail in [ ] do "
                      "not go together: nobody could tell them apart");
    if ( arg->in_id && (arg->optional || arg->present || !arg->name) )
        tt_errors_add(b->errors, &arg->at, "a field of the id is "
                      "always there and has a name: move it out of the "
                      "[ ], without '?'");
}

static void check_xen(struct tt_build *b, const struct tt_written_event *e)
{
    uint32_t taken = tt_family_bits(e->family);
    const struct tt_written_arg *arg;
    size_t i;

    check_props(b, e);
    check_id(b, e);
    for ( i = 0; i < e->nr_args; i++ )
    {
        arg = &e->args[i];
        check_type(b, e, arg);
        check_absent(b, e, arg);
        if ( arg->in_id )
            check_id_field(b, e, arg, &taken);
        else if ( arg->has_bits )
            check_bits(b, arg);
    }
}

/* Checks of words and names, for both kinds of events. */
static void check_sems(struct tt_build *b, const struct tt_written_event *e)
{
    const struct tt_written_arg *arg;
    size_t i;

    for ( i = 0, arg = e->args; i < e->nr_args; i++, arg++ )
        if ( arg->sem && !tt_find_sem(b, arg->sem) )
            tt_errors_add(b->errors, &arg->at, "'%.40s' is not "
                          "declared: take it out, or add a line 'type "
                          "%.40s \"what it means\"'", arg->sem, arg->sem);
}

static void check_names(struct tt_build *b, const struct tt_written_event *e)
{
    size_t i, j;

    for ( i = 1; i < e->nr_args; i++ )
        for ( j = 0; j < i && e->args[i].name; j++ )
            if ( e->args[j].name &&
                 !strcmp(e->args[i].name, e->args[j].name) )
            {
                tt_errors_add(b->errors, &e->args[i].name_at, "a "
                              "second argument '%.40s': call it something "
                              "else", e->args[i].name);
                break;
            }
}

void tt_check_event(struct tt_build *b, const struct tt_written_event *e)
{
    assert(e->name && *e->name);
    assert(e->args || !e->nr_args);
    assert(e->nr_args <= TT_MAX_WRITTEN);
    check_sems(b, e);
    check_names(b, e);
    if ( e->props & TT_PROP_ID )
        check_xen(b, e);
    else
        check_user(b, e);
}
