/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways, one door.
 */
#include "xentrace/flow.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

#define SAY_MAX 64u     /* records that one window of ours has */

static int open_store(struct flow *f, const struct flow_plan *plan,
                      struct err *e)
{
    int rc;

    if ( f->to_memory )
    {
        rc = memory_open(&f->memory, plan->memory, plan->nr_cpus, e);
        if ( rc )
            return rc;
        f->memory.triggers = plan->triggers;
        f->store = memory_store(&f->memory);
        return 0;
    }
    rc = outlet_open(&f->outlet, f->writer, plan->buffer, e);
    if ( rc )
        return rc;
    f->writing = true;
    f->store = outlet_store(&f->outlet);
    return 0;
}

int flow_open(struct flow *f, const struct flow_plan *plan, struct writer *w,
              struct hv *hv, const struct hv_info *info, struct err *e)
{
    int rc = 0;

    *f = (struct flow){
        .writer = w, .cpu = plan->cpu, .plain = w->plan->plain,
        .to_memory = plan->memory,
    };
    if ( !f->plain )
        rc = about_init(&f->about, hv, info, &plan->start, e);
    if ( !rc )
        rc = writer_begin(w, f->cpu, f->about.bytes, f->about.used, e);
    f->begun = f->about.used;
    if ( !rc && !f->plain )
        writer_renew(w, about_copy, &f->about);
    if ( !rc )
        rc = open_store(f, plan, e);
    if ( rc )
        about_fini(&f->about);
    return rc;
}

void flow_close(struct flow *f)
{
    assert(!f->writing);
    if ( f->to_memory )
        memory_close(&f->memory);
    else
        outlet_close(&f->outlet);
    about_fini(&f->about);
}

/* Records into one window: bytes of it. */
static size_t encode(const struct xt_meta *m, unsigned int nr, void *to)
{
    unsigned char *p = to;

    assert(nr && nr <= SAY_MAX);
    for ( unsigned int i = 0; i < nr; i++ )
        p += xt_meta_encode(&m[i], p);
    return p - (unsigned char *)to;
}

void flow_say(struct flow *f, const struct xt_meta *m, unsigned int nr)
{
    unsigned char bytes[SAY_MAX * XT_META_MAX_BYTES];
    struct iovec span = { bytes, 0 };
    unsigned int some;

    for ( ; nr && !f->plain; m += some, nr -= some )
    {
        some = nr < SAY_MAX ? nr : SAY_MAX;
        span.iov_len = encode(m, some, bytes);
        f->store.put(f->store.store, f->cpu, &span, 1);
    }
}

void flow_news(struct flow *f, struct hv *hv)
{
    struct xt_meta *m;
    unsigned int nr;

    if ( f->plain )
        return;
    about_news(&f->about, hv, &m, &nr);
    if ( !f->to_memory )
        flow_say(f, m, nr);
    free(m);
}

void flow_publish(struct flow *f)
{
    if ( !f->to_memory )
        outlet_publish(&f->outlet);
}

uint64_t flow_waiting(const struct flow *f)
{
    return f->to_memory ? 0 : outlet_waiting(&f->outlet);
}

int flow_fd(const struct flow *f)
{
    return f->to_memory ? -1 : f->outlet.event;
}

int flow_ack(struct flow *f, struct err *e)
{
    return f->to_memory ? 0 : outlet_ack(&f->outlet, e);
}

int flow_snapshot(struct flow *f, unsigned int nr, uint64_t since,
                  struct err *e)
{
    struct writer_plan plan = *f->writer->plan;
    struct writer *w = fault_calloc(1, sizeof(*w));
    int rc = w ? 0 : -ENOMEM, closed;

    assert(f->to_memory);
    plan.numbered = true;
    plan.behind = nr - 1;
    if ( rc )
        return err_sys(e, rc, "cannot take a snapshot");
    rc = writer_open(w, &plan, e);
    if ( rc )
        goto out;
    rc = writer_begin(w, f->cpu, f->about.bytes, f->about.used, e);
    if ( !rc )
        rc = memory_dump(&f->memory, since, w, e);
    closed = writer_close(w, e);
    rc = rc ? rc : closed;
 out:
    free(w);
    return rc;
}

/* The file began before some of that was known. */
static int dump_news(struct flow *f, struct err *e)
{
    struct iovec span = { f->about.bytes + f->begun, f->about.used - f->begun };

    return span.iov_len ? writer_window(f->writer, f->cpu, &span, 1, e) : 0;
}

int flow_end(struct flow *f, bool (*insisted)(void), struct err *e)
{
    int rc;

    if ( f->to_memory )
    {
        rc = dump_news(f, e);
        return rc ? rc : memory_dump(&f->memory, 0, f->writer, e);
    }
    f->writing = false;
    return outlet_end(&f->outlet, insisted, e);
}

void flow_count(const struct flow *f, uint64_t *records, unsigned int nr)
{
    if ( !f->to_memory )
        outlet_count(&f->outlet, records, nr);
}

int flow_last(struct flow *f, const struct xt_meta *m, unsigned int nr,
              struct err *e)
{
    unsigned char bytes[SAY_MAX * XT_META_MAX_BYTES];
    struct iovec span = { bytes, 0 };
    unsigned int some;
    int rc = 0;

    for ( ; !rc && nr && !f->plain; m += some, nr -= some )
    {
        some = nr < SAY_MAX ? nr : SAY_MAX;
        span.iov_len = encode(m, some, bytes);
        rc = writer_window(f->writer, f->cpu, &span, 1, e);
        if ( !rc )
            rc = writer_flush(f->writer, true, e);
    }
    return rc;
}
