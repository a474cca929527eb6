/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check that every record of a trace fits its event in the catalogue.  Prints
 * each kind that does not, once, with the difference, and per trace the number
 * of records and the detected properties of Xen.
 *
 *     fits TRACE...     exit 1 if a record does not fit
 *
 * Windows are parsed here without checks, as the traces are undamaged.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "libxentrace/catalogue.h"

struct trace
{
    const char *name;
    unsigned char *bytes;
    size_t size;
    size_t records;
    bool wrong;
};

static void load(struct trace *t)
{
    FILE *file = fopen(t->name, "rb");

    if ( !file || fseek(file, 0, SEEK_END) )
    {
        perror(t->name);
        exit(99);
    }
    t->size = ftell(file);
    rewind(file);
    t->bytes = malloc(t->size ? t->size : 1);
    if ( !t->bytes || fread(t->bytes, 1, t->size, file) != t->size )
    {
        perror(t->name);
        exit(99);
    }
    fclose(file);
}

typedef void visit(void *ctx, struct trace *t, const struct xt_record *r);

static void walk(struct trace *t, visit *each, void *ctx)
{
    const unsigned char *at = t->bytes, *end = at + t->size;
    struct xt_record r;
    size_t size;

    for ( ; (size = xt_record_decode(&r, at, end)); at += size )
        if ( r.event != TRC_TRACE_CPU_CHANGE )
            each(ctx, t, &r);
}

static void learn(void *ctx, struct trace *t, const struct xt_record *r)
{
    t->records++;
    xt_dialect_learn(ctx, r);
}

/* Report each kind once: the words of the record, by page of the id. */
static void report(struct trace *t, const struct xt_record *r,
                   const char *name, const char *what)
{
    static unsigned char told[1u << 16];
    size_t at = (r->event ^ r->event >> 12 ^ r->words << 13) & 0xffff;

    t->wrong = true;
    if ( !told[at]++ )
        printf("%s: 0x%08x %s: %u words, %s\n", t->name, r->event, name,
               r->words, what);
}

static void fits(void *ctx, struct trace *t, const struct xt_record *r)
{
    const struct xt_event *e = xt_catalogue_find(ctx, r->event, r->words);

    if ( !e )
        report(t, r, "?", "not in the catalogue");
    else if ( !xt_event_fits(e, r->words) )
        report(t, r, e->name, "not as many as declared");
    else if ( r->has_tsc != e->timed && r->event != TRC_TRACE_WRAP_BUFFER )
        report(t, r, e->name, r->has_tsc ? "and a time stamp" :
               "and no time stamp");
}

static bool look(const char *name)
{
    struct trace t = { .name = name };
    struct xt_dialect dialect = { 0 };
    struct xt_catalogue *c;

    load(&t);
    walk(&t, learn, &dialect);
    if ( xt_catalogue_new(&c, &dialect) )
        exit(99);
    walk(&t, fits, c);
    printf("%s: %zu records, version %x, hardware %u\n", name, t.records,
           dialect.version, dialect.hardware);
    xt_catalogue_free(c);
    free(t.bytes);
    return !t.wrong;
}

int main(int argc, char **argv)
{
    bool good = true;

    for ( int i = 1; i < argc; i++ )
        good &= look(argv[i]);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
