/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text arrives in parts of 24 bytes, one record each, all of one kind before
 * the next.  Later marks and selections do not replace earlier ones, as other
 * texts do.
 */
#include "xenalyze/lines/file-texts.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <public/trace.h>

#include "common/fault.h"
#include "common/num.h"
#include "libxentrace/meta-event.h"

#define LABEL_WIDTH 11          /* column of the texts */
#define MOMENT_MAX 64           /* bytes of the moment of a mark, with its 0 */

/* Texts with a line of their own. */
static const struct
{
    unsigned int kind;
    const char *label;
} lines[] = {
    { FILE_TEXT_HOST, "host" }, { FILE_TEXT_KERNEL, "kernel" },
    { FILE_TEXT_COLLECTOR, "collector" },
    { FILE_TEXT_ARGUMENTS, "arguments" }, { FILE_TEXT_COMMENT, "comment" },
    { FILE_TEXT_TRIGGER, "trigger" }, { FILE_TEXT_SELECTION, "selection" },
};

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fault_malloc(size);

    if ( copy )
        memcpy(copy, text, size);
    return copy;
}

static int add_mark(struct file_texts *t, const char *text)
{
    struct file_mark *mark;

    if ( t->nr_marks++ >= FILE_TEXT_MARKS )
        return 0;
    mark = &t->marks[t->nr_marks - 1];
    mark->text = copy_text(text);
    mark->has_moment = t->has_moment;
    mark->moment = t->moment;
    return mark->text ? 0 : -ENOMEM;
}

/* The part of a part: both selections count. */
static int add_selection(struct file_texts *t, const char *text)
{
    char *old = t->text[FILE_TEXT_SELECTION];
    size_t size = strlen(old) + strlen(text) + sizeof(", ");
    char *both = fault_malloc(size);

    if ( !both )
        return -ENOMEM;
    snprintf(both, size, "%s, %s", old, text);
    free(old);
    t->text[FILE_TEXT_SELECTION] = both;
    return 0;
}

static int add_text(struct file_texts *t, unsigned int kind, const char *text)
{
    if ( kind == FILE_TEXT_MARK )
        return add_mark(t, text);
    if ( kind >= FILE_TEXT_KINDS )
        return 0;
    if ( kind == FILE_TEXT_SELECTION && t->text[kind] )
        return add_selection(t, text);
    free(t->text[kind]);
    t->text[kind] = copy_text(text);
    return t->text[kind] ? 0 : -ENOMEM;
}

static int add_record(struct file_texts *t, const struct xt_meta *m)
{
    if ( m->event == TRC_META_XEN )
    {
        t->has_version = true;
        t->major = m->xen.major;
        t->minor = m->xen.minor;
    }
    if ( m->event == TRC_META_CUT )
    {
        t->is_cut = m->cut.from && m->cut.until != UINT64_MAX;
        t->cut = m->cut;
    }
    if ( m->event == TRC_META_CLOCK )
    {
        t->has_moment = true;
        t->moment = m->clock;
    }
    if ( m->event != TRC_META_TEXT )
        return xt_host_add(&t->host, m);
    if ( !xt_meta_text_add(&t->partial, m->text.part, m->text.parts,
                           &m->text.t0) )
        return 0;
    return add_text(t, m->text.kind, t->partial.text);
}

int file_texts_add_window(struct file_texts *t, const struct xt_window *w,
                          uint64_t nr)
{
    const unsigned char *at = w->bytes, *end = at + w->size;
    struct xt_record r;
    struct xt_meta m;
    size_t size;
    int rc = 0;

    t->has_moment = false;
    while ( !rc && nr && (size = xt_record_decode(&r, at, end)) &&
            xt_record_is_possible(&r) )
    {
        if ( xt_event_is_meta(r.event) && xt_meta_decode(&m, &r) )
            rc = add_record(t, &m);
        nr -= xt_event_is_meta(r.event);
        at += size;
    }
    return rc;
}

void file_texts_finish(struct file_texts *t)
{
    xt_host_finish(&t->host);
}

