/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of --info.  Each line is a name, a colon or a column, and numbers
 * without thousands separators: scripts can parse the lines as well.
 *
 * As a table, the text has 80 columns whatever texts the trace contains: it is
 * printed into memory, and its lines are folded.
 */
#include "xenalyze/lines/file-info.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <public/trace.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/text-wrap.h"
#include "libxentrace/catalogue.h"
#include "xenalyze/lines/file-host.h"

#define SECONDS_WIDTH 12        /* 0.4119521930 */

static void print_collector_losses(const struct xt_losses *l, FILE *out)
{
    if ( l->unwritten )
        fprintf(out, "  unwritten: %" PRIu64 " event%s, which the collector "
                "could not write\n", l->unwritten, num_plural(l->unwritten));
    if ( l->taken )
        fprintf(out, "  taken: %" PRIu64 " event%s, which another program "
                "read from the rings\n", l->taken, num_plural(l->taken));
    if ( l->dropped )
        fprintf(out, "  dropped: %" PRIu64 " event%s, which left the memory "
                "buffer (-M) for newer ones\n", l->dropped,
                num_plural(l->dropped));
}

static void print_cycles(const struct file_info *info, FILE *out)
{
    const struct xt_span *tsc = &info->counts->total.tsc;

    fprintf(out, "  time:    %" PRIu64 " cycles, %" PRIu64 " .. %" PRIu64 "\n",
            tsc->last - tsc->first, tsc->first, tsc->last);
    if ( info->captures > 1 )
        fprintf(out, "  captures: %u, one after another, %" PRIu64
                " cycles together\n", info->captures, info->cycles);
}

static void print_seconds(const struct file_info *info, FILE *out)
{
    const struct xt_span *tsc = &info->counts->total.tsc;
    uint64_t ns = xt_clock_duration(info->clock, tsc->last - tsc->first);
    char text[NUM_SEC_MAX];

    *num_sec_fit(text, ns, SECONDS_WIDTH) = '\0';
    fprintf(out, "  time:    %s s%s%s%s\n", text, *info->start ? " from " : "",
            info->start, info->clock_assumed
                         ? " (TSC frequency assumed, see --cpu-hz)" : "");
    if ( info->captures < 2 )
        return;
    *num_sec_fit(text, xt_clock_duration(info->clock, info->cycles),
                 SECONDS_WIDTH) = '\0';
    fprintf(out, "  captures: %u, one after another, %s s together\n",
            info->captures, text);
}

static void print_total(const struct file_info *info, bool is_table, FILE *out)
{
    const struct xt_counts *c = info->counts;
    const struct xt_count *t = &c->total;

    fprintf(out, "trace %s\n", info->name);
    fprintf(out, "  bytes:   %" PRIu64 " in %" PRIu64 " window%s\n", c->size,
            t->windows, num_plural(t->windows));
    fprintf(out, "  records: %" PRIu64 ": %" PRIu64 " event%s, %" PRIu64
            " loss%s, %" PRIu64 " filler%s, %" PRIu64 " metadata\n",
            t->records, xt_count_events(t), num_plural(xt_count_events(t)),
            t->losses, t->losses == 1 ? "" : "es", t->wraps,
            num_plural(t->wraps), t->metas);
    fprintf(out, "  lost:    %" PRIu64 " record%s\n", t->lost,
            num_plural(t->lost));
    print_collector_losses(&c->losses, out);
    if ( !t->tsc.known )
        fprintf(out, "  time:    no record has a time stamp\n");
    else if ( is_table )
        print_seconds(info, out);
    else
        print_cycles(info, out);
}

/* The seconds since the start of the file, as for --time. */
static void print_moment(const struct xt_clock *clock, uint64_t tsc, FILE *out)
{
    int64_t ns = xt_clock_ns(clock, tsc);
    char text[NUM_SEC_MAX];

    *num_sec_fit(text, ns < 0 ? 0 : ns, SECONDS_WIDTH) = '\0';
    fprintf(out, "  %*s", SECONDS_WIDTH, text);
}

static void print_cpu(const struct file_info *info, unsigned int cpu,
                      bool is_table, FILE *out)
{
    const struct xt_count *n = &info->counts->cpus[cpu];

    fprintf(out, "%6u %12" PRIu64 " %12" PRIu64 " %10" PRIu64, cpu,
            n->records, xt_count_events(n), n->lost);
    if ( !n->tsc.known )
        fputs("  -", out);
    else if ( !is_table )
        fprintf(out, "  %" PRIu64 " .. %" PRIu64, n->tsc.first, n->tsc.last);
    else
    {
        print_moment(info->clock, n->tsc.first, out);
        print_moment(info->clock, n->tsc.last, out);
    }
    putc('\n', out);
}

