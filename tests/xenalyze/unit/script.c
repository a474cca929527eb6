/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run scripts of records; print facts.
 */
#include "tests/xenalyze/unit/script.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libxentrace/catalogue.h"

#define MAX_PCPUS 4u
#define MAX_RECORD 64u

struct script
{
    struct guests guests;
    struct global global;
    struct pcpu pcpus[MAX_PCPUS];
    struct arena arena;
    struct xt_dialect dialect;
    struct evidence worst;      /* longest lag, by any vcpu */
    bool used[MAX_PCPUS], fast;
    const char *kinds;
    char *text;
    size_t size;
    FILE *out;
};

/* --- facts to text -------------------------------------------------------- */

static const char *vcpu_text(const struct vcpu *v)
{
    static char texts[4][32];
    static unsigned int next;
    char *text = texts[next++ % 4];

    if ( !v )
        return "?";
    if ( vcpu_is_idle(v) )
        snprintf(text, sizeof(texts[0]), "idle%u", v->id);
    else if ( v->domain->id == XT_DOMAIN_DEFAULT )
        snprintf(text, sizeof(texts[0]), "default%u", v->id);
    else
        snprintf(text, sizeof(texts[0]), "d%uv%u", v->domain->id, v->id);
    return text;
}

static const char *pcpu_text(uint32_t pcpu)
{
    static char texts[4][16];
    static unsigned int next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof(texts[0]), "p%u", pcpu);
    return pcpu == FACT_NO_PCPU ? "-" : text;
}

/* Numbers that are 0 are left out. */
static void print_number(struct script *s, const char *name, uint64_t number)
{
    if ( number )
        fprintf(s->out, ", %s %#" PRIx64, name, number);
}

static void print_runstate(void *state, const struct fact_runstate *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %" PRIu64 "..%" PRIu64 " %s %s", vcpu_text(f->vcpu),
            f->from, f->to, state_name(f->state), pcpu_text(f->pcpu));
    if ( f->why )
        fprintf(s->out, " %s", why_name(f->why));
    if ( f->next == STATES )
        fprintf(s->out, " end");
    else
        fprintf(s->out, " -> %s%s%s by %s", state_name(f->next),
                f->next_why ? " " : "", f->next_why ? why_name(f->next_why)
                                                    : "",
                pcpu_text(f->next_pcpu));
    fprintf(s->out, "%s\n", f->before_first_run ? " (unseen)" : "");
}

static void print_domain(void *state, const struct fact_domain *f)
{
    struct script *s = state;

    fprintf(s->out, "d%u %" PRIu64 "..%" PRIu64 " %s %u/%u/%u of %u",
            f->domain->id, f->from, f->to, domain_state_name(f->state),
            fact_census(f, CENSUS_RUNNING), fact_census(f, CENSUS_RUNNABLE),
            fact_census(f, CENSUS_BLOCKED), f->nr_vcpus);
    fprintf(s->out, "%s", f->ended ? ", some ended" : "");
    fprintf(s->out, "%s\n", f->last ? " end" : "");
}

static void print_residency(void *state, const struct fact_residency *f)
{
    struct script *s = state;

    fprintf(s->out, "%s on %s %" PRIu64 "..%" PRIu64 " next %s\n",
            vcpu_text(f->vcpu), pcpu_text(f->pcpu), f->from, f->to,
            pcpu_text(f->next));
}

static void print_share(struct script *s, const char **separator,
                        const char *name, uint64_t cycles)
{
    if ( !cycles )
        return;
    fprintf(s->out, "%s %s %" PRIu64, *separator, name, cycles);
    *separator = ",";
}

static void print_whole_wait(struct script *s, const struct fact_wait *f,
                             const char *note)
{
    const char *separator = ";";

    fprintf(s->out, "%s waits %" PRIu64 "..%" PRIu64 " %s, %s before: %s",
            vcpu_text(f->vcpu), f->from, f->to, pcpu_text(f->pcpu),
            pcpu_text(f->pcpu_before), why_name(f->why) ? why_name(f->why)
                                                        : "unknown");
    if ( f->why == WHY_WAKE )
        fprintf(s->out, " by %s on %s at %" PRIu64, vcpu_text(f->waker),
                pcpu_text(f->waker_pcpu), f->woken);
    for ( uint32_t i = 0; i < f->nr_rivals; i++ )
        print_share(s, &separator, vcpu_text(f->rivals[i].vcpu),
                    f->rivals[i].cycles);
    print_share(s, &separator, "others", f->others);
    print_share(s, &separator, "unknown", f->unknown);
    fprintf(s->out, "%s\n", note);
}

