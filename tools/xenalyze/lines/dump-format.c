/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --dump-all: formatting, on any thread.  dump_format() begins with the columns
 * that the chunk has for its first record, formats a line for each record, and
 * replays the notes: each changes the columns of the lines behind its record.
 */
#include "xenalyze/lines/dump-private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"
#include "common/fault.h"
#include "common/num.h"
#include "libxentrace/readers.h"
#include "xenalyze/lines/raw.h"

/*
 * The programs of a block of records are looked up and prefetched together.
 * A record and its program are often not in the first-level cache, and the next
 * program cannot be predicted; in a block, the cache misses overlap.
 */
#define BLOCK 16u

#define DIM "\033[2m"
#define RED "\033[31m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

struct vcpu_name
{
    char text[15];              /* " d65535v65535 ", or the id of the vcpu */
    uint8_t length;             /* 0: the id */
};

/* The column is copied in pieces of this size, beyond its end if need be. */
#define PIECE 64u

/* The state of one thread while it formats a chunk. */
struct formatter
{
    const struct dump *d;
    struct chunk *c;
    struct vcpu_name *names;    /* by pcpu: its current vcpu */
    char *column;               /* nr_cpus signs, and PIECE readable bytes */
    unsigned int nr_cpus;
    bool colour;
    bool lines_only;
    size_t longest;             /* of a record's text */
    const struct note *note, *notes_end;
    uint32_t noted;             /* index of the next record with a note */
    uint64_t ms_start;          /* a cached millisecond in ns ... */
    char ms_text[40];           /* ... as text, of which 16 bytes are copied */
    uint8_t ms_length;
    const struct line_program *programs[BLOCK]; /* of the block; or NULL */
    struct xt_record record;    /* the current one ... */
    struct line_context context;        /* ... and its context */
};

/* A chunk has few lines of most pcpus, so a name becomes text when printed. */
COLD
static void format_vcpu_name(struct vcpu_name *n)
{
    char *p = n->text;
    uint32_t vcpu;

    memcpy(&vcpu, p, sizeof(vcpu));
    *p++ = ' ';
    *p++ = 'd';
    if ( vcpu == NO_VCPU )
        p = num_text(p, "?v?");
    else
    {
        char number[NUM_U64_MAX], *end = num_u64(number, vcpu >> 16);

        memcpy(p, number, end - number);
        p += end - number;
        *p++ = 'v';
        end = num_u64(number, vcpu & 0xffff);
        memcpy(p, number, end - number);
        p += end - number;
    }
    *p++ = ' ';
    debug_assert(p <= n->text + sizeof(n->text));
    n->length = p - n->text;
}

static void set_column(struct formatter *w, unsigned int cpu,
                       const struct column_state *s)
{
    debug_assert(cpu < w->nr_cpus);
    w->column[cpu] = s->sign;
    memcpy(w->names[cpu].text, &s->vcpu, sizeof(s->vcpu));
    w->names[cpu].length = 0;
}

static inline const struct vcpu_name *get_vcpu_name(const struct formatter *w,
                                                    unsigned int cpu)
{
    if ( !w->names[cpu].length )
        format_vcpu_name(&w->names[cpu]);
    return &w->names[cpu];
}

/* The value that record i has in its notes, if any. */
static void read_value_notes(struct formatter *w, uint32_t i)
{
    debug_assert(w->note < w->notes_end && w->note->item == i);
    for ( const struct note *n = w->note; n < w->notes_end && n->item == i;
          n++ )
        if ( n->kind == NOTE_VALUE )
        {
            w->context.has_value = true;
            w->context.value = n->value;
        }
}

/* Record i has its line: its notes change the columns of the next lines. */
static void replay_notes(struct formatter *w, uint32_t i)
{
    debug_assert(w->note < w->notes_end && w->note->item == i);
    for ( ; w->note < w->notes_end && w->note->item == i; w->note++ )
    {
        struct column_state s = {
            .vcpu = w->note->value, .sign = w->note->sign,
        };

        if ( w->note->kind == NOTE_COLUMN_STATE )
            set_column(w, w->note->cpu, &s);
    }
    w->context.has_value = false;
    w->noted = w->note < w->notes_end ? w->note->item : UINT32_MAX;
}

static void set_millisecond(struct formatter *w, uint64_t ns)
{
    char *p = num_u64_right(w->ms_text, ns / NUM_NINE, 3);

    *p++ = '.';
    p = num_three(p, ns / NUM_SIX % 1000);
    debug_assert(p <= w->ms_text + 16);
    w->ms_length = p - w->ms_text;
    w->ms_start = ns - ns % NUM_SIX;
}

