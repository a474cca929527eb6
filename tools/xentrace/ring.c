/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The consumer's half of the ring protocol: four steps.
 *
 *   1  read cons, read prod (acquire): the records before prod are written
 *   2  check both
 *   3  copy the records out: whoever called, between peek and release
 *   4  write cons (release): the copies are done before Xen reuses them
 */
#include "xentrace/ring.h"

#include <assert.h>
#include <errno.h>

static bool credible(uint32_t index, size_t data_size)
{
    return index % 4 == 0 && index < 2 * data_size;
}

int ring_peek(const struct ring *r, struct ring_view *view, struct err *e)
{
    unsigned char *data = (unsigned char *)r->buf + sizeof(*r->buf);
    size_t size = r->data_size, used, start, first;
    uint32_t cons = __atomic_load_n(&r->buf->cons, __ATOMIC_RELAXED);
    /* Acquire: pairs with the barrier before Xen's store of prod. */
    uint32_t prod = __atomic_load_n(&r->buf->prod, __ATOMIC_ACQUIRE);

    assert(r->buf && size && size % 4 == 0);
    used = prod >= cons ? prod - cons : prod + 2 * size - cons;
    if ( !credible(cons, size) || !credible(prod, size) || used > size )
        return err_set(e, -EBADMSG, "the ring of pcpu %u is damaged (cons %#x,"
                       " prod %#x, size %#zx): it is not read any more",
                       r->cpu, cons, prod, size);

    start = cons % size;
    first = used < size - start ? used : size - start;
    *view = (struct ring_view){
        .span = { { data + start, first }, { data, used - first } },
        .nr_spans = !used ? 0 : first == used ? 1 : 2,
        .bytes = used,
        .prod = prod,
    };
    return 0;
}

void ring_release(struct ring *r, const struct ring_view *view)
{
    assert(r->buf && view->prod < 2 * r->data_size);
    /* Release: pairs with Xen's read of cons before it writes over them. */
    __atomic_store_n(&r->buf->cons, view->prod, __ATOMIC_RELEASE);
}