static void print_wait(void *state, const struct fact_wait *f)
{
    print_whole_wait(state, f, "");
}

static void print_open_wait(void *state, const struct fact_open_wait *f)
{
    ck_assert(f->no_begin || f->no_end);
    print_whole_wait(state, &f->wait,
                     f->no_begin && f->no_end ? " (no begin, no end)"
                     : f->no_begin ? " (no begin)" : " (no end)");
}

static void print_wake_to_halt(void *state, const struct fact_wake_to_halt *f)
{
    struct script *s = state;

    fprintf(s->out, "%s halts %" PRIu64 ":", vcpu_text(f->vcpu), f->to);
    for ( uint32_t i = 0; i < f->nr_vectors; i++ )
        fprintf(s->out, " %#x at %" PRIu64, f->vectors[i].vector,
                f->vectors[i].time);
    fprintf(s->out, "\n");
}

static void print_loss(void *state, const struct fact_loss *f)
{
    struct script *s = state;

    fprintf(s->out, "%s lost %" PRIu64 "..%" PRIu64 ": %" PRIu64 ", then %s\n",
            pcpu_text(f->pcpu), f->from, f->to, f->records,
            vcpu_text(f->vcpu));
}

static void print_pcpu(void *state, const struct fact_pcpu *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %" PRIu64 "..%" PRIu64 " %s", pcpu_text(f->pcpu),
            f->from, f->to, pcpu_state_name(f->state));
    if ( f->state == PCPU_RUNNING || f->state == PCPU_IDLE )
        fprintf(s->out, " %s", vcpu_text(f->vcpu));
    fprintf(s->out, "%s\n", f->before_first_run ? " (unseen)" : "");
}

static void print_volume(void *state, const struct fact_volume *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %" PRIu64 "..%" PRIu64 ": %" PRIu64 " records, %"
            PRIu64 " lost, %" PRIu64 " open", pcpu_text(f->pcpu), f->first,
            f->last, f->records, f->lost, f->open_exits);
    for ( unsigned int i = 0; i < VOLUME_KINDS; i++ )
        if ( f->times[i] )
            fprintf(s->out, ", %s %" PRIu64 "/%" PRIu64, volume_name(i),
                    f->times[i], f->bytes[i]);
    fprintf(s->out, "\n");
}

/* The engine makes these facts, and no script. */
static void print_moment(void *state, const struct fact_moment *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %" PRIu64 "..%" PRIu64 "\n", pcpu_text(f->pcpu),
            f->from, f->to);
}

static void print_exit(void *state, const struct fact_exit *f)
{
    static const char *const ends[] = { "entered", "preempted", "woken" };
    struct script *s = state;
    const char *name = exit_name(f->cause);

    fprintf(s->out, "%s %s exit %" PRIu64 "+%" PRIu64 " %s(%#x) %s, rip %#"
            PRIx64 ", handler %u, seen %#" PRIx64, vcpu_text(f->vcpu),
            pcpu_text(f->pcpu), f->start, f->cycles, name ? name : "?",
            f->reason, ends[f->end], f->rip, f->handler, f->seen);
    if ( f->guest )
        fprintf(s->out, ", guest %" PRIu64, f->guest);
    if ( f->levels != 2 )
        fprintf(s->out, ", levels %u", f->levels);
    if ( f->resyncs )
        fprintf(s->out, ", resyncs %u", f->resyncs);
    fprintf(s->out, "%s%s%s%s\n", f->wide ? ", wide" : "",
            f->nested ? ", nested" : "", f->unpinned ? ", unpinned" : "",
            f->brute_force ? ", brute force" : "");
}

