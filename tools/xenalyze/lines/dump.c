/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking is following who runs where (dump-state.c).  Writing replays that:
 * a chunk has the faces of all pcpus at its begin, and a note for each change.
 */
#include "xenalyze/lines/dump.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "xenalyze/lines/raw.h"
#include "xenalyze/lines/record-filter.h"
#include "xenalyze/lines/rules.h"
#include "xenalyze/lines/who-runs.h"

/* Bytes of text that a chunk should have at most, so as to stay in a cache. */
#define TEXT_TARGET (768u * 1024)
#define TEXT_OF_LINE 100u
#define LEAST_ITEMS 64u

/*
 * Of so many records the programs are looked up at once.  Then what is not in
 * the first-level cache is waited for together: a record, and what its program
 * begins with; which one comes next is hard to guess.
 */
#define BLOCK 16u

struct dump
{
    const struct xt_trace *trace;
    const struct xt_catalogue *catalogue;
    struct dump_options options;
    struct line_programs programs;
    struct dump_state state;    /* of who takes (pipeline.c), as all below */
    unsigned int segment;
    bool begun;
    uint64_t start;             /* of the segment */
};

/* --- taking --------------------------------------------------------------- */

/* The columns that are there from the first line on. */
static int begin(struct dump *d)
{
    d->begun = true;
    for ( unsigned int cpu = 0; cpu < XT_MAX_CPUS; cpu++ )
        if ( xt_trace_starts_with(d->trace, cpu) &&
             dump_state_show(&d->state, cpu) )
            return -ENOMEM;
    return 0;
}

static void begin_segment(struct dump *d, const struct xt_batch *b)
{
    dump_state_reset(&d->state);
    d->start = d->options.sieve->start;
    d->segment = b->segment;
}

static int open_chunk(struct dump *d, struct chunk *c,
                      const struct xt_batch *b)
{
    size_t most = TEXT_TARGET / (d->state.nr_cpus + TEXT_OF_LINE);

    c->fresh = d->start && b->segment != d->segment;
    if ( !d->start || c->fresh )
        begin_segment(d, b);
    c->start = d->start;
    c->most = most > CHUNK_ITEMS ? CHUNK_ITEMS
                                 : most < LEAST_ITEMS ? LEAST_ITEMS : most;
    if ( chunk_cpus(c, d->state.nr_cpus) )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < d->state.nr_cpus; cpu++ )
        c->faces[cpu] = d->state.pcpus[cpu].face;
    return 0;
}

/* A column more, if this pcpu has none: 1 if it got one; 0; or -ENOMEM. */
static int add_column(struct dump *d, unsigned int cpu)
{
    if ( cpu < d->state.nr_cpus )
        return 0;
    return dump_state_cpus(&d->state, cpu + 1) ? -ENOMEM : 1;
}

static bool is_wanted(const struct dump *d, unsigned int cpu,
                      const struct xt_record *r)
{
    const struct filter *f = d->options.filter;

    return !f || filter_wants(f, d->catalogue, cpu,
                              d->state.pcpus[cpu].face.who, r);
}

static int see(struct dump *d, struct chunk *c, const struct xt_batch *b,
               const struct xt_item *item)
{
    unsigned int cpu = xt_item_cpu(item);
    struct xt_record r;
    bool shown;

    xt_batch_record(b, item, &r);
    shown = is_wanted(d, cpu, &r);
    if ( !d->options.filter )
        c->nr++;
    else if ( shown )
        chunk_add(c, b, item);
    return dump_state_see(&d->state, c, shown, cpu, item->time, &r);
}

/* One record.  1: not in this chunk, whose columns are as wide as they are. */
static int take_one(struct dump *d, struct chunk *c, const struct xt_batch *b,
                    size_t at)
{
    int rc = add_column(d, xt_item_cpu(&b->items[at]));

    if ( rc > 0 && c->nr )
        return 1;
    if ( rc > 0 )
        rc = open_chunk(d, c, b);
    return rc ? rc : see(d, c, b, &b->items[at]);
}

static ssize_t dump_take(void *state, struct chunk *c,
                         const struct xt_batch *b, size_t at, bool *end)
{
    struct dump *d = state;
    size_t i = at, last;
    int rc = 0;

    (void)end;
    if ( (!d->begun && begin(d)) || open_chunk(d, c, b) )
        return -ENOMEM;
    while ( i < b->nr && c->nr < c->most && chunk_has_notes(c) )
    {
        last = b->nr - i > c->most - c->nr ? i + (c->most - c->nr) : b->nr;
        if ( !d->options.filter )
            i = dump_state_see_most(&d->state, c, b, i, last);
        if ( i == last )
            break;
        rc = take_one(d, c, b, i);
        if ( rc )
            break;
        i++;
    }
    if ( !d->options.filter )
        chunk_add_counted(c, b, at);
    return rc < 0 ? rc : (ssize_t)(i - at);
}

