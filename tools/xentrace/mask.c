/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers for event masks and pcpu masks.  Both are strict: a wrong mask makes
 * a capture useless, which is often noticed much later.
 */
#include "xentrace/mask.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <public/trace.h>

#include "common/num.h"
#include "common/opts.h"
#include "libxentrace/catalogue.h"

#define ITEM_MAX 64 /* bytes of the longest item, with its 0 */

/* --- events --------------------------------------------------------------- */

/* Find an event by its catalogue name or its constant; or NULL. */
static const struct xt_event *find_event(const char *name)
{
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *event = &xt_catalogue_events[i];

        if ( !strcmp(event->name, name) ||
             (event->constant && !strcmp(event->constant, name)) )
            return event;
    }
    return NULL;
}

/* The bits of an event id that Xen compares with the mask. */
static uint32_t selecting_bits(uint32_t id)
{
    return id & TRC_ALL;
}

static bool add_number(const char *text, struct mask_events *m)
{
    uint64_t number;

    if ( !isdigit((unsigned char)*text) || opts_number(text, &number) ||
         number > UINT32_MAX )
        return false;
    m->mask |= TRC_HD_TO_EVENT(number);
    return true;
}

static bool add_name(const char *text, struct mask_events *m)
{
    const struct xt_class *class = xt_class_by_name(text, strlen(text));
    const struct xt_event *event;

    if ( class )
    {
        m->mask |= class->mask;
        return true;
    }
    event = find_event(text);
    if ( !event )
        return false;
    m->mask |= selecting_bits(event->id);
    m->names++;
    return true;
}

static int add_item(const char *item, size_t length, struct mask_events *m,
                    struct err *e)
{
    char text[ITEM_MAX] = "";
    const char *closest;

    if ( length < sizeof(text) )
        memcpy(text, item, length);
    if ( add_number(text, m) || add_name(text, m) )
        return 0;
    closest = xt_catalogue_closest_name(item, length);
    if ( closest )
        return err_usage(e, "%.*s: no such class or event; is %s meant?",
                         (int)(length < 80 ? length : 80), item, closest);
    return err_usage(e, "\"%.*s\" is not a class of events (hvm, "
                     "sched:min, all ...), an event or a number; see "
                     "xen-trace-events(7)", (int)(length < 80 ? length : 80),
                     item);
}

unsigned int mask_events_count(uint32_t mask)
{
    const struct xt_event *event = NULL, *last = NULL;
    unsigned int nr = 0;

    while ( (event = xt_catalogue_next(event, mask)) )
    {
        /* Versions of one event count once. */
        nr += !last || event->id != last->id;
        last = event;
    }
    return nr;
}

int mask_events(const char *text, struct mask_events *m, struct err *e)
{
    size_t length;
    int rc;

    do
    {
        length = strcspn(text, ",");
        rc = add_item(text, length, m, e);
        text += length;
    }
    while ( !rc && *text++ );
    return rc;
}

int mask_events_check(uint32_t mask, struct err *e)
{
    uint32_t classes = mask >> TRC_CLS_SHIFT;
    uint32_t subclasses = mask >> TRC_SUBCLS_SHIFT & 0xf;

    if ( !mask || (classes && subclasses) )
        return 0;
    return err_usage(e, "the event mask %#x selects nothing: it has no "
                     "%s bit; the whole class is %#x", mask,
                     classes ? "subclass" : "class",
                     classes ? classes << TRC_CLS_SHIFT | 0xf000 : TRC_HVM);
}

/* --- pcpus ---------------------------------------------------------------- */

struct range
{
    unsigned int from, to;
};

/*
 * Parse decimal digits, and move *text behind them; without digits, return
 * `otherwise`.  A number that is too large becomes UINT_MAX.
 */
static unsigned int parse_digits(const char **text, unsigned int otherwise)
{
    unsigned int value = 0;

    if ( !isdigit((unsigned char)**text) )
        return otherwise;
    for ( ; isdigit((unsigned char)**text); (*text)++ )
    {
        unsigned int digit = **text - '0';

        value = value > (UINT_MAX - digit) / 10 ? UINT_MAX
                                                : 10 * value + digit;
    }
    return value;
}

/* Parse one range, and move *text behind it; false: invalid. */
static bool parse_range(const char **text, unsigned int last, struct range *r)
{
    const char *start = *text;

    r->from = parse_digits(text, 0);
    r->to = r->from;
    if ( **text == '-' )
    {
        (*text)++;
        r->to = parse_digits(text, last);
    }
    /* Not empty, not a dash alone, and followed by a separator. */
    return *text > start && !(*start == '-' && *text == start + 1) &&
           (**text == ',' || **text == '\0');
}

static void set_bit(unsigned char *bits, unsigned int bit)
{
    bits[bit / 8] |= 1u << bit % 8;
}

static int set_list(const char *text, unsigned int nr_cpus,
                    unsigned char *bits, struct err *e)
{
    const char *p = text;
    struct range r;

    assert(nr_cpus > 0);
    do
    {
        if ( !parse_range(&p, nr_cpus - 1, &r) )
            return err_usage(e, "\"%.80s\" is not a list of pcpus: "
                             "write 0,2-5,8- or 0x3f or all", text);
        if ( r.from >= nr_cpus || r.to >= nr_cpus )
            return err_set(e, -ERANGE, "\"%.80s\": the last pcpu here is %u",
                           text, nr_cpus - 1);
        if ( r.from > r.to )
            return err_usage(e, "\"%.80s\": %u-%u runs backwards",
                             text, r.from, r.to);
        for ( unsigned int cpu = r.from; cpu <= r.to; cpu++ )
            set_bit(bits, cpu);
    }
    while ( *p++ );
    return 0;
}

static unsigned int hex_value(char digit)
{
    assert(isxdigit((unsigned char)digit));
    return isdigit((unsigned char)digit)
           ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

/* The number may have any length: hosts have more than 64 pcpus. */
static int set_hex(const char *text, unsigned int nr_cpus,
                   unsigned char *bits, struct err *e)
{
    const char *hex = text + 2;
    size_t length = strlen(hex);
    bool any = false;

    if ( !length || strspn(hex, "0123456789abcdefABCDEF") != length )
        return err_usage(e, "\"%.80s\" is not a hexadecimal number",
                         text);
    for ( size_t i = 0; i < 4 * length && i < nr_cpus; i++ )
        if ( hex_value(hex[length - 1 - i / 4]) >> i % 4 & 1 )
        {
            set_bit(bits, i);
            any = true;
        }
    return any ? 0 : err_set(e, -ERANGE, "\"%.80s\" selects none of the %u "
                             "pcpu%s here", text, nr_cpus, num_plural(nr_cpus));
}

int mask_cpus(const char *text, unsigned int nr_cpus, unsigned char *bits,
              struct err *e)
{
    assert(nr_cpus > 0);
    memset(bits, 0, (nr_cpus + 7) / 8);
    if ( !strcmp(text, "all") )
        return set_list("0-", nr_cpus, bits, e);
    if ( text[0] == '0' && (text[1] == 'x' || text[1] == 'X') )
        return set_hex(text, nr_cpus, bits, e);
    return set_list(text, nr_cpus, bits, e);
}
