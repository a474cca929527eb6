/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boot parameters: a row each, found through a linker section of pointers to
 * rows (the compiler may pad rows, but not pointers).
 */
#ifndef XENSIM_XEN_PARAM_H
#define XENSIM_XEN_PARAM_H

#include <xen/compiler.h>
#include <xen/init.h>

struct xensim_param
{
    const char *name;
    void *at;
    unsigned int size;      /* of the integer or string at `at` */
    enum { PARAM_INTEGER, PARAM_BOOLEAN, PARAM_STRING } kind;
};

#define XENSIM_PARAM(name_, var, kind_)                                 \
    static const struct xensim_param param_##var = {                    \
        .name = (name_), .at = &(var), .size = sizeof(var),             \
        .kind = (kind_),                                                \
    };                                                                  \
    static const struct xensim_param *const param_row_##var             \
        __used_section("xensim_params") = &param_##var

#define integer_param(name, var) XENSIM_PARAM(name, var, PARAM_INTEGER)
#define size_param(name, var)    XENSIM_PARAM(name, var, PARAM_INTEGER)
#define boolean_param(name, var) XENSIM_PARAM(name, var, PARAM_BOOLEAN)
#define string_param(name, var)  XENSIM_PARAM(name, var, PARAM_STRING)

#endif /* XENSIM_XEN_PARAM_H */