/* As stock, blank at the start and if unknown. */
static inline char *put_dump_time(struct formatter *w, char *p, uint64_t time)
{
    const struct xt_clock *clock = &w->d->options.clock;
    uint64_t start = w->c->start;
    uint64_t ns = time > start ? xt_clock_duration(clock, time - start) : 0;

    if ( !ns )
        return num_fill(p, ' ', 14);
    if ( ns - w->ms_start >= NUM_SIX )
        set_millisecond(w, ns);
    memcpy(p, w->ms_text, 16);
    return num_six(p + w->ms_length, ns - w->ms_start);
}

/* Blanks behind it, not before, so that searching for "p7 " finds pcpu 7. */
static inline char *put_pcpu_number(char *p, unsigned int cpu)
{
    char *end;

    *p = 'p';
    end = num_u64(p + 1, cpu);
    memcpy(end, "     ", PCPU_NUMBER_WIDTH);
    return end > p + PCPU_NUMBER_WIDTH ? end : p + PCPU_NUMBER_WIDTH;
}

static inline char *put_column(const struct formatter *w, char *p,
                               unsigned int cpu)
{
    debug_assert(cpu < w->nr_cpus);
    *p++ = ' ';
    if ( w->d->has_numbers )
        return put_pcpu_number(p, cpu);
    if ( w->nr_cpus <= 16 )
        memcpy(p, w->column, 16);
    else
        for ( unsigned int i = 0; i < w->nr_cpus; i += PIECE )
            memcpy(p + i, w->column + i, PIECE);
    p[cpu] = 'x';
    return p + w->nr_cpus;
}

static inline char *put_vcpu_name(const struct formatter *w, char *p,
                                  unsigned int cpu)
{
    const struct vcpu_name *name = get_vcpu_name(w, cpu);

    memcpy(p, name, sizeof(*name));
    return p + name->length;
}

/* In colours: the time is dim, the vcpu bright, and a line with '!' red. */
static char *put_colour_header(struct formatter *w, char *p, char mark,
                               uint64_t time, unsigned int cpu)
{
    p = num_text(p, mark == '!' ? RED : DIM);
    *p++ = mark;
    p = put_dump_time(w, p, time);
    p = put_column(w, p, cpu);
    p = num_text(p, PLAIN CYAN);
    p = put_vcpu_name(w, p, cpu);
    return num_text(p, PLAIN);
}

static inline char *put_header(struct formatter *w, char *p, char mark,
                               uint64_t time, unsigned int cpu)
{
    if ( w->colour )
        return put_colour_header(w, p, mark, time, cpu);
    *p++ = mark;
    p = put_dump_time(w, p, time);
    p = put_column(w, p, cpu);
    return put_vcpu_name(w, p, cpu);
}

/* The line of an event that the catalogue does not have. */
static char *put_undeclared(char *p, const struct xt_record *r)
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

/* The rest of a loss: the vcpu before it, and two lines that mark its end. */
static char *put_loss_end(const struct formatter *w, char *p,
                          unsigned int cpu, const struct xt_record *r)
{
    const struct xt_rec_lost_records *lost = xt_view_lost_records(r);
    const struct vcpu_name *name = get_vcpu_name(w, cpu);

    assert(lost);               /* or xt_record_is_possible() says no */
    if ( name->text[2] == '?' )
        *p++ = 'X';
    else
    {
        memcpy(p, name->text + 1, name->length - 2);
        p += name->length - 2;
    }
    p = num_text(p, ") first_tsc ");
    p = num_u64(p, lost->first_tsc);
    for ( int i = 0; i < 2; i++ )
    {
        *p++ = '\n';
        p = num_fill(p, ' ', 14);
        p = num_text(put_column(w, p, cpu), " lost_records end ");
        if ( i )
        {
            p = num_u64(num_text(p, "d"), lost->dom);
            p = num_u64(num_text(p, "v"), lost->vcpu);
        }
        p = num_text(p, "---");
    }
    return p;
}

static inline char *put_dump_line(struct formatter *w, char *p,
                                  const struct line_program *program,
                                  const struct xt_item *item,
                                  uint64_t exit_time)
{
    unsigned int cpu = xt_item_cpu(item);
    char mark = program ? program->marks[exit_time == IN_GUEST] : ']';

    p = put_header(w, p, mark, item->time, cpu);
    if ( !program )
        return put_undeclared(p, &w->record);
    w->context.event = program->event;
    w->context.time = item->time;
    w->context.exit_time = exit_time;
    return line_program_run(program, p, &w->context);
}

