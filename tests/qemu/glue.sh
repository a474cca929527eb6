# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# glue_begin QEMU FOLDER: fill FOLDER with the headers that replace QEMU's own
# when code of QEMU (the folder that fetch-source prints) is compiled alone.
glue_begin()
{
    mkdir -p "$2/qemu" "$2/trace" && cp "$1"/trace/*.[ch] "$2/trace/" ||
        return 1
    for header in osdep timer module error-report qemu-print; do
        cp "$top_srcdir/tests/qemu/glue.h" "$2/qemu/$header.h" || return 1
    done
}
