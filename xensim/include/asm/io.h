/* SPDX-License-Identifier: GPL-2.0-only */
/* Empty: included by name only. No port and no device register is simulated. */
#ifndef XENSIM_ASM_IO_H
#define XENSIM_ASM_IO_H
#endif /* XENSIM_ASM_IO_H */
