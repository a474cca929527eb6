/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump: a line for each record, with its pcpu, its time stamp in cycles,
 * its event's name and what the catalogue makes of the rest.
 *
 *    0      105268421180 sched_wake           d1v0
 *    0                 - hvm_msr_read         TSC = 0x8a13
 *
 * In the order of the file: pcpu by pcpu as the windows come.  An id that
 * nobody declared is shown as a number, and its payload as words.
 */
#include "xenalyze/report/report.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/window.h"

#define CPU_WIDTH 4u
#define TSC_WIDTH 18u
#define NAME_WIDTH 24u

/* Longer than any line: names are checked, the text keeps its promise. */
#define NAME_MAX_SHOWN 128u
#define LINE_MAX (CPU_WIDTH + NUM_U64_MAX + TSC_WIDTH + NUM_U64_MAX + \
                  NAME_WIDTH + NAME_MAX_SHOWN + XT_TEXT_MAX + 8u)

struct report_dump
{
    struct xt_catalogue *catalogue;
    FILE *out;
    char *at;
    char text[64 * 1024];
};

static char *put_name(char *p, const struct xt_event *e, uint32_t id)
{
    size_t length;

    if ( !e )
    {
        p = num_hex_zero(num_text(p, "0x"), id, 8);
        return num_fill(p, ' ', NAME_WIDTH - 10);
    }
    length = strnlen(e->name, NAME_MAX_SHOWN);
    memcpy(p, e->name, length);
    p += length;
    return length < NAME_WIDTH ? num_fill(p, ' ', NAME_WIDTH - length) : p;
}

static char *put_tsc(char *p, const struct xt_record *r)
{
    if ( r->has_tsc )
        return num_u64_right(p, r->tsc, TSC_WIDTH);
    return num_text(num_fill(p, ' ', TSC_WIDTH - 1), "-");
}

static char *put_line(char *p, const struct report_dump *d, unsigned int cpu,
                      const struct xt_record *r)
{
    const struct xt_event *e = xt_catalogue_find(d->catalogue, r->event,
                                                 r->words);

    p = num_u64_right(p, cpu, CPU_WIDTH);
    *p++ = ' ';
    p = put_tsc(p, r);
    *p++ = ' ';
    p = put_name(p, e, r->event);
    *p++ = ' ';
    p = xt_catalogue_text(d->catalogue, p, e, r);
    while ( p[-1] == ' ' )
        p--;
    *p++ = '\n';
    return p;
}

static void flush(struct report_dump *d)
{
    fwrite(d->text, 1, d->at - d->text, d->out);
    d->at = d->text;
}

void report_dump_window(struct report_dump *d, const struct xt_window *w)
{
    struct xt_damage ignored = { 0 };
    struct xt_records records;
    struct xt_record r;

    xt_records_init(&records, w, &ignored);
    while ( xt_records_next(&records, &r) )
    {
        if ( (size_t)(d->text + sizeof(d->text) - d->at) < LINE_MAX )
            flush(d);
        d->at = put_line(d->at, d, w->cpu, &r);
    }
}

int report_dump_begin(struct report_dump **out,
                      const struct xt_dialect *dialect, FILE *file)
{
    struct report_dump *d = fault_malloc(sizeof(*d));
    int rc = d ? xt_catalogue_new(&d->catalogue, dialect) : -ENOMEM;

    *out = rc ? NULL : d;
    if ( rc )
    {
        free(d);
        return rc;
    }
    d->out = file;
    d->at = d->text;
    return 0;
}

void report_dump_end(struct report_dump *d)
{
    if ( !d )
        return;
    flush(d);
    xt_catalogue_free(d->catalogue);
    free(d);
}
