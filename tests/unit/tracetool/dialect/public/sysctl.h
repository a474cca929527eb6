/* SPDX-License-Identifier: GPL-2.0-or-later */
struct xen_sysctl_tbuf_op;
