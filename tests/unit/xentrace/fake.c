/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fake hypervisor.  Its frames are one array, so the mapping of adjacent
 * frames is a pointer into the array.
 */
#include "tests/unit/xentrace/fake.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static struct fake *to_fake(struct hv *hv)
{
    return (struct fake *)hv;
}

__attribute__((format(printf, 2, 3)))
static void log_question(struct fake *f, const char *fmt, ...)
{
    size_t at = strlen(f->log);
    va_list args;

    va_start(args, fmt);
    vsnprintf(f->log + at, sizeof(f->log) - at, fmt, args);
    va_end(args);
}

/* --- memory --------------------------------------------------------------- */

static size_t first_frame(unsigned int cpu)
{
    return FAKE_INFO_MFN + 1 + cpu * FAKE_PAGES;
}

struct t_buf *fake_ring(struct fake *f, unsigned int cpu)
{
    return (struct t_buf *)f->frames[first_frame(cpu)];
}

uint16_t *fake_info(struct fake *f)
{
    return (uint16_t *)f->frames[FAKE_INFO_MFN];
}

void fake_size(struct fake *f)
{
    uint32_t *list = (uint32_t *)f->frames[FAKE_INFO_MFN];

    f->sized = true;
    fake_info(f)[0] = FAKE_PAGES;
    for ( unsigned int cpu = 0; cpu < FAKE_CPUS; cpu++ )
    {
        size_t offset = FAKE_LIST + cpu * FAKE_PAGES;

        fake_info(f)[1 + cpu] = offset;
        for ( size_t i = 0; i < FAKE_PAGES; i++ )
            list[offset + i] = first_frame(cpu) + i;
    }
}

void fake_put(struct fake *f, unsigned int cpu, const struct make *m)
{
    struct t_buf *ring = fake_ring(f, cpu);
    unsigned char *data = (unsigned char *)(ring + 1);

    for ( size_t i = 0; i < m->size; i++ )
    {
        data[ring->prod % FAKE_DATA_SIZE] = m->bytes[i];
        ring->prod = (ring->prod + 1) % (2 * FAKE_DATA_SIZE);
    }
}

/* --- interface ------------------------------------------------------------ */

static int fake_get_info(struct hv *hv, struct hv_info *info, struct err *e)
{
    (void)e;
    *info = to_fake(hv)->info;
    return 0;
}

static int fake_state(struct fake *f, struct hv_tbuf *op)
{
    struct hv_tbuf_cpu all[FAKE_CPUS] = { { .flags = 0 } };
    size_t room = op->nr_bits / 8;

    if ( f->no_state )
        return -EINVAL;
    for ( unsigned int cpu = 0; cpu < FAKE_CPUS; cpu++ )
        all[cpu].flags = XEN_TBUF_CPU_ONLINE |
                         (f->masked >> cpu & 1 ? XEN_TBUF_CPU_MASKED : 0);
    all[1].lost = f->lost;
    memcpy(op->out, all, room < sizeof(all) ? room : sizeof(all));
    op->nr_cpus = FAKE_CPUS;
    op->flags = f->enabled ? XEN_TBUF_ENABLED : 0;
    return 0;
}

static int set_size(struct fake *f)
{
    if ( f->sized )
        return -EBUSY;
    fake_size(f);
    f->enabled = true;
    return 0;
}

static int answer_op(struct fake *f, struct hv_tbuf *op)
{
    switch ( op->cmd )
    {
    case HV_TBUF_GET_INFO:
        op->mfn = f->sized ? FAKE_INFO_MFN : 0;
        op->size = HV_PAGE_SIZE;
        op->evt_mask = f->evt_mask;
        return 0;
    case HV_TBUF_SET_EVT_MASK:
        f->evt_mask = op->evt_mask;
        return 0;
    case HV_TBUF_SET_CPU_MASK:
        f->masked = ~*(const unsigned char *)op->in & ((1u << FAKE_CPUS) - 1);
        return 0;
    case HV_TBUF_SET_SIZE:
        return set_size(f);
    case HV_TBUF_ENABLE:
        f->enabled = f->sized;
        if ( f->sized && f->records_at_enable )
            fake_put(f, 0, f->records_at_enable);
        return f->sized ? 0 : -EINVAL;
    case HV_TBUF_DISABLE:
        f->enabled = false;
        if ( f->records_at_disable )
            fake_put(f, 0, f->records_at_disable);
        return 0;
    default:
        return 0;
    }
}

