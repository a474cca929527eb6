/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints what the parser makes of a file of events, for comparison with QEMU's
 * tracetool, and measures the time that it takes.
 *
 *     dump events FILE     NAME, properties, arguments, format as C source
 *     dump texts FILE      NAME and the text of the format after C's escapes
 *     dump time FILE       medians, on one line; exit 1 if a large file costs
 *                          more than it should beside a small one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracetool/parse.h"

#define RUNS 31u
#define MAX_GROWTH 4.0          /* time per byte: whole file to a quarter */

static void print_error(void *ctx, const struct tt_place *at, const char *text)
{
    (void)ctx;
    fprintf(stderr, "%s:%u:%u: %s\n", at->file, at->line, at->column, text);
}

static void put_event(const struct tt_event *e)
{
    size_t i;

    printf("%s\t%s%s\t", e->name, e->disabled ? "disable " : "",
           e->vcpu ? "vcpu " : "");
    for ( i = 0; i < e->nr_args; i++ )
        printf("%s%s,%s", i ? ";" : "", e->args[i].type, e->args[i].name);
    printf("\t%s\n", e->format);
}

static void put_byte(unsigned char byte)
{
    if ( byte < ' ' || byte == '\\' )
        printf("\\%03o", byte);
    else
        putchar(byte);
}

static void put_text(const struct tt_event *e)
{
    size_t i, j;

    printf("%s\t", e->name);
    for ( i = 0; i < e->nr_pieces; i++ )
        for ( j = 0; j < e->pieces[i].length; j++ )
        {
            if ( e->pieces[i].arg < 0 && e->pieces[i].text[j] == '%' )
                putchar('%');
            put_byte(e->pieces[i].text[j]);
        }
    putchar('\n');
}

static int put_all(const struct tt_source *source,
                   void (*put)(const struct tt_event *e))
{
    struct tt_model model;
    struct arena arena;
    size_t i;
    int rc;

    arena_init(&arena, 0);
    rc = tt_parse(&arena, source, 1, &model, print_error, NULL);
    for ( i = 0; !rc && i < model.nr_events; i++ )
        put(&model.events[i]);
    arena_fini(&arena);
    return rc;
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* The median; the arena is created and freed each time, as in the tool. */
static double parse_ms(const struct tt_source *source, size_t *nr)
{
    double took[RUNS], begin;
    struct tt_model model;
    struct arena arena;
    unsigned int i;

    for ( i = 0; i < RUNS; i++ )
    {
        begin = now_ms();
        arena_init(&arena, 0);
        if ( tt_parse(&arena, source, 1, &model, print_error, NULL) )
            exit(1);
        *nr = model.nr_events;
        arena_fini(&arena);
        took[i] = now_ms() - begin;
    }
    qsort(took, RUNS, sizeof(*took), compare_double);
    return took[RUNS / 2];
}

static int put_time(const struct tt_source *source)
{
    struct tt_source quarter = *source;
    size_t nr, nr_quarter;
    double whole, part, growth;

    while ( quarter.length > source->length / 4 ||
            quarter.text[quarter.length - 1] != '\n' )
        quarter.length--;
    whole = parse_ms(source, &nr);
    part = parse_ms(&quarter, &nr_quarter);
    growth = (whole / source->length) / (part / quarter.length);
    printf("%zu events, %zu bytes: %.2f ms, %.0f bytes/us (median of %u); "
           "a byte costs %.2f times what it does in the first %zu\n", nr,
           source->length, whole, source->length / whole / 1e3, RUNS, growth,
           nr_quarter);
    return growth > MAX_GROWTH;
}

static char *read_whole_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    size_t room = 16u << 20;
    char *text = malloc(room);

    if ( !file || !text )
    {
        fprintf(stderr, "dump: cannot read %s\n", path);
        exit(1);
    }
    *length = fread(text, 1, room, file);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    struct tt_source source = { .name = NULL };
    char *text;
    int rc = 1;

    if ( argc != 3 )
    {
        fprintf(stderr, "usage: dump events|texts|time FILE\n");
        return 1;
    }
    text = read_whole_file(argv[2], &source.length);
    source.name = argv[2];
    source.text = text;
    if ( !strcmp(argv[1], "events") )
        rc = put_all(&source, put_event);
    else if ( !strcmp(argv[1], "texts") )
        rc = put_all(&source, put_text);
    else if ( !strcmp(argv[1], "time") )
        rc = put_time(&source);
    free(text);
    return rc != 0;
}
