/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rule cannot say: names that stock spells in its own way, arguments of
 * hypercalls, and what depends on earlier records.  That comes in the context
 * (who-runs.c): when the guest was left; and as its value, of a write of cr3,
 * what was in it; of a read of the TSC, that it went backwards.
 */
#include "xenalyze/lines/rules.h"

#include <string.h>

#include "common/num.h"

#define LONG_ARC 10000u         /* cycles; stock marks what took longer */

/* --- fields by name ------------------------------------------------------- */

/* False: the record does not have it.  For fields that may be absent. */
static bool get(const struct line_context *c, const char *name,
                uint64_t *value)
{
    for ( unsigned int i = 0; i < c->event->nr_fields; i++ )
        if ( !strcmp(c->event->fields[i].name, name) )
            return xt_field_get(c->event, i, c->record, value);
    return false;
}

/* --- the scheduler -------------------------------------------------------- */

static char *put_slice(char *p, const struct line_context *c, int64_t slice)
{
    (void)c;
    if ( slice < 0 )
        return p;
    p = num_u64(num_text(p, ", next slice "), slice / 1000);
    *p++ = '.';
    return num_text(num_u64(p, slice % 1000), "us");
}

static char *put_smt(char *p, const struct line_context *c, int64_t idle)
{
    (void)c;
    return num_text(p, idle ? ", SMT idle" : ", SMT busy");
}

/* --- exits ---------------------------------------------------------------- */

/* AMD's, Intel's, or nobody knows whose: then there is only the number. */
static const struct xt_sem *exit_names(const struct line_context *c)
{
    const struct line_programs *set = c->programs;

    if ( (c->event->id & 0xff) != (TRC_HVM_VMEXIT & 0xff) )
        return set->svm;
    if ( c->event->since || set->catalogue->dialect.hardware ==
                            XT_HARDWARE_VMX )
        return set->vmx;
    return set->catalogue->dialect.hardware == XT_HARDWARE_SVM ? set->svm
                                                               : NULL;
}

/* Of Intel's, the upper half is flags. */
static char *name_exit(char *p, const struct xt_sem *names, bool intel,
                       uint32_t reason)
{
    const char *name = names ? xt_sem_name(names, intel ? reason & 0xffff
                                                        : reason) : NULL;

    if ( !name )
        return num_hex(p, reason);
    p = num_text(intel ? p : num_text(p, "VMEXIT_"), name);
    return intel && reason >> 16
           ? num_hex(num_text(p, "|"), reason >> 16 << 16) : p;
}

/* A trace has the exits of one maker, so their texts can be made beforehand. */
void line_exits_init(struct line_programs *s)
{
    bool intel = s->catalogue->dialect.hardware == XT_HARDWARE_VMX;
    const struct xt_sem *names = intel ? s->vmx : s->svm;
    char text[128];

    if ( !s->catalogue->dialect.hardware )
        return;
    for ( uint32_t i = 0; i < LINE_EXITS; i++ )
    {
        size_t length = name_exit(text, names, intel, i) - text;

        line_word_set(&s->exits[i], text, length);
    }
}

static char *put_exit(char *p, const struct line_context *c, int64_t value)
{
    const struct line_programs *set = c->programs;
    uint32_t reason = c->record->words ? xt_record_word(c->record, 0) : 0;
    const struct xt_sem *names;

    (void)value;
    if ( reason < LINE_EXITS && set->exits[reason].length )
    {
        memcpy(p, set->exits[reason].text, sizeof(set->exits[0].text));
        return p + set->exits[reason].length;
    }
    names = exit_names(c);
    return name_exit(p, names, names == set->vmx, reason);
}

static char *put_entry(char *p, const struct line_context *c, int64_t unused)
{
    uint64_t cycles = c->time - c->exit_time;

    (void)unused;
    if ( c->exit_time == IN_GUEST )
        return p;
    memcpy(p, " cycles ", 8);
    p = num_u64(p + 8, cycles);
    memcpy(p, " !", 2);
    return p + (cycles > LONG_ARC ? 2 : 1);
}

static char *put_cr3(char *p, const struct line_context *c, int64_t value)
{
    if ( !c->has_value )
        return p;
    p = num_hex(num_text(p, " oval "), c->value);
    return num_text(p, c->value == (uint64_t)value ? " flush" : " switch");
}

static char *put_backwards(char *p, const struct line_context *c,
                           int64_t unused)
{
    (void)unused;
    return c->has_value ? num_text(p, "BACKWARDS") : p;
}