static void print_text_line(const char *label, const char *before,
                            const char *text, FILE *out)
{
    int width = fprintf(out, "  %s:", label);

    fprintf(out, "%*s%s", width < LABEL_WIDTH ? LABEL_WIDTH - width : 1, "",
            before);
    for ( ; *text; text++ )
        putc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
    putc('\n', out);
}

/* "0.411952193 s, 14:03:07: ": seconds as for --time, and local time. */
static void format_moment(const struct file_mark *mark,
                          const struct xt_clock *clock, char text[MOMENT_MAX])
{
    int64_t ns = xt_clock_ns(clock, mark->moment.tsc);
    time_t wall = mark->moment.wall / 1000000000;
    char seconds[32], local[16] = "";
    struct tm tm;

    *num_sec(seconds, ns < 0 ? -(uint64_t)ns : (uint64_t)ns) = '\0';
    if ( localtime_r(&wall, &tm) )
        strftime(local, sizeof(local), ", %H:%M:%S", &tm);
    snprintf(text, MOMENT_MAX, "%s%s s%s: ", ns < 0 ? "-" : "", seconds,
             local);
}

static void print_mark(const struct file_mark *mark,
                       const struct xt_clock *clock, FILE *out)
{
    char moment[MOMENT_MAX] = "";

    assert(mark->text);
    if ( mark->has_moment )
        format_moment(mark, clock, moment);
    print_text_line("mark", moment, mark->text, out);
}

/* The span of the part, in seconds as for --time. */
static void print_cut(const struct xt_rec_meta_cut *cut,
                      const struct xt_clock *clock, FILE *out)
{
    char from[NUM_SEC_MAX + 1], until[NUM_SEC_MAX + 1];
    char text[2 * NUM_SEC_MAX + 32];

    assert(clock);
    if ( cut->from < clock->origin || cut->until < cut->from )
        return;
    *num_sec(from, xt_clock_ns(clock, cut->from)) = '\0';
    *num_sec(until, xt_clock_ns(clock, cut->until)) = '\0';
    snprintf(text, sizeof(text), "%s s to %s s of a trace", from, until);
    print_text_line("part", "", text, out);
}

const char *file_texts_version(const struct file_texts *t,
                               char text[FILE_TEXT_VERSION])
{
    const char *extra = t->text[FILE_TEXT_XEN_EXTRA];

    if ( !t->has_version || (!t->major && !t->minor) )
        return NULL;
    snprintf(text, FILE_TEXT_VERSION, "%u.%u%s", t->major, t->minor,
             extra ? extra : "");
    return text;
}

/* The marks in memory that are printed. */
static size_t count_shown_marks(const struct file_texts *t,
                                const struct report_request *request)
{
    size_t kept = t->nr_marks < FILE_TEXT_MARKS ? t->nr_marks
                                                : FILE_TEXT_MARKS;

    return sort_limit(request, kept);
}

void file_texts_print(const struct file_texts *t, const struct xt_clock *clock,
                      const struct report_request *request, FILE *out)
{
    size_t marks = count_shown_marks(t, request);
    char text[FILE_TEXT_VERSION];
    const char *version = file_texts_version(t, text);

    if ( version )
        print_text_line("Xen", "", version, out);
    for ( size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
    {
        assert(lines[i].kind < FILE_TEXT_KINDS);
        if ( t->text[lines[i].kind] )
            print_text_line(lines[i].label, "", t->text[lines[i].kind], out);
    }
    if ( t->is_cut )
        print_cut(&t->cut, clock, out);
    for ( size_t i = 0; i < marks; i++ )
        print_mark(&t->marks[i], clock, out);
    if ( t->nr_marks > marks )
        fprintf(out, "  mark:    and %" PRIu64 " more\n",
                t->nr_marks - marks);
}

void file_texts_fini(struct file_texts *t)
{
    for ( size_t i = 0; i < FILE_TEXT_KINDS; i++ )
        free(t->text[i]);
    for ( size_t i = 0; i < FILE_TEXT_MARKS; i++ )
        free(t->marks[i].text);
    xt_host_fini(&t->host);
    memset(t, 0, sizeof(*t));
}
