/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Xen's own integer types: compiler headers are not in its search path. */
#ifndef TESTS_DIALECT_TYPES_H
#define TESTS_DIALECT_TYPES_H

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __SIZE_TYPE__ size_t;
typedef unsigned long xen_ulong_t;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)

#endif /* TESTS_DIALECT_TYPES_H */
