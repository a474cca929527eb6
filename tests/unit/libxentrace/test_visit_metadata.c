/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The visit of metadata steps over large windows of a mapped file by their
 * first bytes: it has to deliver what a walk over all windows in memory finds,
 * from files with and without seals, intact and damaged.
 */
#include "libxentrace/visit-metadata.h"

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "libxentrace/internal.h"
#include "libxentrace/meta-event.h"
#include "libxentrace/seal.h"
#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define WINDOWS 50u
#define TRIALS 1500u
#define NAME "test_visit_metadata.XXXXXX"

/* Numbers of the metadata records that were delivered. */
struct seen
{
    uint64_t numbers[100 * WINDOWS];
    size_t nr;
};

static void note(void *arg, const struct xt_meta *m)
{
    struct seen *s = arg;

    ck_assert_uint_lt(s->nr, sizeof(s->numbers) / sizeof(s->numbers[0]));
    s->numbers[s->nr++] = m->event == TRC_META_CUT ? m->cut.from : m->event;
}

/* --- a trace -------------------------------------------------------------- */

static void add_metadata(struct make *m, uint64_t number)
{
    const struct xt_meta meta = {
        .event = TRC_META_CUT, .cut = { .from = number, .until = number },
    };

    m->size += xt_meta_encode(&meta, m->bytes + m->size);
}

/*
 * Large windows and small ones.  Metadata is in one of ten, in front of its
 * records, and between some of them.
 */
static void add_records(struct make *m, uint64_t *number, uint64_t *seed)
{
    unsigned int nr = make_random(seed) % 3 ? 450 + make_random(seed) % 100
                                            : make_random(seed) % 6;

    if ( make_random(seed) % 10 == 0 )
        add_metadata(m, (*number)++);
    for ( unsigned int i = 0; i < nr; i++ )
    {
        if ( make_random(seed) % 500 == 0 )
            add_metadata(m, (*number)++);
        make_record(m, 0x81000 + i % 9, i ? 1000 + i : 0, 7);
    }
}

static void add_window(struct make *m, const uint32_t *seal, uint64_t *number,
                       uint64_t *seed)
{
    static struct make body;
    struct iovec span;
    struct xt_frame f;

    body.size = 0;
    add_records(&body, number, seed);
    span = (struct iovec){ body.bytes, body.size };
    xt_frame_init(&f, make_random(seed) % 4, &span, 1);
    if ( seal )
        xt_frame_seal(&f, *seal);
    make_spans(m, f.iov, f.nr_iov);
}

/* Some windows with seals, then some without, and so on. */
static void make_trace(struct make *m, uint64_t *seed)
{
    uint64_t number = 1000000;
    uint32_t seal = make_random(seed) % 4 ? 0 : UINT32_MAX - 20;
    bool sealed = make_random(seed) % 2;
    size_t opened;

    m->size = 0;
    opened = make_open(m, 0);
    add_metadata(m, number++);
    make_close(m, opened);
    for ( unsigned int i = 0; i < WINDOWS; i++, seal++ )
    {
        if ( make_random(seed) % 20 == 0 )
            sealed = !sealed;
        if ( make_random(seed) % 20 == 0 )
            seal = make_random(seed);
        add_window(m, sealed ? &seal : NULL, &number, seed);
    }
}

static void damage_trace(struct make *m, uint64_t *seed)
{
    size_t at = make_random(seed) % m->size, nr = make_random(seed) % 40;

    switch ( make_random(seed) % 4 )
    {
    case 0:
        m->bytes[at] ^= 1u << make_random(seed) % 8;
        break;
    case 1:
        m->bytes[at] = make_random(seed);
        break;
    case 2:                     /* bytes are missing */
        nr = nr < m->size - at ? nr : m->size - at;
        memmove(m->bytes + at, m->bytes + at + nr, m->size - at - nr);
        m->size -= nr;
        break;
    case 3:                     /* the file ends early */
        if ( make_random(seed) % 4 == 0 )
            m->size = at > 64 ? at : m->size;
        break;
    }
}

/* --- the two walks -------------------------------------------------------- */

static void walk_memory(const struct make *m, struct seen *s)
{
    struct xt_damage damage = { 0 };
    struct xt_windows windows;
    struct xt_records records;
    struct xt_record r;
    struct xt_window w;
    struct xt_meta meta;

    s->nr = 0;
    xt_windows_init(&windows, m->bytes, m->size, &damage);
    while ( xt_windows_next(&windows, &w) )
    {
        xt_records_init(&records, &w, &damage);
        while ( xt_records_next(&records, &r) && xt_event_is_meta(r.event) )
            if ( xt_meta_decode(&meta, &r) )
                note(s, &meta);
    }
}

static void visit_file(const struct make *m, struct seen *s)
{
    char path[] = NAME;
    struct err e = ERR_INIT;
    struct xt_info info;
    struct xt_trace *t;
    int fd = mkstemp(path);

    s->nr = 0;
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, m->bytes, m->size), m->size);
    close(fd);
    ck_assert_int_eq(xt_trace_open(&t, path, 0, &e), 0);
    ck_assert_int_eq(xt_trace_info(t, &info, &e), 0);
    xt_trace_visit_metadata(t, note, s);
    xt_trace_close(t);
    unlink(path);
}

static void compare(const struct make *m, unsigned int trial)
{
    static struct seen want, got;

    walk_memory(m, &want);
    visit_file(m, &got);
    ck_assert_msg(got.nr == want.nr, "trial %u: %zu instead of %zu", trial,
                  got.nr, want.nr);
    for ( size_t i = 0; i < want.nr; i++ )
        ck_assert_msg(got.numbers[i] == want.numbers[i], "trial %u: %llu "
                      "instead of %llu", trial,
                      (unsigned long long)got.numbers[i],
                      (unsigned long long)want.numbers[i]);
}

START_TEST(intact_files)
{
    static struct make m;
    uint64_t seed = 1;

    for ( unsigned int i = 0; i < TRIALS / 10; i++ )
    {
        make_trace(&m, &seed);
        compare(&m, i);
    }
}
END_TEST

START_TEST(damaged_files)
{
    static struct make m;
    uint64_t seed = 2;

    for ( unsigned int i = 0; i < TRIALS; i++ )
    {
        if ( i % 10 == 0 )
            make_trace(&m, &seed);
        damage_trace(&m, &seed);
        compare(&m, i);
    }
}
END_TEST

UNIT_MAIN("visit-metadata", intact_files, damaged_files)
