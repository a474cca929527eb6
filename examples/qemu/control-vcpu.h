/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's trace/control-vcpu.h.  Sources of QEMU 7.2 rely on the include of
 * hw/core/cpu.h.
 */
#ifndef USERTRACE_QEMU_CONTROL_VCPU_H
#define USERTRACE_QEMU_CONTROL_VCPU_H

#include "control.h"
#include "hw/core/cpu.h"
#include "usertrace/control-vcpu.h"

#endif /* USERTRACE_QEMU_CONTROL_VCPU_H */
