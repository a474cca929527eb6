/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Constants of Kconfig and the architecture. NR_CPUS determines the layout of
 * t_info and of every CPU mask, so all code of a program has to use the same
 * value.
 */
#ifndef XENSIM_XEN_CONFIG_H
#define XENSIM_XEN_CONFIG_H

#if defined(__x86_64__)
# define CONFIG_X86 1
# define CONFIG_X86_64 1
#elif defined(__aarch64__)
# define CONFIG_ARM 1
# define CONFIG_ARM_64 1
#else
# error "xensim stands for an x86-64 or an aarch64 hypervisor"
#endif

#define CONFIG_64BIT 1
#define CONFIG_TRACEBUFFER 1

#ifndef NR_CPUS
# define NR_CPUS 1024
#endif

#define BITS_PER_BYTE 8
#define BITS_PER_LONG 64
#define BYTES_PER_LONG 8

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1UL << PAGE_SHIFT)
#define PAGE_MASK  (~(PAGE_SIZE - 1))

#endif /* XENSIM_XEN_CONFIG_H */
