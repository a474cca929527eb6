/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the state machines, which make facts of records: one machine a
 * pcpu (pcpu.h) for events that concern only the vcpu that runs there, and one
 * machine over all pcpus (global.h) for runstates, wake-ups and losses.
 */
#ifndef XENALYZE_MACHINE_MACHINE_H
#define XENALYZE_MACHINE_MACHINE_H

#include "xenalyze/machine/emit.h"
#include "xenalyze/machine/global.h"
#include "xenalyze/machine/pcpu.h"

#endif /* XENALYZE_MACHINE_MACHINE_H */
