/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an id to its event, from a record to its fields and its text.  Texts are
 * compared with snprintf(), piece by piece, for every event and random
 * payloads.
 */
#include "libxentrace/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/catalogue-private.h"
#include "libxentrace/records.h"
#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define XEN_4_17 0x0411
#define XEN_4_20 0x0414

static const struct xt_dialect unknown;

static struct xt_catalogue *make_catalogue(uint16_t version, uint8_t hardware)
{
    struct xt_dialect d = { .version = version, .hardware = hardware };
    struct xt_catalogue *c;

    ck_assert_int_eq(xt_catalogue_new(&c, &d), 0);
    return c;
}

/* A record over words of the caller. */
static struct xt_record make_view(uint32_t event, const uint32_t *words,
                                  unsigned int nr)
{
    return (struct xt_record){ .event = event, .words = nr,
                               .payload = (const unsigned char *)words };
}

static const char *get_event_name(const struct xt_catalogue *c, uint32_t id,
                                  unsigned int words)
{
    const struct xt_event *e = xt_catalogue_find(c, id, words);

    return e ? e->name : "-";
}

/* The value of field `name`, which the record must have. */
static uint64_t get_field(const struct xt_catalogue *c,
                          const struct xt_record *r, const char *name)
{
    const struct xt_event *e = xt_catalogue_find(c, r->event, r->words);
    uint64_t value = 0;

    ck_assert_ptr_nonnull(e);
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( !strcmp(e->fields[i].name, name) )
        {
            ck_assert(xt_field_get(e, i, r, &value));
            return value;
        }
    ck_abort_msg("%s has no field %s", e->name, name);
}

/* --- finding -------------------------------------------------------------- */

/* Events are sorted, and each is found by its own id, in every version. */
START_TEST(every_event_is_found)
{
    struct xt_catalogue *c = make_catalogue(0, 0);

    ck_assert_uint_gt(xt_catalogue_nr_events, 200);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];
        const struct xt_event *found = xt_catalogue_find(c, e->id, e->words);

        ck_assert(!i || e[-1].id < e->id ||
                  (e[-1].id == e->id && e[-1].since < e->since));
        ck_assert_ptr_nonnull(found);
        ck_assert_uint_eq(found->id, e->id);
        ck_assert(xt_event_fits(found, e->words));
        ck_assert_ptr_nonnull(xt_catalogue_by_name(e->name));
        ck_assert_uint_le(e->max_words, XT_RECORD_MAX_WORDS);
    }
    xt_catalogue_free(c);
}
END_TEST

START_TEST(families_are_found)
{
    struct xt_catalogue *c = make_catalogue(0, 0);

    for ( uint32_t from = 0; from < 4; from++ )
        for ( uint32_t to = 0; to < 4; to++ )
            ck_assert_str_eq(get_event_name(c, 0x21001 | from << 8 | to << 4,
                                            1),
                             "sched_runstate_change");
    for ( uint32_t minor = 0; minor < 0x1000; minor++ )
        ck_assert_str_eq(get_event_name(c, 0x0800f000 | minor, 3),
                         "guest_event");
    ck_assert_str_eq(get_event_name(c, 0x81502, 3), "hvm_vmexit64_nested");
    ck_assert_str_eq(get_event_name(c, 0x40f208, 7), "shadow_emulate_4");
    xt_catalogue_free(c);
}
END_TEST

/* Two class bits, none, more than 28 bits, an unused subclass or minor. */
START_TEST(others_are_not_found)
{
    static const uint32_t ids[] = {
        0, 1, 0xf001, 0x3f001, 0x21003, 0x21041, 0x21401, 0x22212, 0x24001,
        0x8f000, 0x0ffff001, 0x10081001, 0x8001f001, 0xffffffff,
    };
    struct xt_catalogue *c = make_catalogue(0, 0);

    for ( size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++ )
        ck_assert_msg(!xt_catalogue_find(c, ids[i], 1), "%x", ids[i]);
    xt_catalogue_free(c);
}
END_TEST

