/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text goes through the buffer of the styles, and from there into a text of
 * bounded length.
 */
#include "simpletrace/record-text.h"

#include <assert.h>
#include <string.h>

#include "common/debug.h"
#include "common/utf8.h"
#include "simpletrace/recipe.h"

static void append_record_text(void *arg, const char *bytes, size_t n)
{
    struct st_record_text *t = arg;
    size_t left = t->length < ST_RECORD_TEXT_MAX
                  ? ST_RECORD_TEXT_MAX - t->length : 0;

    debug_assert(bytes || !n);
    memcpy(t->text + ST_RECORD_TEXT_MAX - left, bytes, n < left ? n : left);
    t->length += n;
}

int st_record_text_init(struct st_record_text *t, struct err *e)
{
    *t = (struct st_record_text){ .length = 0 };
    return st_out_init_callback(&t->print.out, append_record_text, t, e);
}

void st_record_text_fini(struct st_record_text *t)
{
    if ( t->print.out.buffer )
        st_out_fini(&t->print.out, NULL);
}

/* The parts of a format between its arguments may hold any byte. */
static void end_text(struct st_record_text *t)
{
    size_t length = t->length;

    if ( length > ST_RECORD_TEXT_MAX )
    {
        length = utf8_cut(t->text, ST_RECORD_TEXT_MAX - 1);
        memcpy(t->text + length, "...", 3);
        length += 3;
    }
    t->text[length] = '\0';
    utf8_clean(t->text);
}

const char *st_record_text(struct st_record_text *t,
                           const struct st_record *record)
{
    const struct st_event *event = record->event;
    struct st_value values[ST_MAX_ARGS];
    struct st_print *p = &t->print;

    assert(p->out.buffer && p->out.at == p->out.buffer);
    t->length = 0;
    if ( record->is_dropped )
        ;
    else if ( event->nr_steps && !st_record_values(record, values) )
        st_recipe_print(&p->out, event, values, record->bytes, true);
    else
        st_print_args(p, record);
    st_out_flush(&p->out);
    end_text(t);
    return *t->text == ' ' ? t->text + 1 : t->text;
}
