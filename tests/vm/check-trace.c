/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a file, as stock's xentrace writes it, keep what any hypervisor
 * promises?
 *
 *    check-trace [-p PAGES] [-c CPU] [-m MASK] [-e EVENT] [-l] [-z] [-n N]
 *                FILE
 *
 * Every byte belongs to a record and every window to a pcpu; time never goes
 * back on a pcpu; every id is one of the ABI, with as many words and with a
 * time stamp or not, as it should; LOST says something plausible.  What else
 * is expected of this one file:
 *
 *    -p   rings of that many pages: pads end where such a ring ends
 *    -c   that CPU only      -m   events of that mask only
 *    -e   that event, too; it is known from now on
 *    -l   losses             -n   that many records at least (default 1)
 *    -z   pads of zeroes; those of stock leak what Xen had on its stack
 *
 * One line of totals, and one for each of the first things that are wrong;
 * exit 1 if there are any.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <public/trace.h>

#define MAX_CPUS 64
#define PAGE_BYTES 4096

/* --- what ids there are --- */

enum timed { NO, YES, ANY };

/* Ids from `first` to `last`, with any of the bits `vary` as well. */
struct known {
    uint32_t first, last;
    enum timed timed;
    unsigned int least, most;   /* words */
    uint32_t vary;
};