/* --- before the span of time --------------------------------------------- */

static int early_see(void *state, const struct xt_batch *b)
{
    struct dump *d = state;
    struct xt_record r;

    if ( !d->begun && begin(d) )
        return -ENOMEM;
    if ( !d->start || b->segment != d->segment )
        begin_segment(d, b);
    for ( size_t i = 0; i < b->nr; i++ )
    {
        unsigned int cpu = xt_item_cpu(&b->items[i]);

        xt_batch_record(b, &b->items[i], &r);
        if ( add_column(d, cpu) < 0 ||
             dump_state_see(&d->state, NULL, false, cpu, b->items[i].time,
                            &r) )
            return -ENOMEM;
    }
    return 0;
}

static bool early_knows(const void *state)
{
    const struct dump *d = state;

    return d->start && dump_state_knows(&d->state);
}

static void early_forget(void *state)
{
    struct dump *d = state;

    dump_state_reset(&d->state);
    d->start = 0;
}

const struct sieve_early *dump_early(void)
{
    static const struct sieve_early early = {
        .see = early_see, .knows = early_knows, .forget = early_forget,
    };

    return &early;
}

/* --- writing -------------------------------------------------------------- */

#define DIM "\033[2m"
#define RED "\033[31m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

struct name
{
    char text[15];              /* " d65535v65535 " */
    uint8_t length;
};

#define PIECE 64u               /* of the column; so much may be touched */

/* What one thread knows while it writes a chunk. */
struct writer
{
    const struct dump *d;
    struct chunk *c;
    struct name *names;         /* of who is on a pcpu, by pcpu */
    char *column;               /* behind it, PIECE bytes may be read */
    unsigned int nr_cpus;
    bool bright;
    bool plain;                 /* lines only */
    size_t longest;             /* of a line */
    const struct note *note, *notes_end;
    uint32_t noted;             /* the record that the next note is about */
    uint64_t moment;            /* the ns at which a millisecond began ... */
    char moment_text[40];       /* ... as text: 16 at most */
    uint8_t moment_length;
    const struct line_program *programs[BLOCK]; /* or NULL */
    struct xt_record record;    /* at hand ... */
    struct line_context context;        /* ... and what is known of it */
};

static void set_name(struct name *n, const struct face *f)
{
    char *p = n->text;

    *p++ = ' ';
    *p++ = 'd';
    if ( f->who == NOBODY )
        p = num_text(p, "?v?");
    else
    {
        char number[NUM_U64_MAX], *end = num_u64(number, f->who >> 16);

        memcpy(p, number, end - number);
        p += end - number;
        *p++ = 'v';
        end = num_u64(number, f->who & 0xffff);
        memcpy(p, number, end - number);
        p += end - number;
    }
    *p++ = ' ';
    n->length = p - n->text;
}

static void set_face(struct writer *w, unsigned int cpu, const struct face *f)
{
    w->column[cpu] = f->sign;
    set_name(&w->names[cpu], f);
}

/* Notes that are about record i, but for the faces, which are for the next. */
static void read_notes(struct writer *w, uint32_t i)
{
    for ( const struct note *n = w->note; n < w->notes_end && n->item == i;
          n++ )
        if ( n->kind == NOTE_VALUE )
        {
            w->context.has_value = true;
            w->context.value = n->value;
        }
}

static void leave_notes(struct writer *w, uint32_t i)
{
    for ( ; w->note < w->notes_end && w->note->item == i; w->note++ )
    {
        struct face f = { .who = w->note->value, .sign = w->note->sign };

        if ( w->note->kind == NOTE_FACE )
            set_face(w, w->note->cpu, &f);
    }
    w->context.has_value = false;
    w->noted = w->note < w->notes_end ? w->note->item : UINT32_MAX;
}

static void begin_moment(struct writer *w, uint64_t ns)
{
    char *p = num_u64_right(w->moment_text, ns / NUM_NINE, 3);

    *p++ = '.';
    p = num_three(p, ns / NUM_SIX % 1000);
    w->moment_length = p - w->moment_text;
    w->moment = ns - ns % NUM_SIX;
}

