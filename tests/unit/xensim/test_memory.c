/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames: allocation, references, freeing. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/xensim/rig.h"

#include <xen/xmalloc.h>

static struct page_info *shared_page(enum XENSHARE_flags flags)
{
    void *v = alloc_xenheap_page();

    ck_assert_ptr_nonnull(v);
    share_xen_page_with_privileged_guests(virt_to_page(v), flags);
    return virt_to_page(v);
}

START_TEST(frames_are_aligned_and_never_number_0)
{
    rig_start_single(1);
    for ( unsigned int order = 0; order < 6; order++ )
    {
        void *v = alloc_xenheap_pages(order, MEMF_bits(44));

        ck_assert_ptr_nonnull(v);
        ck_assert_uint_ne(virt_to_mfn(v), 0);
        ck_assert_uint_eq(virt_to_mfn(v) % (1u << order), 0);
        ck_assert_ptr_eq(mfn_to_virt(virt_to_mfn(v)), v);
        ck_assert(mfn_x(page_to_mfn(virt_to_page(v))) == virt_to_mfn(v));
    }
    ck_assert_uint_eq(xensim_frames_in_use(), 63);
}
END_TEST

START_TEST(all_frames_but_one_can_be_allocated)
{
    static void *held[4096];
    size_t n;

    rig_start_single(1);
    for ( int round = 0; round < 3; round++ )
    {
        for ( n = 0; (held[n] = alloc_xenheap_page()) != NULL; n++ )
            ;
        ck_assert_uint_eq(n, 4095);
        while ( n-- > 0 )
            free_xenheap_page(held[n]);
        ck_assert_uint_eq(xensim_frames_in_use(), 0);
    }
}
END_TEST

START_TEST(a_freed_frame_is_reused)
{
    void *a, *b, *c;

    rig_start_single(1);
    a = alloc_xenheap_page();
    b = alloc_xenheap_page();
    c = alloc_xenheap_page();
    free_xenheap_page(b);
    ck_assert_ptr_eq(alloc_xenheap_page(), b);
    ck_assert_ptr_ne(a, c);
}
END_TEST

START_TEST(scattered_frames_do_not_follow_each_other)
{
    const struct xensim_config config = {
        .cpus = 1, .frames = 4096, .scatter = true,
    };
    unsigned long before;

    rig_start(&config);
    before = virt_to_mfn(alloc_xenheap_page());
    for ( int i = 0; i < 100; i++ )
    {
        unsigned long now = virt_to_mfn(alloc_xenheap_page());

        ck_assert_uint_ne(now, before + 1);
        before = now;
    }
}
END_TEST

START_TEST(counts_are_those_of_xen)
{
    struct page_info *pg;
    void *v;

    rig_start_single(1);
    v = alloc_xenheap_page();
    pg = virt_to_page(v);
    ck_assert_uint_eq(pg->count_info, PGC_xen_heap);
    share_xen_page_with_privileged_guests(pg, SHARE_rw);
    ck_assert_uint_eq(pg->count_info, 0xc000000000000001);
    ck_assert_uint_eq(pg->u.inuse.type_info, 0xe400000000000001);
    ck_assert_int_eq(xensim_map_frame(virt_to_mfn(v), true), 0);
    ck_assert_uint_eq(pg->count_info, 0xc000000000000002);
    ck_assert_uint_eq(pg->u.inuse.type_info, 0xe400000000000002);
    ck_assert_int_eq(xensim_map_frame(virt_to_mfn(v), false), 0);
    ck_assert_uint_eq(pg->count_info, 0xc000000000000003);
    ck_assert_uint_eq(pg->u.inuse.type_info, 0xe400000000000002);
    xensim_unmap_frame(virt_to_mfn(v), true);
    xensim_unmap_frame(virt_to_mfn(v), false);
    ck_assert_uint_eq(pg->count_info, 0xc000000000000001);
    ck_assert_uint_eq(dom_xen->xenheap_pages, 1);
}
END_TEST

START_TEST(a_page_is_unshared_by_one_exchange)
{
    unsigned long mine = PGC_xen_heap | PGC_allocated | 1, mfn;
    struct page_info *pg;

    rig_start_single(1);
    pg = shared_page(SHARE_rw);
    mfn = mfn_x(page_to_mfn(pg));

    ck_assert_int_eq(xensim_map_frame(mfn, true), 0);
    ck_assert_uint_ne(cmpxchg(&pg->count_info, mine, PGC_xen_heap), mine);
    xensim_unmap_frame(mfn, true);

    ck_assert_uint_eq(cmpxchg(&pg->count_info, mine, PGC_xen_heap), mine);
    ck_assert_int_eq(xensim_map_frame(mfn, true), -EINVAL);
    free_domheap_page(pg);
    ck_assert_uint_eq(dom_xen->xenheap_pages, 0);
    free_xenheap_page(mfn_to_virt(mfn));
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
}
END_TEST

