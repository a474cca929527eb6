/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The document: the file, its marks, pcpus, events and damage.  The tables of
 * the host and its domains are those of the reports.
 */
#include "xenalyze/info-tables.h"

#include <public/trace.h>

#include "xenalyze/reports/report.h"

/* --- the file ------------------------------------------------------------- */

static struct export_value export_file_text(const struct file_info *i,
                                            enum file_text kind)
{
    return export_text(i->texts->text[kind]);
}

static void walk_file(struct export *x, void *state)
{
    const struct file_info *i = state;
    const struct xt_counts *c = i->counts;
    const struct xt_count *t = &c->total;
    char version[FILE_TEXT_VERSION];

    EXPORT_ROW(x, export_text(i->name), export_number(c->size),
               export_number(t->windows), export_number(t->records),
               export_number(xt_count_events(t)), export_number(t->losses),
               export_number(t->wraps), export_number(t->metas),
               export_number(t->lost),
               export_number(c->losses.unwritten + c->losses.taken),
               export_number(c->losses.dropped),
               export_optional(t->tsc.known, t->tsc.first),
               export_optional(t->tsc.known, t->tsc.last),
               export_optional(i->captures > 1, i->captures),
               export_text(file_texts_version(i->texts, version)),
               export_file_text(i, FILE_TEXT_HOST),
               export_file_text(i, FILE_TEXT_KERNEL),
               export_file_text(i, FILE_TEXT_COLLECTOR),
               export_file_text(i, FILE_TEXT_ARGUMENTS),
               export_file_text(i, FILE_TEXT_COMMENT),
               export_file_text(i, FILE_TEXT_TRIGGER),
               export_optional(i->texts->is_cut, i->texts->cut.from),
               export_optional(i->texts->is_cut, i->texts->cut.until),
               export_file_text(i, FILE_TEXT_SELECTION),
               export_number(i->texts->nr_marks),
               export_number(xt_damage_gaps(&c->damage)),
               export_number(xt_damage_backward(&c->damage)),
               export_number(xt_damage_bytes(&c->damage)),
               export_text(i->texts->host.is_full ? "no" : "yes"));
}

static const struct export_column file_columns[] = {
    EXPORT_COLUMN("name", TEXT, "the name of the file"),
    EXPORT_COLUMN("bytes", COUNT, "the number of bytes read"),
    EXPORT_COLUMN("windows", COUNT, "the number of windows"),
    EXPORT_COLUMN("records", COUNT, "the number of records of all kinds"),
    EXPORT_COLUMN("events", COUNT, "the number of traced events"),
    EXPORT_COLUMN("loss_records", COUNT, "the number of records of losses"),
    EXPORT_COLUMN("fillers", COUNT,
                  "the number of fillers at the ends of rings"),
    EXPORT_COLUMN("metadata", COUNT,
                  "the number of records of the collector"),
    EXPORT_COLUMN("lost_records", COUNT, "the number of lost records"),
    EXPORT_COLUMN("unwritten", COUNT,
                  "the number of events that the collector could not write, or "
                  "that another program read"),
    EXPORT_COLUMN("dropped", COUNT,
                  "the number of events that left the memory buffer for newer "
                  "ones"),
    EXPORT_OPTIONAL("first", MOMENT, "the earliest time stamp"),
    EXPORT_OPTIONAL("last", MOMENT, "the latest time stamp"),
    EXPORT_OPTIONAL("captures", COUNT,
                    "the number of captures, one after another; absent: one, "
                    "or unknown"),
    EXPORT_OPTIONAL("xen", TEXT, "the version of Xen"),
    EXPORT_OPTIONAL("host", TEXT, "the name of the machine"),
    EXPORT_OPTIONAL("kernel", TEXT, "the kernel of dom0"),
    EXPORT_OPTIONAL("collector", TEXT, "name and version of the collector"),
    EXPORT_OPTIONAL("arguments", TEXT, "the command line of the collector"),
    EXPORT_OPTIONAL("comment", TEXT, "the comment of the user"),
    EXPORT_OPTIONAL("trigger", TEXT, "cause and time of the snapshot"),
    EXPORT_OPTIONAL("part_begin", MOMENT,
                    "a part of another trace (cut): the begin of its span"),
    EXPORT_OPTIONAL("part_end", MOMENT, "the end of the span"),
    EXPORT_OPTIONAL("selection", TEXT,
                    "a part of another trace: the options that selected its "
                    "records; absent: it has all records of the span"),
    EXPORT_COLUMN("marks", COUNT, "the number of marks"),
    EXPORT_COLUMN("damaged", COUNT, "the number of damaged places"),
    EXPORT_COLUMN("backward", COUNT,
                  "the number of windows in which time goes backwards"),
    EXPORT_COLUMN("skipped", COUNT, "the number of bytes skipped there"),
    EXPORT_COLUMN("described", TEXT,
                  "yes: all domains that the trace describes are in the "
                  "tables; no: there are too many"),
};

