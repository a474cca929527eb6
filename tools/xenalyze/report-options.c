/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers of option arguments with several numbers: lists of ids, a vector with
 * an increment.  Each parser also requests the report of its option.
 */
#include "xenalyze/report-options.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/closest-word.h"
#include "xenalyze/options.h"

#define AT(config, o) ((char *)(config) + (o)->at)

static struct report_config *facts_of(void *config)
{
    return &((struct config *)config)->reports;
}

/* Parses a number up to ',' or the end, and moves *text behind it. */
static int take_number(const struct opt *o, const char **text, uint64_t *value,
                       struct err *e)
{
    size_t length = strcspn(*text, ",");
    char word[32];

    if ( length == 0 || length >= sizeof(word) )
        return err_usage(e, "--%s %s: expected a number, or several "
                         "with commas between", o->name, *text);
    memcpy(word, *text, length);
    word[length] = '\0';
    if ( opts_number(word, value) )
        return err_usage(e, "--%s: %s is no number", o->name, word);
    *text += length;
    *text += **text == ',';
    return 0;
}

int report_parse_which(const struct opt *o, const char *text, void *config,
                      struct err *e)
{
    struct report_config *f = facts_of(config);
    uint64_t *which = (uint64_t *)AT(config, o);
    int rc = take_number(o, &text, which, e);

    assert(which >= f->which && which < f->which + SCATTER_KINDS);
    if ( rc || *text )
        return rc ? rc : err_usage(e, "--%s: one number is enough",
                                   o->name);
    f->scatter[which - f->which] = true;
    return 0;
}

/* A word that names a domain; only the trace tells its id. */
static bool is_domain_name(const struct report_config *f,
                           const struct report_ids *ids, const char *text)
{
    ptrdiff_t kind = ids - f->ids;

    return kind < INTERVAL_CR3_TIME && *text &&
           !strchr("0123456789-,", *text);
}

int report_parse_ids(const struct opt *o, const char *text, void *config,
                    struct err *e)
{
    struct report_config *f = facts_of(config);
    struct report_ids *ids = (struct report_ids *)AT(config, o);
    int rc = 0;

    assert(ids >= f->ids && ids < f->ids + INTERVAL_KINDS);
    f->interval[ids - f->ids] = true;
    do {
        if ( ids->nr == REPORT_MAX_IDS )
            return err_usage(e, "--%s: more than %u are too many",
                             o->name, REPORT_MAX_IDS);
        if ( is_domain_name(f, ids, text) )
        {
            ids->names[ids->nr] = text;
            text += strcspn(text, ",");
            text += *text == ',';
        }
        else
            rc = take_number(o, &text, &ids->ids[ids->nr], e);
        ids->nr++;
    } while ( !rc && *text );
    return rc;
}

#define MAX_VECTOR 255u

static int check_vector(const struct opt *o, uint64_t vector, struct err *e)
{
    if ( vector <= MAX_VECTOR )
        return 0;
    return err_usage(e, "--%s: vectors go up to %u", o->name,
                     MAX_VECTOR);
}

int report_parse_eips(const struct opt *o, const char *text, void *config,
                     struct err *e)
{
    struct report_request *r = &facts_of(config)->request;
    uint64_t vector;
    int rc = take_number(o, &text, &vector, e);

    rc = rc ? rc : check_vector(o, vector, e);
    if ( rc )
        return rc;
    r->eips = true;
    r->eip_vector = (unsigned int)vector;
    return 0;
}

#define INCREMENT 0x1000000u    /* default of stock */

int report_parse_histogram(const struct opt *o, const char *text, void *config,
                          struct err *e)
{
    struct report_request *r = &facts_of(config)->request;
    uint64_t vector, increment = INCREMENT;
    int rc = take_number(o, &text, &vector, e);

    rc = rc ? rc : check_vector(o, vector, e);
    if ( !rc && *text )
        rc = take_number(o, &text, &increment, e);
    if ( !rc && !increment )
        rc = err_usage(e, "--%s: the increment has to be above 0",
                       o->name);
    if ( rc )
        return rc;
    r->histogram = increment;
    r->histogram_vector = (unsigned int)vector;
    return 0;
}

int report_set_records(struct report_config *c, const struct report_file *f,
                       struct err *e)
{
    const char **path = f->format->is_folder ? &c->ctf_path
                                             : &c->trace_dat_path;

    assert(f->format->has_records && *f->path);
    if ( *path )
        return err_usage(e, "--export %s:%s: one %s is enough",
                         f->format->name, f->path,
                         f->format->is_folder ? "folder" : "file");
    *path = f->path;
    c->ctf = c->ctf_path;
    c->trace_dat = c->trace_dat_path;
    return 0;
}

/* FORMAT:FILE */
int report_parse_export(const struct opt *o, const char *text, void *config,
                        struct err *e)
{
    static const char *const words[] = { VIEWER_WORDS NULL };
    struct report_config *f = facts_of(config);
    size_t length = strcspn(text, ":");
    struct report_file file = {
        .format = viewer_find(text, length), .path = text + length + 1,
    };

    if ( !file.format )
        return closest_word_refuse(words, "--export", text, e);
    if ( !text[length] || !*file.path )
        return err_usage(e, "--export %s: needs a file, as in --%s %s:FILE; "
                         "- is standard output", text, o->name,
                         file.format->name);
    if ( file.format->has_records )
        return report_set_records(f, &file, e);
    if ( f->nr_exports == REPORT_MAX_EXPORTS )
        return err_usage(e, "--export %s: more than %u files", text,
                         REPORT_MAX_EXPORTS);
    f->exports[f->nr_exports++] = file;
    return 0;
}
