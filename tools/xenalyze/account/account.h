/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface of account/: sinks that turn facts into numbers.  At the end of the
 * trace, each is closed; then text/, reports/ and plot/ read the numbers.
 */
#ifndef XENALYZE_ACCOUNT_ACCOUNT_H
#define XENALYZE_ACCOUNT_ACCOUNT_H

#include "xenalyze/account/backend-wait.h"
#include "xenalyze/account/block-reason.h"
#include "xenalyze/account/category.h"
#include "xenalyze/account/co-stop.h"
#include "xenalyze/account/concurrency.h"
#include "xenalyze/account/cr3-table.h"
#include "xenalyze/account/cr3-time.h"
#include "xenalyze/account/critical-path.h"
#include "xenalyze/account/device-access.h"
#include "xenalyze/account/exit-report.h"
#include "xenalyze/account/exit-storm.h"
#include "xenalyze/account/interrupt-load.h"
#include "xenalyze/account/interrupt-path.h"
#include "xenalyze/account/interval-series.h"
#include "xenalyze/account/interval.h"
#include "xenalyze/account/io-trips.h"
#include "xenalyze/account/ipi-latency.h"
#include "xenalyze/account/latency.h"
#include "xenalyze/account/machine-stall.h"
#include "xenalyze/account/model-parts.h"
#include "xenalyze/account/period.h"
#include "xenalyze/account/request.h"
#include "xenalyze/account/sched-check.h"
#include "xenalyze/account/silent-vcpus.h"
#include "xenalyze/account/sort.h"
#include "xenalyze/account/stretch.h"
#include "xenalyze/account/summary.h"
#include "xenalyze/account/time-log.h"
#include "xenalyze/account/timer-lateness.h"
#include "xenalyze/account/vcpu-array.h"
#include "xenalyze/account/verdict-help.h"
#include "xenalyze/account/verdict.h"
#include "xenalyze/account/wait-cause.h"
#include "xenalyze/account/wait-matrix.h"
#include "xenalyze/account/wakeup-chain.h"

#endif /* XENALYZE_ACCOUNT_ACCOUNT_H */
