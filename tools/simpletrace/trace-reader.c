/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions 2, 3 and 4 are packed items; they differ in the type word, which
 * only version 4 has, and in the meaning of ids.  Version 0 is an array of
 * 64-byte records (reader-old.c).
 *
 * An item is accepted if its header is valid: known type, known id, and a
 * length that matches the declaration.  Otherwise the item behind it decides,
 * since the declaration may be wrong instead of the bytes.  Where there is no
 * item, the reader searches byte by byte for the next position with a valid
 * item that is followed by another.
 */
#include "simpletrace/trace-reader.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libusertrace/simple-format.h"
#include "simpletrace/bytes.h"
#include "simpletrace/reader-private.h"

#define HEADER 24u
#define RECORD 24u              /* least value of `length` */
#define MAPPING 20u
#define MAX_LENGTH (64u << 10)  /* ten strings of 512 bytes take 5 KB */
#define MAX_NAME 4096u

_Static_assert(MAX_LENGTH + HEADER + RECORD <= ST_INPUT_MAX &&
               MAX_NAME <= MAX_LENGTH, "any item and the next header fit");
_Static_assert(ST_MAX_ARGS * (4 + 512) <= MAX_LENGTH,
               "the longest event that QEMU writes is no damage");

enum item { NO_ITEM, CUT, MAPPED, EVENT };

static bool is_length(uint32_t length)
{
    return length >= RECORD && length <= MAX_LENGTH;
}

static bool is_text(const unsigned char *at, size_t n)
{
    for ( size_t i = 0; i < n; i++ )
        if ( at[i] < ' ' || at[i] == 0x7f )
            return false;
    return n > 0;
}

/* The size of a mapping with its header at p, or 0. */
static size_t mapping_size(const struct st_reader *r, const unsigned char *p)
{
    uint64_t id = st_get64(p + 8, r->swapped);
    uint32_t length = st_get32(p + 16, r->swapped);

    if ( !length || (id >= ST_MAX_IDS && id < SIMPLE_DECLARE) ||
         length > (id < ST_MAX_IDS ? MAX_NAME : MAX_LENGTH) )
        return 0;
    return MAPPING + length;
}

/* Classify the item at p by its header only; *size is the size of the item. */
static enum item peek_item(const struct st_reader *r, const unsigned char *p,
                           int64_t have, size_t *size)
{
    uint64_t type = SIMPLE_EVENT;
    uint32_t length;

    *size = r->type_bytes + RECORD;
    if ( r->type_bytes && have >= (int64_t)MAPPING )
    {
        type = st_get64(p, r->swapped);
        if ( type == SIMPLE_MAPPING )
        {
            *size = mapping_size(r, p);
            return !*size ? NO_ITEM : have < (int64_t)*size ? CUT : MAPPED;
        }
    }
    if ( have < (int64_t)*size )
        return type == SIMPLE_EVENT ? CUT : NO_ITEM;
    length = st_get32(p + r->type_bytes + 16, r->swapped);
    *size = r->type_bytes + length;
    return type != SIMPLE_EVENT || !is_length(length) ? NO_ITEM :
           have < (int64_t)*size ? CUT : EVENT;
}

static struct st_event *lookup_event(struct st_reader *r, uint64_t id)
{
    if ( id < r->map_nr )
        return r->map[id];
    return id == SIMPLE_DROPPED ? &r->events->dropped : NULL;
}

/* Do the lengths of the strings add up to `bytes`? */
static bool strings_fit(const struct st_reader *r,
                        const struct st_event *event, const unsigned char *p,
                        uint32_t bytes)
{
    uint32_t left = bytes, n;

    for ( size_t i = 0; i < event->nr_args; i++ )
    {
        n = event->args[i].is_string ? 4 : 8;
        if ( n > left )
            return false;
        if ( n == 4 )
        {
            n = st_get32(p + bytes - left, r->swapped);
            if ( n > left - 4 )
                return false;
            n += 4;
        }
        left -= n;
    }
    return !left;
}

/* `size` is the size of the item. */
static bool arguments_fit(const struct st_reader *r,
                          const struct st_event *event, const unsigned char *p,
                          size_t size)
{
    uint32_t bytes = size - r->type_bytes - RECORD;

    if ( !event )
        return false;
    if ( !event->declared || !event->has_strings )
        return !event->declared || bytes == event->min_bytes;
    return strings_fit(r, event, p + r->type_bytes + RECORD, bytes);
}

/* Is the event known, and are the arguments as declared? */
static bool event_is_valid(struct st_reader *r, const unsigned char *p,
                           size_t size)
{
    uint64_t id = st_get64(p + r->type_bytes, r->swapped);

    assert(size >= r->type_bytes + RECORD);
    return arguments_fit(r, lookup_event(r, id), p, size);
}

