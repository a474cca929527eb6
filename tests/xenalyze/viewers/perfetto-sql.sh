#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file for Perfetto, read by ClickHouse: SQL over its packets finds the numbers
# of --json.  CHDB is the library of ClickHouse for programs, libchdb.so; by
# default npm fetches it, 170 MB, with CHECK_FULL.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

package=@chdb/lib-linux-x64-gnu@26.7.3-stable.1
if [ -z "${CHDB:-}" ]; then
    [ -n "${CHECK_FULL-}" ] ||
        skip "CHDB names no libchdb.so; ./check --full fetches it"
    [ "$(uname -m)" = x86_64 ] || skip "libchdb.so is fetched for x86-64 only"
    command -v npm >/dev/null || skip "there is no npm to fetch libchdb.so"
    timeout 300 npm pack --silent "$package" >npm.out 2>&1 &&
        tar xzf chdb-*.tgz package/libchdb.so ||
        skip "npm cannot fetch libchdb.so: $(tail -n 1 npm.out)"
    CHDB=$tmp/package/libchdb.so
fi

cp "$viewers/perfetto.proto" .
for trace in $(small_traces); do
    expect 0 "$xenalyze" --json --export perfetto:sql.pftrace "$trace"
    mv out sql.json
    expect 0 python3 "$viewers/query-perfetto.py" "$CHDB" "$tmp/sql.pftrace" \
        "$tmp/perfetto.proto" sql.json
    cat out
    [ "$trace" != lossy ] || grep -q ', [1-9][0-9]* records lost' out ||
        fail 'nothing is lost'
done
