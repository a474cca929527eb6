/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A consumer that checks all records: complete, in time order; pads end with
 * the ring and contain zeroes; LOST records are plausible; each number of the
 * load occurs exactly once, or is accounted for as lost.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tb.h"

static void __attribute__((format(printf, 3, 4)))
report_error(struct tb_seen *s, uint32_t at, const char *format, ...)
{
    va_list args;
    int n;

    if ( s->errors++ )
        return;
    n = snprintf(s->error, sizeof(s->error), "record %llu at %#x: ",
                 (unsigned long long)s->records, at);
    va_start(args, format);
    vsnprintf(s->error + n, sizeof(s->error) - n, format, args);
    va_end(args);
}

/* Exactly one class that exists, and any subclass. */
static bool is_plausible(uint32_t event)
{
    uint32_t class = event >> TRC_CLS_SHIFT;

    return (class & 0x8ff) == class && class && !(class & (class - 1)) &&
           (event & 0xf000);
}

/* Two words of a record of tb_number(): the id of a load, and its number. */
static void check_number(struct tb_seen *s, uint32_t at, uint32_t id,
                         uint32_t number, bool strict)
{
    uint32_t missing;

    number -= FIRST_NUMBER;

    if ( id >= MAX_IDS )
        return;
    if ( s->number[id] && number <= s->number[id] )
        report_error(s, at, "number %u of %u after %u", number, id,
                     s->number[id]);

    missing = s->number[id] ? number - s->number[id] - 1 : 0;
    if ( strict && missing > s->lost_since[id] )
        report_error(s, at,
                     "%u numbers of %u missing before %u, %llu records lost",
                     missing, id, number,
                     (unsigned long long)s->lost_since[id]);
    s->gaps += missing;
    s->number[id] = number;
    s->lost_since[id] = 0;
    s->numbers++;
}

static void check_lost_record(struct tb_seen *s, uint32_t at,
                              const uint32_t *words,
                              uint64_t before, uint64_t tsc)
{
    uint64_t first = words[2] | ((uint64_t)words[3] << 32);
    unsigned int i;

    if ( !words[0] )
        report_error(s, at, "LOST 0");
    if ( first < before || first > tsc )
        report_error(s, at,
                     "LOST since %llx, which is not between %llx and %llx",
                     (unsigned long long)first, (unsigned long long)before,
                     (unsigned long long)tsc);
    s->lost_records++;
    s->lost += words[0];
    for ( i = 0; i < MAX_IDS; i++ )
        s->lost_since[i] += words[0];
}

/* Check the record at `at`, of `left` bytes; returns its size, 0: none. */
static uint32_t check_ring_record(struct tb_seen *s, const uint8_t *data,
                                  uint32_t at, uint32_t left, uint32_t to_end,
                                  bool strict)
{
    uint32_t w[10], header, words, size;
    uint64_t tsc = 0, before = s->last_tsc;
    const uint32_t *extra = w + 1;

    memcpy(&header, data + at, 4);
    words = TRC_HD_EXTRA(header);
    size = 4 + 4 * words + (header >> 31) * 8;
    if ( size > left || size > to_end )
    {
        report_error(s, at,
                     "header %08x: %u bytes, %u are there, %u to the end",
                     header, size, left, to_end);
        return 0;
    }
    memcpy(w, data + at, size);

    if ( header >> 31 )
    {
        tsc = w[1] | ((uint64_t)w[2] << 32);
        if ( tsc < before )
            report_error(s, at, "header %08x: time goes back from %llx to %llx",
                         header, (unsigned long long)before,
                         (unsigned long long)tsc);
        s->last_tsc = tsc;
        extra += 2;
    }
    s->records++;
    s->bytes += size;

    switch ( TRC_HD_TO_EVENT(header) )
    {
    case TRC_LOST_RECORDS:
        if ( words != 4 || !tsc )
            report_error(s, at, "LOST of %u words", words);
        else
            check_lost_record(s, at, extra, before, tsc);
        break;

    case TRC_TRACE_WRAP_BUFFER:
        s->pads++;
        if ( size != to_end )
            report_error(s, at, "pad of %u bytes, %u to the end", size, to_end);
        while ( words-- )
            if ( extra[words] )
                report_error(s, at, "pad holds %08x", extra[words]);
        break;

    case TRC_PV_HYPERCALL_V2:
        if ( words == 3 && (extra[0] & 0xfffff) == __HYPERVISOR_vcpu_op )
            check_number(s, at, extra[1] - NUMBER_CMD, extra[2], strict);
        break;

    case TRC_SCHED_SHUTDOWN_CODE:
        if ( words == 3 )
            check_number(s, at, extra[1], extra[2], strict);
        break;

    default:
        if ( !is_plausible(TRC_HD_TO_EVENT(header)) )
            report_error(s, at, "no such event: header %08x", header);
    }

    return size;
}

void tb_drain(struct tb_view *v, unsigned int cpu, struct tb_seen *s,
              bool strict)
{
    struct t_buf *buf = v->buf[cpu];
    const uint8_t *data = (const uint8_t *)(buf + 1);
    uint32_t ring = v->data_size, prod, cons, used, size, at;

    if ( !buf )
        return;
    prod = __atomic_load_n(&buf->prod, __ATOMIC_ACQUIRE);
    cons = buf->cons;
    used = prod >= cons ? prod - cons : prod + 2 * ring - cons;
    if ( (prod | cons) & 3 || prod >= 2 * ring || cons >= 2 * ring ||
         used > ring )
    {
        report_error(s, cons, "prod %x cons %x in a ring of %x", prod, cons,
                     ring);
        return;
    }
    s->empty += !used;

    while ( used )
    {
        at = cons % ring;
        size = check_ring_record(s, data, at, used, ring - at, strict);
        if ( !size )
            break;
        used -= size;
        cons = (cons + size) % (2 * ring);
    }

    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&buf->cons, prod, __ATOMIC_RELEASE);
}

void tb_drain_all(struct tb_view *v, struct tb_seen *s, bool strict)
{
    unsigned int cpu;

    for ( cpu = 0; cpu < v->cpus; cpu++ )
        tb_drain(v, cpu, &s[cpu], strict);
}