static char *put_trap(char *p, const struct line_context *c, int64_t trap)
{
    static const char *const names[] = {
        "Divide", "RESERVED", "NMI", "Breakpoint", "Overflow", "BOUND",
        "Invalid Op", "Coprocessor not present", "Double Fault",
        "Coprocessor segment overrun", "TSS", "Segment not present",
        "Stack-segment fault", "GP", "Page fault", "RESERVED", "FPU",
        "Alignment check", "Machine check", "SIMD",
    };

    (void)c;
    if ( (uint64_t)trap < sizeof(names) / sizeof(names[0]) )
        return num_text(p, names[trap]);
    return num_u64(p, (uint32_t)trap);
}

/* --- what may be absent --------------------------------------------------- */

static char *put_vector(char *p, const struct line_context *c, int64_t vector)
{
    return c->record->words ? num_hex(num_text(p, " vec "), vector) : p;
}

static char *put_data(char *p, const struct line_context *c, int64_t data)
{
    return c->record->words > 1 ? num_hex(num_text(p, " val "), data) : p;
}

static char *put_mmio_data(char *p, const struct line_context *c,
                           int64_t unused)
{
    uint64_t value;

    (void)unused;
    if ( !get(c, "data", &value) )
        return num_text(p, " (no data)");
    return num_hex(num_text(p, " data "), value);
}

/* --- hypercalls ----------------------------------------------------------- */

struct spelling
{
    unsigned int value;
    const char *name;
};

/* Where stock has another name than the catalogue, which has Xen's. */
static const struct spelling calls[] = {
    { 6, "sched_op(compat)" }, { 16, "evtchn_op(compat)" },
    { 19, "physdev_op(compat)" }, { 27, "acm_op" }, { 32, "evtchn_op" },
};

static const char *const grant_ops[] = {
    "map_grant_ref", "unmap_grant_ref", "setup_table", "dump_table",
    "transfer", "copy", "query_size", "unmap_and_replace", "set_version",
    "get_status_frames", "get_version", "swap_grant_ref", "cache_flush",
};

static const char *const vcpu_ops[] = {
    "initialise", "up", "down", "is_up", "get_runstate_info",
    "register_runstate_memory_area", "set_periodic_timer",
    "stop_periodic_timer", "set_singleshot_timer", "stop_singleshot_timer",
    "register_vcpu_info", "send_nmi", "get_physid",
    "register_vcpu_time_memory_area",
};

static const char *const sched_ops[] = {
    "yield", "block", "shutdown", "poll", "remote_shutdown", "shutdown_code",
    "watchdog", "pin_override",
};

static char *put_call(char *p, const struct line_context *c, int64_t op)
{
    const struct line_word *word;

    if ( op >= LINE_CALLS )
        return p;
    word = &c->programs->calls[op];
    memcpy(p, word->text, sizeof(word->text));
    return p + word->length;
}

/* " (sched_op)", by number. */
void line_calls_init(struct line_programs *s)
{
    for ( uint32_t op = 0; op < LINE_CALLS; op++ )
    {
        const char *name = s->hypercalls ? xt_sem_name(s->hypercalls, op)
                                         : NULL;
        struct line_word *word = &s->calls[op];

        for ( size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++ )
            if ( calls[i].value == op )
                name = calls[i].name;
        if ( !name || strlen(name) + 3 > sizeof(word->text) )
            continue;
        num_text(num_text(num_text(word->text, " ("), name), ")");
        word->length = strlen(name) + 3;
    }
}

/*
 * Word 0 of a hypercall has its number and, for each of six arguments, how many
 * of the words that follow it takes: 0 to 2.
 */
static unsigned int words_of(uint32_t word, unsigned int i)
{
    return word >> (20 + 2 * i) & 3;
}

static bool argument(const struct line_context *c, unsigned int i,
                     uint64_t *value)
{
    uint32_t first = xt_record_word(c->record, 0);
    unsigned int at = 1, words = words_of(first, i);

    for ( unsigned int before = 0; before < i; before++ )
        at += words_of(first, before);
    if ( !words || at + words > c->record->words )
        return false;
    *value = xt_record_word(c->record, at);
    if ( words > 1 )
        *value |= (uint64_t)xt_record_word(c->record, at + 1) << 32;
    return true;
}

