/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event has all its fields, "name=value"; values of enumerations
 * have names.
 */
#include "xenalyze/convert/ftrace-formats.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "fields are in the order of the file");

#define ARGUMENT_SIZE 8u

int ftrace_formats_init(struct ftrace_formats *f)
{
    *f = (struct ftrace_formats){ .nr_classes = FTRACE_EVENTS };
    f->first = fault_calloc(xt_catalogue_nr_events, sizeof(*f->first));
    if ( !f->first )
        return -ENOMEM;
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];

        f->first[i] = f->nr_classes;
        f->nr_classes += e->max_words - e->words + 1u;
    }
    assert(f->nr_classes <= UINT16_MAX);
    f->is_used = fault_calloc(f->nr_classes, sizeof(*f->is_used));
    return f->is_used ? 0 : -ENOMEM;
}

void ftrace_formats_fini(struct ftrace_formats *f)
{
    free(f->first);
    free(f->is_used);
}

/* --- records -------------------------------------------------------------- */

static bool is_argument(const struct xt_field *f)
{
    return f->present >= 0;
}

static bool has_arguments(const struct xt_event *e)
{
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( is_argument(&e->fields[i]) )
            return true;
    return false;
}

/* Is the field in all records with so many words? */
static bool is_in_class(const struct xt_field *f, unsigned int words)
{
    return !is_argument(f) && (f->in_id || f->bit + f->bits <= 32 * words);
}

/* Does the field only mark arguments as present? */
static bool marks_arguments(const struct xt_event *e, unsigned int field)
{
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( e->fields[i].present == (int)field )
            return true;
    return false;
}

/* Is the field in the text of the event? */
static bool is_text_field(const struct xt_event *e, unsigned int field,
                     unsigned int words)
{
    return is_in_class(&e->fields[field], words) && !marks_arguments(e, field);
}

static unsigned int get_field_size(const struct xt_field *f)
{
    return f->bits > 32 ? 8 : 4;
}

unsigned int ftrace_formats_use(struct ftrace_formats *f,
                                const struct xt_catalogue *catalogue,
                                const struct xt_record *r,
                                const struct xt_event **event)
{
    const struct xt_event *e = xt_catalogue_find(catalogue, r->event,
                                                 r->words);
    unsigned int class = FTRACE_UNKNOWN;

    if ( e && !xt_event_fits(e, r->words) )
        e = NULL;
    if ( e )
        class = f->first[e - xt_catalogue_events] + r->words - e->words;
    assert(class < f->nr_classes);
    f->is_used[class] = true;
    *event = e;
    return class;
}

/* The place of an array that follows at once: offset and size, 16 bits each. */
static unsigned char *put_array_place(const unsigned char *begin,
                                      unsigned char *p, size_t size)
{
    uint32_t place = (p + 4 - begin) | size << 16;

    assert(size <= UINT16_MAX);
    memcpy(p, &place, 4);
    return p + 4;
}

static unsigned char *put_argument_array(const struct xt_event *e,
                                    const struct xt_record *r,
                                    const unsigned char *begin,
                                    unsigned char *p)
{
    uint64_t values[XT_RECORD_MAX_WORDS];
    unsigned int nr = 0;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( is_argument(&e->fields[i]) &&
             xt_field_get(e, i, r, &values[nr]) )
        {
            nr++;
            assert(nr < XT_RECORD_MAX_WORDS);
        }
    p = put_array_place(begin, p, ARGUMENT_SIZE * nr);
    memcpy(p, values, ARGUMENT_SIZE * nr);
    return p + ARGUMENT_SIZE * nr;
}

static unsigned char *put_unknown(const struct xt_record *r,
                                  const unsigned char *begin,
                                  unsigned char *p)
{
    memcpy(p, &r->event, 4);
    p = put_array_place(begin, p + 4, 4u * r->words);
    memcpy(p, r->payload, 4u * r->words);
    return p + 4u * r->words;
}

unsigned char *ftrace_put_fields(const struct xt_event *event,
                                 const struct xt_record *r,
                                 const unsigned char *begin, unsigned char *p)
{
    assert(r->words <= XT_RECORD_MAX_WORDS);
    if ( !event )
        return put_unknown(r, begin, p);
    for ( unsigned int i = 0; i < event->nr_fields; i++ )
    {
        const struct xt_field *f = &event->fields[i];
        uint64_t value = 0;

        if ( !is_in_class(f, r->words) )
            continue;
        xt_field_get(event, i, r, &value);
        memcpy(p, &value, get_field_size(f));
        p += get_field_size(f);
    }
    return has_arguments(event) ? put_argument_array(event, r, begin, p) : p;
}

/* --- declarations --------------------------------------------------------- */

/* A declaration is known in size when it is complete. */
struct text
{
    char *bytes;
    size_t size;
    FILE *out;
};

