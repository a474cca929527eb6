/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a file, as stock's xentrace writes it, keep what any hypervisor
 * promises?
 *
 *    check-trace [-p PAGES] [-c CPU] [-m MASK] [-e EVENT] [-l] [-z] [-n N]
 *                [-r EVENT[-EVENT]]... [-o EVENT[-EVENT]]...
 *                [-d DOMAIN]... [-a DOMAIN]... [-v VOLUMES] FILE
 *
 * Every byte belongs to a record and every window to a pcpu; time never goes
 * back on a pcpu; every id is one of the ABI, with as many words and with a
 * time stamp or not, as it should; LOST says something plausible; who is
 * switched from is who ran; a guest that is entered had been left.  What else
 * is expected of this one file:
 *
 *    -p   rings of that many pages: pads end where such a ring ends
 *    -c   that CPU only      -m   events of that mask only
 *    -e   an event of that id is no mistake
 *    -l   losses             -n   that many records at least (default 1)
 *    -r   an event of that id, or of those
 *    -o   the same of what comes once or twice: if a LOST record of this file
 *         says that some are missing, it may be one of them
 *    -d   that domain runs, and none but those that are named, and dom0
 *    -a   that domain may run
 *    -z   pads of zeroes; those of stock leak what Xen had on its stack
 *
 * One line of totals, and one for each of the first things that are wrong;
 * exit 1 if there are any.  VOLUMES gets the bytes of each class on each pcpu,
 * in the words of stock's xenalyze --summary, to compare with those.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "judge.h"

void complain(struct check *c, size_t at, const char *format, ...)
{
    va_list args;

    if ( ++c->wrong > 10 )
        return;
    printf("    %#zx, cpu %lu: ", at, c->cpu);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

static void check_seen(struct check *c, const struct wanted *w,
                       unsigned long seen)
{
    if ( seen )
        return;
    if ( w->rare && c->lost )
        printf("    no event %#x, but %lu records were lost\n", w->first,
               c->lost);
    else
        complain(c, c->size, "no event %#x", w->first);
}

static void check_totals(struct check *c)
{
    const struct expected *e = c->expected;
    unsigned int i;

    if ( c->records < e->records )
        complain(c, c->size, "%lu records, expected %lu", c->records,
                 e->records);
    if ( e->losses && !c->lost )
        complain(c, c->size, "nothing was lost");
    for ( i = 0; i < e->nr_wanted; i++ )
        check_seen(c, &e->wanted[i], c->seen_wanted[i]);
    for ( i = 0; i < e->nr_domains; i++ )
        if ( e->domain[i].runs && !c->seen_domain[i] )
            complain(c, c->size, "domain %u never ran", e->domain[i].id);
}

/* --- volumes --- */

/* Stock's xenalyze counts a LOST record twice. */
static void write_cpu(FILE *file, const struct pcpu *p)
{
    static const char *const name[CLASSES] = {
        "gen", "sched", "dom0op", "hvm", "mem", "pv", "shadow", "hw",
        [CLASSES - 1] = "guest",
    };
    unsigned int i;

    for ( i = 0; i < CLASSES; i++ )
        if ( p->bytes[i] )
            fprintf(file, "%s %" PRIu64 "\n", name[i] ? name[i] : "?",
                    p->bytes[i] + (i ? 0 : p->lost_bytes));
}

static int write_volumes(const struct check *c)
{
    FILE *file = fopen(c->expected->volumes, "w");
    unsigned int cpu;

    if ( !file )
        return -errno;
    for ( cpu = 0; cpu < MAX_CPUS; cpu++ )
    {
        if ( !c->pcpu[cpu].since_pad && !c->pcpu[cpu].padded )
            continue;
        fprintf(file, "cpu %u\n", cpu);
        write_cpu(file, &c->pcpu[cpu]);
    }

    return fclose(file) ? -EIO : 0;
}

/* --- the file --- */

static int load(const char *name, struct check *c)
{
    FILE *file = fopen(name, "rb");
    uint8_t *data = NULL;
    long size = -1;

    if ( file && !fseek(file, 0, SEEK_END) )
        size = ftell(file);
    if ( size >= 0 )
        data = malloc(size + 1);
    if ( data )
        rewind(file);
    if ( !data || fread(data, 1, size, file) != (size_t)size )
    {
        free(data);
        data = NULL;
    }
    if ( file )
        fclose(file);
    c->data = data;
    c->size = data ? size : 0;

    return data ? 0 : -EIO;
}

/* --- the command line --- */

static int usage(void)
{
    fprintf(stderr, "usage: check-trace [-p PAGES] [-c CPU] [-m MASK] "
            "[-e EVENT] [-l] [-z] [-n N]\n                   "
            "[-r EVENT[-EVENT]]... [-o EVENT[-EVENT]]...\n                   "
            "[-d DOMAIN]... [-a DOMAIN]... [-v VOLUMES] FILE\n");

    return 2;
}

static int want_event(struct expected *e, char *text, bool rare)
{
    struct wanted *w = &e->wanted[e->nr_wanted];

    if ( e->nr_wanted++ == MAX_WANTED )
        return -EINVAL;
    w->rare = rare;
    w->first = w->last = strtoul(text, &text, 0);
    if ( *text == '-' )
        w->last = strtoul(text + 1, &text, 0);

    return *text ? -EINVAL : 0;
}

static int want_domain(struct expected *e, uint32_t id, bool runs)
{
    if ( e->nr_domains == MAX_WANTED )
        return -EINVAL;
    e->domain[e->nr_domains++] = (struct domain){ id, runs };

    return 0;
}

static int option(struct expected *e, int letter, char *text)
{
    unsigned long n = text ? strtoul(text, NULL, 0) : 0;

    switch ( letter )
    {
    case 'p': e->data_size = n * PAGE_BYTES - sizeof(struct t_buf); return 0;
    case 'c': e->cpu = n; return 0;
    case 'm': e->mask = n; return 0;
    case 'e': e->event = n; return 0;
    case 'n': e->records = n; return 0;
    case 'l': e->losses = true; return 0;
    case 'z': e->zero_pads = true; return 0;
    case 'v': e->volumes = text; return 0;
    case 'r':
    case 'o': return want_event(e, text, letter == 'o');
    case 'd': return want_domain(e, n, true);
    case 'a': return want_domain(e, n, false);
    }

    return -EINVAL;
}

static int options(int argc, char **argv, struct expected *e)
{
    int c, rc = 0;

    while ( !rc && (c = getopt(argc, argv, "p:c:m:e:lzn:r:o:d:a:v:")) != -1 )
        rc = option(e, c, optarg);

    return rc || optind != argc - 1 ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
    struct expected e = { .cpu = -1, .mask = TRC_ALL, .records = 1 };
    static struct check c;
    int rc = 0;

    if ( options(argc, argv, &e) )
        return usage();
    c.expected = &e;
    if ( load(argv[optind], &c) )
        return fprintf(stderr, "cannot read %s\n", argv[optind]), 2;
    check_file(&c);
    check_totals(&c);
    printf("%s: %lu records, %zu bytes, %lu windows, %lu pads, "
           "%lu LOST of %lu, %lu switches: %lu wrong\n", argv[optind],
           c.records, c.size, c.windows, c.pads, c.lost_records, c.lost,
           c.switches, c.wrong);
    if ( e.volumes )
        rc = write_volumes(&c);
    free((void *)c.data);

    return c.wrong || rc ? 1 : 0;
}