static void print_domain_reuse(void *state, const struct fact_domain_reuse *f)
{
    struct script *s = state;

    fprintf(s->out, "d%u again %" PRIu64 "\n", f->domain->id, f->time);
}

static void print_exit_pause(void *state, const struct fact_exit_pause *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %s %" PRIu64 " pause of the exit %" PRIu64 ", reason "
            "%#x\n", vcpu_text(f->vcpu), pcpu_text(f->pcpu), f->time, f->start,
            f->reason);
}

static void print_exit_block(void *state, const struct fact_exit_block *f)
{
    struct script *s = state;

    fprintf(s->out, "%s off its pcpu %" PRIu64 " of the exit %" PRIu64 "+%"
            PRIu64 ", handler %#x\n", vcpu_text(f->exit->vcpu), f->cycles,
            f->exit->start, f->exit->cycles, f->handle ? f->handle->event : 0);
}

static void print_shadow(struct script *s, const struct fact_shadow *f)
{
    fprintf(s->out, "; %s, levels %u", shadow_name(f->kind), f->levels);
    print_number(s, "va", f->va);
    print_number(s, "gl1e", f->gl1e);
    print_number(s, "written", f->written);
    print_number(s, "gfn", f->gfn);
    print_number(s, "flags", f->flags);
    print_number(s, "count", f->count);
}

static void print_handle(void *state, const struct fact_handle *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %s %" PRIu64 " handler %#x kind %u%s: at %#" PRIx64,
            vcpu_text(f->vcpu), pcpu_text(f->pcpu), f->time, f->event, f->kind,
            f->exit ? "" : ", no exit", f->at);
    if ( f->has_value || f->value )
        fprintf(s->out, ", value %#" PRIx64, f->value);
    if ( f->kind == HANDLE_NPF )
        fprintf(s->out, ", mfn %#" PRIx64 ", type %u", f->mfn, f->type);
    if ( f->linear )
        fprintf(s->out, ", linear %u", f->linear);
    fprintf(s->out, "%s%s", f->write ? ", write" : "", f->main ? ", main" : "");
    if ( f->kind == HANDLE_SHADOW )
        print_shadow(s, &f->shadow);
    fprintf(s->out, "\n");
}

static void print_cr3(void *state, const struct fact_cr3 *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %s %" PRIu64 " cr3 %#" PRIx64 " frame %#" PRIx64 "\n",
            vcpu_text(f->vcpu), pcpu_text(f->pcpu), f->time, f->value,
            fact_cr3_frame(f->value));
}

static void print_pv(void *state, const struct fact_pv *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %s %" PRIu64 " %s%s", vcpu_text(f->vcpu),
            pcpu_text(f->pcpu), f->time, pv_name(f->kind),
            f->wide ? " wide" : "");
    print_number(s, "number", f->number);
    print_number(s, "error", f->error);
    print_number(s, "rip", f->rip);
    print_number(s, "address", f->address);
    print_number(s, "entry", f->entry);
    for ( unsigned int i = 0; i < f->nr_args; i++ )
        fprintf(s->out, "%s %#" PRIx64, i ? "," : ", args", f->args[i]);
    fprintf(s->out, "\n");
}

static void print_memory(void *state, const struct fact_memory *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %s %" PRIu64 " %s for d%u", vcpu_text(f->by),
            pcpu_text(f->pcpu), f->time, memory_name(f->kind), f->target->id);
    print_number(s, "gfn", f->gfn);
    print_number(s, "mfn", f->mfn);
    print_number(s, "order", f->order);
    print_number(s, "type", f->type);
    fprintf(s->out, "%s%s%s\n", f->context ? ", context " : "",
            f->context ? pod_context_name(f->context) : "",
            f->is_guess ? ", layout guessed" : "");
}

static void print_irq(void *state, const struct fact_irq *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %s %" PRIu64 " %s: irq %d", vcpu_text(f->vcpu),
            pcpu_text(f->pcpu), f->time, irq_kind_name(f->kind), (int)f->irq);
    print_number(s, "vector", f->vector);
    print_number(s, "target", f->target);
    if ( f->has_cycles )
        fprintf(s->out, ", cycles %u", f->cycles);
    for ( unsigned int i = 0; i < 6; i++ )
        if ( f->mask[i] )
            fprintf(s->out, ", mask[%u] %#x", i, f->mask[i]);
    fprintf(s->out, "\n");
}