START_TEST(mappings_need_the_right_owner_and_right)
{
    unsigned long mfn;
    void *private;

    rig_start_single(1);
    private = alloc_xenheap_page();
    mfn = mfn_x(page_to_mfn(shared_page(SHARE_ro)));
    ck_assert_int_eq(xensim_map_frame(mfn, false), 0);
    ck_assert_int_eq(xensim_map_frame(mfn, true), -EPERM);
    ck_assert_int_eq(xensim_map_frame(virt_to_mfn(private), false), -EINVAL);
    ck_assert_int_eq(xensim_map_frame(0, false), -EINVAL);
    ck_assert_int_eq(xensim_map_frame(4096, false), -EINVAL);
    ck_assert_int_eq(xensim_map_frame(~0ul, true), -EINVAL);
    /* Failed calls have left no reference behind. */
    ck_assert_uint_eq(mfn_to_page(_mfn(mfn))->count_info & PGC_count_mask, 2);
    ck_assert_uint_eq(virt_to_page(private)->count_info, PGC_xen_heap);
}
END_TEST

static void free_shared(void)
{
    free_xenheap_page(page_to_virt(shared_page(SHARE_rw)));
}

static void free_twice(void)
{
    void *v = alloc_xenheap_page();

    free_xenheap_page(v);
    free_xenheap_page(v);
}

static void put_too_often(void)
{
    struct page_info *pg = virt_to_page(alloc_xenheap_page());

    put_page(pg);
}

static void free_still_shared(void)
{
    free_domheap_page(shared_page(SHARE_rw));
}

static void do_nothing(void)
{
}

START_TEST(misuse_is_a_bug)
{
    rig_start_single(1);
    ck_assert(!rig_dies(do_nothing));
    ck_assert(rig_dies(free_shared));
    ck_assert(rig_dies(free_twice));
    ck_assert(rig_dies(put_too_often));
    ck_assert(rig_dies(free_still_shared));
}
END_TEST

START_TEST(the_nth_allocation_fails_and_no_other)
{
    void *p[4];

    rig_start_single(1);
    xensim_fail_allocation(3);
    p[0] = alloc_xenheap_page();
    p[1] = xmalloc_bytes(10);
    p[2] = alloc_xenheap_page();
    p[3] = xmalloc_bytes(10);
    ck_assert_ptr_nonnull(p[0]);
    ck_assert_ptr_nonnull(p[1]);
    ck_assert_ptr_null(p[2]);
    ck_assert_ptr_nonnull(p[3]);
    ck_assert_uint_eq(xensim_xmallocs_in_use(), 2);
    xfree(p[1]);
    xfree(p[3]);
    ck_assert_uint_eq(xensim_xmallocs_in_use(), 0);
}
END_TEST

START_TEST(an_impossible_array_is_refused)
{
    rig_start_single(1);
    ck_assert_ptr_null(xmalloc_array(uint64_t, 1ul << 61));
    ck_assert_ptr_null(alloc_xenheap_pages(60, 0));
}
END_TEST

START_TEST(fresh_memory_is_not_zero_but_zeroed_is)
{
    unsigned char *page;
    uint64_t *z;

    rig_start_single(1);
    page = alloc_xenheap_page();
    ck_assert_uint_ne(page[0], 0);
    ck_assert_uint_ne(page[PAGE_SIZE - 1], 0);
    z = xzalloc_array(uint64_t, 100);
    for ( int i = 0; i < 100; i++ )
        ck_assert_uint_eq(z[i], 0);
    xfree(z);
}
END_TEST

START_TEST(the_arena_cannot_be_cut)
{
    rig_start_single(1);
    ck_assert_int_ne(ftruncate(xensim_arena_fd(), 4096), 0);
    ck_assert_int_eq(errno, EPERM);
}
END_TEST

START_TEST(the_descriptor_shows_the_same_memory)
{
    char *v, *seen;

    rig_start_single(1);
    v = alloc_xenheap_page();
    seen = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, xensim_arena_fd(),
                virt_to_mfn(v) * PAGE_SIZE);
    ck_assert_ptr_ne(seen, MAP_FAILED);
    strcpy(v, "here");
    ck_assert_str_eq(seen, "here");
    munmap(seen, PAGE_SIZE);
}
END_TEST

UNIT_MAIN("memory", frames_are_aligned_and_never_number_0,
          all_frames_but_one_can_be_allocated, a_freed_frame_is_reused,
          scattered_frames_do_not_follow_each_other, counts_are_those_of_xen,
          a_page_is_unshared_by_one_exchange,
          mappings_need_the_right_owner_and_right, misuse_is_a_bug,
          the_nth_allocation_fails_and_no_other,
          an_impossible_array_is_refused,
          fresh_memory_is_not_zero_but_zeroed_is, the_arena_cannot_be_cut,
          the_descriptor_shows_the_same_memory)
