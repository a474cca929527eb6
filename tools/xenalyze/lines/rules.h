/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the dump: for each event the text of stock's xenalyze, with the
 * event's fields by name (xen-trace-events(7)):
 *
 *     "csched2:runq_insert d{dom}v{unit}, position {position}"
 *
 *   {field}        decimal, with a sign if the field is signed
 *   {field:x}      hex; {field:8x} and {field:08x} padded on the left
 *   {field:u}      decimal, unsigned
 *   {field:name}   the name of the value in xen-trace-events(7), or decimal
 *   {field:us}     nanoseconds as stock shows microseconds: 1005 is 1.5
 *   {field:pct=S}  percent of 2 to the power of field S, with three decimals
 *   {@function=F}  the text of a function in rules-irregular.c for field F
 *   {*}            all words of the payload in hex, a blank before each
 *   <field=9|...>  only if the field is 9; <field!9|...> only if not
 *
 * Each rule is compiled into a program: steps of literal texts, and of fields
 * with their words, shifts and masks.  At build time rules-generate.c turns
 * each program into a C function.  An interpreter of the steps has an indirect
 * branch for each step, which is hard to predict: a dump took 1.1 times as
 * long.
 */
#ifndef XENALYZE_LINES_RULES_H
#define XENALYZE_LINES_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/debug.h"
#include "common/num.h"
#include "libxentrace/catalogue.h"
#include "xenalyze/lines/chunk.h"

struct line_rule
{
    const char *name;           /* of the event; may end in * for any ending */
    char mark;                  /* the first character of the line */
    bool needs_exit;            /* mark '!' if the vcpu has no exit time */
    const char *text;
};

/* The inputs of a program: the record, and state from earlier records. */
struct line_context
{
    const struct line_programs *programs;
    const struct xt_event *event;
    const struct xt_record *record;
    uint64_t time;              /* of the record */
    uint64_t exit_time;         /* of the record's vcpu, or IN_GUEST */
    bool has_value;
    uint64_t value;             /* of a note: see rules-irregular.c */
};

/* `value` is the rule's field, sign-extended, or 0 without a field. */
typedef char *line_function(char *p, const struct line_context *c,
                            int64_t value);

struct line_step;

/* Write at most program->max_size bytes at p; return the end of the text. */
typedef char *line_code(char *p, const struct line_step *steps,
                        const struct line_context *c);

struct line_program
{
    const struct xt_event *event;
    line_code *code;
    const struct line_step *steps;
    char marks[2];              /* [1]: if the vcpu has no exit time */
    uint16_t rule;              /* index + 1, or 0: no rule */
    uint32_t max_size;          /* bytes written, also behind the text */
};

struct line_word;

struct line_programs
{
    struct arena arena;
    const struct xt_catalogue *catalogue;
    struct line_program *programs;      /* by index in xt_catalogue_events */
    _Atomic uint64_t *cache;    /* key << 32 | index + 1, or | 0: no program */
    uint32_t max_size;
    const struct num_short *shorts;
    const struct xt_sem *vmx, *svm, *hypercalls;        /* names */
    struct line_word *exit_words, *hypercall_words;     /* by number */
};

#define LINE_EXITS 256u
#define LINE_HYPERCALLS 64u

/* A text that is prepared in a buffer of constant size, for a fast copy. */
struct line_word
{
    char text[39];
    uint8_t length;             /* 0: not prepared */
};

/* A text that is too long stays unprepared. */
static inline void line_word_set(struct line_word *word, const char *text,
                                 size_t length)
{
    if ( length > sizeof(word->text) )
        return;
    memcpy(word->text, text, length);
    word->length = length;
}

/*
 * Compile all rules.  The programs are shared by all threads.  None may run
 * before line_programs_set_code().  The catalogue is borrowed.  0 or -ENOMEM.
 */
int line_programs_init(struct line_programs *s,
                       const struct xt_catalogue *catalogue);
void line_programs_fini(struct line_programs *s);

/* In the generated rules-code.c. */
void line_programs_set_code(struct line_programs *s);

static inline char *line_program_run(const struct line_program *program,
                                     char *p, const struct line_context *c)
{
    return program->code(p, program->steps, c);
}

/* The program of a record.  NULL: the catalogue does not have the event, or the
   record has too few or too many words. */
const struct line_program *line_program_find(const struct line_programs *s,
                                             const struct xt_record *r);

#define LINE_CACHE_BITS 12

/* Find the program of a record and store the result in this cache slot. */
uint64_t line_program_fill_cache(const struct line_programs *s,
                                 _Atomic uint64_t *slot, uint32_t key,
                                 const unsigned char *record);

/*
 * As line_program_find(), for a complete record in memory, through a cache.
 * The threads share the cache without a lock: key and index are one atomic
 * value, and threads that fill the same slot at once both store valid values.
 */
static inline const struct line_program *
line_program_find_cached(const struct line_programs *s,
                         const unsigned char *record)
{
    uint32_t key = xt_load32(record) & ~TRC_HD_CYCLE_FLAG;
    _Atomic uint64_t *slot = &s->cache[key * 2654435761u >>
                                       (32 - LINE_CACHE_BITS)];
    uint64_t found = atomic_load_explicit(slot, memory_order_relaxed);

    if ( found >> 32 != key )
        found = line_program_fill_cache(s, slot, key, record);
    debug_assert((uint32_t)found <= xt_catalogue_nr_events);
    return (uint32_t)found ? &s->programs[(uint32_t)found - 1] : NULL;
}

/* --- between the files of the rules --------------------------------------- */

const struct line_rule *line_rules(unsigned int *nr);

/* The function of this name, or NULL. */
line_function *line_function_find(const char *name, size_t length);

/* Prepare the names of exits and hypercalls.  The caller has allocated them. */
void line_exits_init(struct line_programs *s);
void line_hypercalls_init(struct line_programs *s);

/* Bytes that a function writes, at most. */
#define LINE_FUNCTION_MAX 512u

#endif /* XENALYZE_LINES_RULES_H */