/* The size of a record selects its layout, or else the version, or else age. */
START_TEST(versions)
{
    struct xt_catalogue *any = make_catalogue(0, 0);
    struct xt_catalogue *old = make_catalogue(XEN_4_17, 0);
    struct xt_catalogue *new = make_catalogue(XEN_4_20, 0);

    ck_assert_uint_eq(xt_catalogue_find(any, 0x40f009, 2)->until, 0x0412);
    ck_assert_uint_eq(xt_catalogue_find(any, 0x40f009, 3)->since, 0x0413);
    ck_assert_uint_eq(xt_catalogue_find(new, 0x40f009, 2)->until, 0x0412);
    ck_assert_uint_eq(xt_catalogue_find(old, 0x40f009, 3)->since, 0x0413);
    ck_assert_uint_eq(xt_catalogue_find(any, 0x10f010, 6)->until, 0x0412);
    ck_assert_uint_eq(xt_catalogue_find(old, 0x10f010, 6)->until, 0x0412);
    ck_assert_uint_eq(xt_catalogue_find(new, 0x10f010, 6)->since, 0x0413);
    /* A version without a declaration gets the declaration that exists. */
    ck_assert_str_eq(get_event_name(old, 0x81103, 3), "hvm_svm_exit64");
    ck_assert_str_eq(get_event_name(new, 0x201008, 0), "pv_math_state_restore");
    /* A size that fits no declaration still finds an event. */
    ck_assert_str_eq(get_event_name(any, 0x28004, 0), "sched_wake");
    xt_catalogue_free(any);
    xt_catalogue_free(old);
    xt_catalogue_free(new);
}
END_TEST

START_TEST(by_name_and_class)
{
    const struct xt_event *e = NULL;
    size_t nr = 0;

    ck_assert_uint_eq(xt_catalogue_by_name("sched_wake")->id, 0x28004);
    ck_assert_ptr_null(xt_catalogue_by_name("sched_wak"));
    ck_assert_str_eq(xt_catalogue_by_id(0x21231)->name,
                     "sched_runstate_change");
    ck_assert_ptr_null(xt_catalogue_by_id(0x21003));
    ck_assert_str_eq(xt_sem_name(xt_catalogue_sem("runstate"), 2), "blocked");
    ck_assert_ptr_null(xt_catalogue_sem(""));
    while ( (e = xt_catalogue_next(e, 0x21000)) )
    {
        ck_assert_uint_eq(e->id & 0xffff000, 0x21000);
        nr++;
    }
    ck_assert_uint_eq(nr, 2);
    for ( nr = 0; (e = xt_catalogue_next(e, TRC_ALL)); )
        nr++;
    ck_assert_uint_eq(nr, xt_catalogue_nr_events);
    ck_assert_ptr_null(xt_catalogue_next(NULL, 0x20000));
    ck_assert_uint_eq(xt_catalogue_sum(), xt_catalogue_sum());
    ck_assert_uint_ne(xt_catalogue_sum(), 0);
}
END_TEST

/* Each value of each type by name, in any order of declaration. */
START_TEST(names_of_values)
{
    for ( size_t i = 0; i < xt_catalogue_nr_sems; i++ )
    {
        const struct xt_sem *s = &xt_catalogue_sems[i];

        for ( unsigned int k = 0; k < s->nr_values; k++ )
            ck_assert_str_eq(xt_sem_name(s, s->values[k].value),
                             s->values[k].name);
        ck_assert_ptr_null(xt_sem_name(s, 0x123456789abcdef0));
    }
    ck_assert_ptr_null(xt_sem_name(xt_catalogue_sem("vmx_exit"), 35));
}
END_TEST

/* --- fields --------------------------------------------------------------- */

