/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A function that is seldom called, from where its code, and the registers
 * that it needs, would be in the way of what is done often.
 */
#ifndef COMMON_SELDOM_H
#define COMMON_SELDOM_H

#define SELDOM __attribute__((cold, noinline))

#endif /* COMMON_SELDOM_H */
