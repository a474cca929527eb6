/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From syntax to the model: look up words, expand families, lay out bits, and
 * check formats against arguments.
 */
#ifndef TRACETOOL_EVENT_H
#define TRACETOOL_EVENT_H

#include "tracetool/index.h"
#include "tracetool/syntax.h"

struct tt_build
{
    struct arena *arena;
    struct tt_errors *errors;
    const struct tt_written *written;
    bool may_repeat;            /* several files may declare an event equally */
    struct tt_index sems;       /* of written->sems, by name */
    struct tt_index classes;    /* of written->classes, by name */
    struct tt_vec events;       /* struct tt_event, of the model */
    struct tt_vec pieces;       /* struct tt_piece, of the current event */
};

#define TT_ID_CLASS 0x0fff0000u
#define TT_ID_SUBCLASS 0x0000f000u

/* Append to b->events.  0 or -ENOMEM; errors go to b->errors. */
int tt_event_build(struct tt_build *b, const struct tt_written_event *e);

/* Fill b->sems and b->classes; report duplicate declarations. */
int tt_unique_words(struct tt_build *b);

/* Report names and ids that two events share. */
int tt_unique_events(struct tt_build *b);

/* The word of this name; NULL: none, or name is NULL. */
const struct tt_sem *tt_find_sem(const struct tt_build *b, const char *name);

/* Check a declaration, before its family is expanded. */
void tt_check_event(struct tt_build *b, const struct tt_written_event *e);

/* A member of a family; an event without family has one member. */
struct tt_member
{
    char suffix[16];
    uint32_t id;                /* bits to add to the declared id */
    unsigned int reg, level;    /* index into tt_sized.width */
    bool has_constant;
};

#define TT_MAX_MEMBERS 12u

size_t tt_family_members(unsigned int family,
                         struct tt_member members[TT_MAX_MEMBERS]);
uint32_t tt_family_bits(unsigned int family);
unsigned int tt_family_width(const struct tt_ctype *type,
                             const struct tt_member *member);

/*
 * Compute the arguments of a member, with their bits in payload or id.  0,
 * -EINVAL (reported), -ENOMEM.
 */
int tt_layout(struct tt_build *b, const struct tt_written_event *e,
              const struct tt_member *member, struct tt_event *event);

/* Set format and pieces of an event; event->args has been set. */
int tt_format(struct tt_build *b, const struct tt_written_event *e,
              struct tt_event *event);

#endif /* TRACETOOL_EVENT_H */
