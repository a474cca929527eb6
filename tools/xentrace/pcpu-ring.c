/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader's half of the ring protocol:
 *
 *   1  read cons, read prod (acquire): the records before prod are complete
 *   2  check both
 *   3  copy the records: done by the caller, followed by ring_take()
 *   4  write cons (release): Xen reuses the space after the copies
 */
#include "xentrace/pcpu-ring.h"

#include <assert.h>
#include <errno.h>

static bool is_credible(uint32_t index, size_t data_size)
{
    return index % 4 == 0 && index < 2 * data_size;
}

/* Bytes from index `from` to index `to`. */
static size_t ring_distance(const struct ring *r, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + 2 * r->data_size - from;
}

/* Start at cons: for the first time, or because cons was changed. */
static void restart_at(struct ring *r, uint32_t cons)
{
    assert(cons < 2 * r->data_size);
    r->cons_moves += r->begun;
    r->begun = true;
    r->cons = r->copied = cons;
    r->place = 0;
}

int ring_peek(struct ring *r, struct ring_view *view, struct err *e)
{
    unsigned char *data = (unsigned char *)r->buf + sizeof(*r->buf);
    size_t size = r->data_size, used, start, first, fresh;
    uint32_t cons = __atomic_load_n(&r->buf->cons, __ATOMIC_RELAXED);
    /* Acquire: pairs with the barrier before Xen's store of prod. */
    uint32_t prod = __atomic_load_n(&r->buf->prod, __ATOMIC_ACQUIRE);

    assert(r->buf && size && size % 4 == 0);
    used = ring_distance(r, cons, prod);
    if ( !is_credible(cons, size) || !is_credible(prod, size) || used > size )
        return err_set(e, -EBADMSG, "the ring of pcpu %u is damaged (cons %#x,"
                       " prod %#x, size %#zx): it is not read any more",
                       r->cpu, cons, prod, size);
    if ( !r->begun || cons != r->cons )
        restart_at(r, cons);
    /* prod must not move backwards either. */
    fresh = ring_distance(r, r->copied, prod);
    if ( fresh > used )
        return err_set(e, -EBADMSG, "the ring of pcpu %u went backwards (prod "
                       "%#x): it is not read any more", r->cpu, prod);

    start = r->copied % size;
    first = fresh < size - start ? fresh : size - start;
    *view = (struct ring_view){
        .span = { { data + start, first }, { data, fresh - first } },
        .nr_spans = !fresh ? 0 : first == fresh ? 1 : 2,
        .bytes = fresh,
        .used = used,
    };
    assert(view->bytes <= view->used);
    if ( used > r->peak )
        r->peak = used;
    return 0;
}

void ring_take(struct ring *r, size_t bytes)
{
    assert(r->begun && bytes <= r->data_size);
    r->copied = (r->copied + bytes) % (2 * r->data_size);
    assert(ring_distance(r, r->cons, r->copied) <= r->data_size);
}

void ring_release(struct ring *r)
{
    assert(r->begun && r->copied < 2 * r->data_size);
    r->cons = r->copied;
    r->place = 0;
    /*
     * Release: pairs with Xen's read of cons before it overwrites the records.
     */
    __atomic_store_n(&r->buf->cons, r->cons, __ATOMIC_RELEASE);
}
