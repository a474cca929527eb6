/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draining the rings without a socket. Virtual time has one thread, so no
 * writer runs during a drain, and the ring directory is read in place.
 *
 * The file has xentrace's format: for each ring with records a CPU_CHANGE
 * record, then the bytes of the ring. file-metadata.c writes the metadata.
 * Checksums are left out.
 */
#include "xensim/local-drain.h"
#include "xensim/hypercall.h"
#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <string.h>

#include <public/trace.h>

struct ring_view
{
    struct t_info *info;
    const uint32_t *mfns;       /* pages of one ring */
    struct t_buf *buf;
    uint32_t size;              /* bytes of the ring's data */
};

static int tbuf_op(uint32_t cmd, struct xen_sysctl_tbuf_op *t)
{
    t->cmd = cmd;
    return hypercall_tbuf(t, NULL, 0);
}

/* Return the directory, or NULL if there are no rings. */
static struct t_info *find_directory(void)
{
    struct xen_sysctl_tbuf_op t = { .size = 0 };

    if ( tbuf_op(XEN_SYSCTL_TBUFOP_get_info, &t) || !t.buffer_mfn )
        return NULL;
    return mfn_to_virt(t.buffer_mfn);
}

/* Return false if the pcpu has no ring. */
static bool ring_view_init(struct ring_view *v, struct t_info *info,
                           unsigned int cpu)
{
    unsigned int at = info->mfn_offset[cpu];

    ASSERT(cpu < nr_cpu_ids);
    if ( !at )
        return false;
    v->info = info;
    v->mfns = (const uint32_t *)info + at;
    v->buf = mfn_to_virt(v->mfns[0]);
    v->size = info->tbuf_size * PAGE_SIZE - sizeof(struct t_buf);
    return true;
}

static uint32_t bytes_in_ring(const struct ring_view *v)
{
    uint32_t prod = read_atomic(&v->buf->prod);

    return (prod + 2 * v->size - v->buf->cons) % (2 * v->size);
}

/* ---- the file --------------------------------------------------------- */

/* Write bytes of the ring, page by page. */
static void write_bytes(const struct ring_view *v, uint32_t from,
                        uint32_t bytes, FILE *out)
{
    while ( bytes )
    {
        uint32_t at = from % v->size + sizeof(struct t_buf);
        uint32_t piece = min(PAGE_SIZE - at % PAGE_SIZE, (unsigned long)bytes);

        piece = min(piece, v->size - from % v->size);
        ASSERT(piece && piece <= bytes);
        fwrite((char *)mfn_to_virt(v->mfns[at / PAGE_SIZE]) + at % PAGE_SIZE,
               1, piece, out);
        from += piece;
        bytes -= piece;
    }
}

static void write_window(const struct ring_view *v, unsigned int cpu, FILE *out)
{
    uint32_t bytes = bytes_in_ring(v), cons = v->buf->cons;
    uint32_t header[3] = {
        TRC_TRACE_CPU_CHANGE | 2u << TRACE_EXTRA_SHIFT, cpu, bytes,
    };

    /* No guest writes cons: this function is the only reader. */
    ASSERT(bytes <= v->size);
    if ( !bytes )
        return;
    fwrite(header, sizeof(header), 1, out);
    write_bytes(v, cons, bytes, out);
    write_atomic(&v->buf->cons, (cons + bytes) % (2 * v->size));
}

int local_drain_write(FILE *out)
{
    struct t_info *info = find_directory();
    struct ring_view v;

    errno = 0;
    for ( unsigned int cpu = 0; info && cpu < nr_cpu_ids; cpu++ )
        if ( ring_view_init(&v, info, cpu) )
            write_window(&v, cpu, out);
    return ferror(out) ? (errno ? -errno : -EIO) : 0;
}

/* ---- control ---------------------------------------------------------- */

int local_drain_start(unsigned int pages, struct err *e)
{
    struct xen_sysctl_tbuf_op t = { .size = pages };
    int rc = find_directory() ? 0 : tbuf_op(XEN_SYSCTL_TBUFOP_set_size, &t);

    if ( !rc )
        rc = tbuf_op(XEN_SYSCTL_TBUFOP_enable, &t);
    return rc ? err_sys(e, rc, "no rings of %u pages; raise --memory, or "
                        "give --boot tbuf_size=PAGES", pages) : 0;
}

void local_drain_stop(void)
{
    struct xen_sysctl_tbuf_op t = { .size = 0 };

    tbuf_op(XEN_SYSCTL_TBUFOP_disable, &t);
}

bool local_drain_trace_is_on(void)
{
    struct xen_sysctl_tbuf_state state;

    if ( hypercall_tbuf_state(&state, NULL, 0) )
        return false;
    return (state.flags & XEN_TBUF_ENABLED) &&
           !(state.flags & XEN_TBUF_OVERWRITE);
}

bool local_drain_ring_half_full(void)
{
    struct t_info *info = find_directory();
    struct ring_view v;

    for ( unsigned int cpu = 0; info && cpu < nr_cpu_ids; cpu++ )
        if ( ring_view_init(&v, info, cpu) && bytes_in_ring(&v) > v.size / 2 )
            return true;
    return false;
}
