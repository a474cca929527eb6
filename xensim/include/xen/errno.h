/* SPDX-License-Identifier: GPL-2.0-only */
/* Xen's error numbers equal Linux' for all errors of the trace buffer. */
#ifndef XENSIM_XEN_ERRNO_H
#define XENSIM_XEN_ERRNO_H

#include <errno.h>

#endif /* XENSIM_XEN_ERRNO_H */
