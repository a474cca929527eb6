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

/* The records from index `from` on; returns the number of spans. */
static int make_spans(const struct ring *r, uint32_t from, size_t bytes,
                      struct iovec span[2])
{
    unsigned char *data = (unsigned char *)r->buf + sizeof(*r->buf);
    size_t start = from % r->data_size, first = r->data_size - start;

    assert(bytes <= r->data_size);
    if ( bytes < first )
        first = bytes;
    span[0] = (struct iovec){ data + start, first };
    span[1] = (struct iovec){ data, bytes - first };
    return !bytes ? 0 : first == bytes ? 1 : 2;
}

/* Start at cons for the first time. */
static void start_at(struct ring *r, uint32_t cons)
{
    assert(cons < 2 * r->data_size);
    r->begun = true;
    r->cons = r->copied = cons;
    r->place = 0;
}

/*
 * Another reader has changed cons.
 *
 *     cons (old)      copied          cons (new)      prod
 *     |---------------|---------------|---------------|
 *       copied          taken           unread
 *
 * A cons that is not beyond `copied` takes nothing away.  The indexes repeat:
 * if the other reader was more than a whole ring faster, the bytes of further
 * passes are not counted.
 */
static void follow_reader(struct ring *r, uint32_t cons, uint32_t prod,
                          struct ring_view *view)
{
    size_t used = ring_distance(r, cons, prod);
    size_t fresh = ring_distance(r, r->copied, prod);

    assert(r->begun && used <= r->data_size);
    r->cons_moves++;
    r->cons = cons;
    if ( fresh < used )
        return;
    view->taken = fresh - used;
    if ( fresh <= r->data_size )
        view->nr_taken_spans = make_spans(r, r->copied, view->taken,
                                          view->taken_span);
    r->copied = cons;
    r->place = 0;
}

int ring_peek(struct ring *r, struct ring_view *view, struct err *e)
{
    size_t size = r->data_size, used, fresh;
    uint32_t cons = __atomic_load_n(&r->buf->cons, __ATOMIC_RELAXED);
    /* Acquire: pairs with the barrier before Xen's store of prod. */
    uint32_t prod = __atomic_load_n(&r->buf->prod, __ATOMIC_ACQUIRE);

    assert(r->buf && size && size % 4 == 0);
    used = ring_distance(r, cons, prod);
    if ( !is_credible(cons, size) || !is_credible(prod, size) || used > size )
        return err_set(e, -EBADMSG, "the ring of pcpu %u is damaged (cons %#x,"
                       " prod %#x, size %#zx): it is not read any more",
                       r->cpu, cons, prod, size);
    *view = (struct ring_view){ .used = used };
    if ( !r->begun )
        start_at(r, cons);
    else if ( cons != r->cons )
        follow_reader(r, cons, prod, view);
    /* prod must not move backwards either. */
    fresh = ring_distance(r, r->copied, prod);
    if ( fresh > used )
        return err_set(e, -EBADMSG, "the ring of pcpu %u went backwards (prod "
                       "%#x): it is not read any more", r->cpu, prod);
    view->bytes = fresh;
    view->nr_spans = make_spans(r, r->copied, fresh, view->span);
    assert(view->bytes <= view->used);
    if ( used > r->peak )
        r->peak = used;
    return 0;
}

/* Bytes of records that Xen may be writing behind prod. */
#define UNPUBLISHED_MAX 512u

bool ring_has_taken_spans(const struct ring *r, const struct ring_view *view)
{
    /* Acquire: the bytes of the spans were read before. */
    uint32_t prod = __atomic_load_n(&r->buf->prod, __ATOMIC_ACQUIRE);

    assert(view->taken <= 2 * r->data_size);
    return view->nr_taken_spans &&
           view->taken + ring_distance(r, r->cons, prod % (2 * r->data_size)) +
           UNPUBLISHED_MAX <= r->data_size;
}

void ring_take(struct ring *r, size_t bytes)
{
    assert(r->begun && bytes <= r->data_size);
    r->copied = (r->copied + bytes) % (2 * r->data_size);
    assert(ring_distance(r, r->cons, r->copied) <= r->data_size);
}

void ring_release(struct ring *r)
{
    uint32_t cons = r->cons;

    assert(r->begun && r->copied < 2 * r->data_size);
    r->place = 0;
    /*
     * Release: pairs with Xen's read of cons before it overwrites the records.
     */
    if ( __atomic_compare_exchange_n(&r->buf->cons, &cons, r->copied, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED) )
        r->cons = r->copied;
}