/*
 * Is there an item, or the end of the file, `size` bytes ahead?  Without type
 * words, nearly any bytes look like an item: then a known event or a chain of
 * items is required.
 */
static bool item_follows(struct st_reader *r, size_t size, struct err *e)
{
    unsigned int more = r->type_bytes ? 1 : 4;
    const unsigned char *p;
    enum item item;
    int64_t have;
    size_t next;

    assert(size && size <= ST_INPUT_MAX);
    for ( ; more && size + r->type_bytes + RECORD <= ST_INPUT_MAX; more-- )
    {
        have = st_input_need(&r->in, size + r->type_bytes + RECORD, e);
        if ( have <= (int64_t)size )
            return have == (int64_t)size;
        p = st_input_bytes(&r->in) + size;
        item = peek_item(r, p, have - size, &next);
        if ( item == CUT )
            return r->type_bytes &&
                   have >= (int64_t)(size + r->type_bytes + RECORD);
        if ( item == NO_ITEM || (item == EVENT && event_is_valid(r, p, next)) )
            return item == EVENT;
        size += next;
    }
    return !more;
}

/*
 * A strict test, for positions that are not known to be the start of an item.
 */
static bool is_confirmed(struct st_reader *r, struct err *e)
{
    int64_t have = st_input_need(&r->in, MAX_LENGTH + HEADER, e);
    const unsigned char *p = st_input_bytes(&r->in);
    size_t size = 0;
    enum item item = have < 0 ? NO_ITEM : peek_item(r, p, have, &size);

    if ( item == MAPPED && !is_text(p + MAPPING, size - MAPPING) )
        return false;
    if ( item == EVENT && !event_is_valid(r, p, size) )
        return false;
    return (item == EVENT || item == MAPPED) && item_follows(r, size, e);
}

/* Skip bytes up to the next confirmed item. */
static int skip_damage(struct st_reader *r, struct err *e)
{
    uint64_t from = st_input_offset(&r->in), bytes;
    int64_t have;

    do
    {
        r->in.at++;
        have = st_input_need(&r->in, 1, e);
    } while ( have > 0 && !is_confirmed(r, e) );

    if ( have < 0 )
        return have;
    bytes = st_input_offset(&r->in) - from;
    st_reader_report_damage(r, from, bytes);
    return 0;
}

void st_reader_report_damage(struct st_reader *r, uint64_t offset,
                             uint64_t bytes)
{
    assert(bytes);
    r->gaps++;
    r->skipped += bytes;
    if ( r->report_damage )
        r->report_damage(r, offset, bytes, r->report_arg);
}

static inline void take_record(struct st_reader *r, struct st_record *record,
                               struct st_event *event, const unsigned char *p,
                               size_t size, bool fits)
{
    debug_assert(size >= r->type_bytes + RECORD);
    debug_assert(p + size <= r->in.buffer + r->in.end);
    *record = (struct st_record){
        .event = event, .from = r,
        .time = st_get64(p + r->type_bytes + 8, r->swapped),
        .pid = r->version == 2 ? 0 :
               st_get32(p + r->type_bytes + 20, r->swapped),
        .tid = r->tid, .is_dropped = event == &r->events->dropped,
        .fits = fits && event->declared,
        .args = p + r->type_bytes + RECORD,
        .bytes = size - r->type_bytes - RECORD,
    };
    if ( record->is_dropped && record->bytes >= 8 )
        r->lost += st_get64(record->args, r->swapped);
    r->records++;
    r->in.at += size;
}

/* 1: taken; 0: damage; -errno. */
static int take_event_slow(struct st_reader *r, struct st_record *record,
                           size_t size, struct err *e)
{
    const unsigned char *p = st_input_bytes(&r->in);
    uint64_t id = st_get64(p + r->type_bytes, r->swapped);
    struct st_event *event = lookup_event(r, id);
    bool fits = arguments_fit(r, event, p, size);

    assert(size >= r->type_bytes + RECORD);
    if ( !fits )
    {
        if ( !item_follows(r, size, e) )
            return 0;
        if ( !event )
            event = st_reader_add_unknown(r, id);
        if ( !event )
            return err_sys(e, -ENOMEM, "cannot read %s", r->in.name);
        p = st_input_bytes(&r->in);
    }
    take_record(r, record, event, p, size, fits);
    return 1;
}

/*
 * Fast path, for nearly all records: a complete event that matches its
 * declaration.  False: use the slow path.
 */
static bool take_event_fast(struct st_reader *r, struct st_record *record)
{
    const unsigned char *p = st_input_bytes(&r->in);
    size_t have = r->in.end - r->in.at, size;
    uint64_t id;

    if ( have < r->type_bytes + RECORD ||
         (r->type_bytes && st_get64(p, r->swapped) != SIMPLE_EVENT) )
        return false;
    id = st_get64(p + r->type_bytes, r->swapped);
    size = r->type_bytes + st_get32(p + r->type_bytes + 16, r->swapped);
    if ( id >= r->map_nr || size > have || size < r->type_bytes + RECORD ||
         size > r->type_bytes + MAX_LENGTH ||
         !arguments_fit(r, r->map[id], p, size) )
        return false;
    take_record(r, record, r->map[id], p, size, true);
    return true;
}