START_TEST(fields_of_part_of_a_word)
{
    static const uint32_t who[] = { 0x00050003 };
    static const uint32_t trap[] = { 0x1234, 0, 0xabcd800e };
    static const uint32_t rtds[] = { 0x21010007 };
    struct xt_catalogue *c = make_catalogue(0, 0);
    struct xt_record r = make_view(0x21231, who, 1);

    ck_assert_uint_eq(get_field(c, &r, "from"), 2);
    ck_assert_uint_eq(get_field(c, &r, "to"), 3);
    ck_assert_uint_eq(get_field(c, &r, "vcpu"), 3);
    ck_assert_uint_eq(get_field(c, &r, "dom"), 5);
    r = make_view(0x201103, trap, 3);
    ck_assert_uint_eq(get_field(c, &r, "rip"), 0x1234);
    ck_assert_uint_eq(get_field(c, &r, "trap"), 14);
    ck_assert_uint_eq(get_field(c, &r, "has_error"), 1);
    ck_assert_uint_eq(get_field(c, &r, "error_code"), 0xabcd);
    r = make_view(0x22806, rtds, 1);
    ck_assert_uint_eq(get_field(c, &r, "cpu"), 7);
    ck_assert_uint_eq(get_field(c, &r, "tickled"), 1);
    ck_assert_uint_eq(get_field(c, &r, "idle"), 2);
    xt_catalogue_free(c);
}
END_TEST

START_TEST(fields_with_a_sign_and_wide_ones)
{
    static const uint32_t burn[] = { 1, -5, INT32_MIN, 7 };
    static const uint32_t idle[] = { 0, -1 };
    static const uint32_t exit[] = { 30, 0x89abcdef, 0xffffffff };
    struct xt_catalogue *c = make_catalogue(0, 0);
    struct xt_record r = make_view(0x22203, burn, 4);

    ck_assert_int_eq((int64_t)get_field(c, &r, "credit"), -5);
    ck_assert_int_eq((int64_t)get_field(c, &r, "budget"), INT32_MIN);
    ck_assert_int_eq((int64_t)get_field(c, &r, "delta"), 7);
    r = make_view(0x22a05, idle, 2);
    ck_assert_int_eq((int64_t)get_field(c, &r, "dom"), -1);
    /* 64 bits that begin at the second word. */
    r = make_view(0x81102, exit, 3);
    ck_assert_uint_eq(get_field(c, &r, "rip"), 0xffffffff89abcdef);
    xt_catalogue_free(c);
}
END_TEST

/* Structs and fields come from the same line of events/, by two generators. */
START_TEST(structs_say_the_same)
{
    static const uint32_t words[] = {
        0x04030201, 0x14131211, 0x24232221, 0x34333231, 0x44434241, 0x54535251,
    };
    const struct xt_rec_hvm_vmexit64 *vmexit = (const void *)words;
    const struct xt_rec_rtds_schedule *rtds = (const void *)words;
    const struct xt_rec_mem_set_p2m_entry *p2m = (const void *)words;
    struct xt_catalogue *c = make_catalogue(XEN_4_20, 0);
    struct xt_record r = make_view(0x81102, words, 3);

    ck_assert_uint_eq(get_field(c, &r, "reason"), vmexit->reason);
    ck_assert_uint_eq(get_field(c, &r, "flags"), vmexit->flags);
    ck_assert_uint_eq(get_field(c, &r, "rip"), vmexit->rip);
    r = make_view(0x22806, words, 1);
    ck_assert_uint_eq(get_field(c, &r, "cpu"), rtds->cpu);
    ck_assert_uint_eq(get_field(c, &r, "tasklet"), rtds->tasklet);
    ck_assert_uint_eq(get_field(c, &r, "tickled"), rtds->tickled);
    ck_assert_uint_eq(get_field(c, &r, "idle"), rtds->idle);
    r = make_view(0x10f004, words, 6);
    ck_assert_uint_eq(get_field(c, &r, "mfn"), p2m->mfn);
    ck_assert_uint_eq(get_field(c, &r, "dom"), p2m->dom);
    ck_assert_uint_eq(get_field(c, &r, "order"), p2m->order);
    xt_catalogue_free(c);
}
END_TEST

