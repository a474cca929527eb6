/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations of formats and back ends, for tables.c.  A new format or back
 * end needs its file, a line here and a line in tables.c.  Names with "qemu"
 * are for QEMU's own run-time code.
 */
#ifndef TRACETOOL_ROWS_H
#define TRACETOOL_ROWS_H

#include "tracetool/output.h"

extern const struct tt_format tt_format_c;
extern const struct tt_format tt_format_catalogue;
extern const struct tt_format tt_format_d;
extern const struct tt_format tt_format_formats;
extern const struct tt_format tt_format_h;
extern const struct tt_format tt_format_ids;
extern const struct tt_format tt_format_log_stap;
extern const struct tt_format tt_format_man;
extern const struct tt_format tt_format_readers;
extern const struct tt_format tt_format_rs;
extern const struct tt_format tt_format_simpletrace_stap;
extern const struct tt_format tt_format_stap;
extern const struct tt_format tt_format_structs;
extern const struct tt_format tt_format_ust_events_c;
extern const struct tt_format tt_format_ust_events_h;

extern const struct tt_backend tt_backend_dtrace;
extern const struct tt_backend tt_backend_ftrace;
extern const struct tt_backend tt_backend_log;
extern const struct tt_backend tt_backend_nop;
extern const struct tt_backend tt_backend_simple;
extern const struct tt_backend tt_backend_syslog;
extern const struct tt_backend tt_backend_ust;
extern const struct tt_backend tt_backend_xen;

extern const struct tt_backend tt_backend_qemu_dtrace;
extern const struct tt_backend tt_backend_qemu_ftrace;
extern const struct tt_backend tt_backend_qemu_log;
extern const struct tt_backend tt_backend_qemu_simple;
extern const struct tt_backend tt_backend_qemu_syslog;

/* The tables of runtime usertrace. */
extern const struct tt_format *const tt_formats[];
extern const struct tt_backend *const tt_backends[];

extern const struct tt_runtime tt_runtime_usertrace;
extern const struct tt_runtime tt_runtime_qemu;

#endif /* TRACETOOL_ROWS_H */