/* Blank where nothing is known, or at the very begin, as in stock's. */
static inline char *put_time(struct writer *w, char *p, uint64_t time)
{
    const struct xt_clock *clock = &w->d->options.clock;
    uint64_t start = w->c->start;
    uint64_t ns = time > start ? xt_clock_duration(clock, time - start) : 0;

    if ( !ns )
        return num_fill(p, ' ', 14);
    if ( ns - w->moment >= NUM_SIX )
        begin_moment(w, ns);
    memcpy(p, w->moment_text, 16);
    return num_six(p + w->moment_length, ns - w->moment);
}

static inline char *put_column(const struct writer *w, char *p,
                               unsigned int cpu)
{
    *p++ = ' ';
    if ( w->nr_cpus <= 16 )
        memcpy(p, w->column, 16);
    else
        for ( unsigned int i = 0; i < w->nr_cpus; i += PIECE )
            memcpy(p + i, w->column + i, PIECE);
    p[cpu] = 'x';
    return p + w->nr_cpus;
}

static inline char *put_name(const struct writer *w, char *p, unsigned int cpu)
{
    const struct name *name = &w->names[cpu];

    memcpy(p, name, sizeof(*name));
    return p + name->length;
}

/* In colours: time in the back, the vcpu in front. */
static char *put_bright_header(struct writer *w, char *p, char mark,
                               uint64_t time, unsigned int cpu)
{
    p = num_text(p, mark == '!' ? RED : DIM);
    *p++ = mark;
    p = put_time(w, p, time);
    p = put_column(w, p, cpu);
    p = num_text(p, PLAIN CYAN);
    p = put_name(w, p, cpu);
    return num_text(p, PLAIN);
}

static inline char *put_header(struct writer *w, char *p, char mark,
                               uint64_t time, unsigned int cpu)
{
    if ( w->bright )
        return put_bright_header(w, p, mark, time, cpu);
    *p++ = mark;
    p = put_time(w, p, time);
    p = put_column(w, p, cpu);
    return put_name(w, p, cpu);
}

/* An event that nobody has declared. */
static char *put_generic(char *p, const struct xt_record *r)
{
    p = num_hex_right(p, r->event, 7);
    *p++ = '(';
    p = num_hex(p, r->event >> TRC_CLS_SHIFT);
    *p++ = ':';
    p = num_hex(p, r->event >> TRC_SUBCLS_SHIFT & 0xf);
    *p++ = ':';
    p = num_hex(p, r->event & 0xfff);
    p = num_text(p, ") ");
    p = num_u64(p, r->words);
    p = num_text(p, " [");
    for ( unsigned int i = 0; i < r->words; i++ )
    {
        *p++ = ' ';
        p = num_hex(p, xt_record_word(r, i));
    }
    return num_text(p, " ]");
}

/* The rest of a loss: who was there, and two lines that say that it is over. */
static char *put_loss(const struct writer *w, char *p, unsigned int cpu,
                      const struct xt_record *r)
{
    uint32_t who = xt_record_word(r, 1);
    const struct name *name = &w->names[cpu];

    if ( name->text[2] == '?' )
        *p++ = 'X';
    else
    {
        memcpy(p, name->text + 1, name->length - 2);
        p += name->length - 2;
    }
    p = num_text(p, ") first_tsc ");
    p = num_u64(p, xt_load64(r->payload + 8));
    for ( int i = 0; i < 2; i++ )
    {
        *p++ = '\n';
        p = num_fill(p, ' ', 14);
        p = num_text(put_column(w, p, cpu), " lost_records end ");
        if ( i )
        {
            p = num_u64(num_text(p, "d"), who & 0xffff);
            p = num_u64(num_text(p, "v"), who >> 16);
        }
        p = num_text(p, "---");
    }
    return p;
}

static inline char *put_line(struct writer *w, char *p,
                             const struct line_program *program,
                             const struct xt_item *item, uint64_t left)
{
    unsigned int cpu = xt_item_cpu(item);
    char mark = program ? program->marks[left == IN_GUEST] : ']';

    p = put_header(w, p, mark, item->time, cpu);
    if ( !program )
        return put_generic(p, &w->record);
    w->context.event = program->event;
    w->context.time = item->time;
    w->context.left = left;
    return line_program_run(program, p, &w->context);
}

/* Is there but a line, as of most records? */
static inline bool is_plain(const struct writer *w, uint32_t i)
{
    return w->plain && i != w->noted &&
           w->record.event >> TRC_CLS_SHIFT != TRC_GEN >> TRC_CLS_SHIFT;
}

