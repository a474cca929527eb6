/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of the rings: allocation for each size, failed allocations, and
 * freeing, which is refused while dom0 has a page mapped.
 */
#include "tests/unit/xen/rig.h"

#include <xen/cpu.h>
#include <xen/tasklet.h>

static struct rig rig;

static void start_memory(unsigned int cpus, unsigned long frames)
{
    const struct xensim_config config = {
        .cpus = cpus, .frames = frames, .loglevel = 3,
        .poison = frames < 1024, /* poisoning is slow */
    };

    ck_assert_int_eq(kit_start(&config), 0);
}

static unsigned int pages_now(void)
{
    struct xen_sysctl_tbuf_state s;

    ck_assert_int_eq(kit_state(&s), 0);
    return s.pages;
}

/* ---- sizes ------------------------------------------------------------ */

/* Words of t_info before the lists of frames. */
#define INFO_HEAD ((2 + 2 * NR_CPUS + 3) / 4)

/* Rings of very different sizes behave alike. */
static const unsigned int sizes[] = {
    1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 64, 255, 256, 257, 1000, 4096,
    0xffff - INFO_HEAD,
};

START_TEST(size)
{
    start_memory(1, 66000);
    ck_assert_int_eq(kit_set_size(sizes[_i]), 0);
    rig_attach(&rig, 0);
    ck_assert_uint_eq(rig.reader.pages, sizes[_i]);
    ck_assert_uint_eq(pages_now(), sizes[_i]);

    rig_expect(&rig, "@-4 R40 r4 ?", "p4 R40 r4");
    rig_play(&rig, "= R40");
    ck_assert_uint_eq(rig_unread(&rig), rig.reader.size);
    rig_play(&rig, "@0");
    ck_assert_uint_eq(rig.lost, 1);
    rig_balance(&rig);
}
END_TEST

/*
 * The largest ring: an entry of mfn_offset[] has 16 bits for the start of the
 * last CPU's list, so more CPUs mean smaller rings.
 */
static const unsigned int clamps[] = { 3, 16, 100, NR_CPUS };

START_TEST(clamp)
{
    unsigned int cpus = clamps[_i];
    unsigned int most = (0xffff - INFO_HEAD) / (cpus - 1);
    const struct xensim_config config = {
        .cpus = cpus, .online = 1, .frames = 70000, .loglevel = 3,
    };
    struct xen_sysctl_tbuf_op info;

    ck_assert_int_eq(kit_start(&config), 0);
    ck_assert_int_eq(kit_set_size(most + 1), 0);
    ck_assert_uint_eq(pages_now(), most);
    ck_assert(strstr(xensim_capture_console(), "reduced to") != NULL);
    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.size, ROUNDUP((INFO_HEAD + cpus * most) * 4UL,
                                         PAGE_SIZE));

    ck_assert_int_eq(kit_free(), 0);
    ck_assert_int_eq(kit_set_size(most), 0);
    ck_assert(!strstr(xensim_capture_console(), "reduced to"));
    ck_assert_uint_eq(pages_now(), most);

    /* The last CPU's list is within reach of a u16. */
    ck_assert_int_eq(cpu_up(cpus - 1), 0);
    rig_attach(&rig, cpus - 1);
    xensim_become_cpu(cpus - 1);
    rig_expect(&rig, "R40 ?", "R40");
}
END_TEST

/* One CPU: as for two, which is stock's limit. */
START_TEST(clamp_alone)
{
    start_memory(1, 66000);
    xensim_capture_console();
    ck_assert_int_eq(kit_set_size(~0U), 0);
    ck_assert_uint_eq(pages_now(), 0xffff - INFO_HEAD);
    ck_assert(strstr(xensim_capture_console(),
                     "requested number of 4294967295 pages reduced to "));
    rig_attach(&rig, 0);
    rig_expect(&rig, "R40 ?", "R40");
}
END_TEST

/* ---- failed allocations ----------------------------------------------- */

/*
 * Fail the 1st, 2nd, 3rd ... allocation of an operation until the operation
 * succeeds.  Returns the number of allocations.
 */
