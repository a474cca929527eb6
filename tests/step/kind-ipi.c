/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NMIs that trace, at instructions of the control operations themselves, in
 * each of their IPI handlers on the CPU.  A record from there is complete or
 * absent, a written record is never retracted, and a freed ring is never
 * written to, not even by writers that read the enable flag before the flag
 * was cleared.
 */
#include "tests/step/kinds.h"

#include "tests/step/ipi.h"
#include "tests/step/ring-setup.h"
#include "tests/step/stepper.h"

#include <stdio.h>

struct trial
{
    struct step_state st;
    unsigned long at;       /* instruction to interrupt; 0: random ones, */
    unsigned int odds;      /* one in so many */
    unsigned long n;        /* instructions of this step so far */
    unsigned long longest;  /* instructions of the longest step */
    bool open;              /* the reader has the ring mapped */
    bool stays;             /* published records stay unchanged */
};

static struct trial t;      /* one machine per process */

/* ---- the operations --------------------------------------------------- */

static int mask_out(void)
{
    static const uint8_t none;

    return kit_set_cpu_mask(&none, 8);
}

static int mask_in(void)
{
    static const uint8_t one = 1;

    return kit_set_cpu_mask(&one, 8);
}

static int resize_next(void)
{
    static unsigned int pages;

    return kit_resize(1 + pages++ % 3);
}

static int set_two_pages(void)
{
    return kit_set_size(2);
}

/* A cycle: each operation leaves the state that the next one needs. */
static const struct round_step
{
    const char *name;
    int (*operate)(void);
    int rc;
    bool open;              /* the ring is mapped meanwhile */
    bool stays;             /* published records stay unchanged */
} rounds[] = {
    { "disable", kit_disable, 0, true, true },
    { "enable", kit_enable, 0, true, true },
    { "mask out", mask_out, 0, true, true },
    { "mask in", mask_in, 0, true, true },
    { "free, while mapped", kit_free, -EBUSY, true, true },
    { "overwrite", kit_overwrite, 0, true, false },
    { "freeze", kit_freeze, 0, true, false },
    { "enable after freeze", kit_enable, 0, true, true },
    { "resize", resize_next, 0, false, false },
    { "free, unmapped", kit_free, 0, false, false },
    { "set_size", set_two_pages, 0, false, false },
};

/* ---- the reader ------------------------------------------------------- */

static void map_ring(bool open)
{
    struct kit_reader *r = &t.st.reader;

    if ( t.open && !open )
        kit_close(r);
    if ( !t.open && open && kit_open(r, 0) )
        state_fault(&t.st, "there is no ring");
    t.open = open;
}

static void check_records(void)
{
    struct kit_record record;
    uint32_t number;

    if ( !t.open )
        return;
    if ( !t.stays )
        kit_forget(&t.st.reader);
    kit_snapshot(&t.st.reader);
    while ( kit_next(&t.st.reader, &record) )
        if ( record.event == KIT_EVENT && record.words &&
             !kit_is_emitted(&record, &number) )
            state_fault(&t.st, "the record at %u is torn", record.at);
    if ( t.st.reader.fault[0] )
        state_fault(&t.st, "%s", t.st.reader.fault);
}

/* The records that NMIs emitted during this step. */
#define MAX_RECORDS 4096

static struct
{
    uint32_t number[MAX_RECORDS];
    unsigned int n;
} nmi_records;

/* Does this byte of the ring lie between cons and prod? */
static bool is_published(uint32_t at)
{
    const struct t_buf *ring = t.st.reader.ring;
    uint32_t size = t.st.reader.size, from = ring->cons % size;

    return (at + size - from) % size < state_unread(&t.st);
}

/*
 * A record of one word counts as written once its header and word are in the
 * ring.  If these bytes are not published, the record was retracted.
 */
