/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owners and references of pages: the rules for sharing a page of Xen's with
 * dom0, and for freeing the page.
 *
 * count_info is changed by compare-and-exchange only, and a reference can be
 * taken only if the count is not 0. So the thread that drops the count from 1
 * to 0 is the last user.
 */
#include "xensim/runtime/machine.h"

void share_xen_page_with_guest(struct page_info *pg, struct domain *d,
                               enum XENSHARE_flags flags)
{
    if ( page_get_owner(pg) == d )
        return;

    pg->u.inuse.type_info = PGT_validated | 1 |
                            (flags == SHARE_ro ? PGT_none
                                               : PGT_writable_page);
    page_set_owner(pg, d);
    ASSERT((read_atomic(&pg->count_info) & ~PGC_xen_heap) == 0);
    if ( d->is_dying )
        return;
    __atomic_add_fetch(&d->xenheap_pages, 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&pg->count_info, memory_heap_bit() | PGC_allocated | 1,
                      __ATOMIC_RELEASE);
}

/* The last reference is dropped. A page of Xen's heap only leaves its owner. */
void free_domheap_page(struct page_info *pg)
{
    struct domain *d = page_get_owner(pg);
    unsigned int had;

    BUG_ON(read_atomic(&pg->count_info) != memory_heap_bit());
    BUG_ON(!d);
    had = __atomic_fetch_sub(&d->xenheap_pages, 1, __ATOMIC_RELAXED);
    BUG_ON(!had);
}

/* Increment a count that is neither 0 nor full. */
static bool get_count(unsigned long *info, unsigned long mask)
{
    unsigned long x = read_atomic(info), found;

    for ( ; (x & mask) != 0 && (x & mask) != mask; x = found )
    {
        found = cmpxchg(info, x, x + 1);
        if ( found == x )
            return true;
    }
    return false;
}

bool get_page(struct page_info *pg, const struct domain *d)
{
    if ( !get_count(&pg->count_info, PGC_count_mask) )
        return false;
    if ( page_get_owner(pg) == d )
        return true;
    put_page(pg);
    return false;
}

void put_page(struct page_info *pg)
{
    unsigned long was = __atomic_fetch_sub(&pg->count_info, 1,
                                           __ATOMIC_SEQ_CST);

    BUG_ON((was & PGC_count_mask) == 0);
    if ( (was & PGC_count_mask) == 1 )
        free_domheap_page(pg);
}

bool get_page_type(struct page_info *pg, unsigned long type)
{
    unsigned long *info = &pg->u.inuse.type_info;

    return (read_atomic(info) & PGT_type_mask) == type &&
           get_count(info, PGT_count_mask);
}

void put_page_type(struct page_info *pg)
{
    unsigned long was = __atomic_fetch_sub(&pg->u.inuse.type_info, 1,
                                           __ATOMIC_SEQ_CST);

    BUG_ON((was & PGT_count_mask) == 0);
}

int xensim_map_frame(unsigned long mfn, bool write)
{
    struct page_info *pg;

    if ( !mfn_valid(_mfn(mfn)) )
        return -EINVAL;
    pg = mfn_to_page(_mfn(mfn));
    if ( !get_page(pg, dom_xen) )
        return -EINVAL;
    if ( write && !get_page_type(pg, PGT_writable_page) )
    {
        put_page(pg);
        return -EPERM;
    }
    return 0;
}

void xensim_unmap_frame(unsigned long mfn, bool write)
{
    struct page_info *pg = mfn_to_page(_mfn(mfn));

    ASSERT(mfn_valid(_mfn(mfn)));
    if ( write )
        put_page_type(pg);
    put_page(pg);
}