/*
 * Classify the item ahead, with all of its bytes that the file has.  A file
 * that is followed may grow at any time, so an item is CUT by the bytes that
 * were looked at, not by those that came since.  Returns the number of bytes.
 */
static int64_t look_ahead(struct st_reader *r, enum item *item, size_t *size,
                          struct err *e)
{
    size_t wanted = r->type_bytes + RECORD;
    int64_t have;
    bool more;

    do
    {
        have = st_input_need(&r->in, wanted, e);
        if ( have <= 0 )
            return have;
        *item = peek_item(r, st_input_bytes(&r->in), have, size);
        more = *item == CUT && have >= (int64_t)wanted;
        assert(!more || *size > wanted);
        wanted = *size;
    } while ( more );
    return have;
}

int st_reader_take_mappings(struct st_reader *r, struct err *e)
{
    enum item item = MAPPED;
    int64_t have = 0;
    size_t size;
    int rc = 0;

    while ( !rc && r->type_bytes && item == MAPPED )
    {
        have = look_ahead(r, &item, &size, e);
        if ( have <= 0 )
            break;
        if ( item == MAPPED )
            rc = st_reader_take_mapping(r, size, e) < 0 ? -ENOMEM : 0;
    }
    return have < 0 ? have : rc;
}

static int next_item(struct st_reader *r, struct st_record *record,
                     struct err *e)
{
    enum item item;
    int64_t have;
    size_t size;
    int rc;

    for ( ; ; )
    {
        if ( __builtin_expect(take_event_fast(r, record), 1) )
            return 1;
        have = look_ahead(r, &item, &size, e);
        if ( have <= 0 )
            return have;
        if ( item == CUT && r->in.follow )
            return 0;
        rc = item == EVENT ? take_event_slow(r, record, size, e) :
             item == MAPPED ? st_reader_take_mapping(r, size, e) : 0;
        if ( rc < 0 || (rc && item == EVENT) )
            return rc;
        if ( !rc )
            rc = skip_damage(r, e);
        if ( rc < 0 )
            return rc;
    }
}

int st_reader_next(struct st_reader *r, struct st_record *record,
                   struct err *e)
{
    debug_assert(r->in.buffer);
    return r->version ? next_item(r, record, e) :
                        st_reader_next_v0(r, record, e);
}

uint64_t st_record_word(const struct st_record *record, size_t at)
{
    debug_assert(at + 8 <= record->bytes);
    return st_get64(record->args + at, record->from->swapped);
}

static int read_string(const struct st_record *record, size_t *at,
                       struct st_value *value)
{
    if ( *at + 4 > record->bytes )
        return -EINVAL;
    value->length = st_get32(record->args + *at, record->from->swapped);
    *at += 4;
    if ( value->length > record->bytes - *at )
        return -EINVAL;
    value->text = (const char *)record->args + *at;
    *at += value->length;
    value->word = 0;
    return 0;
}

/* The reader has checked the arguments. */
static void read_values_fast(const struct st_record *record,
                             struct st_value values[ST_MAX_ARGS])
{
    const struct st_event *event = record->event;
    const unsigned char *at = record->args;
    bool swapped = record->from->swapped;
    size_t i;

    for ( i = 0; i < event->nr_args; i++ )
        if ( event->has_strings && event->args[i].is_string )
        {
            values[i] = (struct st_value){ .length = st_get32(at, swapped),
                                           .text = (const char *)at + 4 };
            at += 4 + values[i].length;
        }
        else
        {
            values[i] = (struct st_value){ .word = st_get64(at, swapped) };
            at += 8;
        }
    debug_assert(at == record->args + record->bytes);
}

int st_record_values(const struct st_record *record,
                     struct st_value values[ST_MAX_ARGS])
{
    const struct st_event *event = record->event;
    bool strings = record->from->version != 0;
    size_t i, at = 0;

    debug_assert(event->nr_args <= ST_MAX_ARGS);
    if ( record->fits )
    {
        read_values_fast(record, values);
        return 0;
    }
    if ( !event->declared )
        return -EINVAL;
    for ( i = 0; i < event->nr_args; i++ )
        if ( event->args[i].is_string && strings )
        {
            if ( read_string(record, &at, &values[i]) )
                return -EINVAL;
        }
        else if ( at + 8 > record->bytes )
            return -EINVAL;
        else
        {
            values[i] = (struct st_value){ .word = st_record_word(record, at) };
            at += 8;
        }
    return at == record->bytes || !strings ? 0 : -EINVAL;
}
