# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the tests of the analysis share.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/truth/lib.sh"

facts=$top_builddir/tests/analysis/facts
analysis=$top_srcdir/tests/analysis
[ -x "$facts" ] || skip "tests/analysis/facts is not built"
