/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of all outputs that print a line for each record, or count records.
 * Each header describes one output.
 */
#ifndef XENALYZE_LINES_LINES_H
#define XENALYZE_LINES_LINES_H

#include "xenalyze/lines/catalogue-lines.h"
#include "xenalyze/lines/count.h"
#include "xenalyze/lines/count-trace.h"
#include "xenalyze/lines/dump.h"
#include "xenalyze/lines/file-info.h"
#include "xenalyze/lines/file-order.h"
#include "xenalyze/lines/formats.h"
#include "xenalyze/lines/pipeline.h"
#include "xenalyze/lines/program-lines.h"
#include "xenalyze/lines/raw.h"
#include "xenalyze/lines/record-filter.h"

#endif /* XENALYZE_LINES_LINES_H */