static unsigned int fail_each(int (*operate)(unsigned int pages),
                              unsigned int pages)
{
    unsigned long frames = xensim_frames_in_use(), heap = 0;
    unsigned int nth;
    int rc;

    for ( nth = 1; ; nth++ )
    {
        xensim_fail_allocation(nth);
        rc = operate(pages);
        if ( !rc )
            break;
        ck_assert_int_eq(rc, -ENOMEM);
        ck_assert_uint_eq(xensim_frames_in_use(), frames);

        /* One block is kept, for offline CPUs. */
        if ( heap )
            ck_assert_uint_le(xensim_xmallocs_in_use(), heap + 1);
        else
            heap = xensim_xmallocs_in_use();
    }
    xensim_fail_allocation(0);
    return nth - 1;
}

START_TEST(set_size_without_memory)
{
    unsigned int n;

    start_memory(3, 256);
    n = fail_each(kit_set_size, 4);
    ck_assert_uint_ge(n, 3 * (4 + 1) + 2);
    ck_assert_uint_eq(pages_now(), 4);
    ck_assert_uint_eq(xensim_frames_in_use(), 3 * 4 + 1);
    rig_attach(&rig, 0);
    rig_expect(&rig, "R40 ?", "R40");
}
END_TEST

/* The console reports it; get_info has the requested size, as in stock. */
START_TEST(set_size_message)
{
    struct xen_sysctl_tbuf_op info;
    const char *text;

    start_memory(2, 256);
    xensim_capture_console();
    xensim_fail_allocation(7);
    ck_assert_int_eq(kit_set_size(4), -ENOMEM);
    text = xensim_capture_console();
    ck_assert(strstr(text, "requesting 1 t_info pages for 4 trace pages on 2 "
                           "cpus\n"));
    ck_assert(strstr(text, "memory allocation failed on cpu 0 after "));
    ck_assert(strstr(text, "xentrace: allocation failed! Tracing disabled.\n"));
    ck_assert(!tb_init_done);

    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.buffer_mfn, 0);
    ck_assert_uint_eq(info.size, PAGE_SIZE);
    ck_assert_int_eq(kit_enable(), -EINVAL);
    ck_assert_int_eq(kit_set_size(2), 0);
}
END_TEST

/* A size larger than the memory of the machine. */
START_TEST(too_large)
{
    start_memory(2, 128);
    ck_assert_int_eq(kit_set_size(100), -ENOMEM);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
    ck_assert_int_eq(kit_set_size(50), 0);
}
END_TEST

/* A failed resize changes nothing: rings, records, tracing. */
START_TEST(resize_without_memory)
{
    struct xen_sysctl_tbuf_op before, after;
    unsigned int n;

    start_memory(2, 256);
    ck_assert_int_eq(kit_set_size(3), 0);
    rig_attach(&rig, 0);
    rig_play(&rig, "R40 r8");
    ck_assert_int_eq(kit_get_info(&before), 0);

    xensim_fail_allocation(5);
    ck_assert_int_eq(kit_resize(7), -ENOMEM);
    ck_assert_int_eq(kit_get_info(&after), 0);
    ck_assert_mem_eq(&before, &after, sizeof(before));
    ck_assert(tb_init_done);
    rig_expect(&rig, "R12 ?", "R40 r8 R12");
    kit_close(&rig.reader);

    n = fail_each(kit_resize, 5);
    ck_assert_uint_ge(n, 2 * (5 + 1) + 2);
    ck_assert_uint_eq(pages_now(), 5);
    rig_attach(&rig, 0);
    rig_expect(&rig, "R12 ?", "R12");
}
END_TEST

/* ---- freeing ---------------------------------------------------------- */

START_TEST(free_and_again)
{
    struct xen_sysctl_tbuf_op info;
    unsigned long heap;
    unsigned int i;

    start_memory(2, 256);
    ck_assert_int_eq(kit_set_size(1), 0);
    ck_assert_int_eq(kit_free(), 0);
    heap = xensim_xmallocs_in_use();
    for ( i = 1; i <= 40; i++ )
    {
        ck_assert_int_eq(kit_set_size(i), 0);
        ck_assert(tb_init_done);
        rig_attach(&rig, 0);
        rig_expect(&rig, "R40 ?", "R40");
        kit_close(&rig.reader);

        ck_assert_int_eq(kit_free(), 0);
        ck_assert(!tb_init_done);
        ck_assert_uint_eq(xensim_frames_in_use(), 0);
        ck_assert_uint_eq(xensim_xmallocs_in_use(), heap);
        ck_assert_uint_eq(dom_xen->xenheap_pages, 0);
    }

    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.buffer_mfn, 0);
    ck_assert_uint_eq(info.size, 0);
    ck_assert_int_eq(kit_enable(), -EINVAL);
    ck_assert_int_eq(kit_free(), -EINVAL);
}
END_TEST

