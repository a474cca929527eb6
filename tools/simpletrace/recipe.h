/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A format, compiled: what printf would print of the arguments, without ever
 * giving printf a format that somebody else wrote.
 */
#ifndef SIMPLETRACE_RECIPE_H
#define SIMPLETRACE_RECIPE_H

#include "simpletrace/event-table.h"
#include "tracetool/model.h"

enum st_kind { ST_LITERAL, ST_SIGNED, ST_UNSIGNED, ST_HEX, ST_POINTER, ST_TEXT,
               ST_BYTE, ST_OTHER };

struct st_step
{
    uint8_t kind;               /* enum st_kind */
    uint8_t shift;              /* 64 - bits that the conversion takes */
    uint8_t zeros;              /* ST_HEX: at least so many digits */
    uint8_t stars;              /* bit 0: width, bit 1: precision */
    uint8_t arg;
    char letter;
    char flags[6];
    int width, precision;       /* precision -1: none */
    const char *text;           /* ST_LITERAL */
    size_t length;
};

/* event->steps, with the vcpu in front where there is one.  0 or -ENOMEM. */
int st_recipe_make(struct arena *a, struct st_event *event,
                   const struct tt_event *from);

/*
 * visible: strings as st_out_escaped() shows them; else byte for byte, as
 * printf would.
 */
void st_recipe_print(struct st_out *out, const struct st_event *event,
                     const struct st_value *values, bool visible);

#endif /* SIMPLETRACE_RECIPE_H */
