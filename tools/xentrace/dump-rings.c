/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways lead to t_info, the directory of the rings: Xen's struct
 * xen_trace_crash_info, or the symbols of a Xen without one.  Every number from
 * a dump is checked before use, here or in host-rings.c.
 */
#include "xentrace/dump-rings.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "xentrace/dump-image.h"
#include "xentrace/dump-memory.h"
#include "xentrace/dump-symbols.h"

struct dump
{
    struct hv hv;               /* first: a struct hv * is a struct dump * */
    struct dump_memory *memory;
    struct dump_image image;
    struct xen_trace_crash_info info;   /* size 0: none */
    struct dump_symbols symbols;
    uint64_t t_info;            /* machine address; 0: no rings */
    uint32_t t_info_bytes;
    uint32_t nr_cpus;
};

static struct dump *to_dump(struct hv *hv);

/* Place, lap and debt of a ring: struct ring of trace.c. */
#define PLACE_MASK ((1u << 28) - 1)
#define OWED_SHIFT 32
#define OWED_MASK 0x7fffffffu

static uint64_t read_word(const struct dump *d, uint64_t va)
{
    uint64_t word = 0;

    return va && !dump_image_read(&d->image, va, &word, sizeof(word)) ? word
                                                                      : 0;
}

static uint32_t read_u32(const struct dump *d, uint64_t va)
{
    uint32_t word = 0;

    return va && !dump_image_read(&d->image, va, &word, sizeof(word)) ? word
                                                                      : 0;
}

/* --- the directory -------------------------------------------------------- */

/* The end of the last list of frames in t_info. */
static int measure_directory(struct dump *d, struct err *e)
{
    uint16_t pages = 0, offset = 0;
    uint32_t end = 0;
    int rc;

    assert(d->t_info && d->nr_cpus && d->nr_cpus <= XT_MAX_CPUS);
    rc = dump_memory_read(d->memory, d->t_info, &pages, sizeof(pages));

    for ( uint32_t cpu = 0; !rc && cpu < d->nr_cpus; cpu++ )
    {
        rc = dump_memory_read(d->memory, d->t_info + 2 + 2 * cpu, &offset,
                              sizeof(offset));
        if ( offset && end < (uint32_t)offset + pages )
            end = (uint32_t)offset + pages;
    }
    if ( rc || !pages || !end )
        return err_set(e, -EPROTO, "the dump has no directory of trace "
                       "buffers, or a damaged one");
    d->t_info_bytes = (4 * end + HV_PAGE_SIZE - 1) / HV_PAGE_SIZE *
                      HV_PAGE_SIZE;
    return 0;
}

static int find_directory(struct dump *d, uint64_t va, struct err *e)
{
    if ( !va )
        return err_set(e, -ENODEV, "Xen had no trace buffers when the dump was "
                       "taken");
    if ( dump_image_translate(&d->image, va, &d->t_info) )
        return err_set(e, -EPROTO, "the dump lacks the page tables or the "
                       "directory of the trace buffers");
    if ( !d->nr_cpus || d->nr_cpus > XT_MAX_CPUS )
        return err_set(e, -EPROTO, "the dump has %u as Xen's number of pcpus",
                       d->nr_cpus);
    return measure_directory(d, e);
}

/* --- search --------------------------------------------------------------- */

/* Xen's image may be in the part that a truncated dump lacks. */
static int err_cut_off(const char *path, uint64_t missing, struct err *e)
{
    char size[NUM_HUMAN_MAX + 4];

    *num_human_1024(size, missing, "B") = '\0';
    return err_set(e, -ENOENT, "%s is cut off: %s of it are missing, and the "
                   "trace buffers cannot be found in the rest", path, size);
}

static int find_by_symbols(struct dump *d, struct dump_host *host,
                           const char *path, const char *symbols, struct err *e)
{
    const struct dump_symbols *s = &d->symbols;
    int rc = dump_image_find(&d->image, d->memory, s);

    if ( rc == -ENOENT )
        return host->missing
               ? err_cut_off(path, host->missing, e)
               : err_set(e, rc, "%s has no Xen with the build id of %s", path,
                         symbols);
    if ( rc )
        return err_sys(e, rc, "cannot search %s", path);
    d->nr_cpus = read_u32(d, s->nr_cpus);
    host->khz = read_u32(d, s->khz);
    return find_directory(d, read_word(d, s->t_info), e);
}

static int find_by_info(struct dump *d, struct dump_host *host,
                        const char *path, struct err *e)
{
    uint64_t rings;
    int rc = dump_image_find_info(&d->image, d->memory, &d->info);

    if ( rc )
        d->info.size = 0;
    if ( rc == -ENOENT )
        return host->missing
               ? err_cut_off(path, host->missing, e)
               : err_set(e, rc, "no trace buffers are known in %s: give the "
                         "symbols of its Xen, --symbols xen-syms", path);
    if ( rc )
        return err_sys(e, rc, "cannot search %s", path);
    d->nr_cpus = read_u32(d, d->info.nr_cpus);
    host->khz = read_u32(d, d->info.khz);
    rings = read_word(d, d->info.rings);
    return find_directory(d, rings ? read_word(d, rings + d->info.info) : 0, e);
}

static int find_rings(struct dump *d, struct dump_host *host, const char *path,
                      const char *symbols, struct err *e)
{
    int rc = symbols ? dump_symbols_read(&d->symbols, symbols, e) : 0;

    if ( !rc )
        rc = d->symbols.t_info ? find_by_symbols(d, host, path, symbols, e)
                               : find_by_info(d, host, path, e);
    host->nr_cpus = d->nr_cpus;
    return rc;
}