/* Resizing allocates new rings; enabling and masks are kept. */
START_TEST(resize)
{
    struct xen_sysctl_tbuf_op info;

    start_memory(2, 256);
    ck_assert_int_eq(kit_set_size(3), 0);
    ck_assert_int_eq(kit_set_evt_mask(0x0042f000), 0);
    if ( _i )
        ck_assert_int_eq(kit_disable(), 0);
    ck_assert_int_eq(kit_resize(5), 0);
    ck_assert_int_eq(tb_init_done, !_i);
    ck_assert_uint_eq(xensim_frames_in_use(), 2 * 5 + 1);
    ck_assert_uint_eq(dom_xen->xenheap_pages, 2 * 5 + 1);
    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.evt_mask, 0x0042f000);

    ck_assert_int_eq(kit_set_evt_mask(TRC_ALL), 0);
    rig_attach(&rig, 1);
    ck_assert_uint_eq(rig.reader.pages, 5);
    xensim_become_cpu(1);
    rig_expect(&rig, "?", "");
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "R40 ?", "R40");
}
END_TEST

/* Owed losses vanish with the old ring; the total is kept. */
START_TEST(resize_while_owed)
{
    struct xen_tbuf_cpu cpu;

    start_memory(1, 256);
    ck_assert_int_eq(kit_set_size(1), 0);
    rig_attach(&rig, 0);
    rig_play(&rig, "@0 = r4 r4");
    kit_close(&rig.reader);
    ck_assert_int_eq(kit_resize(1), 0);
    rig_attach(&rig, 0);
    rig_expect(&rig, "r4 ?", "r4");
    ck_assert_int_eq(kit_cpu_state(0, &cpu), 0);
    ck_assert_uint_eq(cpu.lost, 2);
}
END_TEST

/* A resize that fails leaves the size of t_info in get_info. */
START_TEST(info_after_failed_resize)
{
    struct xen_sysctl_tbuf_op before, after;

    start_memory(1, 4096);
    ck_assert_int_eq(kit_set_size(1), 0);
    ck_assert_int_eq(kit_get_info(&before), 0);
    xensim_fail_allocation(20);
    ck_assert_int_eq(kit_resize(3000), -ENOMEM);
    xensim_fail_allocation(0);
    ck_assert_int_eq(kit_get_info(&after), 0);
    ck_assert_uint_eq(after.size, before.size);

    rig_attach(&rig, 0);
    ck_assert_int_eq(kit_resize(3000), -EBUSY);
    ck_assert_int_eq(kit_get_info(&after), 0);
    ck_assert_uint_eq(after.size, before.size);
    kit_close(&rig.reader);
    ck_assert_int_eq(kit_resize(3000), 0);
    ck_assert_int_eq(kit_get_info(&after), 0);
    ck_assert_uint_gt(after.size, before.size);
}
END_TEST

/* Frames of arm32's separate heap never have PGC_xen_heap. */
START_TEST(separate_heap)
{
    const struct xensim_config config = {
        .cpus = 2, .frames = 256, .loglevel = 3, .separate_heap = true,
    };

    ck_assert_int_eq(kit_start(&config), 0);
    ck_assert_int_eq(kit_set_size(2), 0);
    rig_attach(&rig, 0);
    ck_assert_int_eq(kit_free(), -EBUSY);
    rig_expect(&rig, "R40 ?", "R40");
    kit_close(&rig.reader);
    ck_assert_int_eq(kit_resize(3), 0);
    rig_attach(&rig, 0);
    rig_expect(&rig, "R40 ?", "R40");
    kit_close(&rig.reader);
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
}
END_TEST

/* ---- long operations -------------------------------------------------- */

static unsigned long frames_seen;

static void see_frames(void *unused)
{
    (void)unused;
    frames_seen = xensim_frames_in_use();
}

