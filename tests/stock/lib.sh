# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Stock's own xentrace, from Debian's package, on xensim.  To be sourced;
# defines the command stock.
. "${top_srcdir:?run this by make check}/tests/tools/capture-lib.sh"

preload=$top_builddir/tests/stock/dom0.so
[ -e "$preload" ] || skip "this build lacks Xen's headers"
program=$("$top_srcdir/tests/truth/fetch" xentrace) || {
    [ $? -eq 77 ] && skip "${program##*
}"
    fail "fetch: $program"
}
# The program name as on a host, which other processes search for.
mkdir bin
ln -s "$program" bin/xentrace
cat >stock <<END
#!/bin/sh
LD_PRELOAD='$preload' exec '$tmp/bin/xentrace' "\$@"
END
chmod +x stock
stock=$tmp/stock
./stock -V 2>/dev/null | grep -q '^xentrace v' ||
    skip "stock's xentrace does not run here: $(./stock -V 2>&1 | tail -n 1)"
export stock xentrace