static void print_power(void *state, const struct fact_power *f)
{
    static const char *const kinds[] = { "frequency", "sleep", "wake" };
    struct script *s = state;

    fprintf(s->out, "%s %" PRIu64 " %s %u", pcpu_text(f->pcpu), f->time,
            kinds[f->kind], f->state);
    print_number(s, "before", f->before);
    print_number(s, "expected", f->expected);
    print_number(s, "predicted", f->predicted);
    print_number(s, "cycles", f->cycles);
    fprintf(s->out, "%s\n", f->matched ? ", matched" : "");
}

static void print_event(void *state, const struct fact_event *f)
{
    struct script *s = state;

    fprintf(s->out, "%s %s %" PRIu64 " event %#x, %u words\n",
            vcpu_text(f->vcpu), pcpu_text(f->pcpu), f->time, f->record->event,
            f->record->words);
}

static void print_domain_name(void *state, const struct fact_domain_name *f)
{
    struct script *s = state;

    fprintf(s->out, "d%u %" PRIu64 " is \"%s\"\n", f->domain->id, f->time,
            f->name);
}

/* --- scripts to records --------------------------------------------------- */

static bool wants_kind(const char *kinds, const char *kind)
{
    size_t length = strlen(kind);

    for ( const char *p = kinds; p; p = strchr(p, ',') ? strchr(p, ',') + 1
                                                       : NULL )
        if ( !strncmp(p, kind, length) && (p[length] == ',' || !p[length]) )
            return true;
    return false;
}

static unsigned int parse_state(const char *text, size_t length)
{
    for ( unsigned int i = 0; i <= STATE_OFFLINE; i++ )
        if ( strlen(state_name(i)) == length &&
             !strncmp(state_name(i), text, length) )
            return i;
    ck_assert_msg(length == 1 && isxdigit((unsigned char)*text),
                  "no state: %s", text);
    return strtoul(text, NULL, 16);
}

static uint32_t parse_event(char *text)
{
    char *arrow = strchr(text, '>'), *bar = strchr(text, '|');
    uint32_t flags = bar ? strtoul(bar + 1, NULL, 0) : 0;

    if ( arrow )
        return TRC_SCHED_RUNSTATE_CHANGE |
               parse_state(text, arrow - text) << 8 |
               parse_state(arrow + 1, strlen(arrow + 1)) << 4;
    if ( isdigit((unsigned char)*text) )
        return strtoul(text, NULL, 0);
    if ( bar )
        *bar = '\0';
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        if ( !strcmp(xt_catalogue_events[i].name, text) )
            return xt_catalogue_events[i].id | flags;
    ck_abort_msg("no event: %s", text);
    return 0;
}

static uint32_t parse_word(const char *text)
{
    unsigned int domain, vcpu;

    if ( sscanf(text, "d%uv%u", &domain, &vcpu) == 2 )
        return domain << 16 | vcpu;
    if ( sscanf(text, "v%u@%u", &vcpu, &domain) == 2 )
        return vcpu << 16 | domain;
    ck_assert_msg(isdigit((unsigned char)*text), "no word: %s", text);
    return strtoul(text, NULL, 0);
}

static struct pcpu *find_pcpu(struct script *s, unsigned int id)
{
    struct pcpu *p = &s->pcpus[id];

    ck_assert_uint_lt(id, MAX_PCPUS);
    if ( s->used[id] )
        return p;
    s->used[id] = true;
    p->id = p->fact.pcpu = p->volume.pcpu = id;
    p->volume.first = UINT64_MAX;
    p->fact.state = PCPU_UNKNOWN;
    p->emit = &s->global.emit;
    p->scratch = &s->arena;
    p->guests = &s->guests;
    p->dialect = &s->dialect;
    p->default_vcpu = guests_get_vcpu(&s->guests, XT_DOMAIN_DEFAULT, id);
    p->wants_wake_to_halt = emit_wants_wake_to_halt(&s->global.emit);
    p->levels = p->levels ? p->levels : 2;
    return p;
}