/* Of a batch that is gone on with, the count has its highest bit set. */
static char *put_count(char *p, const struct line_context *c, unsigned int i,
                       const char *what)
{
    uint64_t count = 0;

    argument(c, i, &count);
    *p++ = ' ';
    p = num_text(num_u64(p, count & 0x7fffffff), what);
    return count & 0x80000000 ? num_text(p, " (preempted)") : p;
}

static char *put_op(char *p, const struct line_context *c,
                    const char *const *names, size_t nr)
{
    uint64_t op = 0;

    argument(c, 0, &op);
    *p++ = ' ';
    if ( op < nr )
        return num_text(p, names[op]);
    return num_text(num_u64(num_text(p, "unknown ("), op), ")");
}

static char *put_raw_arguments(char *p, const struct line_context *c)
{
    uint32_t first = xt_record_word(c->record, 0);
    uint64_t value;

    for ( unsigned int i = 0; i < 6 && first >> (20 + 2 * i); i++ )
    {
        *p++ = ' ';
        if ( !argument(c, i, &value) )
            p = num_text(p, "??");
        else
            p = num_hex_zero(p, value, value >> 32 ? 16 : 8);
    }
    return p;
}

#define OPS(names) names, sizeof(names) / sizeof(names[0])

static char *put_vcpu_op(char *p, const struct line_context *c)
{
    uint64_t vcpu = 0;

    argument(c, 1, &vcpu);
    p = put_op(p, c, OPS(vcpu_ops));
    return num_u64(num_text(p, " vcpu "), vcpu);
}

static char *put_arguments(char *p, const struct line_context *c, int64_t op)
{
    switch ( op )
    {
    case 1: return put_count(p, c, 1, " updates");
    case 13: return put_count(p, c, 1, " calls");
    case 20: return put_count(put_op(p, c, OPS(grant_ops)), c, 2, " ops");
    case 24: return put_vcpu_op(p, c);
    case 26: return put_count(p, c, 1, " ops");
    case 29: return put_op(p, c, OPS(sched_ops));
    default: return put_raw_arguments(p, c);
    }
}

/* --- shadow paging and hardware ------------------------------------------- */

static char *put_path(char *p, const struct line_context *c, int64_t path)
{
    /* By bit: its place in the text, and the letter. */
    static const struct { uint8_t bit, at; char letter; } letters[] = {
        { 1, 0, 'a' }, { 0, 0, 'd' }, { 2, 1, 'g' }, { 3, 2, 'p' },
        { 8, 3, 'D' }, { 9, 4, 'P' }, { 10, 5, 'w' }, { 11, 6, 'G' },
        { 13, 7, 'e' }, { 17, 8, 'H' }, { 18, 9, 'u' }, { 19, 10, 'a' },
        { 20, 11, 'x' },
    };

    (void)c;
    num_fill(p, '-', 12);
    for ( size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++ )
        if ( path >> letters[i].bit & 1 )
            p[letters[i].at] = letters[i].letter;
    return p + 12;
}

static char *put_unsync(char *p, const struct line_context *c, int64_t path)
{
    (void)c;
    return path >> 18 & 1 ? num_text(p, ":unsync") : p;
}

/* The highest pcpus first, as a number is written. */
static char *put_cpus(char *p, const struct line_context *c, int64_t unused)
{
    (void)unused;
    for ( unsigned int i = c->record->words; i-- > 1; )
    {
        *p++ = ' ';
        p = num_hex_zero(p, xt_record_word(c->record, i), 4);
    }
    return p;
}

/* Only the low halves of the time stamps are there. */
static char *put_taken(char *p, const struct line_context *c, int64_t unused)
{
    uint64_t in = 0, out = 0;

    (void)unused;
    get(c, "in", &in);
    get(c, "out", &out);
    return num_u64(p, (uint32_t)(out - in));
}

/* --- by name -------------------------------------------------------------- */

static const struct
{
    const char *name;
    line_function *put;
} functions[] = {
    { "slice", put_slice }, { "smt", put_smt },
    { "exit", put_exit }, { "entry", put_entry }, { "cr3", put_cr3 },
    { "backwards", put_backwards }, { "trap", put_trap },
    { "vector", put_vector }, { "data", put_data },
    { "mmio_data", put_mmio_data }, { "call", put_call },
    { "arguments", put_arguments }, { "path", put_path },
    { "unsync", put_unsync }, { "cpus", put_cpus }, { "taken", put_taken },
};

line_function *line_function_named(const char *name, size_t length)
{
    for ( size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++ )
        if ( !strncmp(functions[i].name, name, length) &&
             !functions[i].name[length] )
            return functions[i].put;
    return NULL;
}
