/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts in the metadata of a trace, for --info: the host, the version of Xen,
 * the command line and the comment of the capture, the cause of a snapshot, and
 * the marks of the user.
 */
#ifndef XENALYZE_LINES_FILE_TEXTS_H
#define XENALYZE_LINES_FILE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libxentrace/internal.h"
#include "xenalyze/account/account.h"

/* Values of text_kind of events/11-meta. */
enum file_text
{
    FILE_TEXT_XEN_EXTRA = 1,
    FILE_TEXT_HOST = 7,
    FILE_TEXT_KERNEL = 8,
    FILE_TEXT_COLLECTOR = 10,
    FILE_TEXT_ARGUMENTS = 11,
    FILE_TEXT_COMMENT = 12,
    FILE_TEXT_TRIGGER = 14,
    FILE_TEXT_MARK = 15,
    FILE_TEXT_SELECTION = 16,
    FILE_TEXT_KINDS
};

#define FILE_TEXT_MARKS 100u    /* marks that are printed */

/* A note of the user.  Its moment is the clock record in front of it. */
struct file_mark
{
    char *text;
    bool has_moment;
    struct xt_rec_meta_clock moment;
};

struct file_texts
{
    const struct xt_domain_names *names;    /* of the trace; or NULL */
    struct xt_host host;            /* after file_texts_finish() */
    struct xt_meta_text partial;
    char *text[FILE_TEXT_KINDS];    /* the newest of each kind; or NULL */
    struct file_mark marks[FILE_TEXT_MARKS];
    uint64_t nr_marks;              /* may exceed FILE_TEXT_MARKS */
    bool has_version;
    unsigned int major, minor;      /* version of Xen */
    bool has_moment;                /* the newest clock record of the window */
    struct xt_rec_meta_clock moment;
    bool is_cut;                    /* the file is a part of a trace */
    struct xt_rec_meta_cut cut;
};

/*
 * Read the first `nr` metadata records of a window, which may have fewer: the
 * search ends behind the last one, so it is short if `nr` is their number,
 * since our collector puts metadata in front.  0 or -ENOMEM; call
 * file_texts_fini() either way.
 */
int file_texts_add_window(struct file_texts *t, const struct xt_window *w,
                          uint64_t nr);

/* To be called behind the last window. */
void file_texts_finish(struct file_texts *t);

/* "4.17.3": the version of Xen, or NULL; `text` is memory for it. */
#define FILE_TEXT_VERSION 64u

const char *file_texts_version(const struct file_texts *t,
                               char text[FILE_TEXT_VERSION]);

/*
 * A line for each text; control characters become question marks.  `clock`
 * converts the moments of marks.
 */
void file_texts_print(const struct file_texts *t, const struct xt_clock *clock,
                      const struct report_request *request, FILE *out);
void file_texts_fini(struct file_texts *t);

#endif /* XENALYZE_LINES_FILE_TEXTS_H */
