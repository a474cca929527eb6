/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page frames. All frames are in one arena, frame m at byte m * PAGE_SIZE, so
 * an address and a frame number differ by a subtraction and a shift.
 *
 * count_info of a frame, with the values of x86 Xen:
 *
 *     free                        PGC_state_free
 *     alloc_xenheap_pages()       PGC_xen_heap
 *     share_xen_page_with_...()   PGC_xen_heap | PGC_allocated | 1
 *     each foreign mapping        + 1
 *
 * or without PGC_xen_heap, as on arm32 (xensim_config.separate_heap).
 *
 * The 1 belongs to PGC_allocated: the page leaves its owner when the count
 * reaches 0, and can be freed only then.
 */
#ifndef XENSIM_XEN_MM_H
#define XENSIM_XEN_MM_H

#include <xen/lib.h>
#include <xen/pfn.h>
#include <xen/sched.h>
#include <asm/atomic.h>

#define PG_shift(i)         (BITS_PER_LONG - (i))
#define PG_mask(x, i)       (x ## UL << PG_shift(i))

#define PGC_allocated       PG_mask(1, 1)
#define PGC_xen_heap        PG_mask(1, 2)
#define PGC_page_table      PG_mask(1, 3)
#define PGC_broken          PG_mask(1, 4)
#define PGC_state           PG_mask(3, 6)
#define PGC_state_inuse     PG_mask(0, 6)
#define PGC_state_offlining PG_mask(1, 6)
#define PGC_state_offlined  PG_mask(2, 6)
#define PGC_state_free      PG_mask(3, 6)
#define PGC_extra           PG_mask(1, 7)
#define PGC_count_width     PG_shift(7)
#define PGC_count_mask      ((1UL << PGC_count_width) - 1)

#define PGT_none            PG_mask(0, 3)
#define PGT_writable_page   PG_mask(7, 3)
#define PGT_type_mask       PG_mask(7, 3)
#define PGT_validated       PG_mask(1, 6)
#define PGT_count_width     PG_shift(9)
#define PGT_count_mask      ((1UL << PGT_count_width) - 1)

struct page_info
{
    unsigned long count_info;
    union
    {
        struct
        {
            unsigned long type_info;
        } inuse;
    } u;
    struct domain *owner;
};

typedef struct
{
    unsigned long mfn;
} mfn_t;

static inline mfn_t _mfn(unsigned long n)
{
    return (mfn_t){ n };
}

static inline unsigned long mfn_x(mfn_t m)
{
    return m.mfn;
}

extern char *xensim_arena;              /* frame 0 */
extern struct page_info *frame_table;   /* of frame 0 */

#define MEMF_bits(n)        ((unsigned int)(n) << 24)
#define MEMF_tmem           0u
#define MEMF_no_scrub       0u

void *alloc_xenheap_pages(unsigned int order, unsigned int memflags);
void free_xenheap_pages(void *v, unsigned int order);
void free_domheap_page(struct page_info *pg);
bool mfn_valid(mfn_t mfn);

#define alloc_xenheap_page()    alloc_xenheap_pages(0, 0)
#define free_xenheap_page(v)    free_xenheap_pages(v, 0)

#define virt_to_mfn(v)      ((unsigned long)((char *)(v) - xensim_arena) >> \
                             PAGE_SHIFT)
#define mfn_to_virt(m)      ((void *)(xensim_arena +                    \
                                      ((unsigned long)(m) << PAGE_SHIFT)))
#define mfn_to_page(m)      (frame_table + mfn_x(m))
#define page_to_mfn(pg)     _mfn((pg) - frame_table)
#define virt_to_page(v)     (frame_table + virt_to_mfn(v))
#define page_to_virt(pg)    mfn_to_virt((pg) - frame_table)
#define virt_to_maddr(v)    ((paddr_t)((char *)(v) - xensim_arena))
#define maddr_to_virt(ma)   ((void *)(xensim_arena + (ma)))

static inline unsigned int get_order_from_bytes(paddr_t size)
{
    unsigned int order = 0;

    while ( (PAGE_SIZE << order) < size )
        order++;
    return order;
}

static inline unsigned int get_order_from_pages(unsigned long pages)
{
    return get_order_from_bytes((paddr_t)pages << PAGE_SHIFT);
}

enum XENSHARE_flags
{
    SHARE_rw,
    SHARE_ro,
};

void share_xen_page_with_guest(struct page_info *pg, struct domain *d,
                               enum XENSHARE_flags flags);

static inline void share_xen_page_with_privileged_guests(
    struct page_info *pg, enum XENSHARE_flags flags)
{
    share_xen_page_with_guest(pg, dom_xen, flags);
}

#define page_get_owner(pg)  __atomic_load_n(&(pg)->owner, __ATOMIC_ACQUIRE)
#define page_set_owner(pg, d)                                           \
    __atomic_store_n(&(pg)->owner, d, __ATOMIC_RELEASE)

/*
 * Take a reference on a page of domain d. Return false if d is not the owner.
 */
bool get_page(struct page_info *pg, const struct domain *d);
void put_page(struct page_info *pg);
bool get_page_type(struct page_info *pg, unsigned long type);
void put_page_type(struct page_info *pg);

#endif /* XENSIM_XEN_MM_H */
