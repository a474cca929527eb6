/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring at each of its edges, in rig.h's script language.
 *
 * A ring of one page has 4088 bytes for records.  A record does not cross the
 * end of the ring: padding fills the rest.  A record that does not fit is lost,
 * and the next one that fits is preceded by a LOST record of 28 bytes.
 */
#include "tests/unit/xen/rig.h"

#include <stdio.h>

#define PAGE_END 4088   /* the byte of the ring at which page 1 begins */

static struct rig rig;

/* ---- scripts ---------------------------------------------------------- */

static const struct
{
    const char *script, *text;
} scripts[] = {
    /* Empty. */
    { "?", "" },
    { "r4 ? ?", "r4 |" },
    { "@0 ?", "" },

    /* Some records in order; and a partial read. */
    { "@0 r4 R12 r32 R40 ?", "r4 R12 r32 R40" },
    { "@0 r4 R12 r32 R40 ?1 ?2 ?", "r4 | R12 r32 | R40" },

    /* Full to the last byte. */
    { "@0 = ?", "r32*127 r24" },
    { "@100 = ?", "r32*124 r20 r32*3 r4" },

    /* Full: not one byte fits. */
    { "@0 = r4 ? r4 ?", "r32*127 r24 | L1 r4" },
    { "@0 = r4 R40 R12 ? r4 ?", "r32*127 r24 | L3 r4" },

    /* A smaller record would fit, but not together with LOST. */
    { "@0 =-16 R40 r16 ? r4 ?", "r32*127 r8 | p16 L2 r4" },
    { "@0 =-16 r16 ?", "r32*127 r8 r16" },

    /* LOST and the record fit exactly; with four bytes less they do not. */
    { "@0 = r4 ?2 R36 ?", "r32*2 | r32*125 r24 L1 R36" },
    { "@0 = r4 ?2 R40 ?", "r32*2 | r32*125 r24" },
    { "@0 = r4 ?2 R40 ? r4 ?", "r32*2 | r32*125 r24 | L2 r4" },

    /* The loss is reported once. */
    { "@0 = r4 r4 ? r4 r4 ?", "r32*127 r24 | L2 r4*2" },

    /* Another loss is reported anew. */
    { "@0 = r4 ? r4 ? @0 = r8 r8 ? r8 ?",
      "r32*127 r24 | L1 r4 | r32*127 r24 | L2 r8" },

    /* A record ends with the ring: no padding, the next is at 0. */
    { "@-40 R40 r4 ?", "R40 r4" },
    { "@-4 r4 r4 ?", "r4*2" },

    /* The record would cross the end. */
    { "@-4 r8 ?", "p4 r8" },
    { "@-36 R40 ?", "P36 R40" },
    { "@-32 R40 ?", "p32 R40" },
    { "@-8 r32 r4 ?", "p8 r32 r4" },

    /* Room for record and padding; room for the record alone: lost. */
    { "@40 =-48 R40 ?", "r32*126 r8 p8 R40" },
    { "@32 =-40 R40 ?", "r32*126 r16" },
};

START_TEST(one_script)
{
    rig_start(&rig, 1);
    rig_expect(&rig, scripts[_i].script, scripts[_i].text);
    rig_balance(&rig);
}
END_TEST

/* ---- every distance to the end ---------------------------------------- */

/* The name of a record: "r8", "R40". */
static const char *name_of(unsigned int words, bool timed)
{
    static char name[2][8];
    static unsigned int turn;
    char *to = name[turn ^= 1];

    snprintf(to, sizeof(name[0]), "%c%u", timed ? 'R' : 'r',
             kit_size(words, timed));
    return to;
}

/* The name of padding of n bytes; a record has at most eight words. */
static const char *pad_of(unsigned int n)
{
    static char name[8];

    snprintf(name, sizeof(name), "%c%u", n == 36 ? 'P' : 'p', n);
    return name;
}

