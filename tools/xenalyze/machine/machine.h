/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the state machines, which turn records into facts: one machine
 * per pcpu (pcpu.h) for events that concern only the vcpu running there, and
 * one machine over all pcpus (global.h) for runstates, wake-ups and losses.
 *
 * A runstate record passes through pcpu-runstate.c (local part), a queue of
 * changes (change.h), the engine, which merges the queues by time, and
 * vcpu-runstate.c (global part), which emits the facts (emit.h).
 */
#ifndef XENALYZE_MACHINE_MACHINE_H
#define XENALYZE_MACHINE_MACHINE_H

#include "xenalyze/machine/emit.h"
#include "xenalyze/machine/global.h"
#include "xenalyze/machine/pcpu.h"

#endif /* XENALYZE_MACHINE_MACHINE_H */
