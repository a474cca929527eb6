/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses to names: from a text file in the format of System.map, or from an
 * ELF file (xen-syms, vmlinux) if built with libelf.
 */
#ifndef XENALYZE_MODEL_SYMBOLS_H
#define XENALYZE_MODEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct symbols;

/* 0, or -errno and the error and its place in *e. */
int symbols_read(struct symbols **s, const char *path, struct err *e);
void symbols_free(struct symbols *s);           /* NULL is fine */

#define SYMBOLS_TEXT_MAX 160u

/*
 * "(name +offset)", as in stock, of the nearest symbol at or below the address,
 * or of "ZERO" at 0.  The text is empty if `s` is NULL.  Returns `text`.
 */
const char *symbols_text(const struct symbols *s, uint64_t address,
                         char text[SYMBOLS_TEXT_MAX]);

/*
 * The nearest symbol at or below the address, and its own address; NULL: none.
 */
const char *symbols_find(const struct symbols *s, uint64_t address,
                         uint64_t *start);

#endif /* XENALYZE_MODEL_SYMBOLS_H */
