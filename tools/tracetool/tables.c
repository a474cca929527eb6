/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of formats, back ends and runtimes, in the order of --help.
 */
#include "tracetool/rows.h"

const struct tt_format *const tt_formats[] = {
    &tt_format_c,
    &tt_format_catalogue,
    &tt_format_d,
    &tt_format_formats,
    &tt_format_h,
    &tt_format_ids,
    &tt_format_log_stap,
    &tt_format_man,
    &tt_format_readers,
    &tt_format_simpletrace_stap,
    &tt_format_stap,
    &tt_format_structs,
    &tt_format_ust_events_c,
    &tt_format_ust_events_h,
    NULL
};

const struct tt_backend *const tt_backends[] = {
    &tt_backend_nop,
    &tt_backend_dtrace,
    &tt_backend_ftrace,
    &tt_backend_log,
    &tt_backend_simple,
    &tt_backend_syslog,
    &tt_backend_ust,
    &tt_backend_xen,
    NULL
};

const struct tt_runtime *const tt_runtimes[] = {
    &tt_runtime_usertrace,
    &tt_runtime_qemu,
    NULL
};
