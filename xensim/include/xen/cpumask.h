/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of CPUs. Single bits are changed by atomic operations; masks are copied
 * word by word without tearing of a word, but not atomically as a whole (Xen
 * guarantees no more). A reader that finds a CPU in a mask sees all stores
 * made before the bit was set. The variants with two underscores may be
 * non-atomic in Xen; here both are atomic.
 */
#ifndef XENSIM_XEN_CPUMASK_H
#define XENSIM_XEN_CPUMASK_H

#include <xen/lib.h>
#include <xen/xmalloc.h>

typedef struct cpumask
{
    unsigned long bits[BITS_TO_LONGS(NR_CPUS)];
} cpumask_t;

extern unsigned int nr_cpu_ids;     /* CPUs that this machine can have */
extern cpumask_t cpu_online_map;

const cpumask_t *cpumask_of(unsigned int cpu);

#define cpumask_bits(mask)      ((mask)->bits)
#define nr_cpumask_bits         (BITS_TO_LONGS(NR_CPUS) * BITS_PER_LONG)
#define XENSIM_MASK_WORDS       BITS_TO_LONGS(NR_CPUS)

static inline unsigned long xensim_mask_word(const cpumask_t *m,
                                             unsigned int i)
{
    return __atomic_load_n(&m->bits[i], __ATOMIC_ACQUIRE);
}

static inline void xensim_mask_store(cpumask_t *m, unsigned int i,
                                     unsigned long word)
{
    __atomic_store_n(&m->bits[i], word, __ATOMIC_RELEASE);
}

static inline bool cpumask_test_cpu(unsigned int cpu, const cpumask_t *m)
{
    return xensim_mask_word(m, cpu / BITS_PER_LONG) >>
           (cpu % BITS_PER_LONG) & 1;
}

static inline bool cpumask_test_and_set_cpu(unsigned int cpu, cpumask_t *m)
{
    unsigned long bit = 1UL << (cpu % BITS_PER_LONG);

    return __atomic_fetch_or(&m->bits[cpu / BITS_PER_LONG], bit,
                             __ATOMIC_SEQ_CST) & bit;
}

static inline bool cpumask_test_and_clear_cpu(unsigned int cpu, cpumask_t *m)
{
    unsigned long bit = 1UL << (cpu % BITS_PER_LONG);

    return __atomic_fetch_and(&m->bits[cpu / BITS_PER_LONG], ~bit,
                              __ATOMIC_SEQ_CST) & bit;
}

#define cpumask_set_cpu(cpu, m)     ((void)cpumask_test_and_set_cpu(cpu, m))
#define cpumask_clear_cpu(cpu, m)   ((void)cpumask_test_and_clear_cpu(cpu, m))
#define __cpumask_set_cpu(cpu, m)   cpumask_set_cpu(cpu, m)
#define __cpumask_clear_cpu(cpu, m) cpumask_clear_cpu(cpu, m)

#define XENSIM_MASK_FILL(name, expression, ...)                         \
    static inline void name(cpumask_t *to, ## __VA_ARGS__)              \
    {                                                                   \
        for ( unsigned int i = 0; i < XENSIM_MASK_WORDS; i++ )          \
            xensim_mask_store(to, i, (expression));                     \
    }

XENSIM_MASK_FILL(cpumask_setall, ~0UL)
XENSIM_MASK_FILL(cpumask_clear, 0UL)
XENSIM_MASK_FILL(cpumask_copy, xensim_mask_word(a, i), const cpumask_t *a)
XENSIM_MASK_FILL(cpumask_and,
                 xensim_mask_word(a, i) & xensim_mask_word(b, i),
                 const cpumask_t *a, const cpumask_t *b)
XENSIM_MASK_FILL(cpumask_or,
                 xensim_mask_word(a, i) | xensim_mask_word(b, i),
                 const cpumask_t *a, const cpumask_t *b)
XENSIM_MASK_FILL(cpumask_andnot,
                 xensim_mask_word(a, i) & ~xensim_mask_word(b, i),
                 const cpumask_t *a, const cpumask_t *b)
#undef XENSIM_MASK_FILL

static inline bool cpumask_empty(const cpumask_t *m)
{
    unsigned long any = 0;

    for ( unsigned int i = 0; i < XENSIM_MASK_WORDS; i++ )
        any |= xensim_mask_word(m, i);
    return any == 0;
}

static inline bool cpumask_equal(const cpumask_t *a, const cpumask_t *b)
{
    unsigned long differ = 0;

    for ( unsigned int i = 0; i < XENSIM_MASK_WORDS; i++ )
        differ |= xensim_mask_word(a, i) ^ xensim_mask_word(b, i);
    return differ == 0;
}

static inline unsigned int cpumask_weight(const cpumask_t *m)
{
    unsigned int weight = 0;

    for ( unsigned int i = 0; i < XENSIM_MASK_WORDS; i++ )
        weight += __builtin_popcountl(xensim_mask_word(m, i));
    return weight;
}

/* The first CPU of the set after n (-1: the first of all), or nr_cpu_ids. */
static inline unsigned int cpumask_next(int n, const cpumask_t *m)
{
    unsigned int cpu = n + 1;

    while ( cpu < nr_cpu_ids )
    {
        unsigned long word = xensim_mask_word(m, cpu / BITS_PER_LONG) >>
                             (cpu % BITS_PER_LONG);

        if ( word )
        {
            cpu += __builtin_ctzl(word);
            break;
        }
        cpu = (cpu / BITS_PER_LONG + 1) * BITS_PER_LONG;
    }
    return cpu < nr_cpu_ids ? cpu : nr_cpu_ids;
}

#define cpumask_first(m)    cpumask_next(-1, m)
#define cpumask_any(m)      cpumask_first(m)

#define for_each_cpu(cpu, m)                                            \
    for ( (cpu) = cpumask_first(m);                                     \
          (unsigned int)(cpu) < nr_cpu_ids;                             \
          (cpu) = cpumask_next(cpu, m) )
#define for_each_online_cpu(cpu)    for_each_cpu(cpu, &cpu_online_map)
#define for_each_possible_cpu(cpu)                                      \
    for ( (cpu) = 0; (unsigned int)(cpu) < nr_cpu_ids; (cpu)++ )
#define for_each_present_cpu(cpu)   for_each_possible_cpu(cpu)
#define num_online_cpus()           cpumask_weight(&cpu_online_map)
#define num_present_cpus()          nr_cpu_ids
#define cpu_online(cpu)             cpumask_test_cpu(cpu, &cpu_online_map)
#define cpu_present(cpu)            ((cpu) < nr_cpu_ids)

typedef cpumask_t *cpumask_var_t;

static inline bool alloc_cpumask_var(cpumask_var_t *mask)
{
    *mask = _xmalloc(sizeof(cpumask_t), sizeof(long));
    return *mask != NULL;
}

static inline void free_cpumask_var(cpumask_var_t mask)
{
    xfree(mask);
}

#endif /* XENSIM_XEN_CPUMASK_H */
