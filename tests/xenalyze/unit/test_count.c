/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of events: the order of the rows, their shares, and the limits.
 */
#include <errno.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/line-job.h"
#include "libxentrace/event-counts.h"
#include "xenalyze/account/sort.h"
#include "xenalyze/lines/count.h"

static struct make m;

#define HEADING "       records     share        id  event\n"

/* `times` records of the event. */
static void put_many(uint32_t event, uint32_t times, uint64_t *tsc)
{
    size_t opened = make_open(&m, 0);

    for ( uint32_t i = 0; i < times; i++ )
    {
        struct job_record r = { .event = event, .tsc = *tsc += 1 };

        job_put_record(&m, &r);
    }
    make_close(&m, opened);
}

/* Count the trace in `m` and print; the job's text is the table. */
static void count_trace(struct job *j, const struct report_request *request,
                        unsigned int threads)
{
    struct count *c;
    FILE *out;

    job_init(j, &m, 0);
    j->job.threads = threads;
    ck_assert_int_eq(count_new(&c), 0);
    ck_assert_int_eq(job_run(j, count_style(), c), 0);
    ck_assert_str_eq(j->text, "");
    free(j->text);
    out = open_memstream(&j->text, &j->size);
    count_print(c, request, out);
    fclose(out);
    count_free(c);
}

static const struct
{
    enum sort_key sort;
    unsigned int top;
    const char *text;
} tables[] = {
    { SORT_TOTAL, 0,
      "            60   60.00 %  00028004  sched_wake\n"
      "            30   30.00 %  00028001  sched_dom_add\n"
      "             5    5.00 %  00028006  sched_block\n"
      "             5    5.00 %  0002801f  -\n"
      "           100  in all\n" },
    { SORT_NAME, 0,
      "            30   30.00 %  00028001  sched_dom_add\n"
      "            60   60.00 %  00028004  sched_wake\n"
      "             5    5.00 %  00028006  sched_block\n"
      "             5    5.00 %  0002801f  -\n"
      "           100  in all\n" },
    { SORT_TOTAL, 2,
      "            60   60.00 %  00028004  sched_wake\n"
      "            30   30.00 %  00028001  sched_dom_add\n"
      "           100  in all\n" },
    { SORT_TOTAL, 9,
      "            60   60.00 %  00028004  sched_wake\n"
      "            30   30.00 %  00028001  sched_dom_add\n"
      "             5    5.00 %  00028006  sched_block\n"
      "             5    5.00 %  0002801f  -\n"
      "           100  in all\n" },
};

START_TEST(rows_have_an_order)
{
    uint64_t tsc = 0;

    m.size = 0;
    put_many(0x2801f, 5, &tsc);
    put_many(0x28001, 30, &tsc);
    put_many(0x28004, 60, &tsc);
    put_many(0x28006, 5, &tsc);
    for ( size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++ )
        for ( unsigned int threads = 1; threads <= 4; threads++ )
        {
            const struct report_request request = {
                .sort = tables[i].sort, .top = tables[i].top,
            };
            struct job j;

            count_trace(&j, &request, threads);
            ck_assert_int_eq(strncmp(j.text, HEADING, strlen(HEADING)), 0);
            ck_assert_str_eq(j.text + strlen(HEADING), tables[i].text);
            job_fini(&j);
        }
}
END_TEST

/* Beyond 65,536 ids, records are counted in one row for the others. */
START_TEST(ids_have_a_limit)
{
    const struct report_request request = { .top = 1 };
    size_t opened;
    struct job j;

    m.size = 0;
    opened = make_open(&m, 0);
    for ( uint32_t i = 0; i < XT_EVENT_COUNTS_MAX; i++ )
        make_record(&m, 0x1000000 + i, i ? 0 : 1, 0);
    for ( uint32_t i = 0; i < 3; i++ )
        make_record(&m, 0x2000000 + i, 0, 0);
    make_close(&m, opened);
    count_trace(&j, &request, 2);
    ck_assert_ptr_nonnull(strstr(j.text, "             3    0.00 %            "
                                         "of ids beyond the limit of the "
                                         "table\n"));
    ck_assert_ptr_nonnull(strstr(j.text, "         65539  in all\n"));
    job_fini(&j);
}
END_TEST

START_TEST(no_memory_is_an_error)
{
    for ( uint64_t n = 1; ; n++ )
    {
        struct count *c;
        int rc;

        fault_arm(FAULT_ALLOC, n);
        rc = count_new(&c);
        if ( !fault_fired(FAULT_ALLOC) )
        {
            ck_assert_int_eq(rc, 0);
            count_free(c);
            break;
        }
        ck_assert_int_eq(rc, -ENOMEM);
        ck_assert_ptr_null(c);
    }
    fault_disarm();
    count_free(NULL);
}
END_TEST

UNIT_MAIN("count", rows_have_an_order, ids_have_a_limit, no_memory_is_an_error)
