/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of this room: records written in another form, without conclusions
 * from them.
 *
 *     cut.h         a part of a trace, as a trace
 *     ctf.h         a trace in the Common Trace Format
 *     time-index.h  the index by time, for the begin of a part
 *     trace-dat.h   a trace in the format of trace-cmd
 */
#ifndef XENALYZE_CONVERT_CONVERT_H
#define XENALYZE_CONVERT_CONVERT_H

#include "xenalyze/convert/ctf.h"
#include "xenalyze/convert/cut.h"
#include "xenalyze/convert/time-index.h"
#include "xenalyze/convert/trace-dat.h"

#endif /* XENALYZE_CONVERT_CONVERT_H */
