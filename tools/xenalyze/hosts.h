/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of several hosts on one timeline.
 *
 *     files --- same capture? ---> hosts, each with its files
 *                                    |  one pass per host, in the order of
 *                                    v  their begins
 *                                  one output
 *
 * The wall clock of each dom0 gives the place of a host: the collector writes
 * its readings into the trace.  How far these clocks differ is unknown; nothing
 * in a trace of Xen can tell.
 */
#ifndef XENALYZE_HOSTS_H
#define XENALYZE_HOSTS_H

#include "xenalyze/outputs.h"

#define HOSTS_MAX 64u

struct hosts;

/*
 * Are the files of the configuration traces of several hosts that the wanted
 * output can show together?  *hosts is NULL if not.  0, or -errno with *e.
 */
int hosts_find(struct hosts **hosts, const struct config *config,
               struct err *e);
void hosts_free(struct hosts *hosts);   /* NULL is fine */

/*
 * Run the output.  A host with nothing to show is left out, with a warning;
 * -ENODATA: none has anything.  The caller has set out, name and log.
 */
int hosts_run(struct hosts *hosts, const struct run *run, struct err *e);

#endif /* XENALYZE_HOSTS_H */