/* --- marks ---------------------------------------------------------------- */

static void walk_marks(struct export *x, void *state)
{
    const struct file_texts *t = ((const struct file_info *)state)->texts;

    for ( size_t i = 0; i < t->nr_marks && i < FILE_TEXT_MARKS; i++ )
        EXPORT_ROW(x, export_optional(t->marks[i].has_moment,
                                      t->marks[i].moment.tsc),
                   export_text(t->marks[i].text));
}

static const struct export_column mark_columns[] = {
    EXPORT_OPTIONAL("time", MOMENT, "the time of the mark"),
    EXPORT_COLUMN("text", TEXT, "the note of the user"),
};

/* --- counts --------------------------------------------------------------- */

static void walk_cpus(struct export *x, void *state)
{
    const struct xt_counts *c = ((const struct file_info *)state)->counts;

    for ( size_t i = 0; i < c->nr_cpus; i++ )
    {
        const struct xt_count *n = &c->cpus[i];

        if ( n->windows || n->lost )
            EXPORT_ROW(x, export_number(i), export_number(n->records),
                       export_number(xt_count_events(n)),
                       export_number(n->lost),
                       export_optional(n->tsc.known, n->tsc.first),
                       export_optional(n->tsc.known, n->tsc.last));
    }
}

static const struct export_column cpu_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("records", COUNT, "the number of records of all kinds"),
    EXPORT_COLUMN("events", COUNT, "the number of traced events"),
    EXPORT_COLUMN("lost_records", COUNT, "the number of lost records"),
    EXPORT_OPTIONAL("first", MOMENT, "the first time stamp"),
    EXPORT_OPTIONAL("last", MOMENT, "the last time stamp"),
};

static void walk_events(struct export *x, void *state)
{
    const struct xt_event_counts *t =
        &((const struct file_info *)state)->counts->events;

    for ( size_t i = 0; i < t->used; i++ )
    {
        const struct xt_event *e = xt_catalogue_by_id(t->rows[i].event);
        const struct xt_class *class = xt_class_of(t->rows[i].event);

        EXPORT_ROW(x, export_number(t->rows[i].event),
                   export_text(e ? e->name : NULL),
                   export_text(class ? class->name : NULL),
                   export_number(t->rows[i].times));
    }
    if ( t->others )
        EXPORT_ROW(x, export_optional(false, 0), export_text(NULL),
                   export_text(NULL), export_number(t->others));
}

static const struct export_column event_columns[] = {
    EXPORT_OPTIONAL("event", COUNT,
                    "the id of the event; absent: all beyond the limit of the "
                    "table"),
    EXPORT_OPTIONAL("name", TEXT, "the name of the event"),
    EXPORT_OPTIONAL("class", TEXT, "the class of the event"),
    EXPORT_COLUMN("records", COUNT, "the number of records"),
};

/* --- damage --------------------------------------------------------------- */

static void walk_places(struct export *x, void *state)
{
    const struct xt_damage *d =
        &((const struct file_info *)state)->counts->damage;

    for ( size_t i = 0; i < d->nr_first; i++ )
        EXPORT_ROW(x, export_number(d->first[i].offset),
                   export_number(d->first[i].bytes),
                   export_text(xt_damage_text(d->first[i].kind)));
}

static const struct export_column place_columns[] = {
    EXPORT_COLUMN("offset", COUNT, "the offset in the file"),
    EXPORT_COLUMN("bytes", COUNT, "the number of bytes skipped"),
    EXPORT_COLUMN("reason", TEXT, "the kind of damage"),
};

/* --- the document --------------------------------------------------------- */

static const struct export_table tables[] = {
    { "file", "The trace file (--info).", EXPORT_AS_OBJECT,
      EXPORT_COLUMNS(file_columns), walk_file },
    { "file_marks", "The first 100 marks of the user (--info).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(mark_columns), walk_marks },
    { "file_pcpus", "Records of each pcpu (--info).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(cpu_columns), walk_cpus },
    { "file_events", "Records of each event (--info).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(event_columns), walk_events },
    { "file_damage", "The first 16 damaged places (--info).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(place_columns), walk_places },
    { .name = NULL },
};

_Static_assert(FILE_TEXT_MARKS == 100 && XT_DAMAGE_PLACES == 16,
               "the texts of the tables");

const struct export_table *info_tables(void)
{
    return tables;
}

int info_export(const struct file_info *info, enum export_format format,
                FILE *out)
{
    struct export *x;
    int rc = export_new(&x, format, out);

    if ( rc )
        return rc;
    export_set_clock(x, info->clock);
    export_set_names(x, info->texts->names);
    for ( const struct export_table *t = tables; t->name; t++ )
    {
        export_begin(x, t);
        t->walk(x, (void *)info);
        export_end(x);
    }
    report_export_host(x, &info->texts->host);
    export_close(x);
    export_free(x);
    return 0;
}
