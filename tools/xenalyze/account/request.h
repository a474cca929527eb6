/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of the reports that account/ and text/ prepare; part of the program's
 * configuration.  Which reports to print is decided elsewhere.
 */
#ifndef XENALYZE_ACCOUNT_REQUEST_H
#define XENALYZE_ACCOUNT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/internal.h"
#include "xenalyze/model/model.h"

/* The form of reports that stock has as well. */
enum report_style
{
    STYLE_STOCK,                /* the lines of stock, byte for byte */
    STYLE_TABLE,                /* headings, names, units; in 80 columns */
};

struct report_request
{
    unsigned int sample_size;   /* 0: no percentiles, else exact percentiles */
    unsigned int no_mmio_vga;   /* 1: skip addresses of the VGA window */
    bool cr3;                   /* print the table of CR3 frames */
    bool eips;                  /* list rip of interrupts of eip_vector */
    unsigned int eip_vector;
    uint64_t histogram;         /* bytes per bar of the rip histogram, or 0; */
    unsigned int histogram_vector;  /* vector of the histogram's interrupts */
    bool clock_assumed;         /* the trace has no clock frequency */
    bool is_selection;          /* --time, --domain ... select a part */
    bool selects_domains;       /* --domain or --vcpu, but volumes and counts
                                   of records are of all domains */
    bool show_default;          /* print vcpus of unknown domains */
    const struct symbols *symbols;      /* or NULL */
    const struct xt_domain_names *names;        /* NULL: the trace has none */
    unsigned int top;           /* rows per table; 0: all */
    bool has_top;               /* --top is given */
    unsigned int sort;          /* enum sort_key */
    unsigned int style;         /* enum report_style */
    bool fits_screen;           /* `top` is for a terminal, not from --top: a
                                   table that is not cut keeps its order */
    bool *was_cut;              /* set if `fits_screen` cuts a table */
};

#endif /* XENALYZE_ACCOUNT_REQUEST_H */
