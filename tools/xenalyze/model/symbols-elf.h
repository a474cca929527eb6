/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to the two files of symbols.
 */
#ifndef XENALYZE_MODEL_SYMBOLS_ELF_H
#define XENALYZE_MODEL_SYMBOLS_ELF_H

#include "xenalyze/model/symbols.h"

/* The name is copied.  0 or -ENOMEM. */
int symbols_add(struct symbols *s, uint64_t address, const char *name);

int symbols_read_elf(struct symbols *s, const char *path, struct err *e);

#endif /* XENALYZE_MODEL_SYMBOLS_ELF_H */
