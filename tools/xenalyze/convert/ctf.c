/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams and packets.
 *
 * The header of an event has 12 bits for its class and 36 bits of its time; the
 * reader completes the time from the event before.  A class or a distance that
 * does not fit takes the extended header:
 *
 *     class:12 time:36                    6 bytes
 *     4095:12 unused:4 class:32 time:64   14 bytes
 *
 * A reader takes the growth of events_discarded from one packet to the next as
 * a loss between the end of the former and the end of the latter.  So a LOST
 * record ends a packet, and is alone in the next one.
 */
#include "xenalyze/convert/ctf.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/readers.h"
#include "xenalyze/convert/ctf-layout.h"
#include "xenalyze/convert/output-folder.h"
#include "xenalyze/convert/record-walk.h"

#define MAGIC 0xc1fc1fc1u
#define UUID_BYTES 16u

#define PACKET (64u << 10)
#define SMALL_PACKET (4u << 10)
#define MANY_PCPUS 512u

/* Number of the low bits of a time in a compact header. */
#define TIME_BITS 36u

struct packet_header
{
    uint32_t magic;
    unsigned char uuid[UUID_BYTES];
    uint32_t stream_id;
    uint64_t begin, end;
    uint64_t content_bits, packet_bits;
    uint64_t number;
    uint64_t discarded;
    uint32_t cpu;
} __attribute__((packed));

_Static_assert(sizeof(struct packet_header) == 76, "as in the metadata");

#define EVENT_MAX (14u + 4u + CTF_FIELDS_MAX)

struct stream
{
    unsigned char *bytes;       /* the packet; NULL: no record so far */
    size_t used, room;
    bool has_events;            /* in the packet */
    uint64_t begin, last;       /* times in the packet */
    uint64_t number;            /* packets before this one */
    uint64_t discarded;         /* since the begin of the trace */
    uint64_t noted;             /* the same, by LOST records alone */
};

struct ctf
{
    const struct ctf_options *o;
    struct record_walk walk;
    struct ctf_layout layout;
    struct output_folder folder;
    unsigned char uuid[UUID_BYTES];
    struct stream *streams;     /* by pcpu */
    unsigned int nr_streams, nr_used;
    struct xt_clock clock;
    uint64_t hz;
};

/* --- packets -------------------------------------------------------------- */

static void begin_packet(struct stream *s, uint64_t time)
{
    assert(s->bytes && s->room >= sizeof(struct packet_header) + EVENT_MAX);
    s->used = sizeof(struct packet_header);
    s->begin = s->last = time;
    s->has_events = false;
}

static int write_packet(struct ctf *c, unsigned int cpu)
{
    struct stream *s = &c->streams[cpu];
    struct packet_header h = {
        .magic = MAGIC, .begin = s->begin, .end = s->last,
        .content_bits = 8 * s->used, .packet_bits = 8 * s->used,
        .number = s->number++, .discarded = s->discarded, .cpu = cpu,
    };
    char name[32];

    assert(s->begin <= s->last && s->used <= s->room);
    memcpy(h.uuid, c->uuid, UUID_BYTES);
    memcpy(s->bytes, &h, sizeof(h));
    snprintf(name, sizeof(name), "pcpu%u", cpu);
    return output_folder_append(&c->folder, name, s->bytes, s->used);
}

/* End the packet, and begin one at its end. */
static int end_packet(struct ctf *c, unsigned int cpu)
{
    struct stream *s = &c->streams[cpu];
    int rc = write_packet(c, cpu);

    assert(s->bytes);
    begin_packet(s, s->last);
    return rc;
}

static int begin_stream(struct ctf *c, unsigned int cpu, uint64_t time)
{
    struct stream *s;

    if ( !grow_to_index(&c->streams, &c->nr_streams, cpu, sizeof(*s)) )
        return -ENOMEM;
    s = &c->streams[cpu];
    assert(!s->bytes);
    s->room = c->nr_used++ < MANY_PCPUS ? PACKET : SMALL_PACKET;
    s->bytes = fault_malloc(s->room);
    if ( !s->bytes )
        return -ENOMEM;
    begin_packet(s, time);
    return 0;
}

