/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of Perfetto: those of the sequence, tracks of pcpus, slices with
 * annotations.
 */
#include "xenalyze/viewers/perfetto.h"

#include <assert.h>

#include "xenalyze/viewers/viewer-text.h"

/* --- packets -------------------------------------------------------------- */

size_t perfetto_begin_packet(struct perfetto *x, uint64_t time)
{
    size_t packet;

    protobuf_flush_full(&x->out);
    packet = protobuf_begin(&x->out, 1);
    protobuf_add_number(&x->out, PACKET_TIME, time);
    return packet;
}

/* A packet of the sequence may use the interned names. */
size_t perfetto_begin_event(struct perfetto *x, uint64_t time)
{
    size_t packet = perfetto_begin_packet(x, time);

    protobuf_add_number(&x->out, PACKET_SEQUENCE, SEQUENCE);
    protobuf_add_number(&x->out, PACKET_FLAGS,
                        x->has_sequence ? FLAG_INTERNED
                                        : FLAG_INTERNED | FLAG_CLEARED);
    if ( !x->has_sequence )
        protobuf_add_number(&x->out, PACKET_FIRST, 1);
    x->has_sequence = true;
    return packet;
}

/* --- tracks --------------------------------------------------------------- */

void perfetto_add_track(struct perfetto *x, uint64_t time, uint64_t id,
                        const char *name, uint64_t parent)
{
    size_t packet = perfetto_begin_packet(x, time);
    size_t track = protobuf_begin(&x->out, PACKET_TRACK);

    protobuf_add_number(&x->out, 1, id);
    protobuf_add_text(&x->out, 2, name);
    if ( parent )
        protobuf_add_number(&x->out, 5, parent);
    protobuf_end(&x->out, track);
    protobuf_end(&x->out, packet);
}

/* The track of a pcpu, a row of the group "Xen pcpus". */
uint64_t perfetto_get_track(struct perfetto *x, enum track kind, uint32_t pcpu)
{
    static const char *const names[TRACK_KINDS] = {
        [TRACK_LOSS] = "lost records", [TRACK_IRQ] = "interrupts",
        [TRACK_SLEEP] = "sleep states",
    };
    uint64_t *seen = &x->has_track[kind][pcpu / 64];
    char label[ACTIVITY_LABEL_MAX], name[ACTIVITY_LABEL_MAX + 32];

    assert(pcpu < MAX_CPU && names[kind]);
    if ( !x->has_group )
        perfetto_add_track(x, 0, TRACK(TRACK_GROUP, 0), "Xen pcpus", 0);
    x->has_group = true;
    snprintf(name, sizeof(name), "%s %s",
             activity_label_pcpu(x->options, pcpu, label), names[kind]);
    if ( !(*seen >> pcpu % 64 & 1) )
        perfetto_add_track(x, 0, TRACK(kind, pcpu), name,
                           TRACK(TRACK_GROUP, 0));
    *seen |= UINT64_C(1) << pcpu % 64;
    return TRACK(kind, pcpu);
}

/* --- events --------------------------------------------------------------- */

void perfetto_define_name(struct perfetto *x, unsigned int field,
                          unsigned int number, const char *name)
{
    size_t entry = protobuf_begin(&x->out, field);

    assert(number);
    protobuf_add_number(&x->out, 1, number);
    protobuf_add_text(&x->out, 2, name);
    protobuf_end(&x->out, entry);
}

void perfetto_define_notes(struct perfetto *x)
{
    static const char *const names[NOTES] = {
        [NOTE_RIP] = "rip", [NOTE_HANDLER] = "handler",
        [NOTE_REASON] = "reason", [NOTE_NESTED] = "nested",
        [NOTE_PCPU] = "pcpu", [NOTE_LOST] = "records", [NOTE_ARGS] = "args",
        [NOTE_PIECES] = "shorter pieces", [NOTE_PIECES_NS] = "their ns",
    };

    for ( unsigned int i = 1; i < NOTES; i++ )
        if ( names[i] )
            perfetto_define_name(x, 3, i, names[i]);
    perfetto_define_name(x, 1, CATEGORY_EXIT, "exit");
    perfetto_define_name(x, 1, CATEGORY_PV, "pv");
    perfetto_define_name(x, 1, CATEGORY_PROGRAM, "program");
    perfetto_define_name(x, 1, CATEGORY_WAIT, "wait");
    x->has_notes = true;
}

/* In a packet of the sequence without further names. */
void perfetto_need_notes(struct perfetto *x)
{
    size_t interned;

    if ( x->has_notes )
        return;
    interned = protobuf_begin(&x->out, PACKET_INTERNED);
    perfetto_define_notes(x);
    protobuf_end(&x->out, interned);
}

void perfetto_add_note(struct perfetto *x, unsigned int name,
                       unsigned int field, uint64_t value)
{
    size_t note = protobuf_begin(&x->out, 4);

    protobuf_add_number(&x->out, NOTE_NAME, name);
    protobuf_add_number(&x->out, field, value);
    protobuf_end(&x->out, note);
}

void perfetto_end_slice(struct perfetto *x, uint64_t track, uint64_t time)
{
    size_t packet = perfetto_begin_event(x, time);
    size_t event = protobuf_begin(&x->out, PACKET_EVENT);

    protobuf_add_number(&x->out, 9, SLICE_END);
    protobuf_add_number(&x->out, 11, track);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}

void perfetto_define_event(struct perfetto *x, bool *has, unsigned int number,
                           const char *name)
{
    char clean[VIEWER_TEXT_MAX];
    size_t interned;

    assert(number && name);
    if ( x->has_notes && *has )
        return;
    interned = protobuf_begin(&x->out, PACKET_INTERNED);
    if ( !x->has_notes )
        perfetto_define_notes(x);
    if ( !*has )
        perfetto_define_name(x, 2, number, viewer_clean_text(name, clean));
    *has = true;
    protobuf_end(&x->out, interned);
}

/* A slice with a name of its own; `lost`: number of records, or 0. */
void perfetto_add_slice(struct perfetto *x, uint64_t track, uint64_t from,
                        uint64_t to, const char *text, uint64_t lost)
{
    size_t packet = perfetto_begin_event(x, from), event;
    char name[VIEWER_TEXT_MAX];

    assert(from <= to);
    perfetto_need_notes(x);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, SLICE_BEGIN);
    protobuf_add_number(&x->out, 11, track);
    protobuf_add_text(&x->out, 23, viewer_clean_text(text, name));
    if ( lost )
        perfetto_add_note(x, NOTE_LOST, NOTE_UINT, lost);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
    perfetto_end_slice(x, track, to);
}
