/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a sample is: domain, exit reason, guest address or its symbol.
 * The samples have a sequence of their own: when its table of names is full,
 * all names are cleared and defined again, without those of other events.
 */
#include "xenalyze/viewers/perfetto.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/grow.h"
#include "xenalyze/account/account.h"
#include "xenalyze/model/model.h"
#include "xenalyze/viewers/viewer-text.h"

/* Fields of interned data, and of a sample. */
enum { INTERNED_FUNCTIONS = 5, INTERNED_FRAMES, INTERNED_STACKS };
enum
{
    SAMPLE_TASK = 1, SAMPLE_EXECUTION = 3, SAMPLE_STACK_IID = 6,
    SAMPLE_COUNTER = 9, SAMPLE_WEIGHT = 11,
};

enum { MODE_GUEST_USER = 4, MODE_GUEST_KERNEL };
enum { UNIT_COUNT = 9 };

#define STACK_PARTS 3u

/* --- names ---------------------------------------------------------------- */

/* The number of a name; is_new: the packet has to define it. */
static unsigned int get_name_number(struct perfetto_samples *s,
                                    enum sample_name kind, uint64_t value,
                                    bool *is_new)
{
    uint64_t hash = (value ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
    unsigned int i = hash >> 40 & (SAMPLE_NAMES - 1);

    assert(kind && s->used < SAMPLE_NAMES);
    while ( s->slots[i].kind &&
            (s->slots[i].kind != kind || s->slots[i].value != value) )
        i = (i + 1) & (SAMPLE_NAMES - 1);
    *is_new = !s->slots[i].kind;
    s->used += *is_new;
    s->slots[i] = (struct sample_slot){ value, kind };
    return i + 1;
}

static void define_frame(struct perfetto *x, unsigned int number,
                         const char *name)
{
    char text[VIEWER_TEXT_MAX];
    size_t frame;

    assert(number && name);
    perfetto_define_name(x, INTERNED_FUNCTIONS, number,
                         viewer_clean_text(name, text));
    frame = protobuf_begin(&x->out, INTERNED_FRAMES);
    protobuf_add_number(&x->out, 1, number);
    protobuf_add_number(&x->out, 2, number);
    protobuf_end(&x->out, frame);
}

static unsigned int get_frame(struct perfetto *x, enum sample_name kind,
                              uint64_t value, const char *name)
{
    bool is_new;
    unsigned int number = get_name_number(&x->samples, kind, value, &is_new);

    if ( is_new )
        define_frame(x, number, name);
    return number;
}

static unsigned int get_address(struct perfetto *x, uint64_t rip)
{
    const struct symbols *symbols = x->options->symbols;
    char text[24];
    const char *name = symbols ? symbols_find(symbols, rip, &rip) : NULL;

    snprintf(text, sizeof(text), "0x%" PRIx64, rip);
    return get_frame(x, SAMPLE_ADDRESS, rip, name ? name : text);
}

static unsigned int get_stack(struct perfetto *x, const struct sample_vcpu *s)
{
    char name[EXIT_REPORT_NAME];
    const unsigned int frames[STACK_PARTS] = {
        get_frame(x, SAMPLE_DOMAIN, s->vcpu->pid, s->vcpu->domain_label),
        get_frame(x, SAMPLE_REASON, s->cause,
                  exit_report_name(s->cause, name)),
        get_address(x, s->rip),
    };
    uint64_t key = 0;
    unsigned int number;
    bool is_new;
    size_t stack;

    for ( unsigned int i = 0; i < STACK_PARTS; i++ )
        key = key << 16 | frames[i];
    number = get_name_number(&x->samples, SAMPLE_STACK, key, &is_new);
    if ( !is_new )
        return number;
    stack = protobuf_begin(&x->out, INTERNED_STACKS);
    protobuf_add_number(&x->out, 1, number);
    for ( unsigned int i = 0; i < STACK_PARTS; i++ )
        protobuf_add_number(&x->out, 2, frames[i]);
    protobuf_end(&x->out, stack);
    return number;
}

/* --- packets -------------------------------------------------------------- */

/* A packet may define four names. */
static void clear_names(struct perfetto_samples *s)
{
    s->is_cleared = !s->has_sequence || s->used > SAMPLE_NAMES / 4 * 3;
    if ( !s->is_cleared )
        return;
    memset(s->slots, 0, sizeof(s->slots));
    s->used = 0;
}

static size_t begin_sample(struct perfetto *x, uint64_t time)
{
    struct perfetto_samples *s = &x->samples;
    size_t packet = perfetto_begin_packet(x, time);

    clear_names(s);
    protobuf_add_number(&x->out, PACKET_SEQUENCE, SAMPLES_SEQUENCE);
    protobuf_add_number(&x->out, PACKET_FLAGS,
                        s->is_cleared ? FLAG_INTERNED | FLAG_CLEARED
                                      : FLAG_INTERNED);
    if ( !s->has_sequence )
        protobuf_add_number(&x->out, PACKET_FIRST, 1);
    s->has_sequence = true;
    return packet;
}

/*
 * The record has no privilege level.  64-bit kernels are in the upper half of
 * the addresses; where 32-bit kernels are is up to them.
 */
static void add_execution(struct perfetto *x, const struct sample_vcpu *s)
{
    size_t part = protobuf_begin(&x->out, SAMPLE_EXECUTION);

    protobuf_add_number(&x->out, 2, s->pcpu);
    if ( s->wide )
        protobuf_add_number(&x->out, 3, s->rip >> 63 ? MODE_GUEST_KERNEL
                                                     : MODE_GUEST_USER);
    protobuf_end(&x->out, part);
}

static void add_task(struct perfetto *x, const struct activity_vcpu *v)
{
    size_t part = protobuf_begin(&x->out, SAMPLE_TASK);

    protobuf_add_number(&x->out, 2, v->pid);
    if ( v->tid <= INT32_MAX )
        protobuf_add_number(&x->out, 3, v->tid);
    protobuf_end(&x->out, part);
}

static void add_counter(struct perfetto *x)
{
    size_t part = protobuf_begin(&x->out, SAMPLE_COUNTER);

    protobuf_add_text(&x->out, 2, "VM exits");
    protobuf_add_number(&x->out, 3, UNIT_COUNT);
    protobuf_end(&x->out, part);
}

static void write_sample(struct perfetto *x, struct sample_vcpu *s)
{
    size_t packet = begin_sample(x, s->time), part;
    size_t interned = protobuf_begin(&x->out, PACKET_INTERNED);
    unsigned int stack = get_stack(x, s);

    assert(s->nr);
    protobuf_end(&x->out, interned);
    part = protobuf_begin(&x->out, PACKET_SAMPLE);
    add_task(x, s->vcpu);
    add_execution(x, s);
    protobuf_add_number(&x->out, SAMPLE_STACK_IID, stack);
    add_counter(x);
    protobuf_add_number(&x->out, SAMPLE_WEIGHT, s->nr);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, packet);
    s->nr = 0;
}

