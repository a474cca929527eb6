/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text arrives in parts of 24 bytes, one record each, all of one kind before
 * the next.  A mark is not replaced by a later one, as other texts are.
 */
#include "xenalyze/lines/file-texts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <public/trace.h>

#include "common/fault.h"

/* Values of text_kind of events/11-meta. */
enum { TEXT_XEN_EXTRA = 1, TEXT_MARK = 15 };

#define LABEL_WIDTH 11          /* column of the texts */

/* Texts with a line of their own. */
static const struct
{
    unsigned int kind;
    const char *label;
} lines[] = {
    { 7, "host" }, { 8, "kernel" }, { 10, "collector" }, { 11, "arguments" },
    { 12, "comment" }, { 14, "trigger" },
};

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fault_malloc(size);

    if ( copy )
        memcpy(copy, text, size);
    return copy;
}

static int add_text(struct file_texts *t, unsigned int kind, const char *text)
{
    char **to = kind < FILE_TEXT_KINDS ? &t->text[kind] : NULL;

    if ( kind == TEXT_MARK )
        to = t->nr_marks++ < FILE_TEXT_MARKS ? &t->marks[t->nr_marks - 1]
                                             : NULL;
    if ( !to )
        return 0;
    free(*to);
    *to = copy_text(text);
    return *to ? 0 : -ENOMEM;
}

static int add_record(struct file_texts *t, const struct xt_meta *m)
{
    if ( m->event == TRC_META_XEN )
    {
        t->has_version = true;
        t->major = m->xen.major;
        t->minor = m->xen.minor;
    }
    if ( m->event != TRC_META_TEXT ||
         !xt_meta_text_add(&t->partial, m->text.part, m->text.parts,
                           &m->text.t0) )
        return 0;
    return add_text(t, m->text.kind, t->partial.text);
}

int file_texts_add_window(struct file_texts *t, const struct xt_window *w)
{
    const unsigned char *at = w->bytes, *end = at + w->size;
    struct xt_record r;
    struct xt_meta m;
    size_t size;
    int rc = 0;

    while ( !rc && (size = xt_record_decode(&r, at, end)) &&
            r.event >= TRC_META_WINDOW && r.event <= TRC_META_LOST )
    {
        if ( xt_meta_decode(&m, &r) )
            rc = add_record(t, &m);
        at += size;
    }
    return rc;
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

void file_texts_print(const struct file_texts *t, FILE *out)
{
    const char *extra = t->text[TEXT_XEN_EXTRA];
    char version[32];

    snprintf(version, sizeof(version), "%u.%u", t->major, t->minor);
    if ( t->has_version && (t->major || t->minor) )
        print_text_line("Xen", version, extra ? extra : "", out);
    for ( size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
        if ( t->text[lines[i].kind] )
            print_text_line(lines[i].label, "", t->text[lines[i].kind], out);
    for ( size_t i = 0; i < t->nr_marks && i < FILE_TEXT_MARKS; i++ )
        print_text_line("mark", "", t->marks[i], out);
    if ( t->nr_marks > FILE_TEXT_MARKS )
        fprintf(out, "  mark:    and %" PRIu64 " more\n",
                t->nr_marks - FILE_TEXT_MARKS);
}

void file_texts_fini(struct file_texts *t)
{
    for ( size_t i = 0; i < FILE_TEXT_KINDS; i++ )
        free(t->text[i]);
    for ( size_t i = 0; i < FILE_TEXT_MARKS; i++ )
        free(t->marks[i]);
    memset(t, 0, sizeof(*t));
}