/* --- back end ------------------------------------------------------------- */

static void dump_close(struct hv *hv)
{
    struct dump *d = to_dump(hv);

    dump_memory_close(d->memory);
    free(d);
}

static int dump_tbuf(struct hv *hv, struct hv_tbuf *op, struct err *e)
{
    const struct dump *d = to_dump(hv);

    (void)e;
    if ( op->cmd != HV_TBUF_GET_INFO )
        return -EOPNOTSUPP;
    op->mfn = d->t_info / HV_PAGE_SIZE;
    op->size = d->t_info_bytes;
    return 0;
}

/* Copy the frames: changes of a ring's header stay in the copy. */
static int dump_map(struct hv *hv, const uint64_t *mfn, size_t nr, bool write,
                    void **at, struct err *e)
{
    const struct dump *d = to_dump(hv);
    unsigned char *copy = fault_malloc(nr * HV_PAGE_SIZE);
    int rc = copy ? 0 : -ENOMEM;

    (void)write;
    for ( size_t i = 0; !rc && i < nr; i++ )
    {
        rc = dump_memory_read(d->memory, mfn[i] * HV_PAGE_SIZE,
                              copy + i * HV_PAGE_SIZE, HV_PAGE_SIZE);
        if ( rc == -EFAULT )
            err_set(e, rc, "the dump lacks a page of the trace buffers, frame "
                    "%#llx", (unsigned long long)mfn[i]);
    }
    if ( rc )
        free(copy);
    else
        *at = copy;
    return rc;
}

static void dump_unmap(struct hv *hv, void *at)
{
    (void)hv;
    free(at);
}

static const struct hypervisor dump_type = {
    .name = "dump",
    .close = dump_close,
    .tbuf = dump_tbuf,
    .map = dump_map,
    .unmap = dump_unmap,
};

static struct dump *to_dump(struct hv *hv)
{
    assert(hv->type == &dump_type);
    return (struct dump *)hv;
}

int dump_rings_open(struct hv **hv, const char *path, const char *symbols,
                    struct dump_host *host, struct err *e)
{
    struct dump *d = fault_calloc(1, sizeof(*d));
    int rc;

    if ( !d )
        return err_sys(e, -ENOMEM, "cannot read %s", path);
    d->hv.type = &dump_type;
    *host = (struct dump_host){ 0 };
    rc = dump_memory_open(&d->memory, path, e);
    if ( !rc )
    {
        host->missing = dump_memory_missing(d->memory);
        rc = find_rings(d, host, path, symbols, e);
    }
    if ( rc )
        dump_close(&d->hv);
    else
        *hv = &d->hv;
    return rc;
}

/* --- state of a ring ------------------------------------------------------ */

/* The struct of a pcpu's ring: per-CPU, or parked if that has no pages. */
static uint64_t find_private(const struct dump *d, unsigned int cpu)
{
    const struct xen_trace_crash_info *info = &d->info;
    uint64_t offset = read_word(d, info->percpu_offset + 8ull * cpu);
    uint64_t parked = read_word(d, info->parked);

    assert(info->size);
    if ( read_word(d, info->ring + offset + info->page) )
        return info->ring + offset;
    return parked ? parked + (uint64_t)cpu * info->ring_size : 0;
}

/* The first record that begins behind the page of `where`, as trace.c does. */
static uint32_t find_oldest(const struct dump *d, uint64_t ring,
                            unsigned int pages, uint32_t where)
{
    uint64_t first = read_word(d, ring + d->info.page) + 8ull * pages;
    unsigned int page = (where & PLACE_MASK) / HV_PAGE_SIZE;
    uint32_t place = 0;

    assert(pages && d->info.size);
    for ( unsigned int i = 1; !place && i <= pages; i++ )
        place = read_u32(d, first + 4ull * ((page + i) % pages)) & PLACE_MASK;
    return place;
}

/* Fill in the header that Xen would write at the end of overwrite mode. */
static void set_window(const struct dump *d, uint64_t private,
                       struct ring *ring, unsigned int pages, uint32_t where)
{
    uint32_t prod = read_u32(d, private + d->info.hidden);
    uint32_t place = find_oldest(d, private, pages, where);
    uint32_t size = ring->data_size, used;

    if ( prod >= 2 * size || prod % 4 || place < sizeof(*ring->buf) ||
         place - sizeof(*ring->buf) >= size || place % 4 )
        prod = used = 0;        /* damaged, or nothing was traced */
    else
        used = (prod % size + size - (place - sizeof(*ring->buf))) % size;
    assert(used <= size);
    ring->buf->prod = prod;
    ring->buf->cons = (prod + 2 * size - used) % (2 * size);
}

void dump_rings_state(struct hv *hv, struct ring *ring, unsigned int pages,
                      struct dump_ring *state)
{
    struct dump *d = to_dump(hv);
    uint64_t private, word;

    assert(ring->buf && pages);
    *state = (struct dump_ring){ .lost = 0 };
    if ( !d->info.size )
    {
        word = read_word(d, d->symbols.percpu_offset + 8ull * ring->cpu);
        if ( d->symbols.lost && d->symbols.percpu_offset )
            state->lost = read_word(d, d->symbols.lost + word);
        return;
    }
    private = find_private(d, ring->cpu);
    if ( !private )
        return;
    word = read_word(d, private + d->info.state);
    if ( word >> 63 )
        state->lost = word >> OWED_SHIFT & OWED_MASK;
    state->overwrite = read_word(d, private + d->info.prod) ==
                       private + d->info.hidden;
    if ( state->overwrite )
        set_window(d, private, ring, pages, word);
}