/* Each hypercall record tells which arguments are present, and their sizes. */
START_TEST(arguments_of_hypercalls)
{
    /* 0: two words, 1: none, 2: one, 3: invalid. */
    static const uint32_t words[] = {
        20 | 2u << 20 | 1u << 24 | 3u << 26 | 1u << 28, 0x11, 0x22, 0x33, 0x44,
    };
    struct xt_catalogue *c = make_catalogue(0, 0);
    struct xt_record r = make_view(0x20100d, words, 5);
    const struct xt_event *e = xt_catalogue_find(c, r.event, r.words);
    char text[XT_TEXT_MAX];
    uint64_t value;

    ck_assert_uint_eq(get_field(c, &r, "op"), 20);
    ck_assert_uint_eq(get_field(c, &r, "arg0"), 0x2200000011);
    ck_assert_uint_eq(get_field(c, &r, "arg2"), 0x33);
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( !strncmp(e->fields[i].name, "arg", 3) &&
             strchr("1345", e->fields[i].name[3]) )
            ck_assert(!xt_field_get(e, i, &r, &value));
    *xt_catalogue_text(c, text, e, &r) = '\0';
    ck_assert_str_eq(text, "grant_table_op arg0 0x2200000011 arg2 0x33");

    /* Present by its size, but cut off. */
    r = make_view(0x20100d, words, 3);
    *xt_catalogue_text(c, text, e, &r) = '\0';
    ck_assert_str_eq(text, "grant_table_op arg0 0x2200000011");
    r = make_view(0x20100d, words, 2);
    *xt_catalogue_text(c, text, e, &r) = '\0';
    ck_assert_str_eq(text, "grant_table_op");
    xt_catalogue_free(c);
}
END_TEST

/* A record of any size, at the exact end of its memory, for each event. */
START_TEST(records_of_any_size)
{
    struct xt_catalogue *c = make_catalogue(0, 0);
    char text[XT_TEXT_MAX];

    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        for ( unsigned int words = 0; words <= XT_RECORD_MAX_WORDS; words++ )
        {
            const struct xt_event *e = &xt_catalogue_events[i];
            uint32_t *payload = malloc(words ? 4 * words : 1);
            struct xt_record r = make_view(e->id, payload, words);
            char *end;

            memset(payload, 0xff, 4 * words);
            end = xt_catalogue_text(c, text, e, &r);
            ck_assert(end <= text + sizeof(text));
            /* Every word beyond the declared ones is printed. */
            if ( words > e->max_words )
                ck_assert(!memcmp(end - 9, " ffffffff", 9));
            free(payload);
        }
    xt_catalogue_free(c);
}
END_TEST

/* --- texts ---------------------------------------------------------------- */

/* Replace the length modifier of the conversion by "ll". */
static void convert_text(char *to, const char *conversion, uint64_t value,
                         unsigned int bits)
{
    char with[32], letter = conversion[strlen(conversion) - 1];
    size_t head = strcspn(conversion + 1, "hlqjzt") + 1;

    if ( head == strlen(conversion) )
        head--;
    snprintf(with, sizeof(with), "%.*sll%c", (int)head, conversion, letter);
    if ( bits < 64 )
        value &= (UINT64_C(1) << bits) - 1;
    if ( (letter == 'd' || letter == 'i') && bits < 64 &&
         value >> (bits - 1) )
        value -= UINT64_C(1) << bits;
    sprintf(to, with, (unsigned long long)value);
}

static void expect_name(char *to, const struct xt_sem *s, uint64_t value)
{
    const char *name = xt_sem_name(s, value);

    if ( name )
        strcpy(to, name);
    else
        sprintf(to, "0x%llx", (unsigned long long)value);
}