/* Each record at 4, 8, ... bytes before the end: pads of 4 to 36 bytes. */
static void check_end(unsigned int words, bool timed)
{
    unsigned int left, bytes = kit_size(words, timed);
    const char *name = name_of(words, timed);

    for ( left = 4; left <= 48; left += 4 )
        if ( bytes > left )
        {
            rig_expect(&rig, rig_script("@-%u %s ?", left, name),
                       rig_script("%s %s", pad_of(left), name));
            ck_assert_uint_eq(rig.record.at, 0);
        }
        else
        {
            rig_expect(&rig, rig_script("@-%u %s ?", left, name), name);
            ck_assert_uint_eq(rig.record.at, rig.reader.size - left);
        }
}

START_TEST(pad_of_every_size)
{
    unsigned int words;

    rig_start(&rig, 1 + _i);
    for ( words = 0; words <= 7; words++ )
    {
        check_end(words, false);
        check_end(words, true);
    }
    rig_balance(&rig);
}
END_TEST

/* ---- lost, near the end ----------------------------------------------- */

/*
 * One record is lost, all are read, and the next one is at `left` bytes before
 * the end of the ring.  Expect LOST and padding in this order.
 */
static const struct
{
    unsigned int left;
    const char *record, *text;
} owed_at_end[] = {
    /* LOST does not fit: padding before it. */
    { 4,  "r4",  "p4 L1 r4" },
    { 24, "R40", "p24 L1 R40" },
    /* LOST fits exactly: the record begins at 0. */
    { 28, "r4",  "L1 r4" },
    { 28, "R40", "L1 R40" },
    /* LOST fits, the record fits exactly behind it. */
    { 32, "r4",  "L1 r4" },
    { 68, "R40", "L1 R40" },
    /* LOST fits, the record does not: padding between the two. */
    { 32, "r8",  "L1 p4 r8" },
    { 60, "R40", "L1 p32 R40" },
    { 64, "R40", "L1 P36 R40" },
};

START_TEST(lost_and_wrap)
{
    rig_start(&rig, 1);
    rig_play(&rig, rig_script("@-%u = r4 ?", owed_at_end[_i].left));
    rig_expect(&rig, rig_script("%s ?", owed_at_end[_i].record),
               owed_at_end[_i].text);
    rig_balance(&rig);
}
END_TEST

/* ---- page ends inside the ring ---------------------------------------- */

START_TEST(across_pages)
{
    unsigned int page, before, words;

    rig_start(&rig, 3);
    for ( page = 0; page < 2; page++ )
        for ( before = 4; before <= 44; before += 4 )
            for ( words = 0; words <= 7; words++ )
            {
                unsigned int at = PAGE_END + page * PAGE_SIZE - before;
                const char *name = name_of(words, true);

                rig_expect(&rig, rig_script("@%u %s ?", at, name), name);
                ck_assert_uint_eq(rig.record.at, at);
            }
    rig_balance(&rig);
}
END_TEST

/* LOST across a page end before a record; and a record across, after LOST. */
START_TEST(lost_across_pages)
{
    unsigned int before;

    rig_start(&rig, 2);
    for ( before = 4; before <= 72; before += 4 )
    {
        rig_play(&rig, rig_script("@%u = r4 ?", PAGE_END - before));
        rig_expect(&rig, "R40 ?", "L1 R40");
        ck_assert_uint_eq(rig.lost_record.at, PAGE_END - before);
    }
    rig_balance(&rig);
}
END_TEST

/* ---- contents of LOST ------------------------------------------------- */

START_TEST(lost_record)
{
    const uint32_t *word = rig.lost_record.word;
    uint64_t before, after;

    rig_start(&rig, 1);
    rig_play(&rig, "@0 =");
    set_current(xensim_vcpu(3, 1));
    before = kit_clock();
    rig_play(&rig, "r4");
    after = kit_clock();
    rig_play(&rig, "r4 R40");

    /* The vcpu is the current one, the time that of the first loss. */
    set_current(xensim_vcpu(0x7fef, 0x1234));
    rig_expect(&rig, "? R12 ?", "r32*127 r24 | L3 R12");
    ck_assert_uint_eq(word[0], 3);
    ck_assert_uint_eq(word[1], 0x12347fef);
    ck_assert_uint_gt(word[2] | (uint64_t)word[3] << 32, before);
    ck_assert_uint_le(word[2] | (uint64_t)word[3] << 32, after);
    ck_assert_uint_eq(rig.lost_record.tsc, rig.record.tsc);
}
END_TEST

