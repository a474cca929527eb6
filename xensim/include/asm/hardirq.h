/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of the current interrupt context. */
#ifndef XENSIM_ASM_HARDIRQ_H
#define XENSIM_ASM_HARDIRQ_H

#include <asm/current.h>

#define in_irq()            (xensim_self.in_irq != 0)
#define in_nmi_handler()    (xensim_self.in_nmi != 0)
#define in_mce_handler()    (xensim_self.in_mce != 0)

#endif /* XENSIM_ASM_HARDIRQ_H */