/* --- tables --------------------------------------------------------------- */

/* The rows of a table that are printed: those with the most records. */
struct choice
{
    struct sort_row *rows;      /* candidates, before choice_finish() */
    size_t nr;
    bool *shown;                /* by index */
};

static int choice_init(struct choice *c, size_t room)
{
    *c = (struct choice){
        .rows = fault_calloc(room + 1, sizeof(*c->rows)),
        .shown = fault_calloc(room + 1, sizeof(*c->shown)),
    };
    return c->rows && c->shown ? 0 : -ENOMEM;
}

static void choice_add(struct choice *c, size_t index, uint64_t records)
{
    assert(c->rows && c->shown);
    c->rows[c->nr++] = (struct sort_row){ records, index };
}

static void choice_finish(struct choice *c,
                          const struct report_request *request)
{
    size_t n = sort_rows(request, c->rows, c->nr);

    assert(n <= c->nr);
    for ( size_t i = 0; i < n; i++ )
        c->shown[c->rows[i].index] = true;
}

static void choice_fini(struct choice *c)
{
    free(c->rows);
    free(c->shown);
}

static void choose_cpus(struct choice *shown, const struct xt_counts *c,
                        const struct report_request *request)
{
    for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
        if ( c->cpus[cpu].windows || c->cpus[cpu].lost )
            choice_add(shown, cpu, c->cpus[cpu].records);
    choice_finish(shown, request);
}

static int print_cpus(const struct file_info *info,
                      const struct report_request *request, FILE *out)
{
    const struct xt_counts *c = info->counts;
    bool is_table = request->style == STYLE_TABLE;
    struct choice shown;
    int rc = choice_init(&shown, c->nr_cpus);

    fprintf(out, "\n%6s %12s %12s %10s", "pcpu", "records", "events", "lost");
    if ( is_table )
        fprintf(out, "  %*s  %*s\n", SECONDS_WIDTH, "first s", SECONDS_WIDTH,
                "last s");
    else
        fputs("  first .. last time stamp\n", out);
    if ( !rc )
        choose_cpus(&shown, c, request);
    for ( unsigned int cpu = 0; !rc && cpu < c->nr_cpus; cpu++ )
        if ( shown.shown[cpu] )
            print_cpu(info, cpu, is_table, out);
    choice_fini(&shown);
    return rc;
}

/* The name of an event's class, or "unknown". */
static const char *class_name(uint32_t event)
{
    const struct xt_class *class = xt_class_of(event);

    return class ? class->name : "unknown";
}

/* The sum of a class.  Rows are sorted by id, so its rows are adjacent. */
static void print_class(const struct xt_event_counts *t, size_t first,
                        FILE *out)
{
    uint32_t class = t->rows[first].event >> TRC_CLS_SHIFT;
    uint64_t sum = 0;

    assert(first < t->used);
    for ( size_t i = first; i < t->used &&
                            t->rows[i].event >> TRC_CLS_SHIFT == class; i++ )
        sum += t->rows[i].times;
    fprintf(out, "%-8s %18" PRIu64 "\n",
            class_name(t->rows[first].event), sum);
}

static void print_event(const struct xt_event_count *row, FILE *out)
{
    const struct xt_event *e = xt_catalogue_by_id(row->event);

    fprintf(out, "  %08" PRIx32 " %16" PRIu64 "%s%s\n", row->event,
            row->times, e ? "  " : "", e ? e->name : "");
}

static void print_event_rows(const struct xt_event_counts *t,
                             const struct choice *shown, FILE *out)
{
    uint32_t class = 0;

    for ( size_t i = 0; i < t->used; i++ )
    {
        assert(!i || t->rows[i - 1].event < t->rows[i].event);
        if ( t->rows[i].event >> TRC_CLS_SHIFT != class )
            print_class(t, i, out);
        class = t->rows[i].event >> TRC_CLS_SHIFT;
        if ( shown->shown[i] )
            print_event(&t->rows[i], out);
    }
}

