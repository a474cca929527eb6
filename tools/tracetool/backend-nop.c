/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No tracing: trace points are empty functions.
 */
#include "tracetool/rows.h"

const struct tt_backend tt_backend_nop = {
    .name = "nop",
    .text = "Tracing disabled.",
};
