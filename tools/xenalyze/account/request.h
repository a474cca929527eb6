/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user wants of the reports of this room, apart from which of them.
 * It is part of the program's configuration.
 */
#ifndef XENALYZE_ACCOUNT_REQUEST_H
#define XENALYZE_ACCOUNT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "xenalyze/model/model.h"

struct report_request
{
    unsigned int sample_size;   /* 0: no percentiles; else as many as come */
    unsigned int no_mmio_vga;   /* 1: leave out addresses of the VGA window */
    bool cr3;                   /* what was in CR3 */
    bool eips;                  /* where interrupts of eip_vector hit */
    unsigned int eip_vector;
    uint64_t histogram;         /* bytes of a bar of a histogram of places, */
    unsigned int histogram_vector;      /* that such interrupts hit; or 0 */
    bool clock_assumed;         /* nobody says how fast the clock was */
    bool show_default;          /* vcpus that nobody has named yet */
    const struct symbols *symbols;      /* or NULL */
    unsigned int top;           /* rows of a table; 0: all */
    unsigned int sort;          /* enum sort_key */
};

#endif /* XENALYZE_ACCOUNT_REQUEST_H */