/* --- events --------------------------------------------------------------- */

static inline unsigned char *put_event_header(const struct stream *s,
                                        unsigned char *p, unsigned int class,
                                        uint64_t time)
{
    uint64_t compact = class | time << 12;
    uint16_t extended = CTF_EXTENDED;

    assert(class < CTF_EXTENDED && time >= s->last);
    if ( !((time - s->last) >> TIME_BITS) )
    {
        memcpy(p, &compact, 8);         /* the last 2 bytes are overwritten */
        return p + 6;
    }
    memcpy(p, &extended, 2);
    memcpy(p + 2, &class, 4);
    memcpy(p + 6, &time, 8);
    return p + 14;
}

static unsigned char *put_context(unsigned char *p, uint32_t vcpu)
{
    uint16_t context[2] = { vcpu >> 16, vcpu };

    if ( vcpu == NO_VCPU )
        context[0] = XT_DOMAIN_DEFAULT;
    memcpy(p, context, sizeof(context));
    assert(sizeof(context) == 4);
    return p + sizeof(context);
}

static int put_event(struct ctf *c, const struct walked_record *w)
{
    struct stream *s = &c->streams[w->cpu];
    uint64_t time = w->time;
    unsigned char fields[CTF_FIELDS_MAX], *end, *p;
    unsigned int class;
    int rc = 0;

    if ( s->room - s->used < EVENT_MAX )
        rc = end_packet(c, w->cpu);
    if ( !s->has_events )
        s->begin = s->last = time > s->last ? time : s->last;
    time = time > s->last ? time : s->last;
    end = ctf_put_fields(&c->layout, c->o->catalogue, w->record, fields,
                         &class);
    p = put_event_header(s, s->bytes + s->used, class, time);
    p = put_context(p, w->vcpu);
    memcpy(p, fields, end - fields);
    s->used = p + (end - fields) - s->bytes;
    s->has_events = true;
    s->last = time;
    assert(s->used <= s->room);
    return rc;
}

/* --- losses --------------------------------------------------------------- */

/* Before the packet with the loss, one without. */
static int begin_loss(struct ctf *c, unsigned int cpu, uint64_t from)
{
    struct stream *s = &c->streams[cpu];

    assert(s->bytes);
    if ( !s->has_events && s->number )
        return 0;
    if ( !s->has_events && from < s->begin )
        s->begin = s->last = from;
    return end_packet(c, cpu);
}

static int put_loss(struct ctf *c, const struct walked_record *w)
{
    const struct xt_record *r = w->record;
    uint64_t lost = xt_field_load(r, XT_AT(lost_records, lost));
    uint64_t from = xt_field_load(r, XT_AT(lost_records, first_tsc)) +
                    w->shift;
    int rc = begin_loss(c, w->cpu, from < w->time ? from : w->time);

    assert(r->event == TRC_LOST_RECORDS);
    c->streams[w->cpu].discarded += lost;
    c->streams[w->cpu].noted += lost;
    rc = rc ? rc : put_event(c, w);
    return rc ? rc : end_packet(c, w->cpu);
}

/* Losses that only the collector has counted, behind the last record. */
static int put_unreported(struct ctf *c, unsigned int cpu)
{
    struct stream *s = &c->streams[cpu];
    uint64_t lost = xt_losses_get_unreported(&c->walk.losses, cpu,
                                             s->noted);
    int rc = 0;

    assert(s->noted <= s->discarded);
    if ( !lost )
        return 0;
    if ( s->has_events )
        rc = end_packet(c, cpu);
    s->discarded += lost;
    s->last = c->walk.last > s->last ? c->walk.last : s->last;
    return rc ? rc : write_packet(c, cpu);
}

/* --- records -------------------------------------------------------------- */

static int put_record(void *arg, const struct walked_record *w)
{
    struct ctf *c = arg;
    int rc = 0;

    if ( w->cpu >= c->nr_streams || !c->streams[w->cpu].bytes )
        rc = begin_stream(c, w->cpu, w->time);
    if ( rc )
        return rc;
    assert(c->streams[w->cpu].bytes);
    return w->record->event == TRC_LOST_RECORDS ? put_loss(c, w)
                                                : put_event(c, w);
}