static int fake_tbuf(struct hv *hv, struct hv_tbuf *op, struct err *e)
{
    static const char *const names[FAKE_COMMANDS] = {
        "get_info", "cpu_mask", "evt_mask", "set_size", "enable", "disable",
    };
    struct fake *f = to_fake(hv);

    (void)e;
    if ( op->cmd == XEN_SYSCTL_TBUFOP_state )
        return fake_state(f, op);
    if ( op->cmd >= FAKE_COMMANDS )
        return -EINVAL;
    log_question(f, "%s", names[op->cmd]);
    if ( op->cmd == HV_TBUF_SET_EVT_MASK )
                log_question(f, "=%#x", op->evt_mask);
    if ( op->cmd == HV_TBUF_SET_CPU_MASK )
                log_question(f, "=%#x/%u", *(const unsigned char *)op->in,
                             op->nr_bits);
    if ( op->cmd == HV_TBUF_SET_SIZE )
                log_question(f, "=%u", op->size);
    log_question(f, " ");
    return f->refuse[op->cmd] ? f->refuse[op->cmd] : answer_op(f, op);
}

static int fake_map(struct hv *hv, const uint64_t *mfn, size_t nr, bool write,
                    void **at, struct err *e)
{
    struct fake *f = to_fake(hv);

    (void)e;
    if ( write && f->refuse_map )
        return f->refuse_map;
    for ( size_t i = 0; i < nr; i++ )
        if ( mfn[i] != mfn[0] + i || mfn[i] >= FAKE_FRAMES )
            return -EFAULT;
    log_question(f, "map%s ", write ? "-rw" : "-ro");
    f->mapped++;
    *at = f->frames[mfn[0]];
    return 0;
}

static void fake_unmap(struct hv *hv, void *at)
{
    (void)at;
    to_fake(hv)->mapped--;
}

static int fake_bind(struct hv *hv, int *fd, struct err *e)
{
    struct fake *f = to_fake(hv);

    (void)e;
    log_question(f, "virq ");
    *fd = f->virq[0];
    return f->refuse_virq;
}

static int fake_ack(struct hv *hv, struct err *e)
{
    struct fake *f = to_fake(hv);

    (void)e;
    f->acks++;
    if ( f->on_ack )
        f->on_ack(f);
    return 0;
}

static void fake_domains(struct hv *hv, hv_record_fn *put, void *arg)
{
    for ( unsigned int id = 0; id < 4; id++ )
        if ( to_fake(hv)->domain[id] )
            put(arg, &(struct xt_meta){ .event = TRC_META_DOMAIN,
                                        .domain.dom = id });
}

static bool fake_domain_name(struct hv *hv, uint16_t id,
                             char name[HV_NAME_MAX])
{
    snprintf(name, HV_NAME_MAX, "%s", to_fake(hv)->domain[id]);
    return *name;
}

void fake_init(struct fake *f, bool sized)
{
    static const struct hypervisor type = {
        .name = "fake", .info = fake_get_info, .tbuf = fake_tbuf,
        .map = fake_map, .unmap = fake_unmap, .bind_virq = fake_bind,
        .ack_virq = fake_ack, .domains = fake_domains,
        .domain_name = fake_domain_name,
    };

    *f = (struct fake){
        .hv = { .type = &type },
        .info = { .nr_cpus = FAKE_CPUS, .nr_online = FAKE_CPUS },
        .evt_mask = TRC_ALL,
        .frames = calloc(FAKE_FRAMES, HV_PAGE_SIZE),
    };
    assert(f->frames && !pipe(f->virq));
    assert(write(f->virq[1], "", 1) == 1);
    if ( sized )
        fake_size(f);
}

void fake_fini(struct fake *f)
{
    assert(!f->mapped);
    close(f->virq[0]);
    close(f->virq[1]);
    free(f->frames);
}

/* --- log ------------------------------------------------------------------ */

void log_capture_init(struct log_capture *h)
{
    *h = (struct log_capture){ .log = LOG_INIT("test") };
    h->log.out = open_memstream(&h->text, &h->size);
    assert(h->log.out);
}

void log_capture_fini(struct log_capture *h)
{
    fclose(h->log.out);
    free(h->text);
}

unsigned int log_capture_count(struct log_capture *h, const char *word)
{
    unsigned int times = 0;

    fflush(h->log.out);
    for ( const char *p = h->text; (p = strstr(p, word)); p++ )
        times++;
    return times;
}
