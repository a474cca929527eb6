/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays by the dense indexes of entities, which come in any order.
 */
#ifndef XENALYZE_ACCOUNT_GROW_H
#define XENALYZE_ACCOUNT_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * See to it that array[index] is there, of items of `size` bytes: `array` is
 * the address of the pointer, *nr how many there are; new ones are all zero.
 * False: no memory, and nothing has changed.
 */
bool grow_to_index(void *array, uint32_t *nr, uint32_t index, size_t size);

#endif /* XENALYZE_ACCOUNT_GROW_H */