static const struct known known[] = {
    /* Of the trace: LOST, pad */
    { 0x01f001, 0x01f001, YES, 4, 4, 0 },
    { 0x01f002, 0x01f002, ANY, 0, 7, 0 },
    /* Runstates: two bits of the old, two of the new */
    { 0x021001, 0x021001, YES, 1, 1, 0x330 },
    { 0x021002, 0x021002, YES, 1, 1, 0 },
    /* Schedulers */
    { 0x022001, 0x02200b, ANY, 0, 7, 0 },
    { 0x022201, 0x022201, ANY, 0, 7, 0 },
    { 0x022202, 0x022202, YES, 2, 2, 0 },
    { 0x022203, 0x022203, YES, 4, 4, 0 },
    { 0x022204, 0x022204, ANY, 0, 7, 0 },
    { 0x022205, 0x022205, YES, 3, 3, 0 },
    { 0x022206, 0x022206, YES, 1, 1, 0 },
    { 0x022207, 0x022207, YES, 3, 3, 0 },
    { 0x022208, 0x022209, YES, 0, 0, 0 },
    { 0x02220a, 0x02220a, YES, 2, 2, 0 },
    { 0x02220b, 0x02220b, YES, 4, 4, 0 },
    { 0x02220c, 0x02220c, YES, 6, 6, 0 },
    { 0x02220d, 0x02220d, YES, 3, 3, 0 },
    { 0x02220e, 0x02220e, YES, 1, 1, 0 },
    { 0x02220f, 0x022210, YES, 2, 2, 0 },
    { 0x022211, 0x022211, YES, 6, 6, 0 },
    { 0x022212, 0x022212, ANY, 0, 7, 0 },
    { 0x022213, 0x022213, YES, 4, 4, 0 },
    { 0x022214, 0x022214, YES, 3, 3, 0 },
    { 0x022215, 0x022216, YES, 2, 2, 0 },
    { 0x022217, 0x022217, YES, 1, 1, 0 },
    { 0x022801, 0x022806, ANY, 0, 7, 0 },
    { 0x022a01, 0x022a06, ANY, 0, 7, 0 },
    /* Scheduling, verbose */
    { 0x028001, 0x028002, YES, 1, 1, 0 },
    { 0x028003, 0x028006, YES, 2, 2, 0 },
    { 0x028007, 0x028007, YES, 3, 3, 0 },
    { 0x028008, 0x028008, ANY, 0, 7, 0 },
    { 0x028009, 0x028009, YES, 1, 1, 0 },
    { 0x02800a, 0x02800a, YES, 4, 4, 0 },
    { 0x02800b, 0x02800b, ANY, 0, 7, 0 },
    { 0x02800e, 0x02800e, YES, 3, 3, 0 },
    { 0x02800f, 0x02800f, YES, 4, 4, 0 },
    { 0x028010, 0x028010, YES, 3, 3, 0 },
    { 0x028011, 0x028011, YES, 4, 4, 0 },
    /* Domains */
    { 0x041001, 0x041002, YES, 1, 1, 0 },
    /* HVM: entry and exit */
    { 0x081001, 0x081001, YES, 0, 0, 0 },
    { 0x081002, 0x081002, YES, 2, 2, 0 },
    { 0x081003, 0x081003, ANY, 0, 7, 0 },
    { 0x081102, 0x081102, YES, 3, 3, 0 },
    { 0x081103, 0x081103, ANY, 0, 7, 0 },
    { 0x081401, 0x081403, ANY, 0, 7, 0 },
    { 0x081502, 0x081503, ANY, 0, 7, 0 },
    /* HVM: handlers */
    { 0x082001, 0x082006, ANY, 0, 7, 0 },
    { 0x082008, 0x08200d, ANY, 0, 7, 0 },
    { 0x08200e, 0x08200e, NO, 6, 6, 0 },
    { 0x08200f, 0x082011, ANY, 0, 7, 0 },
    { 0x082012, 0x082013, NO, 1, 1, 0 },
    { 0x082014, 0x08201b, ANY, 0, 7, 0 },
    { 0x082020, 0x082020, NO, 3, 3, 0 },
    { 0x082021, 0x082021, NO, 6, 6, 0 },
    { 0x082022, 0x082025, ANY, 0, 7, 0 },
    { 0x082100, 0x082102, ANY, 0, 7, 0 },
    { 0x082108, 0x082109, ANY, 0, 7, 0 },
    { 0x082114, 0x082114, ANY, 0, 7, 0 },
    { 0x082117, 0x082117, ANY, 0, 7, 0 },
    { 0x082119, 0x082119, ANY, 0, 7, 0 },
    { 0x082126, 0x082127, ANY, 0, 7, 0 },
    { 0x082216, 0x082217, ANY, 0, 7, 0 },
    { 0x082317, 0x082317, ANY, 0, 7, 0 },
    /* HVM: emulated devices */
    { 0x084001, 0x084011, ANY, 0, 7, 0 },
    /* Memory */
    { 0x10f001, 0x10f003, YES, 1, 1, 0 },
    { 0x10f004, 0x10f004, NO, 6, 6, 0 },
    { 0x10f005, 0x10f005, NO, 4, 4, 0 },
    { 0x10f010, 0x10f011, NO, 6, 6, 0 },
    { 0x10f012, 0x10f012, NO, 4, 4, 0 },
    /* PV */
    { 0x201001, 0x201001, ANY, 0, 7, 0 },
    { 0x201003, 0x201003, YES, 2, 2, 0 },
    { 0x201004, 0x201004, YES, 3, 3, 0 },
    { 0x201005, 0x201006, YES, 1, 1, 0 },
    { 0x201007, 0x201007, ANY, 0, 7, 0 },
    { 0x201008, 0x201008, YES, 0, 0, 0 },
    { 0x201009, 0x20100a, YES, 2, 2, 0 },
    { 0x20100b, 0x20100c, ANY, 0, 7, 0 },
    { 0x20100d, 0x20100d, YES, 1, 3, 0 },
    { 0x201103, 0x201103, YES, 3, 3, 0 },
    { 0x201104, 0x201104, YES, 5, 5, 0 },
    { 0x201105, 0x201106, YES, 2, 2, 0 },
    { 0x201109, 0x20110a, YES, 4, 4, 0 },
    { 0x20110b, 0x20110b, YES, 6, 6, 0 },
    { 0x20200e, 0x20200e, YES, 1, 3, 0 },
    /* Hardware: power, interrupts */
    { 0x801001, 0x801001, ANY, 0, 7, 0 },
    { 0x801002, 0x801002, YES, 4, 4, 0 },
    { 0x801003, 0x801003, YES, 6, 6, 0 },
    { 0x802001, 0x802002, YES, 3, 3, 0 },
    { 0x802003, 0x802004, YES, 7, 7, 0 },
    { 0x802005, 0x802005, YES, 3, 3, 0 },
    { 0x802006, 0x802006, YES, 7, 7, 0 },
    { 0x802007, 0x802007, YES, 1, 1, 0 },
    { 0x802008, 0x802008, YES, 3, 3, 0 },
    { 0x800f000, 0x800f000, ANY, 0, 7, 0 },
    { 0x800ffff, 0x800ffff, ANY, 0, 7, 0 },
    /* Shadow: the level of paging in two bits */
    { 0x40f001, 0x40f00f, NO, 0, 7, 0x300 },
};

