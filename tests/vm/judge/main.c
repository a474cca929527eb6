/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check a file of stock's xentrace against the rules for traces of any
 * hypervisor.
 *
 *    check-trace [-p PAGES] [-c CPU] [-m MASK] [-e EVENT] [-l] [-z] [-n N]
 *                [-r EVENT[-EVENT]]... [-o EVENT[-EVENT]]...
 *                [-d DOMAIN]... [-a DOMAIN]... [-v VOLUMES] FILE
 *
 * Every byte belongs to a record and every window to a pcpu; time never goes
 * back on a pcpu; every id exists in the ABI, with the right number of words
 * and a time stamp if due; LOST records are plausible; a switch is from the
 * vcpu that ran; a guest is not entered twice without an exit.  Further
 * expectations of the file:
 *
 *    -p   rings of so many pages: pads end at the end of such a ring
 *    -c   this CPU only      -m   events of this mask only
 *    -e   an additional valid event id
 *    -l   losses             -n   at least so many records (default 1)
 *    -r   an event with this id, or one in this range
 *    -o   the same for an event that occurs once or twice: may be missing if a
 *         LOST record reports losses
 *    -d   this domain runs, and no others except named ones and dom0
 *    -a   this domain may run
 *    -z   pads contain zeroes; pads of stock leak Xen's stack
 *
 * Prints one line of totals, and one for each of the first errors; exits with 1
 * if there are any.  VOLUMES gets the bytes of each class on each pcpu, in the
 * format of stock's xenalyze --summary, for comparison.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "judge.h"

void report_error(struct check *c, size_t at, const char *format, ...)
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
        report_error(c, c->size, "no event %#x", w->first);
}

static void check_totals(struct check *c)
{
    const struct expected *e = c->expected;
    unsigned int i;

    if ( c->records < e->records )
        report_error(c, c->size, "%lu records, expected %lu", c->records,
                     e->records);
    if ( e->losses && !c->lost )
        report_error(c, c->size, "no record was lost");
    for ( i = 0; i < e->nr_wanted; i++ )
        check_seen(c, &e->wanted[i], c->seen_wanted[i]);
    for ( i = 0; i < e->nr_domains; i++ )
        if ( e->domain[i].runs && !c->seen_domain[i] )
            report_error(c, c->size, "domain %u never ran", e->domain[i].id);
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

static int load_file(const char *name, struct check *c)
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

static int print_usage(void)
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

static int parse_option(struct expected *e, int letter, char *text)
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

static int parse_options(int argc, char **argv, struct expected *e)
{
    int c, rc = 0;

    while ( !rc && (c = getopt(argc, argv, "p:c:m:e:lzn:r:o:d:a:v:")) != -1 )
        rc = parse_option(e, c, optarg);

    return rc || optind != argc - 1 ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
    struct expected e = { .cpu = -1, .mask = TRC_ALL, .records = 1 };
    static struct check c;
    int rc = 0;

    if ( parse_options(argc, argv, &e) )
        return print_usage();
    c.expected = &e;
    if ( load_file(argv[optind], &c) )
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