static void apply_changes(struct script *s, struct pcpu *p)
{
    if ( p->begun && !p->in_global )
    {
        p->in_global = true;
        ck_assert_int_eq(global_add_pcpu(&s->global, p->id, p->first), 0);
    }
    for ( size_t i = 0; i < p->changes.nr; i++ )
        global_apply(&s->global, &p->changes.items[i]);
    p->changes.nr = 0;
}

/* Encode the record as bytes, for the fast paths. */
static size_t put_record(unsigned char *at, uint32_t event, bool timed,
                         uint64_t time, const uint32_t *words,
                         unsigned int nr)
{
    uint32_t header = event | nr << TRACE_EXTRA_SHIFT |
                      (timed ? TRC_HD_CYCLE_FLAG : 0);
    size_t size = 4;

    memcpy(at, &header, 4);
    if ( timed )
        memcpy(at + 4, &time, 8);
    size += timed ? 8 : 0;
    memcpy(at + size, words, 4 * nr);
    return size + 4 * nr;
}

static void handle_record(struct script *s, struct pcpu *p,
                          const unsigned char *at, size_t size)
{
    struct xt_record r;

    ck_assert_uint_eq(xt_record_decode(&r, at, at + size), size);
    if ( s->fast && runstate_fast(p, at, at + size, 0, UINT64_MAX) != at )
        return;
    pcpu_record(p, &r, r.has_tsc ? r.tsc : p->time);
}

static void run_record(struct script *s, struct pcpu *p, const char *time,
                       char *event, char *words)
{
    unsigned char bytes[MAX_RECORD];
    uint32_t numbers[8];
    unsigned int nr = 0;
    char *rest;

    for ( char *w = strtok_r(words, " ", &rest); w;
          w = strtok_r(NULL, " ", &rest) )
    {
        ck_assert_uint_lt(nr, 7);
        numbers[nr++] = parse_word(w);
    }
    handle_record(s, p, bytes,
                  put_record(bytes, parse_event(event), *time != '-',
                             strtoull(time, NULL, 0), numbers, nr));
}

/* Lines without a pcpu. */
static bool run_setting(struct script *s, const char *line)
{
    unsigned int major, minor;

    if ( sscanf(line, "%u.%u", &major, &minor) == 2 )
        s->dialect.version = major << 8 | minor;
    else if ( !strcmp(line, "svm") )
        s->dialect.hardware = XT_HARDWARE_SVM;
    else if ( sscanf(line, "levels %u", &major) == 1 )
        for ( unsigned int i = 0; i < MAX_PCPUS; i++ )
            s->pcpus[i].levels = major;
    else
        return false;
    return true;
}

static void run_line(struct script *s, char *line)
{
    char time[24], event[48];
    unsigned int pcpu;
    int words = 0;
    struct pcpu *p;

    if ( run_setting(s, line) )
        return;
    ck_assert_msg(sscanf(line, "%23s p%u %47s %n", time, &pcpu, event,
                         &words) == 3, "no record: %s", line);
    p = find_pcpu(s, pcpu);
    if ( !strcmp(event, "loss") )
        pcpu_begin_loss(p, strtoull(time, NULL, 0));
    else if ( !strcmp(event, "end") )
        pcpu_end(p);
    else
        run_record(s, p, time, event, line + words);
    apply_changes(s, p);
}

static void run_lines(struct script *s, const char *text)
{
    char *copy = strdup(text), *rest;

    for ( char *line = strtok_r(copy, "\n", &rest); line;
          line = strtok_r(NULL, "\n", &rest) )
        run_line(s, line + strspn(line, " "));
    free(copy);
}

/* The end of the segment forgets all vcpus. */
static void find_worst_evidence(struct script *s)
{
    for ( const struct vcpu_order *v = s->global.disorder.vcpus; v;
          v = v->next )
        if ( v->evidence.lag.cycles > s->worst.lag.cycles )
            s->worst = v->evidence;
}