/* --- metadata ------------------------------------------------------------- */

static uint64_t mix_bits(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The same trace has the same UUID, so that an export can be repeated. */
static void make_uuid(struct ctf *c)
{
    const struct xt_info *info = c->o->info;
    uint64_t a = mix_bits(info->run + 1) ^ mix_bits(info->start + 2), b = a;

    for ( unsigned int i = 0; i < 4; i++ )
        b = mix_bits(b ^ info->boot[i]);
    for ( const char *n = c->o->name; *n; n++ )
        a = mix_bits(a ^ (unsigned char)*n);
    memcpy(c->uuid, &a, 8);
    memcpy(c->uuid + 8, &b, 8);
    c->uuid[6] = (c->uuid[6] & 0x0f) | 0x40;
    c->uuid[8] = (c->uuid[8] & 0x3f) | 0x80;
    assert(sizeof(a) + sizeof(b) == UUID_BYTES);
}

static void print_uuid(const struct ctf *c, FILE *out)
{
    for ( unsigned int i = 0; i < UUID_BYTES; i++ )
        fprintf(out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                c->uuid[i]);
    assert(UUID_BYTES == 16);
}

/* Nanoseconds since 1970 of time stamp 0, by the frequency in the metadata. */
static bool get_offset(const struct ctf *c, uint64_t *ns)
{
    __int128 offset = (__int128)c->clock.wall -
                      (__int128)c->clock.origin * 1000000000 / c->hz;

    assert(c->hz);
    if ( !c->clock.has_wall || offset < 0 || offset > INT64_MAX )
        return false;
    *ns = offset;
    return true;
}

static void print_clock(const struct ctf *c, FILE *out)
{
    uint64_t ns = 0, rest;
    bool has_wall = get_offset(c, &ns);

    rest = (unsigned __int128)(ns % 1000000000) * c->hz / 1000000000;
    assert(rest <= c->hz);
    fprintf(out, "clock { name = tsc; description = \"time stamp counter\"; "
            "freq = %" PRIu64 "; offset_s = %" PRIu64 "; offset = %" PRIu64
            "; absolute = %s; };\n", c->hz, ns / 1000000000, rest,
            has_wall ? "TRUE" : "FALSE");
}

static void print_variable(const char *name, const char *text, FILE *out)
{
    assert(*name);
    if ( !text )
        return;
    fprintf(out, "    %s = ", name);
    ctf_print_string(text, out);
    fputs(";\n", out);
}

static void print_environment(const struct ctf *c, FILE *out)
{
    const struct file_texts *t = c->o->texts;
    char version[FILE_TEXT_VERSION];

    fputs("env {\n", out);
    assert(t);
    print_variable("hostname", t->text[FILE_TEXT_HOST], out);
    print_variable("domain", "xen", out);
    print_variable("tracer_name", "xentrace", out);
    print_variable("xen_version", file_texts_version(t, version), out);
    print_variable("dom0_kernel", t->text[FILE_TEXT_KERNEL], out);
    print_variable("collector", t->text[FILE_TEXT_COLLECTOR], out);
    print_variable("comment", t->text[FILE_TEXT_COMMENT], out);
    print_variable("trace", c->o->name, out);
    fputs("};\n", out);
}

static void print_trace(const struct ctf *c, FILE *out)
{
    fputs("/* CTF 1.8 */\n"
          "typealias integer { size = 8; align = 8; } := uint8_t;\n"
          "typealias integer { size = 16; align = 8; } := uint16_t;\n"
          "typealias integer { size = 32; align = 8; } := uint32_t;\n"
          "typealias integer { size = 64; align = 8; } := uint64_t;\n"
          "typealias integer { size = 32; align = 8; base = 16; } := hex32_t;\n"
          "typealias integer { size = 64; align = 8; base = 16; } := hex64_t;\n"
          "trace { major = 1; minor = 8; byte_order = le; uuid = \"", out);
    print_uuid(c, out);
    fputs("\"; packet.header := struct { uint32_t magic; uint8_t uuid[16]; "
          "uint32_t stream_id; }; };\n", out);
    assert(MAGIC);
}

static void print_stream(const struct ctf *c, FILE *out)
{
    assert(TIME_BITS == 36 && CTF_EXTENDED == 4095);
    fputs("typealias integer { size = 64; align = 8; map = clock.tsc.value; } "
          ":= ts64_t;\n"
          "typealias integer { size = 36; align = 4; map = clock.tsc.value; } "
          ":= ts36_t;\n"
          "typealias integer { size = 12; align = 8; } := id12_t;\n"
          "stream { id = 0;\n"
          "packet.context := struct { ts64_t timestamp_begin; "
          "ts64_t timestamp_end; uint64_t content_size; "
          "uint64_t packet_size; uint64_t packet_seq_num; "
          "uint64_t events_discarded; uint32_t cpu_id; };\n"
          "event.header := struct { "
          "enum : id12_t { compact = 0 ... 4094, extended = 4095 } id; "
          "variant <id> { struct { ts36_t timestamp; } compact; "
          "struct { uint32_t id; ts64_t timestamp; } extended; } v; };\n"
          "event.context := struct { ", out);
    ctf_print_domain_type(c->o->names, out);
    fputs(" _dom; uint16_t _vcpu; }; };\n", out);
}

static int write_metadata(struct ctf *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = fault_hit(FAULT_ALLOC) ? NULL : open_memstream(&text, &size);
    int rc = 0;

    if ( !out )
        return -ENOMEM;
    print_trace(c, out);
    print_environment(c, out);
    print_clock(c, out);
    print_stream(c, out);
    ctf_layout_print(&c->layout, c->o->catalogue, c->o->names, out);
    if ( fclose(out) )
        rc = -ENOMEM;
    assert(rc || text);
    rc = rc ? rc : output_folder_append(&c->folder, "metadata", text, size);
    free(text);
    return rc;
}

/* --- the folder ----------------------------------------------------------- */

static int fail_ctf(const struct ctf *c, int rc, struct err *e)
{
    assert(rc < 0);
    return err_sys(e, rc, "cannot write %s", c->o->folder);
}

static int finish_streams(struct ctf *c)
{
    int rc = 0;

    for ( unsigned int cpu = 0; !rc && cpu < c->nr_streams; cpu++ )
    {
        if ( !c->streams[cpu].bytes )
            continue;
        rc = put_unreported(c, cpu);
        if ( !rc && c->streams[cpu].has_events )
            rc = write_packet(c, cpu);
    }
    assert(rc <= 0);
    return rc ? rc : write_metadata(c);
}

static int init_ctf(struct ctf *c)
{
    const struct ctf_options *o = c->o;
    int rc;

    assert(o->texts && o->filter);
    make_uuid(c);
    xt_info_clock(o->info, o->hz, &c->clock);
    c->hz = xt_clock_hz(&c->clock);
    c->walk = (struct record_walk){
        .source = o->source, .filter = o->filter, .catalogue = o->catalogue,
        .hz = c->hz, .output = o->folder, .record = put_record, .arg = c,
        .progress = o->progress, .progress_arg = o->progress_arg,
    };
    rc = record_walk_init(&c->walk);
    return rc ? rc : ctf_layout_init(&c->layout);
}

static void fini_ctf(struct ctf *c)
{
    output_folder_discard(&c->folder);
    assert(c->nr_used <= XT_MAX_CPUS);
    for ( unsigned int i = 0; i < c->nr_streams; i++ )
        free(c->streams[i].bytes);
    free(c->streams);
    record_walk_fini(&c->walk);
    ctf_layout_fini(&c->layout);
}

int ctf_write(const struct ctf_options *o, uint64_t *written, struct err *e)
{
    struct ctf c = { .o = o };
    int rc = init_ctf(&c);

    if ( rc )
        fail_ctf(&c, rc, e);
    rc = rc ? rc : output_folder_open(&c.folder, o->folder, e);
    rc = rc ? rc : record_walk_run(&c.walk, e);
    *written = c.walk.nr;
    if ( !rc && c.walk.nr )
    {
        rc = finish_streams(&c);
        rc = rc ? fail_ctf(&c, rc, e) : output_folder_commit(&c.folder, e);
    }
    fini_ctf(&c);
    return rc;
}
