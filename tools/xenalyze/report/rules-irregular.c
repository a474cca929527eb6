/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rule cannot say: names that stock spells in its own way, arguments of
 * hypercalls, and what depends on earlier records.  That comes as the value of
 * the context (dump-state.c): of an entry, the cycles since its exit; of a
 * write of cr3, what was in it; of a read of the TSC, that it went backwards.
 */
#include "xenalyze/report/rules.h"

#include <string.h>

#include "common/num.h"

#define LONG_ARC 10000u         /* cycles; stock marks what took longer */

/* --- fields by name ------------------------------------------------------- */

/* False: the record does not have it. */
static bool get(const struct line_context *c, const char *name,
                uint64_t *value)
{
    for ( unsigned int i = 0; i < c->event->nr_fields; i++ )
        if ( !strcmp(c->event->fields[i].name, name) )
            return xt_field_get(c->event, i, c->record, value);
    return false;
}

static uint64_t get_or_0(const struct line_context *c, const char *name)
{
    uint64_t value;

    return get(c, name, &value) ? value : 0;
}

/* --- the scheduler -------------------------------------------------------- */

static char *put_slice(char *p, const struct line_context *c)
{
    int64_t slice = (int64_t)get_or_0(c, "slice");

    if ( slice < 0 )
        return p;
    p = num_u64(num_text(p, ", next slice "), slice / 1000);
    *p++ = '.';
    return num_text(num_u64(p, slice % 1000), "us");
}

static char *put_credit2_idle(char *p, const struct line_context *c)
{
    if ( !get_or_0(c, "idle") )
        return num_text(p, ", busy");
    return num_text(p, get_or_0(c, "smt_idle") ? ", idle, SMT idle"
                                               : ", idle, SMT busy");
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

/* Word 0: of Intel's, the upper half is flags. */
static char *put_exit(char *p, const struct line_context *c)
{
    uint32_t reason = c->record->words ? xt_record_word(c->record, 0) : 0;
    const struct xt_sem *names = exit_names(c);
    bool intel = names == c->programs->vmx;
    const char *name = names ? xt_sem_name(names, intel ? reason & 0xffff
                                                        : reason) : NULL;

    if ( !name )
        return num_hex(p, reason);
    p = num_text(intel ? p : num_text(p, "VMEXIT_"), name);
    return intel && reason >> 16
           ? num_hex(num_text(p, "|"), reason >> 16 << 16) : p;
}

static char *put_entry(char *p, const struct line_context *c)
{
    if ( !c->has_value )
        return p;
    p = num_u64(num_text(p, " cycles "), c->value);
    return num_text(p, c->value > LONG_ARC ? " !" : " ");
}

static char *put_cr3(char *p, const struct line_context *c)
{
    if ( !c->has_value )
        return p;
    p = num_hex(num_text(p, " oval "), c->value);
    return num_text(p, c->value == get_or_0(c, "value") ? " flush"
                                                        : " switch");
}

static char *put_backwards(char *p, const struct line_context *c)
{
    return c->has_value ? num_text(p, "BACKWARDS") : p;
}

static char *put_trap(char *p, const struct line_context *c)
{
    static const char *const names[] = {
        "Divide", "RESERVED", "NMI", "Breakpoint", "Overflow", "BOUND",
        "Invalid Op", "Coprocessor not present", "Double Fault",
        "Coprocessor segment overrun", "TSS", "Segment not present",
        "Stack-segment fault", "GP", "Page fault", "RESERVED", "FPU",
        "Alignment check", "Machine check", "SIMD",
    };
    uint64_t trap = get_or_0(c, "trap");

    if ( trap < sizeof(names) / sizeof(names[0]) )
        return num_text(p, names[trap]);
    return num_u64(p, trap);
}

/* --- what may be absent --------------------------------------------------- */

static char *put_vector(char *p, const struct line_context *c)
{
    uint64_t value;

    return get(c, "vector", &value) ? num_hex(num_text(p, " vec "), value) : p;
}

static char *put_data(char *p, const struct line_context *c)
{
    uint64_t value;

    return get(c, "data", &value) ? num_hex(num_text(p, " val "), value) : p;
}

static char *put_mmio_data(char *p, const struct line_context *c)
{
    uint64_t value;

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

static char *put_call(char *p, const struct line_context *c)
{
    const struct xt_sem *sem = c->programs->hypercalls;
    uint64_t op = get_or_0(c, "op");
    const char *name = sem ? xt_sem_name(sem, op) : NULL;

    for ( size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++ )
        if ( calls[i].value == op )
            name = calls[i].name;
    if ( !name )
        return p;
    p = num_text(num_text(p, " ("), name);
    *p++ = ')';
    return p;
}

static bool argument(const struct line_context *c, unsigned int i,
                     uint64_t *value)
{
    char name[] = "arg0";

    name[3] += i;
    return get(c, name, value);
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
    static const char *const present[] = {
        "has0", "has1", "has2", "has3", "has4", "has5",
    };
    unsigned int last = 0;
    uint64_t value;

    for ( unsigned int i = 0; i < 6; i++ )
        if ( get_or_0(c, present[i]) )
            last = i + 1;
    for ( unsigned int i = 0; i < last; i++ )
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

static char *put_arguments(char *p, const struct line_context *c)
{
    switch ( get_or_0(c, "op") )
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

static char *put_path(char *p, const struct line_context *c)
{
    /* By bit: its place in the text, and the letter. */
    static const struct { uint8_t bit, at; char letter; } letters[] = {
        { 1, 0, 'a' }, { 0, 0, 'd' }, { 2, 1, 'g' }, { 3, 2, 'p' },
        { 8, 3, 'D' }, { 9, 4, 'P' }, { 10, 5, 'w' }, { 11, 6, 'G' },
        { 13, 7, 'e' }, { 17, 8, 'H' }, { 18, 9, 'u' }, { 19, 10, 'a' },
        { 20, 11, 'x' },
    };
    uint64_t path = get_or_0(c, "path");

    num_fill(p, '-', 12);
    for ( size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++ )
        if ( path >> letters[i].bit & 1 )
            p[letters[i].at] = letters[i].letter;
    return p + 12;
}

static char *put_unsync(char *p, const struct line_context *c)
{
    return get_or_0(c, "path") >> 18 & 1 ? num_text(p, ":unsync") : p;
}

/* The highest pcpus first, as a number is written. */
static char *put_cpus(char *p, const struct line_context *c)
{
    for ( unsigned int i = c->record->words; i-- > 1; )
    {
        *p++ = ' ';
        p = num_hex_zero(p, xt_record_word(c->record, i), 4);
    }
    return p;
}

/* Only the low halves of the time stamps are there. */
static char *put_taken(char *p, const struct line_context *c)
{
    return num_u64(p, (uint32_t)(get_or_0(c, "out") - get_or_0(c, "in")));
}

/* --- by name -------------------------------------------------------------- */

static const struct
{
    const char *name;
    line_function *put;
} functions[] = {
    { "slice", put_slice }, { "credit2_idle", put_credit2_idle },
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