static DECLARE_SOFTIRQ_TASKLET(see, see_frames, NULL);

/* Deferred work of the CPU is done during an operation, not behind it. */
START_TEST(softirqs_are_served)
{
    start_memory(1, 2048);
    tasklet_schedule(&see);
    ck_assert_int_eq(kit_set_size(1000), 0);
    ck_assert_uint_gt(frames_seen, 0);
    ck_assert_uint_le(frames_seen, 100);

    tasklet_schedule(&see);
    frames_seen = 0;
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_uint_gt(frames_seen, 0);
    xensim_run_tasklets();
    ck_assert_uint_gt(frames_seen, 0);
}
END_TEST

static unsigned int times_served;

static void count_service(void *unused);
static DECLARE_SOFTIRQ_TASKLET(count, count_service, NULL);

static void count_service(void *unused)
{
    (void)unused;
    times_served++;
    tasklet_schedule(&count);
}

/* How often an operation serves softirqs, which are due at each time. */
static unsigned int served(int rc, int wanted)
{
    unsigned int times = times_served;

    ck_assert_int_eq(rc, wanted);
    times_served = 0;

    return times;
}

/*
 * No pass over the pages goes without: 15 times for 1,000 pages. The pages of
 * t_info come behind those of the rings: the first is mapped for EBUSY.
 */
START_TEST(softirqs_in_each_pass)
{
    enum { ONE_PASS = 15 };
    struct xen_sysctl_tbuf_op info;

    start_memory(1, 4096);
    tasklet_schedule(&count);
    /* allocate, share */
    ck_assert_uint_eq(served(kit_set_size(1000), 0), 2 * ONE_PASS);
    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_int_eq(xensim_map_frame(info.buffer_mfn, false), 0);
    /* unshare, share again */
    ck_assert_uint_eq(served(kit_free(), -EBUSY), 2 * ONE_PASS);
    xensim_unmap_frame(info.buffer_mfn, false);
    /* allocate, unshare, share, free */
    ck_assert_uint_eq(served(kit_resize(1000), 0), 4 * ONE_PASS);
    /* unshare, free */
    ck_assert_uint_eq(served(kit_free(), 0), 2 * ONE_PASS);
}
END_TEST

/* ---- still mapped ----------------------------------------------------- */

static void frame_of(unsigned int which, unsigned long *mfn, bool *write)
{
    struct xen_sysctl_tbuf_op info;
    const struct t_info *t;
    unsigned int pages;

    ck_assert_int_eq(kit_get_info(&info), 0);
    t = mfn_to_virt(info.buffer_mfn);
    pages = t->tbuf_size;
    *write = which < 2 * pages;
    if ( *write )
        *mfn = ((const uint32_t *)t)[t->mfn_offset[which / pages] +
                                     which % pages];
    else
        *mfn = info.buffer_mfn;
}

/*
 * Whichever page is mapped, of three in each of two rings or of t_info: nothing
 * is freed or changed.
 */
START_TEST(mapped)
{
    unsigned long mfn, in_use, heap;
    unsigned int pages, again;
    bool write;

    start_memory(2, 256);
    ck_assert_int_eq(kit_set_size(3), 0);
    in_use = xensim_frames_in_use();
    frame_of(_i, &mfn, &write);
    rig_attach(&rig, 1);
    xensim_become_cpu(1);
    rig_play(&rig, "R40 r8");
    xensim_become_cpu(0);
    kit_close(&rig.reader);
    heap = xensim_xmallocs_in_use();

    ck_assert_int_eq(xensim_map_frame(mfn, write), 0);
    for ( again = 0; again < 3; again++ )
    {
        ck_assert_int_eq(kit_free(), -EBUSY);
        for ( pages = 1; pages < 5; pages++ )
            ck_assert_int_eq(kit_resize(pages), -EBUSY);
    }
    ck_assert_uint_eq(xensim_frames_in_use(), in_use);
    ck_assert_uint_eq(xensim_xmallocs_in_use(), heap);
    ck_assert_uint_eq(dom_xen->xenheap_pages, in_use);
    ck_assert_uint_eq(pages_now(), 3);

    /* The records are still there, and other mappings are possible. */
    ck_assert(tb_init_done);
    xensim_become_cpu(1);
    rig_attach(&rig, 1);
    rig_expect(&rig, "R12 ?", "R40 r8 R12");
    kit_close(&rig.reader);
    xensim_become_cpu(0);

    /* Freeing works after the unmapping. */
    xensim_unmap_frame(mfn, write);
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
}
END_TEST

