/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the account: the trace itself, its quality, and pcpus.
 */
#include "xenalyze/reports/table.h"

static void walk_trace(struct export *x, void *state)
{
    const struct account *a = state;
    const struct summary *s = a->summary;

    EXPORT_ROW(x, export_text(a->name), export_number(s->hz),
               export_text(a->request->clock_assumed ? "assumed" : "known"),
               export_number(s->first), export_number(s->total),
               export_number(s->segments), export_number(s->records),
               export_number(s->lost), export_number(s->losses),
               export_number(s->lost_cycles),
               export_text(s->losses_counted ? "complete" : "partial"),
               export_number(s->unwritten), export_number(s->dropped),
               export_number(xt_damage_times(&s->damage)),
               export_number(xt_damage_bytes(&s->damage)));
}

static const struct export_column trace_columns[] = {
    EXPORT_COLUMN("name", TEXT, "the file"),
    EXPORT_COLUMN("tsc_hz", COUNT, "cycles of the time stamp counter a second"),
    EXPORT_COLUMN("tsc_speed", TEXT,
                  "known, or assumed because nothing says it"),
    EXPORT_COLUMN("start", MOMENT, "the first time stamp"),
    EXPORT_COLUMN("length", DURATION,
                  "from first to last, all segments together"),
    EXPORT_COLUMN("segments", COUNT,
                  "stretches of the file with a time of their "
      "own"),
    EXPORT_COLUMN("records", COUNT, "trace records read"),
    EXPORT_COLUMN("lost_records", COUNT,
                  "trace records that Xen had no room for"),
    EXPORT_COLUMN("loss_gaps", COUNT, "places where records are missing"),
    EXPORT_COLUMN("lost_time", DURATION, "their length, summed over all pcpus"),
    EXPORT_COLUMN("loss_counts", TEXT,
                  "complete if the collector wrote Xen's counts of lost "
                  "records at the end, or partial: losses after the last "
                  "record of a pcpu are unknown"),
    EXPORT_COLUMN("unwritten_records", COUNT,
                  "trace records that the collector could not write"),
    EXPORT_COLUMN("dropped_records", COUNT,
                  "trace records that left the collector's memory buffer for "
                  "newer ones"),
    EXPORT_COLUMN("damaged_places", COUNT,
                  "places of the file that make no sense"),
    EXPORT_COLUMN("damaged_bytes", COUNT, "bytes skipped there"),
};

static void walk_gaps(struct export *x, void *state)
{
    const struct account *a = state;
    const struct stats_top *gaps = &a->summary->loss_gaps;

    for ( size_t i = 0; i < gaps->used; i++ )
        EXPORT_ROW(x, export_number(gaps->rows[i].tag),
                   export_number(gaps->rows[i].at),
                   export_number(gaps->rows[i].key));
}

static const struct export_column gap_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("start", MOMENT, "when records began to get lost"),
    EXPORT_COLUMN("length", DURATION, "for how long"),
};

static void walk_damage(struct export *x, void *state)
{
    const struct account *a = state;
    const struct xt_damage *d = &a->summary->damage;

    for ( size_t i = 0; i < d->nr_first; i++ )
        EXPORT_ROW(x, export_number(d->first[i].offset),
                   export_number(d->first[i].bytes),
                   export_text(xt_damage_text(d->first[i].kind)));
}

static const struct export_column damage_columns[] = {
    EXPORT_COLUMN("offset", COUNT, "the place in the file"),
    EXPORT_COLUMN("bytes", COUNT, "how many bytes were skipped"),
    EXPORT_COLUMN("reason", TEXT, "what is wrong with them"),
};

static void walk_anomalies(struct export *x, void *state)
{
    const struct account *a = state;

    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        if ( a->summary->anomalies[i] )
            EXPORT_ROW(x, export_text(anomaly_name(i)),
                       export_number(a->summary->anomalies[i]));
}

static const struct export_column anomaly_columns[] = {
    EXPORT_COLUMN("anomaly", TEXT,
                  "records that contradict each other, in words"),
    EXPORT_COLUMN("times", COUNT, "how often"),
};

/* --- pcpus ---------------------------------------------------------------- */

static void walk_pcpus(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_pcpus; i++ )
    {
        const struct summary_pcpu *p = a->summary->pcpus[i];

        EXPORT_ROW(x, export_number(p->id), export_number(p->volume.records),
                   export_number(p->lost), export_number(p->losses),
                   export_number(p->lost_cycles), export_number(p->time),
                   export_number(p->interrupts),
                   export_number(p->interrupt_cycles));
    }
}

static const struct export_column pcpu_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("records", COUNT, "its trace records"),
    EXPORT_COLUMN("lost_records", COUNT,
                  "its records that Xen had no room for"),
    EXPORT_COLUMN("loss_gaps", COUNT, "how often records began to get lost"),
    EXPORT_COLUMN("lost_time", DURATION, "the length of these gaps"),
    EXPORT_COLUMN("time", DURATION, "from its first record to its last"),
    EXPORT_COLUMN("interrupts", COUNT, "interrupts of devices that it handled"),
    EXPORT_COLUMN("interrupt_time", DURATION, "spent in their handlers"),
};

static void walk_volumes(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_pcpus; i++ )
        for ( unsigned int k = 0; k < VOLUME_KINDS; k++ )
        {
            const struct summary_pcpu *p = a->summary->pcpus[i];

            if ( p->volume.bytes[k] )
                EXPORT_ROW(x, export_number(p->id),
                           export_text(volume_name(k)),
                           export_number(p->volume.bytes[k]));
        }
}

static const struct export_column volume_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("kind", TEXT, "class of events"),
    EXPORT_COLUMN("bytes", COUNT, "size of its records in the file"),
};

static void walk_pcpu_states(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_pcpus; i++ )
        for ( unsigned int k = 0; k < PCPU_STATES; k++ )
        {
            const struct summary_pcpu *p = a->summary->pcpus[i];

            if ( stats_events(&p->state[k]) )
                EXPORT_ROW(x, export_number(p->id),
                           export_text(pcpu_state_name(k)),
                           export_series(&p->state[k]));
        }
}

static const struct export_column pcpu_state_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("state", TEXT, "running, idle, lost or unknown"),
    EXPORT_STATE_STATISTICS,
};

static void walk_sleeps(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_pcpus; i++ )
        if ( stats_events(&a->summary->pcpus[i]->sleep) )
            EXPORT_ROW(x, export_number(a->summary->pcpus[i]->id),
                       export_series(&a->summary->pcpus[i]->sleep));
}

static const struct export_column sleep_columns[] = {
    EXPORT_PCPU_ID, EXPORT_STATISTICS,
};

const struct export_table report_tables_trace[] = {
    { "trace", "The trace, and how much of it is missing.", EXPORT_AS_OBJECT,
      EXPORT_COLUMNS(trace_columns), walk_trace },
    { "loss_gaps", "The longest gaps in which records were lost.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(gap_columns), walk_gaps },
    { "damage", "The first damaged places of the file.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(damage_columns), walk_damage },
    { "anomalies", "Contradictions between records.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(anomaly_columns), walk_anomalies },
    { "pcpus", "Physical CPUs.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(pcpu_columns), walk_pcpus },
    { "pcpu_record_bytes", "Size of a pcpu's records, by class of events.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(volume_columns), walk_volumes },
    { "pcpu_states", "What a pcpu did.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(pcpu_state_columns), walk_pcpu_states },
    { "pcpu_sleeps", "C-states: from sleep to wake-up of a pcpu.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(sleep_columns), walk_sleeps },
    { .name = NULL },
};
