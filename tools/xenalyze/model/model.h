/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the model: the vcpus and domains of a trace, the facts that the
 * state machines report, and the names of exit reasons, states and addresses.
 */
#ifndef XENALYZE_MODEL_MODEL_H
#define XENALYZE_MODEL_MODEL_H

#include "xenalyze/model/exit-reasons.h"
#include "xenalyze/model/facts.h"
#include "xenalyze/model/guests.h"
#include "xenalyze/model/names.h"
#include "xenalyze/model/runstate.h"
#include "xenalyze/model/symbols.h"

#endif /* XENALYZE_MODEL_MODEL_H */
