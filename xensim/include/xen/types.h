/* SPDX-License-Identifier: GPL-2.0-only */
/* Integer types by Xen's names. */
#ifndef XENSIM_XEN_TYPES_H
#define XENSIM_XEN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <xen/config.h>
#include <xen/compiler.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef bool bool_t;

typedef uint64_t paddr_t;
typedef int64_t s_time_t;
typedef uint64_t cycles_t;

#define BITS_TO_LONGS(bits) (((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)

#endif /* XENSIM_XEN_TYPES_H */
