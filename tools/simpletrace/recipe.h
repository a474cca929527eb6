/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compiled format: prints the arguments as printf would, without passing a
 * format from the trace to printf.
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
    uint8_t shift;              /* 64 - bits of the conversion */
    uint8_t zeros;              /* ST_HEX: least number of digits */
    uint8_t stars;              /* bit 0: width, bit 1: precision */
    uint8_t arg;
    char letter;
    char flags[6];
    int width, precision;       /* precision -1: none */
    const char *text;           /* ST_LITERAL: padded (out.h) */
    size_t length;
};

/*
 * Set event->steps, with the vcpu first if there is one, and the space that
 * their text needs: event->room, and for each of event->string_steps up to
 * 4 bytes per byte of the string. 0 or -ENOMEM.
 */
int st_recipe_make(struct arena *a, struct st_event *event,
                   const struct tt_event *from);

/*
 * `bytes`: no string is longer; visible: print strings escaped by
 * st_out_escaped(); otherwise byte for byte, as printf would.
 */
void st_recipe_print(struct st_out *out, const struct st_event *event,
                     const struct st_value *values, size_t bytes,
                     bool visible);

#endif /* SIMPLETRACE_RECIPE_H */
