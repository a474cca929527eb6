/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The door of this room for the programs of this tree, which need more than
 * reading.  Most of these headers are not installed:
 * their interfaces change with those programs.
 *
 *     counts.h, event-counts.h     totals of a trace, a count for each event id
 *     crc.h                        checksums
 *     domain-names.h               names of domains, and labels for output
 *     host.h                       domains, schedulers, pcpus: properties
 *     kmerge.h, slice.h            sort items by time, merge sorted runs
 *     losses.h                     losses that only the collector knows
 *     meta.h                       records of the collector: encode, decode
 *     time-step.h                  is a far step of the time damage?
 *     pcpu-damage.h                damage by pcpu and time, and of parts
 *     seal.h, zstd.h               write windows: checksum, compression
 *     torn-end.h                   parts of a capture that ended abruptly
 *     visit-metadata.h             all metadata of a trace, apart from records
 *
 * The other doors are libxentrace.h, catalogue.h (what events mean),
 * meta-event.h (the ids of metadata) and the generated readers.h (the fields of
 * each event's payload).
 */
#ifndef LIBXENTRACE_INTERNAL_H
#define LIBXENTRACE_INTERNAL_H

#include "libxentrace/counts.h"
#include "libxentrace/crc.h"
#include "libxentrace/domain-names.h"
#include "libxentrace/event-counts.h"
#include "libxentrace/host.h"
#include "libxentrace/kmerge.h"
#include "libxentrace/libxentrace.h"
#include "libxentrace/losses.h"
#include "libxentrace/meta.h"
#include "libxentrace/pcpu-damage.h"
#include "libxentrace/seal.h"
#include "libxentrace/slice.h"
#include "libxentrace/time-step.h"
#include "libxentrace/torn-end.h"
#include "libxentrace/visit-metadata.h"
#include "libxentrace/zstd.h"

#endif /* LIBXENTRACE_INTERNAL_H */
