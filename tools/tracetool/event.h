/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what is written to what is meant: words are looked up, families
 * expanded, bits laid out, formats held against arguments.
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
    struct tt_index sems;       /* of written->sems, by name */
    struct tt_index classes;    /* of written->classes, by name */
    struct tt_vec events;       /* struct tt_event: the model's */
    struct tt_vec pieces;       /* struct tt_piece, of the event at hand */
};

#define TT_ID_CLASS 0x0fff0000u
#define TT_ID_SUBCLASS 0x0000f000u

/* Adds to b->events.  0 or -ENOMEM; errors are complained of. */
int tt_event_build(struct tt_build *b, const struct tt_written_event *e);

/* Fills b->sems and b->classes; looks for what is declared twice. */
int tt_unique_words(struct tt_build *b);

/* Names and ids of events that stand for two things. */
int tt_unique_events(struct tt_build *b);

/* The word of that name; NULL: none, also if name is NULL. */
const struct tt_sem *tt_find_sem(const struct tt_build *b, const char *name);

/* All that can be said of a declaration before there are members. */
void tt_check_event(struct tt_build *b, const struct tt_written_event *e);

/* One event of a family; an event without family is a family of one. */
struct tt_member
{
    char suffix[16];
    uint32_t id;                /* more bits of it */
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
 * The arguments of one member, with their places in payload or id.  0,
 * -EINVAL (complained of), -ENOMEM.
 */
int tt_layout(struct tt_build *b, const struct tt_written_event *e,
              const struct tt_member *member, struct tt_event *event);

/* The format, as pieces and as C source; event->args are there already. */
int tt_format(struct tt_build *b, const struct tt_written_event *e,
              struct tt_event *event);

#endif /* TRACETOOL_EVENT_H */