/* --- the choice ----------------------------------------------------------- */

static uint32_t next_random(uint32_t random)
{
    random = random ? random : 2463534242u;
    random ^= random << 13;
    random ^= random >> 17;
    return random ^ random << 5;
}

/* The n-th exit replaces the chosen one with a probability of 1 / n. */
static void choose_exit(struct sample_vcpu *s, const struct activity_exit *a)
{
    s->random = next_random(s->random);
    if ( s->random % ++s->nr )
        return;
    s->vcpu = a->vcpu;
    s->time = a->from;
    s->rip = a->rip;
    s->pcpu = a->pcpu;
    s->cause = a->cause;
    s->wide = a->wide;
}

void perfetto_sample(struct perfetto *x, const struct activity_exit *a)
{
    struct perfetto_samples *samples = &x->samples;
    struct sample_vcpu *s;

    if ( !grow_to_index(&samples->vcpus, &samples->nr_vcpus, a->vcpu->number,
                        sizeof(*samples->vcpus)) )
    {
        samples->failed = true;
        return;
    }
    s = &samples->vcpus[a->vcpu->number];
    if ( s->nr && a->from - s->from >= SAMPLE_NS )
        write_sample(x, s);
    if ( !s->nr )
        s->from = a->from;
    choose_exit(s, a);
}

void perfetto_end_samples(struct perfetto *x)
{
    for ( uint32_t i = 0; i < x->samples.nr_vcpus; i++ )
        if ( x->samples.vcpus[i].nr )
            write_sample(x, &x->samples.vcpus[i]);
}