/* What comes before a line that may not be. */
static char *put_before(struct writer *w, char *p, uint32_t i)
{
    if ( w->d->options.raw )
        p = raw_process_line(p, &w->record);
    if ( i == w->noted )
        read_notes(w, i);
    return p;
}

static bool has_line(const struct writer *w)
{
    return w->d->options.text && w->record.event != TRC_TRACE_WRAP_BUFFER;
}

static bool writer_init(struct writer *w, const struct dump *d,
                        struct chunk *c)
{
    *w = (struct writer){
        .d = d, .c = c, .nr_cpus = c->nr_cpus, .bright = d->options.colour,
        .plain = d->options.text && !d->options.raw, .note = c->notes,
        .notes_end = c->notes + c->nr_notes,
        .noted = c->nr_notes ? c->notes->item : UINT32_MAX,
        .context.programs = &d->programs,
        .context.record = &w->record,
        .longest = d->programs.longest + 4 * c->nr_cpus + RAW_MAX + 512,
    };
    w->column = fault_malloc(c->nr_cpus + PIECE);
    w->names = fault_malloc(c->nr_cpus * sizeof(*w->names));
    if ( !w->column || !w->names )
    {
        c->no_memory = true;
        return false;
    }
    for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
        set_face(w, cpu, &c->faces[cpu]);
    begin_moment(w, 0);
    return true;
}

static char *put_segment(char *p)
{
    return num_text(p, "--- another trace, or the time after a boot: time "
                       "begins again ---\n");
}

static void find_programs(struct writer *w, uint32_t begin, uint32_t end)
{
    for ( uint32_t i = begin; i < end; i++ )
    {
        const unsigned char *at = w->c->bytes + xt_item_offset(&w->c->items[i]);
        const struct line_program *program =
            line_program_lately(&w->d->programs, at);

        w->programs[i - begin] = program;
        if ( program )
            __builtin_prefetch(program->steps);
    }
}

/* All that record i is shown as. */
static inline char *put_record(struct writer *w, char *p, uint32_t i)
{
    const struct xt_item *item = &w->c->items[i];
    bool plain;

    xt_record_view(&w->record, w->c->bytes + xt_item_offset(item));
    plain = is_plain(w, i);
    if ( !plain )
        p = put_before(w, p, i);
    if ( plain || has_line(w) )
    {
        p = put_line(w, p, w->programs[i % BLOCK], item, w->c->left[i]);
        if ( !plain && w->record.event == TRC_LOST_RECORDS )
            p = put_loss(w, p, xt_item_cpu(item), &w->record);
        *p++ = '\n';
    }
    if ( !plain && i == w->noted )
        leave_notes(w, i);
    return p;
}

static char *put_block(struct writer *w, char *p, uint32_t begin)
{
    uint32_t end = w->c->nr - begin < BLOCK ? w->c->nr : begin + BLOCK;

    p = chunk_room(w->c, p, (end - begin) * w->longest);
    if ( !p )
        return NULL;
    find_programs(w, begin, end);
    for ( uint32_t i = begin; i < end; i++ )
        p = put_record(w, p, i);
    return p;
}

static void dump_write(const void *state, struct chunk *c)
{
    struct writer w;
    char *p = c->text;

    if ( !writer_init(&w, state, c) )
        goto out;
    if ( c->fresh )
        p = put_segment(p);
    for ( uint32_t i = 0; p && i < c->nr; i += BLOCK )
        p = put_block(&w, p, i);
    if ( p )
        c->used = p - c->text;
 out:
    free(w.column);
    free(w.names);
}

/* --- the door ------------------------------------------------------------- */

static const struct print_style style = {
    .take = dump_take, .write = dump_write,
};

const struct print_style *dump_style(void)
{
    return &style;
}

int dump_new(struct dump **out, const struct xt_trace *trace,
             const struct xt_catalogue *catalogue,
             const struct dump_options *options)
{
    struct dump *d = fault_calloc(1, sizeof(*d));
    int rc = d ? line_programs_init(&d->programs, catalogue) : -ENOMEM;

    *out = NULL;
    if ( rc )
    {
        free(d);
        return rc;
    }
    line_programs_code(&d->programs);
    d->trace = trace;
    d->catalogue = catalogue;
    d->options = *options;
    rc = dump_state_init(&d->state);
    if ( rc )
    {
        dump_free(d);
        return rc;
    }
    d->state.show_power = options->show_power;
    *out = d;
    return 0;
}

void dump_free(struct dump *d)
{
    if ( !d )
        return;
    dump_state_fini(&d->state);
    line_programs_fini(&d->programs);
    free(d);
}
