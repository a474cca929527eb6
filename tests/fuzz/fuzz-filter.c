/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as --pcpu, --domain, --vcpu, --event and --time, a line each: either
 * a filter or a reason, never both; and the filter holds for any record.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "xenalyze/filter/filter.h"

enum { PCPUS, DOMAINS, VCPUS, EVENTS, TIME, NR_TEXTS };

static void ask(const struct filter *f)
{
    static const uint32_t payload[7] = { 1, 2, 3, 4, 5, 6, 7 };
    struct xt_dialect none = { 0 };
    struct xt_catalogue *c;
    struct xt_record r = { .payload = (const unsigned char *)payload };

    MUST(!xt_catalogue_new(&c, &none));
    for ( size_t i = 0; i < xt_catalogue_nr_events; i += 7 )
        for ( r.words = 0; r.words < 8; r.words++ )
        {
            r.event = xt_catalogue_events[i].id;
            filter_wants(f, c, i, r.words % 2 ? FILTER_NO_VCPU : 1u << 16, &r);
        }
    r.event = 0x0fffffff;
    filter_wants(f, c, 65535, 0, &r);
    MUST(!filter_is_empty(f) || filter_wants(f, c, 0, FILTER_NO_VCPU, &r));
    xt_catalogue_free(c);
}

static void filters(char *const *texts)
{
    static struct xt_domain_name all[] = {
        { .id = 0, .name = "Domain-0", .label = "Domain-0", .length = 8 },
        { .id = 3, .name = "web1", .label = "web1#3", .length = 6 },
        { .id = 4, .name = "web1", .label = "web1#4", .length = 6 },
    };
    static const struct xt_domain_names names = { .all = all, .nr = 3 };
    struct filter_texts t = {
        texts[PCPUS], texts[DOMAINS], texts[VCPUS], texts[EVENTS], &names,
        NULL, texts[EVENTS] && *texts[EVENTS] == 'p',
    };
    struct err e = ERR_INIT;
    struct filter *f;
    int rc = filter_new(&f, &t, &e);

    MUST(!rc == !e.code);
    MUST(!rc == !!f);
    if ( !rc )
        ask(f);
    filter_free(f);
}

static void spans(const char *text)
{
    struct err e = ERR_INIT;
    struct xt_clock clock;
    struct span s;
    uint64_t from, until;

    if ( span_parse(text, &s, &e) )
    {
        MUST(e.code && e.text[0]);
        return;
    }
    MUST(!e.code);
    xt_clock_init(&clock, 2400000000u, 1000000000u, 1000);
    xt_clock_set_wall(&clock, 1000, 1700000000000000000);
    span_resolve(&s, &clock, 1000, 5000, &from, &until, &e);
    span_resolve(&s, &clock, 1000, 0, &from, &until, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char text[512], *texts[NR_TEXTS] = { NULL }, *p = text;
    size_t n = size < sizeof(text) ? size : sizeof(text) - 1;

    memcpy(text, bytes, n);
    text[n] = '\0';
    for ( int i = 0; i < NR_TEXTS && p; i++ )
    {
        texts[i] = p;
        p = strchr(p, '\n');
        if ( p )
            *p++ = '\0';
        /* An empty text stands for an option that is not given. */
        if ( !*texts[i] )
            texts[i] = NULL;
    }
    filters(texts);
    if ( texts[TIME] )
        spans(texts[TIME]);
    return 0;
}
