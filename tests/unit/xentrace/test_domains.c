/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New domains are reported once, and later files contain them.
 */
#include "xentrace/metadata.h"
#include "xentrace/domains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/xentrace/fake.h"

/* Format records as words: d3 for a domain, n3 for a part of its name. */
static void add_record(void *text, const struct xt_meta *m)
{
    char word[16];

    snprintf(word, sizeof(word), "%c%u ",
             m->event == TRC_META_DOMAIN ? 'd' : 'n',
             m->event == TRC_META_DOMAIN ? m->domain.dom : m->text.kind);
    strcat(text, word);
}

static void poll_domains(struct domains *d, struct fake *f, const char *want)
{
    char text[200] = "";

    domains_poll(d, &f->hv, add_record, text);
    ck_assert_str_eq(text, want);
}

START_TEST(once)
{
    struct err e = ERR_INIT;
    struct domains d;
    struct fake f;

    fake_init(&f, true);
    ck_assert_int_eq(domains_init(&d, &e), 0);
    f.domain[0] = "Domain-0";
    poll_domains(&d, &f, "d0 n0 ");
    poll_domains(&d, &f, "");
    /* The toolstack creates a domain first and names it later. */
    f.domain[2] = "";
    poll_domains(&d, &f, "d2 ");
    f.domain[2] = "guest";
    poll_domains(&d, &f, "n2 ");
    poll_domains(&d, &f, "");
    /* The domain is destroyed, and another one has its id. */
    f.domain[2] = NULL;
    poll_domains(&d, &f, "");
    f.domain[2] = "other";
    f.domain[1] = "a name that does not fit into one record";
    poll_domains(&d, &f, "d1 d2 n1 n1 n2 ");
    domains_fini(&d);
    fake_fini(&f);
}
END_TEST

/* A hypervisor that reports an affinity with each domain. */
static void put_pinned(struct hv *hv, hv_record_fn *put, void *arg)
{
    (void)hv;
    put(arg, &(struct xt_meta){ .event = TRC_META_AFFINITY,
                                .affinity.dom = 5 });
    put(arg, &(struct xt_meta){ .event = TRC_META_DOMAIN, .domain.dom = 4 });
    put(arg, &(struct xt_meta){ .event = TRC_META_AFFINITY,
                                .affinity.dom = 4 });
    put(arg, &(struct xt_meta){ .event = TRC_META_AFFINITY,
                                .affinity.dom = 0xffff });
}

/*
 * A fake hypervisor that lists its domains with `type`.  The domain `named` is
 * flagged as named, so that no name is requested.
 */
static void init_domains(struct domains *d, struct fake *f,
                         struct hypervisor *type, unsigned int named)
{
    struct err e = ERR_INIT;

    fake_init(f, true);
    type->domain_name = f->hv.type->domain_name;
    f->hv.type = type;
    ck_assert_int_eq(domains_init(d, &e), 0);
    f->domain[0] = "";
    d->known[named] = 4;
}

static void count_affinity(void *nr, const struct xt_meta *m)
{
    *(unsigned int *)nr += m->event == TRC_META_AFFINITY;
}

/* The affinity is reported together with a new domain, and not again. */
START_TEST(affinity)
{
    struct hypervisor type = { .domains = put_pinned };
    unsigned int nr = 0;
    struct domains d;
    struct fake f;

    init_domains(&d, &f, &type, 4);
    domains_poll(&d, &f.hv, count_affinity, &nr);
    ck_assert_uint_eq(nr, 1);
    domains_poll(&d, &f.hv, count_affinity, &nr);
    ck_assert_uint_eq(nr, 1);
    domains_fini(&d);
    fake_fini(&f);
}
END_TEST

/* A hypervisor that reports impossible domain ids. */
static void put_absurd(struct hv *hv, hv_record_fn *put, void *arg)
{
    (void)hv;
    for ( unsigned int id = 0x7fef; id <= 0xffff; id += 0x10 )
        put(arg, &(struct xt_meta){ .event = TRC_META_DOMAIN,
                                    .domain.dom = id });
}

START_TEST(impossible)
{
    struct hypervisor type = { .domains = put_absurd };
    struct domains d;
    struct fake f;

    init_domains(&d, &f, &type, 0x7fef);
    poll_domains(&d, &f, "d32751 ");
    domains_fini(&d);
    fake_fini(&f);
}
END_TEST

/* A copy includes later records; without memory, some records are missing. */
START_TEST(copies)
{
    const struct metadata_start start = { .pages = 1 };
    struct err e = ERR_INIT;
    struct xt_meta *m;
    struct metadata a;
    struct fake f;
    size_t before, after;
    unsigned int nr;
    void *copy;

    fake_init(&f, true);
    ck_assert_int_eq(metadata_init(&a, &f.hv, &f.info, &start, &e), 0);
    before = a.used;
    metadata_poll(&a, &f.hv, &m, &nr);
    ck_assert_uint_eq(nr, 0);
    free(m);
    f.domain[1] = "guest";
    metadata_poll(&a, &f.hv, &m, &nr);
    ck_assert_uint_eq(nr, 2);
    ck_assert_uint_eq(m[1].event, TRC_META_DOMAIN_NAME);
    free(m);
    copy = metadata_copy(&a, &after);
    ck_assert_uint_gt(after, before);
    ck_assert_int_eq(memcmp(copy, a.bytes, after), 0);
    free(copy);
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_ptr_null(metadata_copy(&a, &after));
    fault_disarm();
    metadata_fini(&a);
    fake_fini(&f);
}
END_TEST

UNIT_MAIN("domains", once, affinity, impossible, copies)