static const struct known *find(uint32_t event)
{
    unsigned int i;

    for ( i = 0; i < sizeof(known) / sizeof(*known); i++ )
    {
        const struct known *k = &known[i];
        uint32_t plain = event & ~k->vary;

        if ( plain >= k->first && plain <= k->last )
            return k;
    }

    return NULL;
}

/* --- what is expected, and what was seen --- */

struct expected {
    uint32_t data_size;         /* of a ring; 0: not known */
    long cpu;                   /* -1: any */
    uint32_t mask, event;
    bool losses, zero_pads;
    unsigned long records;
};

struct pcpu {
    uint64_t tsc;
    bool padded;                /* a pad was seen, and since then: */
    uint64_t since_pad;
};

struct check {
    const struct expected *expected;
    const uint8_t *data;
    size_t size;
    struct pcpu pcpu[MAX_CPUS];
    struct pcpu *now;
    unsigned long cpu;
    unsigned long records, windows, pads, lost_records, lost, wanted, wrong;
};

struct record {
    size_t at;
    uint32_t event, words, size;
    bool timed;
    uint64_t tsc;
    uint32_t word[TRACE_EXTRA_MAX];
};

static void __attribute__((format(printf, 3, 4)))
complain(struct check *c, size_t at, const char *format, ...)
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

/* --- one record --- */

static bool in_mask(uint32_t event, uint32_t mask)
{
    uint32_t class = event >> TRC_CLS_SHIFT & 0xfff;
    uint32_t subclass = event >> TRC_SUBCLS_SHIFT & 0xf;

    return (mask >> TRC_CLS_SHIFT & class) &&
           (mask >> TRC_SUBCLS_SHIFT & subclass);
}

static void check_id(struct check *c, const struct record *r)
{
    const struct known *k = find(r->event);

    if ( r->event == c->expected->event )
        c->wanted++;
    else if ( !k )
        complain(c, r->at, "%#x: no such event", r->event);
    else if ( (k->timed != ANY && (k->timed == YES) != r->timed) ||
              r->words < k->least || r->words > k->most )
        complain(c, r->at, "%#x: %u words, %s time stamp", r->event, r->words,
                 r->timed ? "a" : "no");
    if ( !in_mask(r->event, c->expected->mask | TRC_GEN) )
        complain(c, r->at, "%#x: not of the mask", r->event);
}

static void check_time(struct check *c, const struct record *r)
{
    if ( r->timed && r->tsc < c->now->tsc )
        complain(c, r->at, "%#x: time goes back by %" PRIu64, r->event,
                 c->now->tsc - r->tsc);
}

static void check_lost(struct check *c, const struct record *r)
{
    uint64_t first = r->word[2] | (uint64_t)r->word[3] << 32;

    if ( r->words != 4 || !r->timed )
        return; /* check_id() said so */
    c->lost_records++;
    c->lost += r->word[0];
    if ( !r->word[0] )
        complain(c, r->at, "LOST of none");
    if ( first < c->now->tsc || first > r->tsc )
        complain(c, r->at, "LOST since a time that is not between");
}

static void check_pad(struct check *c, const struct record *r)
{
    uint32_t ring = c->expected->data_size, i;

    c->pads++;
    for ( i = 0; i < r->words; i++ )
        if ( r->word[i] && c->expected->zero_pads )
            complain(c, r->at, "a pad holds %#x", r->word[i]);
    if ( ring && c->now->padded && c->now->since_pad % ring )
        complain(c, r->at, "a pad %" PRIu64 " bytes after the last, not n * %u",
                 c->now->since_pad, ring);
    c->now->padded = true;
    c->now->since_pad = 0;
}

static void check_record(struct check *c, const struct record *r)
{
    c->records++;
    c->now->since_pad += r->size;
    check_id(c, r);
    check_time(c, r);
    if ( r->event == TRC_LOST_RECORDS )
        check_lost(c, r);
    if ( r->event == TRC_TRACE_WRAP_BUFFER )
        check_pad(c, r);
    if ( r->timed )
        c->now->tsc = r->tsc;
}