/* Pages of t_info that were taken back are shared read-only again. */
START_TEST(mapped_info)
{
    struct xen_sysctl_tbuf_op info;

    start_memory(2, 2048);
    ck_assert_int_eq(kit_set_size(300), 0);
    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.size, 2 * PAGE_SIZE);
    ck_assert_int_eq(xensim_map_frame(info.buffer_mfn + 1, false), 0);
    ck_assert_int_eq(kit_free(), -EBUSY);
    ck_assert_int_eq(xensim_map_frame(info.buffer_mfn, true), -EPERM);
    xensim_unmap_frame(info.buffer_mfn + 1, false);
    ck_assert_int_eq(kit_free(), 0);
}
END_TEST

/* A page with another flag is not free to go: here one that is broken. */
START_TEST(broken_page)
{
    unsigned long mfn, in_use;
    bool write;

    start_memory(2, 256);
    ck_assert_int_eq(kit_set_size(3), 0);
    in_use = xensim_frames_in_use();
    frame_of(_i, &mfn, &write);
    frame_table[mfn].count_info |= PGC_broken;
    ck_assert_int_eq(kit_free(), -EBUSY);
    ck_assert_uint_eq(dom_xen->xenheap_pages, in_use);
    frame_table[mfn].count_info &= ~PGC_broken;
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
}
END_TEST

/* Tracing that was off, or a flight recorder, stays in its mode. */
START_TEST(mapped_modes)
{
    struct xen_sysctl_tbuf_state before, after;

    start_memory(1, 256);
    ck_assert_int_eq(kit_set_size(2), 0);
    if ( _i == 0 )
        ck_assert_int_eq(kit_disable(), 0);
    else
        ck_assert_int_eq(kit_overwrite(), 0);
    ck_assert_int_eq(kit_state(&before), 0);

    rig_attach(&rig, 0);
    ck_assert_int_eq(kit_free(), -EBUSY);
    ck_assert_int_eq(kit_resize(4), -EBUSY);
    ck_assert_int_eq(kit_state(&after), 0);
    ck_assert_mem_eq(&before, &after, sizeof(before));

    rig_play(&rig, "R40");
    if ( _i )
        ck_assert_int_eq(kit_freeze(), 0);
    rig_expect(&rig, "?", _i ? "R40" : "");
}
END_TEST

/* Freed frames cannot be mapped any more. */
START_TEST(freed_frames_are_gone)
{
    unsigned long mfn, info;
    bool write;

    start_memory(2, 256);
    ck_assert_int_eq(kit_set_size(3), 0);
    frame_of(0, &mfn, &write);
    frame_of(6, &info, &write);
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_int_eq(xensim_map_frame(mfn, true), -EINVAL);
    ck_assert_int_eq(xensim_map_frame(info, false), -EINVAL);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("memory");

    tcase_add_loop_test(tests, size, 0, ARRAY_SIZE(sizes));
    tcase_add_loop_test(tests, clamp, 0, ARRAY_SIZE(clamps));
    tcase_add_test(tests, clamp_alone);
    tcase_add_test(tests, set_size_without_memory);
    tcase_add_test(tests, set_size_message);
    tcase_add_test(tests, too_large);
    tcase_add_test(tests, resize_without_memory);
    tcase_add_test(tests, free_and_again);
    tcase_add_loop_test(tests, resize, 0, 2);
    tcase_add_test(tests, resize_while_owed);
    tcase_add_test(tests, info_after_failed_resize);
    tcase_add_test(tests, separate_heap);
    tcase_add_test(tests, softirqs_are_served);
    tcase_add_test(tests, softirqs_in_each_pass);
    tcase_add_loop_test(tests, broken_page, 0, 7);
    tcase_add_loop_test(tests, mapped, 0, 7);
    tcase_add_test(tests, mapped_info);
    tcase_add_loop_test(tests, mapped_modes, 0, 2);
    tcase_add_test(tests, freed_frames_are_gone);

    return rig_main(tests);
}