static void end_all(struct script *s)
{
    uint64_t last = s->global.first;

    for ( unsigned int i = 0; i < MAX_PCPUS; i++ )
        if ( s->used[i] )
        {
            pcpu_end(&s->pcpus[i]);
            apply_changes(s, &s->pcpus[i]);
            if ( s->pcpus[i].begun && s->pcpus[i].time > last )
                last = s->pcpus[i].time;
        }
    ck_assert_int_eq(guests_sort(&s->guests), 0);
    find_worst_evidence(s);
    global_end(&s->global, last);
}

static void print_anomalies(struct script *s)
{
    for ( unsigned int k = 0; k < ANOMALY_KINDS; k++ )
    {
        uint64_t times = s->global.anomalies[k];

        for ( unsigned int i = 0; i < MAX_PCPUS; i++ )
            times += s->pcpus[i].anomalies[k];
        if ( times )
            fprintf(s->out, "%" PRIu64 " %s\n", times, anomaly_name(k));
    }
}

static void print_disorder(const struct script *s)
{
    const struct longest_error *lag = &s->worst.lag;

    if ( lag->cycles )
        fprintf(s->out, "%s too late for %s: %" PRIu64 "\n",
                pcpu_text(lag->pcpus[0]), pcpu_text(lag->pcpus[1]),
                lag->cycles);
}

static void subscribe(struct script *s, struct sink_ops *ops)
{
#define SUBSCRIBE(kind)                                                     \
    if ( wants_kind(s->kinds, #kind) )                                      \
        ops->kind = print_##kind;
    EMIT_KINDS(SUBSCRIBE)
#undef SUBSCRIBE
}

static char *run_script(const char *kinds, const char *text, bool fast)
{
    struct script *s = calloc(1, sizeof(*s));
    struct sink_ops ops = { .name = "script" };
    struct sink sink = { .ops = &ops, .state = s };
    char *result;

    ck_assert_ptr_nonnull(s);
    s->kinds = kinds;
    s->fast = fast;
    s->out = open_memstream(&s->text, &s->size);
    arena_init(&s->arena, 0);
    subscribe(s, &ops);
    ck_assert_int_eq(guests_init(&s->guests, sizeof(struct domain_state),
                                 sizeof(struct vcpu_state)), 0);
    ck_assert_int_eq(emit_init(&s->global.emit, &s->arena, &sink, 1), 0);
    s->global.guests = &s->guests;
    global_begin(&s->global, strtoull(text + strspn(text, " "), NULL, 0));
    run_lines(s, text);
    end_all(s);
    if ( wants_kind(kinds, "anomaly") )
        print_anomalies(s);
    if ( wants_kind(kinds, "disorder") )
        print_disorder(s);
    for ( unsigned int i = 0; i < MAX_PCPUS; i++ )
    {
        free(s->pcpus[i].changes.items);
        free(s->pcpus[i].name);
    }
    global_fini(&s->global);
    guests_fini(&s->guests);
    arena_fini(&s->arena);
    fclose(s->out);
    result = s->text;
    free(s);
    return result;
}

char *script_run(const char *kinds, const char *script)
{
    return run_script(kinds, script, false);
}

/* --- rows ----------------------------------------------------------------- */

static void compare_lines(const char *what, const char *got,
                          const char *expected)
{
    while ( *got || *expected )
    {
        size_t g = strcspn(got, "\n"), x = strcspn(expected, "\n");

        if ( g != x || memcmp(got, expected, g) || got[g] != expected[x] )
            ck_abort_msg("%s:\n\"%.*s\" is not\n\"%.*s\"", what, (int)g, got,
                         (int)x, expected);
        got += g + (got[g] != '\0');
        expected += x + (expected[x] != '\0');
    }
}

void script_check(const struct script_row *rows, size_t nr)
{
    for ( size_t i = 0; i < 2 * nr; i++ )
    {
        const struct script_row *r = &rows[i / 2];
        char *facts = run_script(r->kinds, r->script, i % 2);

        if ( !getenv("SCRIPT_SHOW") )
            compare_lines(r->what, facts, r->expected);
        else if ( i % 2 == 0 )
            printf("--- %s\n%s", r->what, facts);
        free(facts);
    }
}
