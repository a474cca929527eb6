/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables below the verdict of --why: the waiting time of each domain by what
 * had the pcpu, and the longest waits in pieces.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/text-wrap.h"
#include "common/utf8.h"

#define MAX_CELLS 8u            /* domains in a line */
#define LEAST_SHARE 0.05        /* is not printed as 0.0 % */

/* Uses of the pcpu by no vcpu. */
static const char *const cause_texts[WAIT_CAUSES] = {
    [WAIT_CAP] = "cap or budget", [WAIT_SLEEP] = "sleep state",
    [WAIT_XEN] = "Xen", [WAIT_IDLE] = "idle", [WAIT_LOST] = "records lost",
    [WAIT_UNKNOWN] = "unknown",
};

/* --- domains -------------------------------------------------------------- */

struct row_printer
{
    const struct wait_causes *waits;
    const struct wait_matrix_row *row;
    struct text_wrap wrap;
    const char *mark;           /* before the next item */
};

/* False: too small to print. */
static bool add_share(struct row_printer *p, const char *name, uint64_t cycles)
{
    double share = stats_share(cycles, p->row->waited);
    char text[NUM_CLOCK_MAX];

    if ( share < LEAST_SHARE )
        return false;
    text_wrap_add(&p->wrap, p->mark, "%s %.1f%% (%s)", name, share,
                  text_duration(&p->waits->clock, cycles, text));
    p->mark = ",";
    return true;
}

/* The domains that had the pcpu; then those that have no name in the line. */
static void add_cells(struct row_printer *p,
                      const struct xt_domain_names *names)
{
    uint64_t rest = p->row->others;
    char name[XT_LABEL_MAX];
    size_t more = 0;

    for ( size_t i = 0; i < p->row->nr_cells; i++ )
    {
        const struct wait_matrix_cell *c = &p->row->cells[i];

        if ( i < MAX_CELLS &&
             add_share(p, xt_domain_column(names, c->domain, LATENCY_WIDEST,
                                           name), c->cycles) )
            continue;
        rest += c->cycles;
        more++;
    }
    snprintf(name, sizeof(name), "and %zu more", more);
    add_share(p, p->row->others ? "others" : name, rest);
}

static void print_pcpu_uses(const struct wait_causes *w,
                            const struct wait_matrix_row *row,
                            const struct xt_domain_names *names, FILE *out)
{
    struct row_printer p = { .waits = w, .row = row,
                             .wrap = text_wrap_begin(out), .mark = ";" };
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];
    unsigned int width = latency_width(names);

    assert(row->waited);
    xt_domain_column(names, row->domain, width, name);
    text_wrap_add(&p.wrap, "", "%-*s waited %s", utf8_width(name, width), name,
                  text_duration(&w->clock, row->waited, text));
    add_cells(&p, names);
    for ( unsigned int i = 0; i < WAIT_CAUSES; i++ )
        if ( cause_texts[i] )
            add_share(&p, cause_texts[i], row->causes[i]);
    text_wrap_end(&p.wrap);
}

static int print_domain_waits(struct wait_causes *w,
                              const struct report_request *request,
                              FILE *out)
{
    struct wait_matrix_row *rows = fault_calloc(w->nr_vcpus + 1, sizeof(*rows));
    struct sort_row *order = fault_calloc(w->nr_vcpus + 1, sizeof(*order));
    bool ok = rows && order;
    size_t nr = 0;

    for ( uint32_t i = 0; ok && i < w->nr_vcpus; )
    {
        ok = wait_matrix_next(w, &i, &rows[nr]);
        order[nr] = (struct sort_row){ rows[nr].waited, nr };
        nr += ok && rows[nr].waited;
    }
    nr = ok ? sort_rows(request, order, nr) : 0;
    if ( nr )
        fprintf(out, "--- Use of the pcpu while a domain waited (share of the "
                "wait) ---\n");
    for ( size_t i = 0; i < nr; i++ )
        print_pcpu_uses(w, &rows[order[i].index], request->names, out);
    free(rows);
    free(order);
    return ok ? 0 : -ENOMEM;
}

/* --- the longest waits ---------------------------------------------------- */

struct piece_printer
{
    const struct wait_causes *waits;
    const struct wait_worst *wait;
    const struct xt_domain_names *names;
    struct text_wrap wrap;
    const char *mark;           /* before the next item */
    uint64_t shorter, nr_shorter;
};

