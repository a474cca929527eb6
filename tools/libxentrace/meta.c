/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table with the size of each record; the rest is copying.
 */
#include "libxentrace/meta.h"

#include <assert.h>
#include <string.h>

#define FIRST TRC_META_WINDOW

#define ROW(id, member) \
    [(id) - FIRST] = sizeof(((struct xt_meta *)NULL)->member)

static const uint8_t sizes[] = {
    ROW(TRC_META_VERSION, version),
    ROW(TRC_META_TSC, tsc),
    ROW(TRC_META_CLOCK, clock),
    ROW(TRC_META_START, start),
    ROW(TRC_META_END, end),
    ROW(TRC_META_XEN, xen),
    ROW(TRC_META_TEXT, text),
    ROW(TRC_META_BOOT_ID, boot_id),
    ROW(TRC_META_CPU, cpu),
    ROW(TRC_META_POOL, pool),
    ROW(TRC_META_DOMAIN, domain),
    ROW(TRC_META_DOMAIN_NAME, domain_name),
    ROW(TRC_META_VCPU, vcpu),
    ROW(TRC_META_AFFINITY, affinity),
    ROW(TRC_META_LOST, lost),
    ROW(TRC_META_DOMAIN_UUID, domain_uuid),
    ROW(TRC_META_DOMAIN_WEIGHT, domain_weight),
    ROW(TRC_META_VCPU_BUDGET, vcpu_budget),
    ROW(TRC_META_POOL_TIMES, pool_times),
    ROW(TRC_META_IRQ_NAME, irq_name),
    ROW(TRC_META_CUT, cut),
};

/* Bytes of payload; 0 if no such record, or the seal (seal.h). */
static size_t get_meta_size(uint32_t event)
{
    return event >= FIRST && event - FIRST < sizeof(sizes)
           ? sizes[event - FIRST] : 0;
}

bool xt_meta_decode(struct xt_meta *m, const struct xt_record *r)
{
    size_t size = get_meta_size(r->event);

    if ( !size || 4u * r->words < size )
        return false;
    m->event = r->event;
    memcpy(&m->version, r->payload, size);
    return true;
}

size_t xt_meta_encode(const struct xt_meta *m, void *to)
{
    size_t size = get_meta_size(m->event);
    uint32_t header = m->event | (uint32_t)(size / 4) << TRACE_EXTRA_SHIFT;

    assert(size);
    memcpy(to, &header, sizeof(header));
    memcpy((char *)to + sizeof(header), &m->version, size);
    return sizeof(header) + size;
}

unsigned int xt_meta_count_parts(size_t length)
{
    if ( length > XT_META_TEXT_MAX )
        length = XT_META_TEXT_MAX;
    return length ? (length + XT_META_PART - 1) / XT_META_PART : 1;
}

void xt_meta_copy_part(void *t0, const char *text, size_t length,
                       unsigned int i)
{
    size_t from = i * XT_META_PART, left;

    assert(i < xt_meta_count_parts(length));
    left = length - from < XT_META_PART ? length - from : XT_META_PART;
    memset(t0, 0, XT_META_PART);
    memcpy(t0, text + from, left);
}

void xt_meta_set_part(struct xt_meta *m, const char *text, unsigned int i)
{
    size_t length = strlen(text);
    uint64_t words[3];

    _Static_assert(sizeof(words) == XT_META_PART, "a part is three words");
    xt_meta_copy_part(words, text, length, i);
    m->text.part = i;
    m->text.parts = xt_meta_count_parts(length);
    m->text.t0 = words[0];
    m->text.t1 = words[1];
    m->text.t2 = words[2];
}

bool xt_meta_text_add(struct xt_meta_text *t, unsigned int part,
                      unsigned int parts, const void *t0)
{
    if ( !part )
        t->parts = 0;
    if ( part != t->parts || part >= parts || parts > 255 )
        return false;
    memcpy(t->text + part * XT_META_PART, t0, XT_META_PART);
    t->parts++;
    if ( t->parts < parts )
        return false;
    t->text[parts * XT_META_PART] = '\0';
    t->parts = 0;
    return true;
}
