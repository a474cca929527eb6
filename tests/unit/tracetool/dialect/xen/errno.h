/* SPDX-License-Identifier: GPL-2.0-or-later */
#define ENOSYS 38