/* --- bytes --- */

/* The record at `at`; false if it does not end before `end`. */
static bool get_record(const uint8_t *data, size_t at, size_t end,
                       struct record *r)
{
    uint32_t header;

    memset(r, 0, sizeof(*r));
    if ( end - at < sizeof(header) )
        return false;
    memcpy(&header, data + at, sizeof(header));
    r->at = at;
    r->event = TRC_HD_TO_EVENT(header);
    r->words = TRC_HD_EXTRA(header);
    r->timed = TRC_HD_INCLUDES_CYCLE_COUNT(header);
    r->size = 4 + 8 * r->timed + 4 * r->words;
    if ( r->size > end - at )
        return false;
    if ( r->timed )
        memcpy(&r->tsc, data + at + 4, 8);
    memcpy(r->word, data + at + 4 + 8 * r->timed, 4 * r->words);

    return true;
}

/* A window: one pcpu's records, from `at` to `end`. */
static void check_window(struct check *c, size_t at, size_t end)
{
    struct record r;

    c->windows++;
    if ( c->expected->cpu >= 0 && c->cpu != (unsigned long)c->expected->cpu )
        complain(c, at, "nothing was expected of this cpu");
    for ( ; at < end; at += r.size )
    {
        if ( !get_record(c->data, at, end, &r) )
        {
            complain(c, at, "a record beyond its window");
            return;
        }
        check_record(c, &r);
    }
}

static void check_file(struct check *c)
{
    struct record r;
    size_t at = 0, end;

    while ( at < c->size )
    {
        if ( !get_record(c->data, at, c->size, &r) ||
             r.event != TRC_TRACE_CPU_CHANGE || r.words != 2 || r.timed ||
             r.word[0] >= MAX_CPUS || r.word[1] > c->size - at - r.size )
        {
            complain(c, at, "no whole window");
            return;
        }
        c->cpu = r.word[0];
        c->now = &c->pcpu[c->cpu];
        end = at + r.size + r.word[1];
        check_window(c, at + r.size, end);
        at = end;
    }
}

static void check_totals(struct check *c)
{
    const struct expected *e = c->expected;

    if ( c->records < e->records )
        complain(c, c->size, "%lu records, expected %lu", c->records,
                 e->records);
    if ( e->event && !c->wanted )
        complain(c, c->size, "no event %#x", e->event);
    if ( e->losses && !c->lost )
        complain(c, c->size, "nothing was lost");
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

static int usage(void)
{
    fprintf(stderr, "usage: check-trace [-p PAGES] [-c CPU] [-m MASK] "
            "[-e EVENT] [-l] [-z] [-n N] FILE\n");

    return 2;
}

static int options(int argc, char **argv, struct expected *e)
{
    int c;

    while ( (c = getopt(argc, argv, "p:c:m:e:lzn:")) != -1 )
    {
        unsigned long n = optarg ? strtoul(optarg, NULL, 0) : 0;

        if ( c == 'p' )
            e->data_size = n * PAGE_BYTES - sizeof(struct t_buf);
        else if ( c == 'c' )
            e->cpu = n;
        else if ( c == 'm' )
            e->mask = n;
        else if ( c == 'e' )
            e->event = n;
        else if ( c == 'n' )
            e->records = n;
        else if ( c == 'l' )
            e->losses = true;
        else if ( c == 'z' )
            e->zero_pads = true;
        else
            return -EINVAL;
    }

    return optind == argc - 1 ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
    struct expected e = { .cpu = -1, .mask = TRC_ALL, .records = 1 };
    struct check c = { .expected = &e };

    if ( options(argc, argv, &e) )
        return usage();
    if ( load(argv[optind], &c) )
        return fprintf(stderr, "cannot read %s\n", argv[optind]), 2;
    check_file(&c);
    check_totals(&c);
    printf("%s: %lu records, %zu bytes, %lu windows, %lu pads, "
           "%lu LOST of %lu, %lu of the event: %lu wrong\n", argv[optind],
           c.records, c.size, c.windows, c.pads, c.lost_records, c.lost,
           c.wanted, c.wrong);
    free((void *)c.data);

    return c.wrong != 0;
}
