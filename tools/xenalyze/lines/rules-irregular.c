/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of rules, for texts that the syntax of rules does not cover:
 * names in stock's own spelling, arguments of hypercalls, and state from
 * earlier records.  The context (who-runs.c) has that state: the exit time of
 * the vcpu, and a value.  For a CR3 write, the value is the previous CR3; for
 * an RDTSC, its presence means that the TSC went backward.
 */
#include "xenalyze/lines/rules.h"

#include <assert.h>
#include <string.h>

#include "common/debug.h"
#include "common/num.h"
#include "libxentrace/readers.h"

#define LONG_EXIT 10000u        /* cycles; stock marks longer exits with ! */

/* --- fields by name ------------------------------------------------------- */

/* The value of a field.  False: the record does not have the field. */
static bool get_field(const struct line_context *c, const char *name,
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
    if ( slice <= 0 )
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

/* The exit names of AMD or Intel.  NULL: unknown, print the number. */
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

/* In Intel's exit reasons the upper half is flags. */
static char *put_exit_name(char *p, const struct xt_sem *names, bool intel,
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

/* A trace has the exits of one vendor, so their names are prepared. */
void line_exits_init(struct line_programs *s)
{
    bool intel = s->catalogue->dialect.hardware == XT_HARDWARE_VMX;
    const struct xt_sem *names = intel ? s->vmx : s->svm;
    char text[128];

    if ( !s->catalogue->dialect.hardware )
        return;
    for ( uint32_t i = 0; i < LINE_EXITS; i++ )
    {
        size_t length = put_exit_name(text, names, intel, i) - text;

        assert(length <= sizeof(text));
        line_word_set(&s->exit_words[i], text, length);
    }
}

static char *put_exit_reason(char *p, const struct line_context *c,
                             int64_t value)
{
    const struct line_programs *set = c->programs;
    uint32_t reason = xt_field_load(c->record,
                                    XT_AT(hvm_vmexit_until_4_18, reason));
    const struct xt_sem *names;

    (void)value;
    if ( reason < LINE_EXITS && set->exit_words[reason].length )
    {
        memcpy(p, set->exit_words[reason].text,
               sizeof(set->exit_words[0].text));
        return p + set->exit_words[reason].length;
    }
    names = exit_names(c);
    return put_exit_name(p, names, names == set->vmx, reason);
}

static char *put_entry_cycles(char *p, const struct line_context *c,
                              int64_t unused)
{
    uint64_t cycles = c->time - c->exit_time;

    (void)unused;
    if ( c->exit_time == IN_GUEST )
        return p;
    memcpy(p, " cycles ", 8);
    p = num_u64(p + 8, cycles);
    memcpy(p, " !", 2);
    return p + (cycles > LONG_EXIT ? 2 : 1);
}

static char *put_old_cr3(char *p, const struct line_context *c, int64_t value)
{
    if ( !c->has_value )
        return p;
    p = num_hex(num_text(p, " oval "), c->value);
    return num_text(p, c->value == (uint64_t)value ? " flush" : " switch");
}

static char *put_rdtsc_warning(char *p, const struct line_context *c,
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

/* --- optional fields ------------------------------------------------------ */

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
    if ( !get_field(c, "data", &value) )
        return num_text(p, " (no data)");
    return num_hex(num_text(p, " data "), value);
}

/* --- hypercalls ----------------------------------------------------------- */

struct stock_name
{
    unsigned int value;
    const char *name;
};

/* Stock's names that differ from Xen's, which the catalogue has. */
static const struct stock_name stock_names[] = {
    { 6, "sched_op(compat)" }, { 16, "evtchn_op(compat)" },
    { 19, "physdev_op(compat)" }, { 27, "acm_op" }, { 32, "evtchn_op" },
};

#define NR_STOCK_NAMES (sizeof(stock_names) / sizeof(stock_names[0]))

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

static char *put_hypercall(char *p, const struct line_context *c, int64_t op)
{
    const struct line_word *word;

    if ( op >= LINE_HYPERCALLS )
        return p;
    word = &c->programs->hypercall_words[op];
    memcpy(p, word->text, sizeof(word->text));
    return p + word->length;
}

/* " (sched_op)" and the like, by number. */
void line_hypercalls_init(struct line_programs *s)
{
    for ( uint32_t op = 0; op < LINE_HYPERCALLS; op++ )
    {
        const char *name = s->hypercalls ? xt_sem_name(s->hypercalls, op)
                                         : NULL;
        struct line_word *word = &s->hypercall_words[op];

        for ( size_t i = 0; i < NR_STOCK_NAMES; i++ )
            if ( stock_names[i].value == op )
                name = stock_names[i].name;
        if ( !name || strlen(name) + 3 > sizeof(word->text) )
            continue;
        assert(!word->length);
        num_text(num_text(num_text(word->text, " ("), name), ")");
        word->length = strlen(name) + 3;
    }
}

/*
 * Word 0 of a hypercall record has the number of the hypercall and, for each of
 * six arguments, the number of words that the argument takes: 0 to 2.
 */
#define WIDTHS_AT XT_BIT(pv_hypercall_v2, has0)

static unsigned int argument_words(uint32_t word, unsigned int i)
{
    debug_assert(i < 6);
    return word >> (WIDTHS_AT + 2 * i) & 3;
}

/* Argument i.  False: the record does not have it. */
static bool get_argument(const struct line_context *c, unsigned int i,
                         uint64_t *value)
{
    uint32_t first = xt_record_word(c->record, 0);
    unsigned int at = XT_WORDS(pv_hypercall_v2);
    unsigned int words = argument_words(first, i);

    for ( unsigned int before = 0; before < i; before++ )
        at += argument_words(first, before);
    if ( !words || at + words > c->record->words )
        return false;
    *value = xt_record_word(c->record, at);
    if ( words > 1 )
        *value |= (uint64_t)xt_record_word(c->record, at + 1) << 32;
    return true;
}

/* A count of operations; its highest bit marks a batch that is continued. */
static char *put_op_count(char *p, const struct line_context *c, unsigned int i,
                          const char *what)
{
    uint64_t count = 0;

    get_argument(c, i, &count);
    *p++ = ' ';
    p = num_text(num_u64(p, count & 0x7fffffff), what);
    return count & 0x80000000 ? num_text(p, " (preempted)") : p;
}

static char *put_op_name(char *p, const struct line_context *c,
                         const char *const *names, size_t nr)
{
    uint64_t op = 0;

    get_argument(c, 0, &op);
    *p++ = ' ';
    if ( op < nr )
        return num_text(p, names[op]);
    return num_text(num_u64(num_text(p, "unknown ("), op), ")");
}

static char *put_hex_arguments(char *p, const struct line_context *c)
{
    uint32_t first = xt_record_word(c->record, 0);
    uint64_t value;

    for ( unsigned int i = 0; i < 6 && first >> (WIDTHS_AT + 2 * i); i++ )
    {
        *p++ = ' ';
        if ( !get_argument(c, i, &value) )
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

    get_argument(c, 1, &vcpu);
    p = put_op_name(p, c, OPS(vcpu_ops));
    return num_u64(num_text(p, " vcpu "), vcpu);
}

static char *put_arguments(char *p, const struct line_context *c, int64_t op)
{
    switch ( op )
    {
    case 1: return put_op_count(p, c, 1, " updates");
    case 13: return put_op_count(p, c, 1, " calls");
    case 20: return put_op_count(put_op_name(p, c, OPS(grant_ops)), c, 2,
                                 " ops");
    case 24: return put_vcpu_op(p, c);
    case 26: return put_op_count(p, c, 1, " ops");
    case 29: return put_op_name(p, c, OPS(sched_ops));
    default: return put_hex_arguments(p, c);
    }
}

/* --- shadow paging and hardware ------------------------------------------- */

/* A letter for each flag of the walk. */
static char *put_path(char *p, const struct line_context *c, int64_t path)
{
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

/* A mask of pcpus, the word of the highest pcpus first. */
static char *put_cpu_mask(char *p, const struct line_context *c, int64_t unused)
{
    (void)unused;
    for ( unsigned int i = c->record->words; i-- > 1; )
    {
        *p++ = ' ';
        p = num_hex_zero(p, xt_record_word(c->record, i), 4);
    }
    return p;
}

/* The record has only the lower halves of the two time stamps. */
static char *put_irq_time(char *p, const struct line_context *c, int64_t unused)
{
    uint64_t in = 0, out = 0;

    (void)unused;
    get_field(c, "in", &in);
    get_field(c, "out", &out);
    return num_u64(p, (uint32_t)(out - in));
}

/* --- the table of functions ----------------------------------------------- */

static const struct
{
    const char *name;
    line_function *put;
} functions[] = {
    { "slice", put_slice }, { "smt", put_smt },
    { "exit", put_exit_reason }, { "entry", put_entry_cycles },
    { "cr3", put_old_cr3 },
    { "backwards", put_rdtsc_warning }, { "trap", put_trap },
    { "vector", put_vector }, { "data", put_data },
    { "mmio_data", put_mmio_data }, { "call", put_hypercall },
    { "arguments", put_arguments }, { "path", put_path },
    { "unsync", put_unsync }, { "cpus", put_cpu_mask },
    { "taken", put_irq_time },
};

line_function *line_function_find(const char *name, size_t length)
{
    for ( size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++ )
        if ( !strncmp(functions[i].name, name, length) &&
             !functions[i].name[length] )
            return functions[i].put;
    return NULL;
}