/* The expected text of a whole record; tests below cover flags. */
static bool expect_text(char *to, const struct xt_event *e,
                        const struct xt_record *r)
{
    for ( unsigned int i = 0; i < e->nr_pieces; i++ )
    {
        const struct xt_piece *p = &e->pieces[i];
        const struct xt_field *f = p->field < 0 ? NULL : &e->fields[p->field];
        uint64_t value = 0;

        to += strlen(to);
        if ( !f )
        {
            strcpy(to, p->text);
            continue;
        }
        if ( f->present >= 0 || !xt_field_get(e, p->field, r, &value) ||
             (f->sem && (f->sem->meaning == XT_FLAGS ||
                         !strcmp(f->sem->name, "text"))) )
            return false;
        if ( p->text[strlen(p->text) - 1] == 's' )
            expect_name(to, f->sem, value);
        else
            convert_text(to, p->text, value, f->bits);
    }
    return true;
}

START_TEST(texts_are_those_of_printf)
{
    struct xt_catalogue *c = make_catalogue(0, 0);
    uint64_t seed = 4;
    unsigned int compared = 0;

    for ( unsigned int round = 0; round < 200 * xt_catalogue_nr_events;
          round++ )
    {
        const struct xt_event *e =
            &xt_catalogue_events[round % xt_catalogue_nr_events];
        char got[XT_TEXT_MAX], want[2 * XT_TEXT_MAX] = "";
        uint32_t words[XT_RECORD_MAX_WORDS];
        struct xt_record r = make_view(e->id, words, e->max_words);

        for ( unsigned int i = 0; i < XT_RECORD_MAX_WORDS; i++ )
            words[i] = make_random(&seed) * 2u >> make_random(&seed) % 32;
        if ( !expect_text(want, e, &r) )
            continue;
        *xt_catalogue_text(c, got, e, &r) = '\0';
        ck_assert_str_eq(got, want);
        compared++;
    }
    ck_assert_uint_gt(compared, 100 * xt_catalogue_nr_events);
    xt_catalogue_free(c);
}
END_TEST

/*
 * Programs against the general writer: every event, any size, random payloads.
 */
static void compare_writers(const struct xt_catalogue *c, size_t i,
                            unsigned int words, uint64_t *seed)
{
    const struct xt_event *e = &xt_catalogue_events[i];
    uint32_t *payload = malloc(words ? 4 * words : 1);
    struct xt_record r = make_view(e->id | (make_random(seed) & e->id_fields),
                                   payload, words);
    char fast[XT_TEXT_MAX], general[XT_TEXT_MAX];
    unsigned int bits = make_random(seed) % 32;

    for ( unsigned int k = 0; k < words; k++ )
        payload[k] = make_random(seed) * 2u >> bits;
    *xt_catalogue_text(c, fast, e, &r) = '\0';
    *catalogue_put_text(general, c, e, &r) = '\0';
    if ( strcmp(fast, general) )
        ck_abort_msg("%s, %u words: '%s', not '%s'", e->name, words, fast,
                     general);
    free(payload);
}

START_TEST(programs_write_the_same)
{
    struct xt_catalogue *c = make_catalogue(0, _i);
    unsigned int programs = 0;
    uint64_t seed = _i;

    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        for ( unsigned int words = 0; words <= XT_RECORD_MAX_WORDS; words++ )
            for ( unsigned int n = 0; n < 100; n++ )
                compare_writers(c, i, words, &seed);
    /* Nearly all events have a program. */
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        programs += c->programs[i * PROGRAMS + xt_catalogue_events[i].words] !=
                    NULL;
    ck_assert_uint_gt(programs, xt_catalogue_nr_events * 95 / 100);
    xt_catalogue_free(c);
}
END_TEST

