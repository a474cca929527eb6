/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the two halves of the catalogue: the one that finds events, and the
 * one that writes their texts.
 */
#ifndef LIBXENTRACE_CATALOGUE_PRIVATE_H
#define LIBXENTRACE_CATALOGUE_PRIVATE_H

#include "libxentrace/catalogue.h"

/* Parse the pieces of all events into c->lines.  0 or -ENOMEM. */
int catalogue_parse_texts(struct xt_catalogue *c);

#endif /* LIBXENTRACE_CATALOGUE_PRIVATE_H */
