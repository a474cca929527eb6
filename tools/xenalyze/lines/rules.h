/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines as stock's xenalyze dumps them: a rule for each event, written with the
 * names of its fields (xen-trace-events(7)):
 *
 *     "csched2:runq_insert d{dom}v{unit}, position {position}"
 *
 *   {field}        the number, in decimal, with a sign if the field has one
 *   {field:x}      in hex; {field:8x} and {field:08x} filled up on the left
 *   {field:u}      in decimal, as if it had no sign
 *   {field:name}   what xen-trace-events(7) calls this value, else the number
 *   {field:us}     nanoseconds as stock shows microseconds: 1005 is 1.5
 *   {field:pct=S}  percent of 2 to the power of field S, with three decimals
 *   {@function=F}  what takes more than this (rules-irregular.c), with field F
 *   {*}            all words of the payload in hex, a blank before each
 *   <field=9|...>  only if the field is 9; <field!9|...> only if it is not
 *
 * Rules are made into programs once: of literal texts and of fields whose
 * word, shift and mask are known.  While this tree is built, each program is
 * made into C (rules-generate.c), and that is run: going through the steps of a
 * program would be a jump a step that is hard to guess, and a dump took 1.1
 * times as long.
 */
#ifndef XENALYZE_LINES_RULES_H
#define XENALYZE_LINES_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/num.h"
#include "libxentrace/catalogue.h"
#include "xenalyze/lines/chunk.h"

struct line_rule
{
    const char *name;           /* of the event; a last * is any ending */
    char mark;                  /* the first character of the line */
    bool alone;                 /* '!' if no exit of the vcpu is known */
    const char *text;
};

/* What a record is printed with that is not in it. */
struct line_context
{
    const struct line_programs *programs;
    const struct xt_event *event;
    const struct xt_record *record;
    uint64_t time;              /* its time stamp ... */
    uint64_t exit_time;              /* ... when its vcpu had left the guest */
    bool has_value;
    uint64_t value;             /* rules-irregular.c says what it is */
};

/* `value` is that of the rule's field, with its sign; 0: it is not there. */
typedef char *line_function(char *p, const struct line_context *c,
                            int64_t value);

struct line_step;

/* At most program->longest bytes at p; the place behind the text. */
typedef char *line_code(char *p, const struct line_step *steps,
                        const struct line_context *c);

struct line_program
{
    const struct xt_event *event;
    line_code *code;
    const struct line_step *steps;
    char marks[2];              /* [1]: if no exit of the vcpu is known */
    uint16_t rule;              /* number, + 1; 0: it has none */
    uint32_t longest;           /* bytes that it touches, at most */
};

struct line_word;

struct line_programs
{
    struct arena arena;
    const struct xt_catalogue *catalogue;
    struct line_program *of;    /* by place in xt_catalogue_events */
    _Atomic uint64_t *lately;   /* a key, and a number in there, + 1; 0: none */
    uint32_t longest;
    const struct num_short *shorts;
    const struct xt_sem *vmx, *svm, *hypercalls;        /* names */
    struct line_word *exits, *calls;    /* made beforehand, by number */
};

#define LINE_EXITS 256u
#define LINE_CALLS 64u

struct line_word
{
    char text[39];
    uint8_t length;             /* 0: there is none */
};

/* What is too long stays none. */
static inline void line_word_set(struct line_word *word, const char *text,
                                 size_t length)
{
    if ( length > sizeof(word->text) )
        return;
    memcpy(word->text, text, length);
    word->length = length;
}

/*
 * 0 or -ENOMEM; the catalogue is borrowed.  The same for all threads.  They can
 * be run when they have been given their code.
 */
int line_programs_init(struct line_programs *s,
                       const struct xt_catalogue *catalogue);
void line_programs_fini(struct line_programs *s);

/* In rules-code.c, which is made. */
void line_programs_code(struct line_programs *s);

static inline char *line_program_run(const struct line_program *program,
                                     char *p, const struct line_context *c)
{
    return program->code(p, program->steps, c);
}

/*
 * The program of a record; NULL: nobody declared the event, or the record has
 * not its words.
 */
const struct line_program *line_program_find(const struct line_programs *s,
                                             const struct xt_record *r);

#define LINE_LATELY_BITS 12

/* Find it, and keep it there. */
uint64_t line_program_keep(const struct line_programs *s, _Atomic uint64_t *at,
                           uint32_t key, const unsigned char *record);

/*
 * The same, of a whole record in its bytes, of what was found lately: of all
 * events, few come at a time, and hardly two of them in one place.  What one
 * thread has found is there for all: a header and a number are one value.
 */
static inline const struct line_program *
line_program_lately(const struct line_programs *s, const unsigned char *record)
{
    uint32_t key = xt_load32(record) & ~TRC_HD_CYCLE_FLAG;
    _Atomic uint64_t *at = &s->lately[key * 2654435761u >>
                                      (32 - LINE_LATELY_BITS)];
    uint64_t found = atomic_load_explicit(at, memory_order_relaxed);

    if ( found >> 32 != key )
        found = line_program_keep(s, at, key, record);
    return (uint32_t)found ? &s->of[(uint32_t)found - 1] : NULL;
}

/* --- between the files of it ---------------------------------------------- */

const struct line_rule *line_rules(unsigned int *nr);

/* NULL: there is none of this name. */
line_function *line_function_named(const char *name, size_t length);

/* The names of exits and hypercalls; their memory is there. */
void line_exits_init(struct line_programs *s);
void line_calls_init(struct line_programs *s);

/* At most so many bytes. */
#define LINE_FUNCTION_MAX 512u

#endif /* XENALYZE_LINES_RULES_H */