static const struct
{
    uint32_t event;
    unsigned int nr;
    uint32_t words[7];
    uint8_t hardware;
    const char *text;
} texts[] = {
    { 0x82001, 2, { 0x16, 0x1000 }, 0, "va 0x1000 write,user,fetch" },
    { 0x82001, 2, { 0, 0 }, 0, "va 0x0 -" },
    { 0x82001, 2, { 0x1000, 0 }, 0, "va 0x0 0x1000" },
    { 0x82001, 1, { 1 }, 0, "va 0x? present" },
    { 0x8200f, 0, { 0 }, 0, "external interrupt" },
    { 0x8200f, 1, { 0xfb }, 0, "external interrupt vector 0xfb" },
    { 0x82010, 2, { 1, 2 }, 0, "NMI + 00000001 00000002" },
    { 0x82016, 1, { 0x3f8 }, 0, "port 0x3f8" },
    { 0x82016, 2, { 0x3f8, 10 }, 0, "port 0x3f8 data 0xa" },
    /* The dialect selects the table of exit codes, or none. */
    { 0x81002, 2, { 12, 16 }, 0, "0xc rip 0x10" },
    { 0x81002, 2, { 12, 16 }, XT_HARDWARE_VMX, "HLT rip 0x10" },
    { 0x81002, 2, { 0x78, 16 }, XT_HARDWARE_SVM, "HLT rip 0x10" },
    { 0x81002, 2, { 0x80000021, 16 }, XT_HARDWARE_VMX,
      "INVALID_GUEST_STATE,0x80000000 rip 0x10" },
    { 0x81002, 2, { 0xffffffff, 16 }, XT_HARDWARE_SVM, "INVALID rip 0x10" },
    { 0x81003, 2, { 0x400, 16 }, 0, "NPF rip 0x10" },
    /* Bytes of a text, lowest first; control characters are replaced. */
    { 0x1f087, 7, { 0x01000007, 0x336e6564, 0x1b41, 0, 0, 0, 0 }, 0,
      "host 0/1: den3A." },
    { 0x0800f123, 2, { 1, 0xffffffff }, 0, "event 0x123 00000001 ffffffff" },
};

START_TEST(texts_of_a_kind)
{
    struct xt_catalogue *c = make_catalogue(0, texts[_i].hardware);
    struct xt_record r = make_view(texts[_i].event, texts[_i].words,
                                   texts[_i].nr);
    char text[XT_TEXT_MAX];

    *xt_catalogue_text(c, text, xt_catalogue_find(c, r.event, r.words), &r) =
        '\0';
    ck_assert_str_eq(text, texts[_i].text);
    xt_catalogue_free(c);
}
END_TEST

START_TEST(text_of_nobody)
{
    static const uint32_t words[] = { 1, 0xabc };
    struct xt_catalogue *c = make_catalogue(0, 0);
    struct xt_record r = make_view(0x82fff, words, 2);
    char text[XT_TEXT_MAX];

    *xt_catalogue_text(c, text, NULL, &r) = '\0';
    ck_assert_str_eq(text, " 00000001 00000abc");
    xt_catalogue_free(c);
}
END_TEST

START_TEST(without_memory)
{
    struct xt_catalogue *c;
    int rc;

    for ( uint64_t n = 1; ; n++ )
    {
        fault_arm(FAULT_ALLOC, n);
        rc = xt_catalogue_new(&c, &unknown);
        xt_catalogue_free(c);
        ck_assert_int_eq(fault_blocks(), 0);
        if ( !fault_fired(FAULT_ALLOC) )
            break;
        ck_assert_int_eq(rc, -ENOMEM);
        ck_assert_ptr_null(c);
    }
    ck_assert_int_eq(rc, 0);
    fault_disarm();
}
END_TEST

UNIT_ROWS("catalogue", { every_event_is_found, 1 }, { families_are_found, 1 },
          { others_are_not_found, 1 }, { versions, 1 },
          { by_name_and_class, 1 }, { names_of_values, 1 },
          { fields_of_part_of_a_word, 1 },
          { fields_with_a_sign_and_wide_ones, 1 }, { structs_say_the_same, 1 },
          { arguments_of_hypercalls, 1 }, { records_of_any_size, 1 },
          { texts_are_those_of_printf, 1 }, { programs_write_the_same, 3 },
          { texts_of_a_kind, sizeof(texts) / sizeof(texts[0]) },
          { text_of_nobody, 1 }, { without_memory, 1 })
