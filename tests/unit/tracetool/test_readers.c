/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generated readers of the real catalogue (libxentrace/readers.h) against
 * the catalogue's own table: of each field of each layout the place, the
 * member of the struct and xt_field_get() have to agree.  readers-rows.h is
 * made of readers.h, a CHECK() for each field.
 */
#include <stdio.h>
#include <string.h>

#include "libxentrace/catalogue.h"
#include "libxentrace/readers.h"
#include "tests/unit/common/unit.h"

#define MIN_FIELDS 500u         /* fewer fields mean a broken readers-rows.h */
#define XEN_4_17 0x0411
#define XEN_4_19 0x0413

/* A record with random words; its payload begins at an odd address. */
struct noise
{
    unsigned char bytes[1 + 4 * XT_RECORD_MAX_WORDS];
    struct xt_record r;
};

static void noise_fill(struct noise *n, uint64_t *seed)
{
    for ( size_t i = 0; i < sizeof(n->bytes); i++ )
        n->bytes[i] = unit_random(seed) >> 32;
    n->r = (struct xt_record){ .words = XT_RECORD_MAX_WORDS,
                               .payload = n->bytes + 1 };
}

/* NAME, or NAME_until_4_18 of a layout that is not the newest. */
static bool is_layout(const struct xt_event *e, const char *layout)
{
    size_t length = strlen(e->name);
    unsigned int major, minor;

    if ( strncmp(layout, e->name, length) )
        return false;
    if ( !layout[length] )
        return !e->until || e + 1 == xt_catalogue_events +
                                     xt_catalogue_nr_events ||
               strcmp(e[1].name, e->name);
    return sscanf(layout + length, "_until_%u_%u", &major, &minor) == 2 &&
           e->until == (major << 8 | minor);
}

static const struct xt_event *find_layout(const char *layout)
{
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( is_layout(&xt_catalogue_events[i], layout) )
            return &xt_catalogue_events[i];
    ck_abort_msg("no layout %s in the catalogue", layout);
}

static unsigned int find_field(const struct xt_event *e, const char *name)
{
    size_t length;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        length = strlen(e->fields[i].name);
        if ( !strncmp(name, e->fields[i].name, length) &&
             (!name[length] || !strcmp(name + length, "_")) )
            return i;
    }
    ck_abort_msg("%s has no field %s", e->name, name);
}

static void check_field(const struct xt_record *r, const char *layout,
                        const char *name, struct xt_field_place p,
                        uint64_t member)
{
    const struct xt_event *e = find_layout(layout);
    uint64_t mask = UINT64_MAX >> (64 - p.bits), value;
    struct xt_record shorter = *r;

    ck_assert(xt_field_get(e, find_field(e, name), r, &value));
    ck_assert_msg(xt_field_load(r, p) == (value & mask) &&
                  (member & mask) == (value & mask),
                  "%s.%s: place %#lx, member %#lx, catalogue %#lx", layout,
                  name, (unsigned long)xt_field_load(r, p),
                  (unsigned long)member, (unsigned long)value);

    shorter.words = (p.bit + p.bits - 1) / 32;
    ck_assert(!xt_field_present(&shorter, p));
    ck_assert_uint_eq(xt_field_load(&shorter, p), 0);
    shorter.words++;
    ck_assert_uint_eq(xt_field_load(&shorter, p), value & mask);
}

static unsigned int nr_fields;

#define CHECK(layout, field)                                            \
    check_field(r, #layout, #field, XT_AT(layout, field),               \
                (uint64_t)xt_view_##layout(r)->field);                  \
    nr_fields++;

static void check_fields(const struct xt_record *r)
{
#include "tests/unit/tracetool/readers-rows.h"
}

START_TEST(every_field_is_where_the_catalogue_has_it)
{
    uint64_t seed = unit_seed();
    struct noise n;

    for ( unsigned int i = 0; i < 10; i++ )
    {
        noise_fill(&n, &seed);
        nr_fields = 0;
        check_fields(&n.r);
        ck_assert_uint_ge(nr_fields, MIN_FIELDS);
    }
}
END_TEST

START_TEST(short_record_has_no_view)
{
    uint64_t seed = unit_seed();
    struct noise n;

    noise_fill(&n, &seed);
    n.r.words = XT_WORDS(sched_wake);
    ck_assert_ptr_eq(xt_view_sched_wake(&n.r), n.r.payload);
    n.r.words--;
    ck_assert_ptr_null(xt_view_sched_wake(&n.r));
    /* The data of a port is in the tail. */
    n.r.words = 1;
    ck_assert_ptr_nonnull(xt_view_hvm_ioport_read(&n.r));
    ck_assert(!xt_field_present(&n.r, XT_AT(hvm_ioport_read, data)));
    ck_assert_uint_eq(xt_field_load(&n.r, (struct xt_field_place){ 0, 0 }), 0);
}
END_TEST

START_TEST(id_has_its_fields)
{
    static const uint32_t id = TRC_SCHED_RUNSTATE_CHANGE;

    for ( uint32_t from = 0; from < 4; from++ )
        for ( uint32_t to = 0; to < 4; to++ )
        {
            uint32_t event = id | from << 8 | to << 4;

            ck_assert(xt_is_sched_runstate_change(event));
            ck_assert_uint_eq(xt_id_sched_runstate_change_from(event), from);
            ck_assert_uint_eq(xt_id_sched_runstate_change_to(event), to);
        }
    ck_assert(!xt_is_sched_runstate_change(TRC_SCHED_CONTINUE_RUNNING));
    ck_assert(!xt_is_sched_runstate_change(id | 0x400));
    ck_assert(!xt_is_sched_runstate_change(id | 0x040));
    ck_assert_uint_eq(XT_VALUE(runstate, offline), 3);
}
END_TEST

/* As xt_catalogue_find() chooses. */
START_TEST(layout_goes_by_version_or_by_size)
{
    ck_assert_uint_eq(xt_layout_mem_pod_populate(0, 6), 0);
    ck_assert_uint_eq(xt_layout_mem_pod_populate(XEN_4_17, 6), 0);
    ck_assert_uint_eq(xt_layout_mem_pod_populate(XEN_4_19, 6), 1);
    /* Two words until 4.18, three since. */
    ck_assert_uint_eq(
        xt_layout_shadow_emulate_unshadow_user_2(XEN_4_19, 2), 0);
    ck_assert_uint_eq(
        xt_layout_shadow_emulate_unshadow_user_2(XEN_4_17, 3), 1);
    ck_assert_uint_eq(
        xt_layout_shadow_emulate_unshadow_user_2(XEN_4_19, 7), 1);
}
END_TEST

UNIT_MAIN("readers", every_field_is_where_the_catalogue_has_it,
          short_record_has_no_view, id_has_its_fields,
          layout_goes_by_version_or_by_size)
