# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common functions of the tests of the analysis.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/truth/lib.sh"

facts=$top_builddir/tests/xenalyze/facts/facts
analysis=$top_srcdir/tests/xenalyze/facts
[ -x "$facts" ] || skip "tests/xenalyze/facts/facts is not built"
