/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print each record of a trace, in the order of time, with the values of its
 * fields by libxentrace:
 *
 *     PCPU TIME NAME FIELD=VALUE ...
 *
 * Arguments with varying places are [0], [1] ... in the order of the record.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libxentrace/catalogue.h"
#include "libxentrace/libxentrace.h"

static void print_fields(const struct xt_event *e, const struct xt_record *r)
{
    unsigned int argument = 0;
    uint64_t value;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        const struct xt_field *f = &e->fields[i];

        if ( !xt_field_get(e, i, r, &value) )
            continue;
        if ( f->present >= 0 )
            printf(" [%u]=%" PRIu64, argument++, value);
        else if ( f->is_signed )
            printf(" %s=%" PRId64, f->name, (int64_t)value);
        else
            printf(" %s=%" PRIu64, f->name, value);
    }
}

static void print_unknown(const struct xt_record *r)
{
    printf(" id=%" PRIu32, r->event);
    for ( unsigned int i = 0; i < r->words; i++ )
        printf(" [%u]=%" PRIu32, i, xt_record_word(r, i));
}

static void print_record(const struct xt_catalogue *c, const struct xt_batch *b,
                         const struct xt_item *item)
{
    const struct xt_event *e;
    struct xt_record r;

    xt_batch_record(b, item, &r);
    e = xt_catalogue_find(c, r.event, r.words);
    if ( e && !xt_event_fits(e, r.words) )
        e = NULL;
    printf("%u %" PRIu64 " %s", xt_item_cpu(item), item->time,
           e ? e->name : "unknown");
    if ( e )
        print_fields(e, &r);
    else
        print_unknown(&r);
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct err e = ERR_INIT;
    struct xt_info info;
    struct xt_catalogue *c;
    struct xt_trace *t;
    struct xt_batch b;

    if ( argc != 2 || xt_trace_open(&t, argv[1], 0, &e) ||
         xt_trace_info(t, &info, &e) )
        return EXIT_FAILURE;
    if ( !xt_dialect_is_known(&info.dialect) )
        xt_trace_find_dialect(t, &info.dialect);
    if ( xt_catalogue_new(&c, &info.dialect) )
        return EXIT_FAILURE;
    while ( xt_trace_next_batch(t, &b, &e) > 0 )
        for ( size_t i = 0; i < b.nr; i++ )
            print_record(c, &b, &b.items[i]);
    xt_catalogue_free(c);
    xt_trace_close(t);
    return e.code || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
