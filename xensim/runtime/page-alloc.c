/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arena of page frames and its allocator.
 *
 * The frames are one memfd, so another process can map them by its descriptor;
 * the size is sealed, so no such process can truncate the memory. Frame 0 is
 * never allocated: 0 in a list of frames means "none".
 *
 * The allocator is first fit over the frame table, from the low end; or from
 * the high end in scatter mode: then the frames of a ring have falling numbers
 * and no two frames of a ring are contiguous.
 */
#include "xensim/runtime/machine.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POISON_FRESH    0xa5    /* allocated, not yet written */
#define POISON_FREED    0xdd

const char idle_pg_table[1];
char *xensim_arena;
struct page_info *frame_table;

static struct
{
    pthread_mutex_t lock;   /* frame table's free states and all below */
    int fd;
    unsigned long nr;       /* frames in the arena */
    unsigned long searched; /* first frames, all in use */
    unsigned long in_use;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

int xensim_arena_fd(void)
{
    return memory.fd;
}

unsigned long xensim_nr_frames(void)
{
    return memory.nr;
}

unsigned long xensim_frames_in_use(void)
{
    return __atomic_load_n(&memory.in_use, __ATOMIC_RELAXED);
}

bool mfn_valid(mfn_t mfn)
{
    return mfn_x(mfn) > 0 && mfn_x(mfn) < memory.nr;
}

static int open_arena(size_t bytes)
{
    int fd = memfd_create("xensim", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if ( fd >= 0 && !ftruncate(fd, bytes) &&
         !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -ENOMEM;
}

int memory_init(unsigned long frames)
{
    size_t bytes = frames << PAGE_SHIFT;
    void *arena;

    ASSERT(memory.fd < 0 && !xensim_arena);
    memory.fd = open_arena(bytes);
    if ( memory.fd < 0 )
        return -ENOMEM;
    memory.nr = frames;
    memory.searched = memory.in_use = 0;

    frame_table = calloc(frames, sizeof(*frame_table));
    arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_NORESERVE, memory.fd, 0);
    if ( !frame_table || arena == MAP_FAILED )
        return -ENOMEM; /* the caller calls memory_fini() */
    xensim_arena = arena;

    for ( unsigned long i = 0; i < frames; i++ )
        frame_table[i].count_info = PGC_state_free;
    return 0;
}

void memory_fini(void)
{
    if ( xensim_arena )
        munmap(xensim_arena, memory.nr << PAGE_SHIFT);
    if ( memory.fd >= 0 )
        close(memory.fd);
    free(frame_table);
    frame_table = NULL;
    xensim_arena = NULL;
    memory.fd = -1;
    memory.nr = 0;
}

unsigned long memory_heap_bit(void)
{
    return machine_config()->separate_heap ? 0 : PGC_xen_heap;
}

static bool is_free(const struct page_info *pg)
{
    return (__atomic_load_n(&pg->count_info, __ATOMIC_RELAXED) &
            PGC_state) == PGC_state_free;
}

static bool all_free(unsigned long first, unsigned long nr)
{
    for ( unsigned long i = first; i < first + nr; i++ )
        if ( i == 0 || !is_free(&frame_table[i]) )
            return false;
    return true;
}

/* Distance of a frame from the end where a search starts. */
static unsigned long frame_distance(unsigned long frame)
{
    ASSERT(frame < memory.nr);
    return machine_config()->scatter ? memory.nr - 1 - frame : frame;
}

/*
 * Find naturally aligned free frames. Return the first, or 0 if there are
 * none. Called under the lock.
 */
static unsigned long find_free_block(unsigned int order)
{
    unsigned long nr = 1UL << order, blocks = memory.nr >> order;

    for ( unsigned long i = memory.searched >> order; i < blocks; i++ )
    {
        unsigned long block = machine_config()->scatter ? blocks - 1 - i : i;

        if ( all_free(block << order, nr) )
            return block << order;
    }
    return 0;
}

/* Mark frames as allocated. Called under the lock. */
static void take_block(unsigned long first, unsigned int order)
{
    ASSERT(first);
    for ( unsigned long i = first; i < first + (1UL << order); i++ )
        __atomic_store_n(&frame_table[i].count_info,
                         PGC_state_inuse | memory_heap_bit(),
                         __ATOMIC_RELAXED);
    if ( order == 0 )
        memory.searched = frame_distance(first) + 1;
    __atomic_add_fetch(&memory.in_use, 1UL << order, __ATOMIC_RELAXED);
}

static void poison_frames(void *v, unsigned int order, int value)
{
    if ( machine_config()->poison )
        memset(v, value, PAGE_SIZE << order);
}

void *alloc_xenheap_pages(unsigned int order, unsigned int memflags)
{
    unsigned int bits = memflags >> 24;
    unsigned long first;

    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    /* Xen looks for memory below the limit; here it has to be all memory. */
    if ( bits && (bits < PAGE_SHIFT || memory.nr > 1UL << (bits - PAGE_SHIFT)) )
        return NULL;
    if ( alloc_fault_now() )
        return NULL;

    pthread_mutex_lock(&memory.lock);
    first = order < BITS_PER_LONG - PAGE_SHIFT ? find_free_block(order) : 0;
    if ( first )
        take_block(first, order);
    pthread_mutex_unlock(&memory.lock);

    if ( !first )
        return NULL;
    poison_frames(mfn_to_virt(first), order, POISON_FRESH);
    return mfn_to_virt(first);
}

/* Free a frame. A reference left on the page is a bug of the caller. */
static void mark_free(struct page_info *pg)
{
    unsigned long held = PGC_allocated | PGC_count_mask | PGC_state;

    BUG_ON((read_atomic(&pg->count_info) & (held | PGC_xen_heap)) !=
           memory_heap_bit());
    page_set_owner(pg, NULL);
    pg->u.inuse.type_info = 0;
    __atomic_store_n(&pg->count_info, PGC_state_free, __ATOMIC_RELEASE);
}

void free_xenheap_pages(void *v, unsigned int order)
{
    unsigned long first = v ? virt_to_mfn(v) : 0;
    unsigned long last = first + (1UL << order) - 1;

    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    if ( !v )
        return;
    BUG_ON(!mfn_valid(_mfn(first)) || !mfn_valid(_mfn(last)));
    BUG_ON(first & ((1UL << order) - 1));

    poison_frames(v, order, POISON_FREED);
    pthread_mutex_lock(&memory.lock);
    for ( unsigned long i = first; i <= last; i++ )
    {
        mark_free(&frame_table[i]);
        memory.searched = min(memory.searched, frame_distance(i));
    }
    __atomic_sub_fetch(&memory.in_use, 1UL << order, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&memory.lock);
}