static int begin_format(struct text *t, const char *name, unsigned int class)
{
    *t = (struct text){ .out = NULL };
    if ( !fault_hit(FAULT_ALLOC) )
        t->out = open_memstream(&t->bytes, &t->size);
    if ( !t->out )
        return -ENOMEM;
    fprintf(t->out, "name: %s\nID: %u\nformat:\n"
            "\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
            "\tsigned:0;\n"
            "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;"
            "\tsigned:0;\n"
            "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
            "\tsigned:0;\n"
            "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
            name, class);
    return 0;
}

static void declare_format_field(FILE *out, const char *type, const char *name,
                                 size_t offset, size_t size, bool is_signed)
{
    fprintf(out, "\tfield:%s %s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", type,
            name, offset, size, is_signed);
}

/* The size of the declaration as 8 bytes, and the declaration. */
static int end_format(struct text *t, FILE *out)
{
    uint64_t size;

    if ( fclose(t->out) )
    {
        free(t->bytes);
        return -ENOMEM;
    }
    size = t->size;
    fwrite(&size, sizeof(size), 1, out);
    fwrite(t->bytes, 1, t->size, out);
    free(t->bytes);
    return 0;
}

static int write_switch(FILE *out)
{
    struct text t;
    int rc = begin_format(&t, "sched_switch", FTRACE_SWITCH);

    if ( rc )
        return rc;
    declare_format_field(t.out, "char", "prev_comm[16]",
                         offsetof(struct ftrace_switch, prev_comm), FTRACE_COMM,
                         false);
    declare_format_field(t.out, "pid_t", "prev_pid",
                         offsetof(struct ftrace_switch, prev_pid), 4, true);
    declare_format_field(t.out, "int", "prev_prio",
                         offsetof(struct ftrace_switch, prev_prio), 4, true);
    declare_format_field(t.out, "int", "prev_state",
                         offsetof(struct ftrace_switch, prev_state), 4, true);
    declare_format_field(t.out, "char", "next_comm[16]",
                         offsetof(struct ftrace_switch, next_comm), FTRACE_COMM,
                         false);
    declare_format_field(t.out, "pid_t", "next_pid",
                         offsetof(struct ftrace_switch, next_pid), 4, true);
    declare_format_field(t.out, "int", "next_prio",
                         offsetof(struct ftrace_switch, next_prio), 4, true);
    fputs("\nprint fmt: \"prev_comm=%s prev_pid=%d prev_state=%s ==> "
          "next_comm=%s next_pid=%d\", REC->prev_comm, REC->prev_pid, "
          "__print_symbolic(REC->prev_state, { 0, \"R\" }, { 1, \"S\" }, "
          "{ 4, \"T\" }), REC->next_comm, REC->next_pid\n", t.out);
    return end_format(&t, out);
}

static int write_waking(FILE *out)
{
    struct text t;
    int rc = begin_format(&t, "sched_waking", FTRACE_WAKING);

    if ( rc )
        return rc;
    declare_format_field(t.out, "char", "comm[16]",
                         offsetof(struct ftrace_waking, comm), FTRACE_COMM,
                         false);
    declare_format_field(t.out, "pid_t", "pid",
                         offsetof(struct ftrace_waking, pid), 4, true);
    fputs("\nprint fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n", t.out);
    return end_format(&t, out);
}

static int write_loss(FILE *out)
{
    struct text t;
    int rc = begin_format(&t, "unreported_loss", FTRACE_LOSS);

    if ( rc )
        return rc;
    declare_format_field(t.out, "u64", "records",
                         offsetof(struct ftrace_loss, records), 8, false);
    fputs("\nprint fmt: \"records=%llu\", REC->records\n", t.out);
    return end_format(&t, out);
}

static int write_unknown(FILE *out)
{
    struct text t;
    int rc = begin_format(&t, "unknown", FTRACE_UNKNOWN);
    size_t at = sizeof(struct ftrace_common);

    if ( rc )
        return rc;
    declare_format_field(t.out, "u32", "id", at, 4, false);
    declare_format_field(t.out, "__data_loc u32[]", "words", at + 4, 4, false);
    fputs("\nprint fmt: \"id=0x%x words=%s\", REC->id, "
          "__print_array(__get_dynamic_array(words), "
          "__get_dynamic_array_len(words) / 4, 4)\n", t.out);
    return end_format(&t, out);
}

/* The type of the values of a field; exits have names by vendor. */
static const struct xt_sem *get_sem(const struct xt_catalogue *catalogue,
                                    const struct xt_field *f)
{
    if ( f->sem && catalogue->exits && !strcmp(f->sem->name, "exit_code") )
        return catalogue->exits;
    return f->sem && f->sem->meaning == XT_ENUM && f->sem->nr_values ? f->sem
                                                                     : NULL;
}

/* Does the event's text show the field in hex? */
static bool shows_hex(const struct xt_event *e, unsigned int field)
{
    if ( e->fields[field].sem && e->fields[field].sem->meaning == XT_FLAGS )
        return true;
    for ( unsigned int i = 0; i < e->nr_pieces; i++ )
        if ( e->pieces[i].field == (int)field &&
             strpbrk(e->pieces[i].text, "xX") )
            return true;
    return false;
}

