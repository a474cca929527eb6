/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by name only: no port and no device register is played. */
#ifndef XENSIM_ASM_IO_H
#define XENSIM_ASM_IO_H
#endif /* XENSIM_ASM_IO_H */