/* True for most records: a line, no note, none of Xen's own records. */
static inline bool is_line_only(const struct formatter *w, uint32_t i)
{
    return w->lines_only && i != w->noted &&
           w->record.event >> TRC_CLS_SHIFT != TRC_GEN >> TRC_CLS_SHIFT;
}

/* The slow path before a line: the record in hex, and the notes. */
static char *prepare_line_slow(struct formatter *w, char *p, uint32_t i)
{
    if ( w->d->options.raw )
        p = raw_put_processed(p, &w->record);
    if ( i == w->noted )
        read_value_notes(w, i);
    return p;
}

static bool has_dump_line(const struct formatter *w)
{
    return w->d->options.text && w->record.event != TRC_TRACE_WRAP_BUFFER;
}

static bool formatter_init(struct formatter *w, const struct dump *d,
                           struct chunk *c)
{
    *w = (struct formatter){
        .d = d, .c = c, .nr_cpus = c->nr_cpus, .colour = d->options.colour,
        .lines_only = d->options.text && !d->options.raw, .note = c->notes,
        .notes_end = c->notes + c->nr_notes,
        .noted = c->nr_notes ? c->notes->item : UINT32_MAX,
        .context.programs = &d->programs,
        .context.record = &w->record,
        .longest = d->programs.max_size + 4 * c->nr_cpus + RAW_MAX + 512,
    };
    w->column = fault_malloc(c->nr_cpus + PIECE);
    w->names = fault_malloc(c->nr_cpus * sizeof(*w->names));
    if ( !w->column || !w->names )
    {
        c->no_memory = true;
        return false;
    }
    for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
        set_column(w, cpu, &c->columns[cpu]);
    set_millisecond(w, 0);
    return true;
}

static char *put_segment_line(char *p)
{
    return num_text(p, DUMP_SEGMENT_LINE);
}

static void find_programs(struct formatter *w, uint32_t begin, uint32_t end)
{
    assert(end - begin <= BLOCK && end <= w->c->nr);
    for ( uint32_t i = begin; i < end; i++ )
    {
        const unsigned char *at = w->c->bytes + xt_item_offset(&w->c->items[i]);
        const struct line_program *program =
            line_program_find_cached(&w->d->programs, at);

        w->programs[i % BLOCK] = program;
        if ( program )
            __builtin_prefetch(program->steps);
    }
}

/* All text of record i. */
static inline char *put_dump_record(struct formatter *w, char *p, uint32_t i)
{
    const struct xt_item *item = &w->c->items[i];
    bool fast;

    xt_record_view(&w->record, w->c->bytes + xt_item_offset(item));
    fast = is_line_only(w, i);
    if ( !fast )
        p = prepare_line_slow(w, p, i);
    if ( fast || has_dump_line(w) )
    {
        p = put_dump_line(w, p, w->programs[i % BLOCK], item,
                          w->c->exit_times[i]);
        if ( !fast && w->record.event == TRC_LOST_RECORDS )
            p = put_loss_end(w, p, xt_item_cpu(item), &w->record);
        *p++ = '\n';
    }
    if ( !fast && i == w->noted )
        replay_notes(w, i);
    return p;
}

static char *format_block(struct formatter *w, char *p, uint32_t begin,
                          uint32_t end)
{
    p = chunk_reserve(w->c, p, (end - begin) * w->longest);
    if ( !p )
        return NULL;
    find_programs(w, begin, end);
    for ( uint32_t i = begin; i < end; i++ )
        p = put_dump_record(w, p, i);
    assert(p <= w->c->text + w->c->room);
    return p;
}

/* The records up to the next lines of programs, or a block of them. */
static char *format_next_block(struct formatter *w, char *p, uint32_t *next)
{
    uint32_t begin = *next, end = begin + BLOCK;
    size_t insert;

    p = chunk_put_inserts(w->c, p, begin);
    insert = chunk_next_insert(w->c, begin);
    assert(insert > begin);
    if ( end > insert )
        end = insert;
    *next = end;
    return p ? format_block(w, p, begin, end) : NULL;
}

void dump_format(const void *state, struct chunk *c)
{
    struct formatter w;
    char *p = c->text;
    uint32_t next = 0;

    if ( !formatter_init(&w, state, c) )
        goto out;
    if ( c->fresh )
        p = put_segment_line(p);
    while ( p && next < c->nr )
        p = format_next_block(&w, p, &next);
    assert(!p || w.note == w.notes_end);
    if ( p )
        c->used = p - c->text;
 out:
    free(w.column);
    free(w.names);
}