/* " (rate limit 0.5 ms)": a part of the rival's time; "": too small. */
static const char *format_part(const struct piece_printer *p,
                               const char *format, uint64_t cycles,
                               char part[64])
{
    uint64_t length = p->wait->to - p->wait->from;
    char text[NUM_CLOCK_MAX];

    *part = '\0';
    if ( stats_share(cycles, length) >= LEAST_SHARE )
        snprintf(part, 64, " (%s %s)", format,
                 text_duration(&p->waits->clock, cycles, text));
    return part;
}

static void add_rival(struct piece_printer *p, const struct wait_piece *piece)
{
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX], limited[64], placed[64];
    const struct xt_clock *clock = &p->waits->clock;

    assert(piece->limited <= piece->to - piece->from);
    text_wrap_add(&p->wrap, p->mark, "%s %s%s%s",
                  xt_vcpu_column(p->names, piece->domain, piece->vcpu,
                                 LATENCY_WIDEST, name),
                  text_duration(clock, piece->to - piece->from, text),
                  format_part(p, "rate limit", piece->limited, limited),
                  format_part(p, "idle elsewhere", piece->placed, placed));
}

static void add_piece(struct piece_printer *p, const struct wait_piece *piece)
{
    uint64_t cycles = piece->to - piece->from;
    char text[NUM_CLOCK_MAX];

    assert(piece->from < piece->to && piece->cause < WAIT_CAUSES);
    if ( stats_share(cycles, p->wait->to - p->wait->from) < LEAST_SHARE )
    {
        p->shorter += cycles;
        p->nr_shorter++;
        return;
    }
    if ( piece->has_rival )
        add_rival(p, piece);
    else
        text_wrap_add(&p->wrap, p->mark, "%s %s", cause_texts[piece->cause],
                      text_duration(&p->waits->clock, cycles, text));
    p->mark = ",";
}

/* "3.5447 web1/0 waited 5.6 ms for pcpu 0" */
static void begin_wait(struct piece_printer *p)
{
    const struct wait_worst *wait = p->wait;
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX], at[NUM_SEC_MAX];
    int64_t ns = xt_clock_ns(&p->waits->clock, wait->from);

    assert(wait->from < wait->to);
    *num_sec(at, ns < 0 ? 0 : ns) = '\0';
    text_wrap_add(&p->wrap, "", "%s %s waited %s", at,
                  xt_vcpu_column(p->names, wait->domain, wait->vcpu,
                                 LATENCY_WIDEST, name),
                  text_duration(&p->waits->clock, wait->to - wait->from,
                                text));
    if ( wait->is_complete )
        text_wrap_add(&p->wrap, "", "for pcpu %" PRIu32, wait->pcpu);
    else
        text_wrap_add(&p->wrap, "", "(no end)");
}

static void print_wait_pieces(const struct wait_causes *w, size_t i,
                              const struct xt_domain_names *names, FILE *out)
{
    const struct wait_pieces *pieces = &w->pieces[i];
    struct piece_printer p = {
        .waits = w, .wait = &w->worst[i], .names = names,
        .wrap = text_wrap_begin(out), .mark = ":",
        .shorter = pieces->shorter, .nr_shorter = pieces->nr_shorter,
    };
    char text[NUM_CLOCK_MAX];

    assert(pieces->nr);
    begin_wait(&p);
    for ( uint32_t k = 0; k < pieces->nr; k++ )
        add_piece(&p, &pieces->list[k]);
    if ( stats_share(p.shorter, p.wait->to - p.wait->from) >= LEAST_SHARE )
        text_wrap_add(&p.wrap, p.mark, "%" PRIu64 " shorter %s %s",
                      p.nr_shorter, p.nr_shorter == 1 ? "piece" : "pieces",
                      text_duration(&w->clock, p.shorter, text));
    text_wrap_end(&p.wrap);
}

int text_print_why_tables(struct wait_causes *w,
                          const struct report_request *request, FILE *out)
{
    int rc = print_domain_waits(w, request, out);

    assert(w->nr_worst <= w->worst_room);
    if ( rc || !w->nr_worst )
        return rc;
    fprintf(out, "--- The longest waits: each in pieces, in the order of time "
            "---\n");
    text_print_start_time(&w->clock, out);
    for ( size_t i = 0; i < w->nr_worst; i++ )
        print_wait_pieces(w, i, request->names, out);
    return 0;
}
