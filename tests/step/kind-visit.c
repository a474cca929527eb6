/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NMIs that trace, at instructions of control itself: of each visit that it
 * makes on the CPU.  A record in there is whole or not there at all; one that
 * was written is not taken back; and a ring that was given back is not written
 * to, not even by writers who saw the enable flag before it fell.
 */
#include "tests/step/kinds.h"

#include "tests/step/ipi.h"
#include "tests/step/scene.h"
#include "tests/step/stepper.h"

#include <stdio.h>

struct trial
{
    struct world w;
    unsigned long at;       /* the instruction that is hit; 0: by odds, */
    unsigned int odds;      /* one in so many is hit */
    unsigned long n;        /* instructions of this step so far */
    unsigned long longest;  /* step of all */
    bool open;              /* the reader has the ring mapped */
    bool keeps;             /* what was published stays as it is */
};

static struct trial t;      /* a machine a process */

/* ---- what is stepped -------------------------------------------------- */

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

static int other_size(void)
{
    static unsigned int pages;

    return kit_resize(1 + pages++ % 3);
}

static int set_two_pages(void)
{
    return kit_set_size(2);
}

/* One after the other, round and round: each leaves what the next wants. */
static const struct step_of_round
{
    const char *name;
    int (*operate)(void);
    int rc;
    bool open;              /* with the ring mapped */
    bool keeps;             /* what is in it stays there */
} rounds[] = {
    { "disable", kit_disable, 0, true, true },
    { "enable", kit_enable, 0, true, true },
    { "mask out", mask_out, 0, true, true },
    { "mask in", mask_in, 0, true, true },
    { "free, while mapped", kit_free, -EBUSY, true, true },
    { "overwrite", kit_overwrite, 0, true, false },
    { "freeze", kit_freeze, 0, true, false },
    { "enable behind it", kit_enable, 0, true, true },
    { "resize", other_size, 0, false, false },
    { "free and be gone", kit_free, 0, false, false },
    { "set_size", set_two_pages, 0, false, false },
};

/* ---- the reader comes and goes ---------------------------------------- */

static void map_rings(bool open)
{
    struct kit_reader *r = &t.w.reader;

    if ( t.open && !open )
        kit_close(r);
    if ( !t.open && open && kit_open(r, 0) )
        world_fault(&t.w, "there is no ring");
    t.open = open;
}

static void read_it(void)
{
    struct kit_record record;
    uint32_t number;

    if ( !t.open )
        return;
    if ( !t.keeps )
        kit_forget(&t.w.reader);
    kit_snapshot(&t.w.reader);
    while ( kit_next(&t.w.reader, &record) )
        if ( record.event == KIT_EVENT && record.words &&
             !kit_is_ours(&record, &number) )
            world_fault(&t.w, "the record at %u is torn", record.at);
    if ( t.w.reader.fault[0] )
        world_fault(&t.w, "%s", t.w.reader.fault);
}

/* The records that NMIs made amid this step, and which of them came out. */
#define MOST_RECORDS 4096

static struct
{
    uint32_t number[MOST_RECORDS];
    unsigned int n;
} made;

/* Is this byte of the ring between cons and prod? */
static bool is_published(uint32_t at)
{
    const struct t_buf *ring = t.w.reader.ring;
    uint32_t size = t.w.reader.size, from = ring->cons % size;

    return (at + size - from) % size < world_unread(&t.w);
}

/*
 * A record of a word, whose header and word stand in the ring, was written.
 * If the bytes are not published, somebody has taken it back.
 */
static void check_kept(void)
{
    const uint32_t *word = (const uint32_t *)(t.w.reader.ring + 1);
    uint32_t i, j, header = TRACE_HEADER(KIT_EVENT, false, 1);

    for ( i = 0; i < t.w.reader.size / 4 - 1; i++ )
        for ( j = 0; word[i] == header && j < made.n; j++ )
            if ( word[i + 1] == made.number[j] * 8 && !is_published(4 * i) )
                world_fault(&t.w, "record %u was taken back", made.number[j]);
}

/* Free frames are poisoned: one that is not uniform was written to. */
static void check_freed(void)
{
    unsigned long mfn;
    const char *frame;

    for ( mfn = 1; mfn < xensim_nr_frames(); mfn++ )
    {
        frame = mfn_to_virt(mfn);
        if ( mfn_to_page(_mfn(mfn))->count_info == PGC_state_free &&
             memcmp(frame, frame + 1, PAGE_SIZE - 1) )
            world_fault(&t.w, "frame %lu was written to after free", mfn);
    }
}

/* ---- trials ----------------------------------------------------------- */

/* Not through __trace_var(): the flag was looked at before. */
static void write_late(void *unused)
{
    uint32_t number = ++t.w.number, word = number * 8;

    (void)unused;
    if ( made.n < MOST_RECORDS )
        made.number[made.n++] = number;
    trace_record(TRACE_HEADER(KIT_EVENT, false, 1), &word);
}

static bool hit_visit(void *unused, unsigned long n)
{
    unsigned int burst;

    (void)unused;
    (void)n;
    t.n++;
    if ( t.at ? t.n != t.at : world_any(&t.w, t.odds) != 0 )
        return true;
    for ( burst = 1 + world_any(&t.w, 3); burst; burst-- )
        xensim_interrupt(burst > 1 ? XENSIM_NMI : XENSIM_MCE, write_late,
                         NULL);
    read_it();
    return true;
}

static void stepped_visit(struct ipi *ipi)
{
    step(ipi_send, ipi, hit_visit, NULL);
}

static void run_visit(const struct step_of_round *row, struct tally *tally)
{
    map_rings(row->open);
    /* At every turn of a loop it would not end: so often no NMI comes. */
    t.odds = 12 + world_any(&t.w, 60);
    made.n = t.n = 0;
    if ( t.open )
        kit_forget(&t.w.reader);
    t.keeps = row->keeps;
    ipi_divert(stepped_visit);
    if ( row->operate() != row->rc )
        world_fault(&t.w, "its answer is wrong");
    ipi_divert(NULL);
    tally->trials++;
    tally->steps += t.n;
    t.longest = max(t.longest, t.n);
    read_it();
    if ( row->keeps )
        check_kept();
    check_freed();

    if ( t.w.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%s, hit at instruction %lu (0: once in %u): %s", row->name,
                 t.at, t.odds, t.w.fault);
}

/* From an edge of the ring, if there is one and it is on. */
static void play_round(const struct scene *scene, const struct plan *plan,
                       struct tally *tally)
{
    unsigned int i;

    for ( i = 0; i < ARRAY_SIZE(rounds) && !tally->fault[0]; i++ )
    {
        if ( t.open && trace_will_trace_event(KIT_EVENT) )
        {
            world_forgive(&t.w);
            scene_prepare(&t.w, scene);
        }
        if ( kind_wants(plan->second, rounds[i].name) )
            run_visit(&rounds[i], tally);
        else
        {
            map_rings(rounds[i].open);
            rounds[i].operate();
        }
    }
}

void kind_visit(const struct plan *plan, struct tally *tally)
{
    const struct scene *scene;
    unsigned int i, round;

    world_start(&t.w, 1, plan->pages, plan->seed);
    t.open = true;
    for ( round = 1; plan->full ? t.at <= t.longest
                                : round <= plan->trials; round++ )
    {
        t.at = plan->full ? round : 0;
        for ( i = 0; (scene = scene_row(i)) && !tally->fault[0]; i++ )
            if ( kind_wants(plan->first, scene->name) )
                play_round(scene, plan, tally);
    }
}
