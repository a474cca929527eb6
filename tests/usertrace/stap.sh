#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tracetool stap: list and dump read generated tapsets; run starts stap, which
# is a script here that prints its arguments.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

mkdir -p place/bin place/share/systemtap/tapset fake
tapset=place/share/systemtap/tapset
cat >events <<'END'
disk_open(const char *path, int fd) "path %s fd %d"
disk_close(int fd) "fd %d"
disable disk_off(int fd) "fd %d"
net_send(void) ""
END
for format in stap log-stap simpletrace-stap; do
    "$tracetool" --backends=dtrace --format=$format --binary=/usr/bin/my-tool \
        --probe-prefix=my.tool events $tapset/my-tool-$format.stp || exit 1
done
# another program's tapset, and another file
"$tracetool" --backends=dtrace --format=log-stap --probe-prefix=other \
    events $tapset/other.stp || exit 1
echo 'probe my.tool.log.no = my.tool.no ?' >$tapset/note.txt
printf '#!/bin/sh\n' >place/bin/my-tool
printf '#!/bin/sh\nprintf "<%%s>" "$@"; echo\nexit 7\n' >fake/stap
chmod +x place/bin/my-tool fake/stap
folder=$PWD/place/bin/../share/systemtap/tapset
real=$(cd $tapset && pwd -P)
path=$PATH

# expect CODE WORD...: output and messages of tracetool stap WORD... are the
# lines of the file `want`
expect()
{
    code=$1
    shift
    "$tracetool" stap "$@" >out 2>err
    rc=$?
    [ $rc = "$code" ] || fail "stap $*: exit $rc"
    cat out err | sed "s|$folder|TAPSET|g; s|$real|TAPSET|g" |
        diff want - || fail "stap $*"
}

# --- list ---------------------------------------------------------------------

printf '%s\n' disk_open disk_close net_send >want
expect 0 list place/bin/my-tool
PATH=$PWD/place/bin:$path
expect 0 list my-tool
PATH=$path
expect 0 list --tapset=$tapset my-tool
printf '%s\n' disk_open disk_close >want
expect 0 list place/bin/my-tool 'disk_*'
expect 0 list place/bin/my-tool 'disk_clos?' disk_open
printf 'tracetool stap: debug: tapsets of place/bin/my-tool are in TAPSET\n' \
    >>want
expect 0 -v list place/bin/my-tool 'disk_*'

echo 'tracetool stap: No probes found, are the tapsets installed in TAPSET' >want
expect 1 list place/bin/my-tool 'nosuch*'
expect 1 list place/bin/my-tool disk_off
echo "tracetool stap: Unable to find 'my-tool' in \$PATH: give the program, or \
--tapset=DIR" >want
expect 1 list my-tool
echo "tracetool stap: Unable to find 'absent/tool': give the program, or \
--tapset=DIR" >want
expect 1 list absent/tool
echo 'tracetool stap: cannot read the tapsets in absent: install them there, or give --tapset=DIR: No such file or directory' >want
expect 1 list --tapset=absent my-tool
expect 1 dump --tapset=absent my-tool

# Without the tapset of format log-stap there is nothing that prints lines.
mkdir silent
cp $tapset/my-tool-stap.stp $tapset/my-tool-simpletrace-stap.stp silent
echo 'tracetool stap: the probes found print no lines, so run cannot use them: install the tapset of format log-stap in silent, or use dump' >want
expect 1 list --tapset=silent my-tool
expect 1 list --tapset=silent my-tool net_send
echo 'tracetool stap: No probes found, are the tapsets installed in silent' >want
expect 1 list --tapset=silent my-tool 'nosuch*'
expect 1 list --tapset=silent another-tool
"$tracetool" stap dump --tapset=silent my-tool >out || fail 'dump of silent'
[ "$(grep -c '^probe' out)" = 6 ] || fail 'dump of silent: other probes'

# --- dump: the definitions, which are whole ---------------------------------------

"$tracetool" stap dump place/bin/my-tool >out || fail 'dump'
for format in log-stap simpletrace-stap stap; do
    grep -v -e '^/\*' -e '^$' $tapset/my-tool-$format.stp
done >want
grep -v -e '^#' -e '^$' out | diff want - || fail 'dump: other definitions'
[ "$(grep -c '^# ' out)" = 3 ] || fail 'dump: no names of files'
"$tracetool" stap dump place/bin/my-tool net_send >out || fail 'dump net_send'
[ "$(grep -c '^probe' out)" = 3 ] || fail 'dump net_send: other probes'
grep -q 'process("/usr/bin/my-tool").mark("net_send")' out ||
    fail 'dump net_send: no mark'

# --- run -----------------------------------------------------------------------

PATH=$PWD/fake:$path
echo '<-s><8><-I><TAPSET><-e><probe my.tool.log.disk_* {} probe my.tool.log.net_send {}>' >want
expect 7 run place/bin/my-tool 'disk_*' net_send
echo '<-s><8><-I><TAPSET><-x><4711><-e><probe my.tool.log.net_send {}>' >want
expect 7 run --pid=4711 place/bin/my-tool net_send
expect 7 run place/bin/my-tool net_send -p 4711
"$tracetool" stap -v run place/bin/my-tool net_send 2>/dev/null |
    grep -q '<probe begin { print(".*") } probe my.tool.log.net_send {}>' ||
    fail 'run -v: no message of the script'
PATH=$path
if ! command -v stap >/dev/null; then
    echo 'tracetool stap: cannot run stap: install SystemTap, or use tracetool stap dump: No such file or directory' >want
    expect 1 run place/bin/my-tool net_send
fi

# --- wrong calls -----------------------------------------------------------------

echo 'tracetool stap: At least one probe pattern must be specified' >want
expect 2 run place/bin/my-tool
echo 'tracetool stap: stop: no such command; use list, run or dump' >want
expect 2 stop place/bin/my-tool
# shellcheck disable=SC2016 # text
for bad in 'a{}' 'a b' '' '$(id)' 'a;'; do
    echo "tracetool stap: $bad: a pattern has letters, digits, _, * and ?" >want
    expect 2 run place/bin/my-tool "$bad"
done
for bad in 0 x -1 99999999999; do
    "$tracetool" stap run --pid=$bad place/bin/my-tool a >/dev/null 2>&1
    [ $? = 2 ] || fail "--pid=$bad"
done
"$tracetool" stap list >/dev/null 2>&1
[ $? = 2 ] || fail 'no program'
"$tracetool" stap --help | grep -q 'dump BINARY' || fail '--help'
exit $failed
