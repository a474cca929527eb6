/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simple reference model of the ring.
 */
#include "tests/unit/xen/model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOST_BYTES 28

void model_start(struct model *model, unsigned int pages)
{
    memset(model, 0, sizeof(*model));
    model->size = pages * 4096 - 8;
}

/* ---- writing ---------------------------------------------------------- */

struct layout
{
    struct model_record record[4];
    unsigned int n;
    uint32_t total, place;
};

static void append_item(struct layout *l, uint32_t size, char letter,
                        uint32_t value, uint32_t bytes)
{
    l->record[l->n++] = (struct model_record){ letter, value, bytes };
    l->total += bytes;
    l->place = (l->place + bytes) % size;
}

/* Add padding if `bytes` do not fit before the end. */
static void add_padding(struct layout *l, uint32_t size, uint32_t bytes)
{
    uint32_t left = size - l->place;

    if ( bytes > left )
        append_item(l, size, left > 32 ? 'P' : 'p', left, left);
}

static struct layout make_layout(const struct model *m, char letter,
                                 uint32_t bytes)
{
    struct layout l = { .place = m->head % m->size };

    if ( m->owed )
    {
        add_padding(&l, m->size, LOST_BYTES);
        append_item(&l, m->size, 'L', m->owed, LOST_BYTES);
    }
    add_padding(&l, m->size, bytes);
    append_item(&l, m->size, letter, bytes, bytes);

    return l;
}

static void emit_item(struct model *m, char letter, uint32_t bytes)
{
    struct layout l = make_layout(m, letter, bytes);
    uint32_t used = m->head - m->tail, half = m->size / 2;
    unsigned int i;

    if ( l.total > m->size - used )
    {
        m->owed++;
        return;
    }

    for ( i = 0; i < l.n; i++ )
        m->queue[m->behind++ % MODEL_RECORDS] = l.record[i];
    m->head += l.total;
    m->owed = 0;
    m->crossings += used < half && used + l.total >= half;
}

uint32_t model_total(const struct model *model, const char *record)
{
    return make_layout(model, *record, atoi(record + 1)).total;
}

static void emit_exactly(struct model *m, uint32_t bytes)
{
    while ( bytes )
    {
        uint32_t n = m->size - m->head % m->size;

        n = n < 32 ? n : 32;
        n = n < bytes ? n : bytes;
        emit_item(m, 'r', n);
        bytes -= n;
    }
}

/* ---- reading ---------------------------------------------------------- */

static void add_token(struct model *m, const char *token)
{
    if ( !strcmp(token, m->token) )
    {
        m->times++;
        return;
    }
    if ( m->times > 1 )
        m->used += sprintf(m->text + m->used, "*%u", m->times);
    m->used += sprintf(m->text + m->used, "%s%s", m->used ? " " : "", token);
    assert(m->used < sizeof(m->text) - 64);
    strcpy(m->token, token);
    m->times = 1;
}

static void read_records(struct model *m, uint64_t n, int silent)
{
    const struct model_record *r;
    char token[16];

    for ( ; n && m->first < m->behind; n-- )
    {
        r = &m->queue[m->first++ % MODEL_RECORDS];
        m->tail += r->bytes;
        snprintf(token, sizeof(token), "%c%u", r->letter, r->value);
        if ( !silent )
            add_token(m, token);
    }
}

/* ---- the language ----------------------------------------------------- */

static uint32_t counted_in(const struct model *m, long n)
{
    return n < 0 ? m->size + n : n;
}

static void play_goto(struct model *m, uint32_t to)
{
    uint32_t way, part;

    read_records(m, UINT64_MAX, 1);
    for ( way = (to + m->size - m->head % m->size) % m->size; way; way -= part )
    {
        part = way < 1024 ? way : 1024;
        emit_exactly(m, part);
        read_records(m, UINT64_MAX, 1);
    }
}

static void play_word(struct model *m, char letter, long n, int given)
{
    switch ( letter )
    {
    case '@':
        play_goto(m, counted_in(m, n));
        break;
    case '=':
        emit_exactly(m, (given ? counted_in(m, n) : m->size) -
                        (m->head - m->tail));
        break;
    case '?':
        if ( m->used )
            add_token(m, "|");
        read_records(m, given ? (uint64_t)n : UINT64_MAX, 0);
        break;
    default:
        emit_item(m, letter, n);
    }
}

const char *model_play(struct model *model, const char *script)
{
    model->used = model->times = 0;
    model->text[0] = model->token[0] = '\0';

    while ( *(script += strspn(script, " ")) )
    {
        char letter = *script++, *end;
        long n = strtol(script, &end, 10);

        play_word(model, letter, n, end > script);
        script = end;
    }
    if ( model->times > 1 )
        sprintf(model->text + model->used, "*%u", model->times);

    return model->text;
}
