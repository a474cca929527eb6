/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events as defined by generated code, to test control without tracetool.
 */
#ifndef TESTS_UNIT_LIBUSERTRACE_EVENTS_H
#define TESTS_UNIT_LIBUSERTRACE_EVENTS_H

#include "../common/unit.h"
#include "libusertrace/trace/control-vcpu.h"
#include "libusertrace/trace/usertrace.h"

#define EVENT(token, text, is_in, vcpu)                                 \
static uint16_t _ ## token ## _DSTATE;                                  \
static TraceEvent _ ## token ## _EVENT = {                              \
    .name = text, .sstate = is_in, .dstate = &_ ## token ## _DSTATE,    \
    .vcpu_id = (vcpu) ? 0 : TRACE_VCPU_EVENT_NONE,                      \
}

#endif /* TESTS_UNIT_LIBUSERTRACE_EVENTS_H */
