/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bounds of untrusted indices under speculation. Here no attacker exists: the
 * caller's check is the bound.
 */
#ifndef XENSIM_XEN_NOSPEC_H
#define XENSIM_XEN_NOSPEC_H

#define array_index_nospec(index, size)     (index)
#define array_access_nospec(array, index)   (array)[index]

#endif /* XENSIM_XEN_NOSPEC_H */
