/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Indices that a guest chose, kept in bounds under speculation.  Nobody
 * attacks a stand-in that way: the bound is the caller's check.
 */
#ifndef XENSIM_XEN_NOSPEC_H
#define XENSIM_XEN_NOSPEC_H

#define array_index_nospec(index, size)     (index)
#define array_access_nospec(array, index)   (array)[index]

#endif /* XENSIM_XEN_NOSPEC_H */
