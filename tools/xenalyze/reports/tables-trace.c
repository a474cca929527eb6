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
               export_number(s->unwritten + s->taken),
               export_number(s->dropped),
               export_number(xt_damage_gaps(&s->damage)),
               export_number(xt_damage_backward(&s->damage)),
               export_number(xt_damage_bytes(&s->damage)));
}

static const struct export_column trace_columns[] = {
    EXPORT_COLUMN("name", TEXT, "the name of the file"),
    EXPORT_COLUMN("tsc_hz", COUNT, "the frequency of the time stamp counter"),
    EXPORT_COLUMN("tsc_speed", TEXT,
                  "known, or assumed because the trace does not contain the "
                  "frequency"),
    EXPORT_COLUMN("start", MOMENT, "the first time stamp"),
    EXPORT_COLUMN("length", DURATION,
                  "the time from the first to the last time stamp, summed over "
                  "all segments"),
    EXPORT_COLUMN("segments", COUNT,
                  "the number of parts of the file whose times cannot be "
                  "compared"),
    EXPORT_COLUMN("records", COUNT, "the number of records in the span"),
    EXPORT_COLUMN("lost_records", COUNT,
                  "the number of records lost because a ring was full"),
    EXPORT_COLUMN("loss_gaps", COUNT, "the number of gaps with lost records"),
    EXPORT_COLUMN("lost_time", DURATION,
                  "the length of the gaps, summed over all pcpus"),
    EXPORT_COLUMN("loss_counts", TEXT,
                  "complete: the collector wrote Xen's counts of lost records "
                  "at the end; partial: losses after the last record of a pcpu "
                  "are unknown"),
    EXPORT_COLUMN("unwritten_records", COUNT,
                  "the number of records that the collector could not write, "
                  "or that another program read"),
    EXPORT_COLUMN("dropped_records", COUNT,
                  "the number of records overwritten in the collector's memory "
                  "buffer"),
    EXPORT_COLUMN("damaged_places", COUNT,
                  "the number of damaged places in the file"),
    EXPORT_COLUMN("backward_windows", COUNT,
                  "the number of windows in which time goes backwards"),
    EXPORT_COLUMN("damaged_bytes", COUNT,
                  "the number of bytes skipped at these places"),
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
    EXPORT_COLUMN("start", MOMENT, "the start of the gap"),
    EXPORT_COLUMN("length", DURATION, "the length of the gap"),
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
    EXPORT_COLUMN("offset", COUNT, "the offset in the file"),
    EXPORT_COLUMN("bytes", COUNT, "the number of bytes skipped"),
    EXPORT_COLUMN("reason", TEXT, "the kind of damage"),
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
    EXPORT_COLUMN("anomaly", TEXT, "a description of the contradiction"),
    EXPORT_COLUMN("times", COUNT, "the number of occurrences"),
};

static bool has_disorder(const void *state)
{
    const struct account *a = state;

    return fact_disorder_error(&a->summary->disorder);
}

static void walk_disorder(struct export *x, void *state)
{
    const struct account *a = state;
    const struct fact_disorder *d = &a->summary->disorder;

    EXPORT_ROW(x, export_number(d->pcpus[1]), export_number(d->pcpus[0]),
               export_optional(d->cycles, d->cycles),
               export_number(fact_disorder_error(d)));
}

static const struct export_column disorder_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("other_pcpu", COUNT, "another pcpu"),
    EXPORT_OPTIONAL("least", DURATION,
                    "the least difference of the two clocks; absent: the two "
                    "contradict each other, but the difference is unknown"),
    EXPORT_COLUMN("error", DURATION,
                  "waits may be wrong by so much"),
};

/* --- pcpus ---------------------------------------------------------------- */

static void walk_pcpus(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_pcpus; i++ )
    {
        const struct summary_pcpu *p = a->summary->pcpus[i];
        struct summary_pcpu_time t = summary_get_pcpu_time(a->summary, p);

        EXPORT_ROW(x, export_number(p->id), export_number(p->volume.records),
                   export_number(p->lost), export_number(p->losses),
                   export_number(p->lost_cycles), export_number(p->time),
                   export_number(p->interrupts),
                   export_number(p->interrupt_cycles),
                   export_number(t.state[PCPU_RUNNING]),
                   export_number(t.state[PCPU_IDLE]),
                   export_number(t.state[PCPU_UNKNOWN]));
    }
}

static const struct export_column pcpu_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("records", COUNT, "the number of records"),
    EXPORT_COLUMN("lost_records", COUNT,
                  "the number of records lost because the ring was full"),
    EXPORT_COLUMN("loss_gaps", COUNT, "the number of gaps with lost records"),
    EXPORT_COLUMN("lost_time", DURATION, "the length of the gaps"),
    EXPORT_COLUMN("time", DURATION,
                  "the time from the first record of the pcpu to the last"),
    EXPORT_COLUMN("interrupts", COUNT,
                  "the number of device interrupts handled"),
    EXPORT_COLUMN("interrupt_time", DURATION,
                  "the time in handlers of device interrupts"),
    EXPORT_COLUMN("running_time", DURATION,
                  "the time in which a vcpu of a domain ran, also before the "
                  "first record"),
    EXPORT_COLUMN("idle_time", DURATION,
                  "the idle time, also before the first record"),
    EXPORT_COLUMN("unknown_time", DURATION,
                  "the rest of the length of the trace: no record tells the "
                  "state, or the pcpu has had its last record"),
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
    EXPORT_COLUMN("kind", TEXT, "the class of the events"),
    EXPORT_COLUMN("bytes", COUNT, "the size of the records in the file"),
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
    EXPORT_COLUMN("state", TEXT, "the state: running, idle, lost or unknown"),
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
    { "trace", "The trace: clock, size, losses and damage.", EXPORT_AS_OBJECT,
      EXPORT_COLUMNS(trace_columns), walk_trace },
    { "loss_gaps", "The longest gaps in which records were lost.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(gap_columns), walk_gaps },
    { "damage", "The first damaged places of the file.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(damage_columns), walk_damage },
    { "anomalies", "Contradictions between records.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(anomaly_columns), walk_anomalies },
    { "clock_differences", "Clocks of pcpus that differ after the correction; "
      "absent if all agree.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(disorder_columns), walk_disorder, has_disorder },
    { "pcpus", "Physical CPUs.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(pcpu_columns), walk_pcpus },
    { "pcpu_record_bytes", "Size of a pcpu's records, by class of events.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(volume_columns), walk_volumes },
    { "pcpu_states", "States of a pcpu, from its first record of scheduling.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(pcpu_state_columns), walk_pcpu_states },
    { "pcpu_sleeps", "C-states: from sleep to wake-up of a pcpu.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(sleep_columns), walk_sleeps },
    { .name = NULL },
};
