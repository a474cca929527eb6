/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VM exits of a vcpu: reasons with their handlers, interrupts, I/O accesses.
 */
#include "xenalyze/text/text-private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "xenalyze/model/model.h"

#define LINE 192u

/* --- details of a reason -------------------------------------------------- */

static void print_cost(const struct text *t, const struct stats *s,
                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void print_cost(const struct text *t, const struct stats *s,
                       const char *format, ...)
{
    char name[LINE];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    stats_line_cost(t->out, &t->scale, name, s);
}

static void print_vmcall(const struct text *t, uint64_t key,
                         const struct stats *s)
{
    uint32_t at = SUMMARY_DETAIL_AT(key);
    const char *name = at < SUMMARY_HYPERCALLS ? hypercall_name(at) : NULL;

    print_cost(t, s, "    [%10s] ", name ? name : "max");
}

/* Interrupt counts by vector; stock's names of vectors date from 2006. */
static void print_interrupt(const struct text *t, uint64_t key,
                            const struct stats *s)
{
    fprintf(t->out, "            [%3" PRIu32 "]: %" PRIu64 "\n",
            SUMMARY_DETAIL_AT(key), stats_events(s));
}

/* The value `most` includes all greater values. */
static void print_times(const struct text *t, uint64_t key,
                        const struct stats *s, const char *before,
                        const char *most)
{
    unsigned int times = SUMMARY_DETAIL_TIMES(key);

    assert(SUMMARY_DETAIL_PART(key));
    if ( times == summary_part_max_times(key) )
        print_cost(t, s, "%s ", most);
    else
        print_cost(t, s, "%s[%3u] ", before, times);
}

static void print_shadow(const struct text *t, uint64_t key,
                         const struct stats *s)
{
    const char *name = shadow_name(SUMMARY_DETAIL_AT(key));

    if ( !SUMMARY_DETAIL_PART(key) )
        print_cost(t, s, "     %-25s ", name ? name : "?");
    else if ( summary_part_name(key) )
        print_cost(t, s, "      *%-13s ", summary_part_name(key));
    else
        print_times(t, key, s, "       +", "        +[max]");
}

static void print_cr(const struct text *t, uint64_t key,
                     const struct stats *s)
{
    if ( SUMMARY_DETAIL_PART(key) )
        print_times(t, key, s, "     *", "     *[MAX]");
    else
        print_cost(t, s, "   cr%" PRIu32 " ", SUMMARY_DETAIL_AT(key));
}

static void print_mmio(const struct text *t, uint64_t key,
                       const struct stats *s)
{
    (void)key;
    print_cost(t, s, "   mmio ");
}

/* Stock's names do not distinguish reads from writes. */
static void print_generic(const struct text *t, uint64_t key,
                          const struct stats *s)
{
    char name[SUMMARY_DETAIL_NAME], *more;

    more = strstr(summary_detail_name(key, name), SUMMARY_DETAIL_WRITE);
    if ( more )
        *more = '\0';
    print_cost(t, s, "   %s ", name);
}

static const struct { const char *heading;
                      void (*print)(const struct text *t, uint64_t key,
                                    const struct stats *s); } details[] = {
    [HANDLE_GENERIC] = { NULL, print_generic },
    [HANDLE_CR] = { NULL, print_cr },
    [HANDLE_HYPERCALL] = { NULL, print_vmcall },
    [HANDLE_INTERRUPT] = { NULL, print_interrupt },
    [HANDLE_SHADOW] = { "   page_fault\n", print_shadow },
    [HANDLE_MMIO] = { NULL, print_mmio },
};

#define NR_DETAILS (sizeof(details) / sizeof(details[0]))

/* A detail and its parts: the next keys, which differ in the low bytes. */
_Static_assert(NR_DETAILS <= HANDLE_KINDS, "a kind of handler is the row");

static bool is_part_of(const struct stats_row *row,
                       const struct stats_row *whole)
{
    return row->key >> 16 == whole->key >> 16;
}

static void print_parts(const struct text *t, struct stats_row **rows,
                        size_t nr, const struct sort_row *first)
{
    for ( size_t i = first->index;
          i < nr && is_part_of(rows[i], rows[first->index]); i++ )
        details[SUMMARY_DETAIL_KIND(rows[i]->key)].print(t, rows[i]->key,
                                                         &rows[i]->stats);
}

/* Sorts the details of a kind by --sort; parts stay with their detail. */
static void print_kind(const struct text *t, struct stats_row **rows,
                       size_t nr)
{
    unsigned int kind = SUMMARY_DETAIL_KIND(rows[0]->key);
    enum sort_key key = kind == HANDLE_INTERRUPT ? SORT_COUNT
                                                 : t->request->sort;
    struct sort_row *wholes = arena_array(&t->summary->pool.arena, nr,
                                          sizeof(*wholes), 8);
    size_t n = 0;

    assert(nr);
    t->summary->pool.failed |= !wholes;
    if ( !wholes || kind >= NR_DETAILS || !details[kind].print )
        return;
    for ( size_t i = 0; i < nr; i++ )
        if ( !i || !is_part_of(rows[i], rows[i - 1]) )
            wholes[n++] = (struct sort_row){
                sort_value(key, &rows[i]->stats), i,
            };
    n = sort_rows(t->request, wholes, n);
    if ( details[kind].heading )
        fputs(details[kind].heading, t->out);
    for ( size_t i = 0; i < n; i++ )
        print_parts(t, rows, nr, &wholes[i]);
}

static void print_details(const struct text *t, const struct summary_exit *x)
{
    struct stats_row **rows = stats_map_by_key(&x->details, &t->summary->pool);
    size_t end, nr = rows ? x->details.used : 0;

    for ( size_t i = 0; i < nr; i = end )
    {
        for ( end = i + 1; end < nr && SUMMARY_DETAIL_KIND(rows[end]->key) ==
                                       SUMMARY_DETAIL_KIND(rows[i]->key); )
            end++;
        print_kind(t, rows + i, end - i);
    }
}

/* --- reasons -------------------------------------------------------------- */

static void print_exit(const struct text *t, const struct summary_exit *x)
{
    if ( exit_name(x->cause) )
        print_cost(t, &x->cost, " %-20s ", exit_name(x->cause));
    else
        print_cost(t, &x->cost, " %20" PRIu32 " ", exit_reason(x->cause));
    print_details(t, x);
}

/* Prints exits with unnamed reasons, by the number of the reason. */
static void print_others(const struct text *t, const struct summary_hvm *h)
{
    struct stats_row **rows = stats_map_by_key(&h->others, &t->summary->pool);
    size_t n = sort_map(t->request, &t->summary->pool, rows, h->others.used,
                        false);
    const struct summary_exit *other = summary_exit_find(h, EXIT_OTHER);

    for ( size_t i = 0; i < n; i++ )
        print_cost(t, &rows[i]->stats, " %20" PRIu64 " ", rows[i]->key);
    if ( other )
        print_details(t, other);
}

/* Unnamed reasons come last: a hostile trace has many of them. */
static void print_exits(const struct text *t, const struct summary_hvm *h)
{
    struct sort_row rows[EXIT_CAUSES];
    size_t n = 0;

    for ( unsigned int i = 0; i < EXIT_OTHER; i++ )
    {
        const struct summary_exit *x = summary_exit_find(h, i);

        if ( x )
            rows[n++] = (struct sort_row){
                sort_value(t->request->sort, &x->cost), i,
            };
    }
    assert(n <= EXIT_OTHER);
    n = sort_rows(t->request, rows, n);
    fprintf(t->out, "Exit reasons:\n");
    for ( size_t i = 0; i < n; i++ )
        print_exit(t, summary_exit_find(h, rows[i].index));
    print_others(t, h);
}

/* --- what the guest got --------------------------------------------------- */

static void print_halts(const struct text *t, const struct summary_halts *h,
                        uint64_t vector)
{
    static const char *const names[] = {
        "   * wake to halt alone", "   * wake to halt any  ",
        "   * intr to halt      ",
    };
    const struct stats_map *maps[] = { &h->alone, &h->any, &h->other };

    for ( unsigned int i = 0; i < 3; i++ )
    {
        const struct stats *s = stats_map_find(maps[i], vector);

        if ( s )
            stats_line_time(t->out, &t->scale, names[i], s);
    }
}

static void print_interrupts(const struct text *t, const struct summary_vcpu *v)
{
    const struct stats_map *m = &v->hvm->interrupts;
    struct stats_row **rows = stats_map_by_key(m, &t->summary->pool);
    size_t n = sort_map(t->request, &t->summary->pool, rows, m->used, true);

    fprintf(t->out, "Guest interrupt counts:\n");
    for ( size_t i = 0; i < n; i++ )
    {
        fprintf(t->out, "  [%3" PRIu64 "] %" PRIu64 "\n", rows[i]->key,
                stats_events(&rows[i]->stats));
        if ( v->halts )
            print_halts(t, v->halts, rows[i]->key);
    }
}

/* The VGA window: very many accesses, rarely of interest. */
static bool is_vga(uint64_t address)
{
    return address >= 0xa0000 && address < 0xc0000;
}

/* Prints the lowest guest-virtual address of several mappings. */
static void print_address(const struct text *t, const struct stats_row *row,
                          const struct stats_map *vas)
{
    const struct stats *va = vas ? stats_map_find(vas, row->key / 2) : NULL;
    char where[24] = "";

    if ( va && va->count )
        snprintf(where, sizeof(where), "@%8" PRIx64, va->min);
    print_cost(t, &row->stats, "%8" PRIx64 "%s:[%c] ", row->key / 2, where,
               row->key & 1 ? 'w' : 'r');
}

static void print_addresses(const struct text *t, const char *heading,
                            const struct stats_map *m,
                            const struct stats_map *vas, bool no_vga)
{
    struct stats_row **rows = stats_map_by_key(m, &t->summary->pool);
    size_t n = 0;

    for ( size_t i = 0; rows && i < m->used; i++ )
        if ( !no_vga || !is_vga(rows[i]->key / 2) )
            rows[n++] = rows[i];
    n = sort_map(t->request, &t->summary->pool, rows, n, false);
    if ( rows )
        fprintf(t->out, "%s address summary:\n", heading);
    for ( size_t i = 0; i < n; i++ )
        print_address(t, rows[i], vas);
    if ( m->others )
        print_cost(t, m->others, "  others:    ");
}

static void print_histogram(const struct text *t, const struct stats_map *m)
{
    struct stats_row **rows = stats_map_by_key(m, &t->summary->pool);
    uint64_t width = t->request->histogram;

    assert(!rows || width);
    if ( rows )
        fprintf(t->out, "Interrupt eip histogram:\n");
    for ( size_t i = 0; rows && i < m->used; i++ )
        fprintf(t->out, "[%" PRIx64 "-%" PRIx64 "]: %" PRIu64 "\n",
                rows[i]->key * width, rows[i]->key * width + (width - 1),
                stats_events(&rows[i]->stats));
}

void text_hvm(const struct text *t, const struct summary_vcpu *v)
{
    assert(v->hvm);
    print_exits(t, v->hvm);
    print_interrupts(t, v);
    print_histogram(t, &v->hvm->bars);
    print_addresses(t, "IO", &v->hvm->io, NULL, false);
    print_addresses(t, "MMIO", &v->hvm->mmio, &v->hvm->mmio_va,
                    t->request->no_mmio_vga);
}

/* --- places in guests ----------------------------------------------------- */

void text_eips(const struct text *t, const struct stats_map *m)
{
    struct stats_row **rows = stats_map_by_sum(m, &t->summary->pool);
    char name[SYMBOLS_TEXT_MAX];
    uint64_t events = 0;
    size_t n;

    for ( size_t i = 0; rows && i < m->used; i++ )
        events += stats_events(&rows[i]->stats);
    if ( !events )
        return;
    fprintf(t->out, "   Total samples: %" PRIu64 "\n", events);
    n = sort_map(t->request, &t->summary->pool, rows, m->used, false);
    for ( size_t i = 0; i < n; i++ )
    {
        const struct stats *s = &rows[i]->stats;

        symbols_text(t->request->symbols, rows[i]->key, name);
        if ( s->sum )
            print_cost(t, s, "   %12" PRIx64 "%-45s: ", rows[i]->key, name);
        else
            fprintf(t->out, "   %12" PRIx64 "%-45s:  %7" PRIu64 " %5.2f%%\n",
                    rows[i]->key, name, stats_events(s),
                    stats_share(stats_events(s), events));
    }
}
