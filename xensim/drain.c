/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draining without a socket: virtual time has one thread, so while this looks
 * at the rings nobody writes, and the directory is read where it is.
 *
 * The file is what xentrace writes: for each ring that holds something a
 * CPU_CHANGE record, then its bytes as they are.  It has no metadata and no
 * checksums: it is the same for the same seed, and those know the host.
 */
#include "xensim/drain.h"
#include "xensim/hypercall.h"
#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <string.h>

#include <public/trace.h>

struct view
{
    struct t_info *info;
    const uint32_t *mfns;       /* of one ring */
    struct t_buf *buf;
    uint32_t size;              /* of its data */
};

static int op(uint32_t cmd, struct xen_sysctl_tbuf_op *t)
{
    t->cmd = cmd;
    return hypercall_tbuf(t, NULL, 0);
}

/* NULL: there are no rings. */
static struct t_info *directory(void)
{
    struct xen_sysctl_tbuf_op t = { .size = 0 };

    if ( op(XEN_SYSCTL_TBUFOP_get_info, &t) || !t.buffer_mfn )
        return NULL;
    return mfn_to_virt(t.buffer_mfn);
}

/* False: that pcpu has no ring. */
static bool view(struct view *v, struct t_info *info, unsigned int cpu)
{
    unsigned int at = info->mfn_offset[cpu];

    if ( !at )
        return false;
    v->info = info;
    v->mfns = (const uint32_t *)info + at;
    v->buf = mfn_to_virt(v->mfns[0]);
    v->size = info->tbuf_size * PAGE_SIZE - sizeof(struct t_buf);
    return true;
}

static uint32_t used(const struct view *v)
{
    uint32_t prod = read_atomic(&v->buf->prod);

    return (prod + 2 * v->size - v->buf->cons) % (2 * v->size);
}

/* ---- the file --------------------------------------------------------- */

/* Bytes of the ring, piece by piece of its pages. */
static void write_bytes(const struct view *v, uint32_t from, uint32_t bytes,
                        FILE *out)
{
    while ( bytes )
    {
        uint32_t at = from % v->size + sizeof(struct t_buf);
        uint32_t piece = min(PAGE_SIZE - at % PAGE_SIZE, (unsigned long)bytes);

        piece = min(piece, v->size - from % v->size);
        fwrite((char *)mfn_to_virt(v->mfns[at / PAGE_SIZE]) + at % PAGE_SIZE,
               1, piece, out);
        from += piece;
        bytes -= piece;
    }
}

static void write_window(const struct view *v, unsigned int cpu, FILE *out)
{
    uint32_t bytes = used(v), cons = v->buf->cons;
    uint32_t header[3] = {
        TRC_TRACE_CPU_CHANGE | 2u << TRACE_EXTRA_SHIFT, cpu, bytes,
    };

    if ( !bytes )
        return;
    fwrite(header, sizeof(header), 1, out);
    write_bytes(v, cons, bytes, out);
    write_atomic(&v->buf->cons, (cons + bytes) % (2 * v->size));
}

int drain_all(FILE *out)
{
    struct t_info *info = directory();
    struct view v;

    for ( unsigned int cpu = 0; info && cpu < nr_cpu_ids; cpu++ )
        if ( view(&v, info, cpu) )
            write_window(&v, cpu, out);
    return ferror(out) ? -EIO : 0;
}

/* ---- control ---------------------------------------------------------- */

int drain_begin(unsigned int pages, struct err *e)
{
    struct xen_sysctl_tbuf_op t = { .size = pages };
    int rc = directory() ? 0 : op(XEN_SYSCTL_TBUFOP_set_size, &t);

    if ( !rc )
        rc = op(XEN_SYSCTL_TBUFOP_enable, &t);
    return rc ? err_sys(e, rc, "no rings of %u pages; raise --memory, or "
                        "give --boot tbuf_size=PAGES", pages) : 0;
}

void drain_end(void)
{
    struct xen_sysctl_tbuf_op t = { .size = 0 };

    op(XEN_SYSCTL_TBUFOP_disable, &t);
}

bool drain_is_wanted(void)
{
    struct xen_tbuf_state state = { .flags = 0 };
    struct xen_sysctl_tbuf_op t = {
        .cmd = XEN_SYSCTL_TBUFOP_state,
        .cpu_mask = { .bitmap.p = (void *)&state,
                      .nr_bits = 8 * sizeof(state) },
    };

    if ( hypercall_tbuf(&t, &state, sizeof(state)) )
        return false;
    return (state.flags & XEN_TBUF_ENABLED) &&
           !(state.flags & XEN_TBUF_OVERWRITE);
}

bool drain_is_urgent(void)
{
    struct t_info *info = directory();
    struct view v;

    for ( unsigned int cpu = 0; info && cpu < nr_cpu_ids; cpu++ )
        if ( view(&v, info, cpu) && used(&v) > v.size / 2 )
            return true;
    return false;
}