static void check_not_retracted(void)
{
    const uint32_t *word = (const uint32_t *)(t.st.reader.ring + 1);
    uint32_t i, j, header = TRACE_HEADER(KIT_EVENT, false, 1);

    for ( i = 0; i < t.st.reader.size / 4 - 1; i++ )
        for ( j = 0; word[i] == header && j < nmi_records.n; j++ )
            if ( word[i + 1] == nmi_records.number[j] * 8 &&
                 !is_published(4 * i) )
                state_fault(&t.st, "record %u was retracted",
                            nmi_records.number[j]);
}

/* Free frames are poisoned: any other contents were written after free. */
static void check_freed(void)
{
    unsigned long mfn;
    const char *frame;

    for ( mfn = 1; mfn < xensim_nr_frames(); mfn++ )
    {
        frame = mfn_to_virt(mfn);
        if ( mfn_to_page(_mfn(mfn))->count_info == PGC_state_free &&
             memcmp(frame, frame + 1, PAGE_SIZE - 1) )
            state_fault(&t.st, "frame %lu was written to after free", mfn);
    }
}

/* ---- trials ----------------------------------------------------------- */

/* Bypass __trace_var(), as a writer that has already read the enable flag. */
static void write_late(void *unused)
{
    uint32_t number = ++t.st.number, word = number * 8;

    (void)unused;
    if ( nmi_records.n < MAX_RECORDS )
        nmi_records.number[nmi_records.n++] = number;
    trace_record(TRACE_HEADER(KIT_EVENT, false, 1), &word);
}

static bool raise_nmis(void *unused, unsigned long n)
{
    unsigned int burst;

    (void)unused;
    (void)n;
    t.n++;
    if ( t.at ? t.n != t.at : state_random(&t.st, t.odds) != 0 )
        return true;
    for ( burst = 1 + state_random(&t.st, 3); burst; burst-- )
        xensim_interrupt(burst > 1 ? XENSIM_NMI : XENSIM_MCE, write_late,
                         NULL);
    check_records();
    return true;
}

static void step_ipi(struct ipi *ipi)
{
    step_function(ipi_send, ipi, raise_nmis, NULL);
}

static void run_round_step(const struct round_step *row, struct tally *tally)
{
    map_ring(row->open);
    /* Retry loops would never end if each of their rounds met an NMI. */
    t.odds = 12 + state_random(&t.st, 60);
    nmi_records.n = t.n = 0;
    if ( t.open )
        kit_forget(&t.st.reader);
    t.stays = row->stays;
    ipi_intercept(step_ipi);
    if ( row->operate() != row->rc )
        state_fault(&t.st, "the operation returned a wrong result");
    ipi_intercept(NULL);
    tally->trials++;
    tally->steps += t.n;
    t.longest = max(t.longest, t.n);
    check_records();
    if ( row->stays )
        check_not_retracted();
    check_freed();

    if ( t.st.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%s, hit at instruction %lu (0: once in %u): %s", row->name,
                 t.at, t.odds, t.st.fault);
}

/* Start from an edge of the ring if there is a ring and tracing is on. */
static void run_round(const struct ring_setup *setup, const struct plan *plan,
                      struct tally *tally)
{
    unsigned int i;

    for ( i = 0; i < ARRAY_SIZE(rounds) && !tally->fault[0]; i++ )
    {
        if ( t.open && trace_will_trace_event(KIT_EVENT) )
        {
            state_reset_counts(&t.st);
            setup_apply(&t.st, setup);
        }
        if ( kind_matches(plan->second, rounds[i].name) )
            run_round_step(&rounds[i], tally);
        else
        {
            map_ring(rounds[i].open);
            rounds[i].operate();
        }
    }
}

void kind_ipi(const struct plan *plan, struct tally *tally)
{
    const struct ring_setup *setup;
    unsigned int i, round;

    state_init(&t.st, 1, plan->pages, plan->seed);
    t.open = true;
    for ( round = 1; plan->full ? t.at <= t.longest
                                : round <= plan->trials; round++ )
    {
        t.at = plan->full ? round : 0;
        for ( i = 0; (setup = setup_row(i)) && !tally->fault[0]; i++ )
            if ( kind_matches(plan->first, setup->name) )
                run_round(setup, plan, tally);
    }
}