static int print_events(const struct xt_event_counts *t,
                        const struct report_request *request, FILE *out)
{
    struct choice shown;
    int rc = choice_init(&shown, t->used);

    fprintf(out, "\n%-8s %18s\n", "class", "records");
    for ( size_t i = 0; !rc && i < t->used; i++ )
        choice_add(&shown, i, t->rows[i].times);
    if ( !rc )
    {
        choice_finish(&shown, request);
        print_event_rows(t, &shown, out);
    }
    choice_fini(&shown);
    if ( t->others )
        fprintf(out, "%-8s %18" PRIu64 " of ids beyond the limit of the "
                "table\n", "others", t->others);
    return rc;
}

static void print_places(const struct xt_damage *d, FILE *out)
{
    assert(d->nr_first <= xt_damage_times(d));
    for ( size_t i = 0; i < d->nr_first; i++ )
        fprintf(out, "  at byte %" PRIu64 ": %s, %" PRIu64 " byte%s "
                "skipped\n", d->first[i].offset,
                xt_damage_text(d->first[i].kind), d->first[i].bytes,
                num_plural(d->first[i].bytes));
    if ( xt_damage_times(d) > d->nr_first )
        fprintf(out, "  and at %" PRIu64 " more place%s\n",
                xt_damage_times(d) - d->nr_first,
                num_plural(xt_damage_times(d) - d->nr_first));
}

static void print_damage(const struct xt_damage *d, FILE *out)
{
    char text[XT_DAMAGE_TEXT_MAX];

    assert(d->nr_first <= XT_DAMAGE_PLACES);
    if ( xt_damage_grade(d) == XT_GRADE_NONE )
    {
        fprintf(out, "\ndamage: none\n");
        return;
    }
    fprintf(out, "\ndamage: %s\n", xt_damage_print(d, text));
    print_places(d, out);
}

static int print_info(const struct file_info *info,
                      const struct report_request *request, FILE *out)
{
    const struct file_texts *texts = info->texts;
    int rc, failed;

    print_total(info, request->style == STYLE_TABLE, out);
    file_texts_print(texts, info->clock, request, out);
    rc = file_host_print(&texts->host, out);
    file_host_print_tables(&texts->host, texts->names, request, out);
    failed = print_cpus(info, request, out);
    rc = rc ? rc : failed;
    failed = print_events(&info->counts->events, request, out);
    print_damage(&info->counts->damage, out);
    return rc ? rc : failed;
}

/* --- rows of 80 columns --------------------------------------------------- */

#define FOLD_INDENT 11u         /* the column of texts */

/*
 * The bytes of a line that fit into `room`: to the last blank, or, in a word
 * that is longer, to a border of characters in UTF-8.
 */
static size_t fold_length(const char *line, size_t length, size_t room)
{
    size_t end = room;

    if ( length <= room )
        return length;
    while ( end && line[end] != ' ' )
        end--;
    if ( strspn(line, " ") < end )
        return end;
    for ( end = room; end && ((unsigned char)line[end] & 0xc0) == 0x80; end-- )
        continue;
    return end ? end : room;
}

static void print_folded_line(const char *line, size_t length, FILE *out)
{
    size_t room = TEXT_COLUMNS;

    assert(!memchr(line, '\n', length));
    for ( ;; )
    {
        size_t n = fold_length(line, length, room);

        fwrite(line, 1, n, out);
        putc('\n', out);
        line += n;
        length -= n;
        while ( length && *line == ' ' )
        {
            line++;
            length--;
        }
        if ( !length )
            return;
        fprintf(out, "%*s", (int)FOLD_INDENT, "");
        room = TEXT_COLUMNS - FOLD_INDENT;
    }
}

static void print_folded(const char *text, FILE *out)
{
    while ( *text )
    {
        size_t length = strcspn(text, "\n");

        print_folded_line(text, length, out);
        text += length + (text[length] == '\n');
    }
}

int file_info_print(const struct file_info *info,
                    const struct report_request *request, FILE *out)
{
    static const struct report_request all = { .sort = SORT_NAME };
    char *text = NULL;
    size_t size;
    FILE *lines;
    int rc;

    if ( request->style == STYLE_STOCK )
        return print_info(info, &all, out);
    lines = open_memstream(&text, &size);
    if ( !lines )
        return -ENOMEM;
    rc = print_info(info, request, lines);
    if ( fclose(lines) )
        rc = -ENOMEM;
    if ( !rc )
        print_folded(text, out);
    free(text);
    return rc;
}
