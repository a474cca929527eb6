/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Initcalls of both kinds. Each is a function pointer in a linker section of
 * its kind; xensim_start() walks the sections.
 */
#ifndef XENSIM_XEN_INIT_H
#define XENSIM_XEN_INIT_H

#include <xen/compiler.h>

#define __init
#define __initdata
#define __initconst

typedef int xensim_initcall(void);

#define presmp_initcall(fn)                                             \
    static xensim_initcall *const presmp_initcall_##fn                  \
        __used_section("xensim_presmp_initcalls") = (fn)
#define __initcall(fn)                                                  \
    static xensim_initcall *const initcall_##fn                         \
        __used_section("xensim_initcalls") = (fn)

#endif /* XENSIM_XEN_INIT_H */