/* Time stamps have 64 bits: of a record, of LOST, and of the first loss. */
START_TEST(wide_clock)
{
    const uint64_t high = 0xfedcba9800000000;

    rig_start(&rig, 1);
    kit_set_clock(high);
    rig_expect(&rig, "R12 ? @0 = r4 ? R12 ?", "R12 | r32*127 r24 | L1 R12");
    ck_assert_uint_eq(rig.record.tsc >> 32, high >> 32);
    ck_assert_uint_eq(rig.lost_record.tsc >> 32, high >> 32);
    ck_assert_uint_eq(rig.lost_record.word[3], high >> 32);
}
END_TEST

/* ---- many passes ------------------------------------------------------ */

/* Exceed the number of values of the private lap count. */
START_TEST(many_passes)
{
    unsigned int i, bytes = 0;

    rig_start(&rig, 1 + _i);
    for ( i = 0; bytes < 100 * rig.reader.size; i++ )
    {
        rig_play(&rig, rig_script("%s ?", name_of(i % 8, i % 3)));
        bytes += kit_size(i % 8, i % 3);
    }
    ck_assert_uint_eq(rig.lost, 0);
    rig_balance(&rig);
}
END_TEST

/* cons and prod stay below twice the ring, and reach both halves. */
START_TEST(both_halves)
{
    unsigned int pass, high = 0;

    rig_start(&rig, 2);
    for ( pass = 0; pass < 8; pass++ )
    {
        rig_play(&rig, "@0 @2000");
        high += rig.reader.ring->prod >= rig.reader.size;
        ck_assert_uint_eq(rig.reader.ring->prod % rig.reader.size, 2000);
    }
    ck_assert_uint_eq(high, 4);
}
END_TEST

/*
 * The fast path writes up to the mark, the end of the page, or the last free
 * byte, without a look at cons: an invalid cons goes unnoticed until then.
 */
static const struct
{
    unsigned int pages;
    const char *script;
    unsigned int records;       /* fast path, 32 bytes each */
} rooms[] = {
    { 4, "@0 r4", 127 },        /* 4084 bytes to the end of the page */
    { 1, "@0 r4", 63 },         /* 2040 bytes to the mark */
    { 1, "@0 =2044", 63 },      /* 2044 bytes of free space */
    { 1, "@0 =2044 r4", 63 },
};

START_TEST(fast_path_reads_no_cons)
{
    uint32_t before;
    unsigned int i;

    rig_start(&rig, rooms[_i].pages);
    rig_play(&rig, rooms[_i].script);
    before = rig.reader.ring->prod;
    rig.reader.ring->cons = 1;
    for ( i = 0; i < 200; i++ )
        kit_emit(i, 7, false);
    ck_assert_uint_eq(rig.reader.ring->prod - before, 32 * rooms[_i].records);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("ring");

    tcase_add_loop_test(tests, one_script, 0, ARRAY_SIZE(scripts));
    tcase_add_loop_test(tests, pad_of_every_size, 0, 3);
    tcase_add_loop_test(tests, lost_and_wrap, 0, ARRAY_SIZE(owed_at_end));
    tcase_add_test(tests, across_pages);
    tcase_add_test(tests, lost_across_pages);
    tcase_add_test(tests, lost_record);
    tcase_add_test(tests, wide_clock);
    tcase_add_loop_test(tests, many_passes, 0, 3);
    tcase_add_test(tests, both_halves);
    tcase_add_loop_test(tests, fast_path_reads_no_cons, 0, ARRAY_SIZE(rooms));

    return rig_main(tests);
}
