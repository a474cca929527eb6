/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of plots: pictures (picture.h), and scatterplots (scatter.h), which
 * turn facts into points (points.h) for a picture, for text or for export.
 */
#ifndef XENALYZE_PLOT_PLOT_H
#define XENALYZE_PLOT_PLOT_H

#include "xenalyze/plot/picture.h"
#include "xenalyze/plot/point-order.h"
#include "xenalyze/plot/points.h"
#include "xenalyze/plot/scatter.h"

#endif /* XENALYZE_PLOT_PLOT_H */