static const char *get_conversion(const struct xt_event *e, unsigned int field)
{
    static const char *const conversions[2][3] = {
        { "%u", "%d", "0x%x" }, { "%llu", "%lld", "0x%llx" },
    };
    unsigned int kind = shows_hex(e, field) ? 2 : e->fields[field].is_signed;

    return conversions[e->fields[field].bits > 32][kind];
}

static void print_event_text(const struct xt_event *e, unsigned int words,
                       const struct xt_catalogue *catalogue, FILE *out)
{
    const char *blank = "";

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        if ( !is_text_field(e, i, words) )
            continue;
        fprintf(out, "%s%s=%s", blank, e->fields[i].name,
                get_sem(catalogue, &e->fields[i]) ? "%s"
                                                  : get_conversion(e, i));
        blank = " ";
    }
    if ( has_arguments(e) )
        fprintf(out, "%sargs=%%s", blank);
}

static void print_names(const struct xt_sem *sem, const char *field, FILE *out)
{
    fprintf(out, ", __print_symbolic(REC->%s", field);
    for ( unsigned int i = 0; i < sem->nr_values; i++ )
    {
        assert(!strpbrk(sem->values[i].name, "\"\\"));
        fprintf(out, ", { %llu, \"%s\" }",
                (unsigned long long)sem->values[i].value, sem->values[i].name);
    }
    putc(')', out);
}

static void print_values(const struct xt_event *e, unsigned int words,
                         const struct xt_catalogue *catalogue, FILE *out)
{
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        const struct xt_field *f = &e->fields[i];
        const struct xt_sem *sem = get_sem(catalogue, f);

        if ( !is_text_field(e, i, words) )
            continue;
        if ( sem )
            print_names(sem, f->name, out);
        else
            fprintf(out, ", REC->%s", f->name);
    }
    if ( has_arguments(e) )
        fprintf(out, ", __print_array(__get_dynamic_array(args), "
                "__get_dynamic_array_len(args) / %u, %u)", ARGUMENT_SIZE,
                ARGUMENT_SIZE);
}

static int write_event(const struct xt_event *e, unsigned int words,
                       unsigned int class, const struct xt_catalogue *catalogue,
                       FILE *out)
{
    static const char *const types[2][2] = { { "u32", "s32" },
                                             { "u64", "s64" } };
    size_t at = sizeof(struct ftrace_common);
    struct text t;
    int rc = begin_format(&t, e->name, class);

    if ( rc )
        return rc;
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        const struct xt_field *f = &e->fields[i];

        if ( !is_in_class(f, words) )
            continue;
        declare_format_field(t.out, types[f->bits > 32][f->is_signed],
                             f->name, at, get_field_size(f), f->is_signed);
        at += get_field_size(f);
    }
    if ( has_arguments(e) )
        declare_format_field(t.out, "__data_loc u64[]", "args", at, 4, false);
    fputs("\nprint fmt: \"", t.out);
    print_event_text(e, words, catalogue, t.out);
    putc('"', t.out);
    print_values(e, words, catalogue, t.out);
    putc('\n', t.out);
    return end_format(&t, out);
}

static uint32_t count_used(const struct ftrace_formats *f)
{
    uint32_t nr = 0;

    for ( unsigned int i = FTRACE_LOSS; i < f->nr_classes; i++ )
        nr += f->is_used[i];
    return nr;
}

static int write_catalogue(const struct ftrace_formats *f,
                           const struct xt_catalogue *catalogue, FILE *out)
{
    int rc = 0;

    for ( size_t i = 0; !rc && i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];

        for ( unsigned int words = e->words; !rc && words <= e->max_words;
              words++ )
        {
            unsigned int class = f->first[i] + words - e->words;

            if ( f->is_used[class] )
                rc = write_event(e, words, class, catalogue, out);
        }
    }
    return rc;
}

static void write_system(const char *name, uint32_t nr, FILE *out)
{
    fwrite(name, 1, strlen(name) + 1, out);
    fwrite(&nr, sizeof(nr), 1, out);
}

int ftrace_formats_write(const struct ftrace_formats *f,
                         const struct xt_catalogue *catalogue, FILE *out)
{
    const uint32_t nr_systems = 2;
    int rc;

    fwrite(&nr_systems, sizeof(nr_systems), 1, out);
    write_system("sched", 2, out);
    rc = write_switch(out);
    rc = rc ? rc : write_waking(out);
    write_system("xen", count_used(f), out);
    if ( !rc && f->is_used[FTRACE_LOSS] )
        rc = write_loss(out);
    if ( !rc && f->is_used[FTRACE_UNKNOWN] )
        rc = write_unknown(out);
    return rc ? rc : write_catalogue(f, catalogue, out);
}
