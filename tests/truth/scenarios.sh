#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shipped scenarios do what their comments promise, and errors in a scenario are
# reported with their line.
. "$top_srcdir/tests/truth/lib.sh"

shipped=$top_srcdir/xensim/scenarios

# count_lines PATTERN: the number of matching lines of the ground truth
count_lines() {
    grep -c "$1" truth
}

# cycles WHAT STATE: total time of all vcpus of domains from 1 on, in ms
cycles() {
    awk -v what="$1" -v state="\"$2\"" -F '[:,}]' '
        index($0, "\"what\":\"" what "\"") && index($0, state) &&
        $4 >= 1 && $4 < 32767 {
            for ( i = 1; i < NF; i++ ) {
                if ( $i == "\"from\"" ) from = $(i + 1)
                if ( $i == "\"to\"" ) to = $(i + 1)
            }
            sum += to - from
        }
        END { print int(sum / 2400000) }' truth
}

# --- an overcommitted host ---------------------------------------------------

play -f "$shipped/overcommitted.scenario" -T 0.5
balance overcommitted trace
running=$(cycles runstate running)
waiting=$(cycles runstate runnable)
[ "$running" -gt 1500 ] || fail "overcommitted: only $running ms were run"
[ "$waiting" -gt "$running" ] ||
    fail "overcommitted: $waiting ms waited, $running ms run"

# --- a noisy neighbour -------------------------------------------------------

play -f "$shipped/noisy-neighbour.scenario" -T 1
balance noisy trace
[ "$(count_lines '"what":"wake","dom":1,.*"by":"timer"')" -gt 150 ] ||
    fail "noisy: voice was not woken every 5 ms"
[ "$(count_lines '"event":"pause"')" -ge 3 ] || fail "noisy: no domain was paused"
[ "$(count_lines '"event":"unpause"')" -ge 3 ] || fail "noisy: no domain was unpaused"
grep -E '"what":"runstate","dom":[12],.*"state":"running","cpu":[23]' truth &&
    fail "noisy: a vcpu ran outside its pinning"

# --- a boot storm ------------------------------------------------------------

play -f "$shipped/boot-storm.scenario" -T 0.6
balance storm trace
[ "$(count_lines '"event":"create"')" -eq 12 ] || fail "storm: not twelve domains"
[ "$(count_lines '"event":"rename","name":"retired"')" -eq 1 ] ||
    fail "storm: no domain was renamed"
[ "$(count_lines '"event":"destroy"')" -eq 1 ] || fail "storm: no domain was destroyed"
[ "$(count_lines '"by":"up"')" -ge 12 ] || fail "storm: vcpus were not brought up"
[ "$(count_lines '"handler":"hvm_npf"')" -gt 100 ] || fail "storm: no page faults"
expect 0 "$xenalyze" --info trace
for id in 00041001 00028001 00041002 00028002 00028003 00028007 0010f010; do
    grep -q "^  $id " out || fail "storm: no event $id"
done

# --- names --------------------------------------------------------------------

# names: domain and name, in the order of the trace
names() {
    expect 0 "$xenalyze" --records --event meta_domain_name trace
    sed -nE 's/.*meta_domain_name +(d[0-9]+) 0\/1: (.*)/\1 \2/p' out
}

# Domains have names from the start, new domains and new names get theirs.
{
    echo "d0 Domain-0"
    echo "d1 old"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "d$((i + 1)) desktop$i"; done
} >expected
names >named
grep -vx 'd1 retired' named | diff expected - ||
    fail "storm: other names than the scenario's"
grep -qx 'd1 retired' named || fail "storm: the new name is missing"
cp trace first
play -f "$shipped/boot-storm.scenario" -T 0.6
cmp trace first || fail "storm: another file with the same seed"

play -f "$shipped/noisy-neighbour.scenario" -T 0.1
expect 0 "$xenalyze" --records --event 'meta_affinity' trace
grep -q 'd2v65535 hard cpus from 0 on: .* 00000003$' out ||
    fail "noisy: no affinity of render"

# The file describes the host, and xentrace describes it alike.
described()
{
    expect 0 "$xenalyze" --info "$1"
    sed -n '/^  scheduler:/p; /^  topology:/p; /^ *d[0-9]/p' out
}
uuid='[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
described trace >noisy
grep -qx '  scheduler: credit2, pool 0 of 4 pcpus, rate limit 1000 us' noisy ||
    fail "noisy: no scheduler"
grep -qx '  topology: 4 pcpus, 4 cores, 1 socket, 1 node' noisy ||
    fail "noisy: no topology"
grep -qEx " *d1 voice +PVH +1 +256 +none  $uuid  all: 0-1" noisy &&
    grep -qEx " *d2 render +HVM +4 +256 +none  $uuid  all: 0-1" noisy &&
    grep -qEx " *d0 Domain-0 +PV +2 +256 +none  [-0]{36}  all: 2-3" noisy ||
    fail "noisy: the domains are described differently"
expect 0 "$xensim" -f "$shipped/noisy-neighbour.scenario" --virtual -T 0.1 \
    --layout=master -s "$PWD/sock" -- "$xentrace" -T 5 collected
described collected | diff noisy - ||
    fail "noisy: xentrace describes another host"
expect 0 "$xenalyze" --info collected
grep -q '^  Xen: *4\.19-xensim$' out || fail "the layout is not of Xen 4.19"

# --- the scenarios in the man page -------------------------------------------

for name in overcommitted noisy-neighbour boot-storm; do
    sed 's/\\-/-/g' "$top_srcdir/man/xensim.1" |
        sed -n "/^\.B $name\.scenario/,/^\.fi/p" |
        sed -n '/^\.nf/,/^\.fi/{/^\./d; s/^    //p}' >copied
    sed '/^#/d; s/ *#.*//; /^$/d' "$shipped/$name.scenario" >whole
    [ -s copied ] && cmp copied whole ||
        fail "xensim(1) has a different $name.scenario"
done

# --- keys outside the shipped scenarios --------------------------------------

cat >more.scenario <<'END'
cpus = 2
[domain web]
kind = pvh
vcpus = 3
load = io,busy,quiet
reweigh = 50ms
new-weight = 1024
guest-events = yes
END
play -f more.scenario -T 0.3
balance more trace
[ "$(count_lines '"event":"reweigh"')" -eq 1 ] || fail "more: no domain was reweighed"
expect 0 "$xenalyze" --info trace
for id in 00028009 0002220e 0800f001; do
    grep -q "^  $id " out || fail "more: no event $id"
done

# --- a new pinning -----------------------------------------------------------

# The pcpus of domain 1, before and after the new pinning
cat >ran.awk <<'END'
/"event":"repin"/ { at = field("at") }
/"dom":1,.*"state":"running"/ {
    n++
    cpu[n] = field("cpu")
    from[n] = field("from")
}
END {
    for ( i = 1; i <= n; i++ )
        print (from[i] > at ? "after" : "before"), cpu[i]
}
END
ran() {
    awk -f "$top_srcdir/tests/truth/field.awk" -f ran.awk truth | sort -u |
        tr '\n' ','
}

cat >move.scenario <<'END'
cpus = 6
runq-cpus = 2
[domain Domain-0]
vcpus = 2
pin = 0-1
[domain mover]
kind = pvh
vcpus = 2
load = busy,io
pin = 2-3
repin = 100ms
new-pin = 4-5
END
for scheduler in credit2 null; do
    play -f move.scenario --scheduler $scheduler -T 0.2
    balance move trace
    case $(ran) in
    'after 4,after 5,before 2,before 3,') ;;
    *) fail "move, $scheduler: ran $(ran)" ;;
    esac
    grep -q '"event":"repin".*"first":4,"last":5,' truth ||
        fail "move, $scheduler: the new pinning is not in the truth"
done

# A scenario in real time, as in the man pages.
expect 0 "$xensim" -f "$shipped/boot-storm.scenario" -- \
    "$xentrace" -T 0.5 trace
grep -q 'no record was lost' err || echo "storm: some were lost: $(cat err)"

# Options of the command line override the scenario.
play -f "$shipped/overcommitted.scenario" -T 0.05 --cpus 2
[ "$(counts | wc -l)" -eq 2 ] || fail "an option did not override the scenario"

# --- errors ------------------------------------------------------------------

# mistake LINE-NUMBER WORDS <scenario
mistake() {
    cat >wrong.scenario
    expect 1 "$xensim" --virtual -T 0.01 -o none -f wrong.scenario
    [ "$(wc -l <err)" -eq 1 ] || fail "the message is not one line"
    grep -q "^xensim: wrong.scenario:$1: .*$2" err ||
        fail "line $1, $2: the message is: $(cat err)"
    [ ! -e none ] || fail "an output was written"
}

mistake 1 'no such option' <<'END'
cpu = 4
END
mistake 2 'cpus 0' <<'END'
# none
cpus = 0
END
mistake 1 'NAME = VALUE' <<'END'
cpus 4
END
mistake 1 'domain NAME' <<'END'
[guest web]
END
mistake 1 'names are of' <<'END'
[domain a "b"]
END
# 31 characters are the limit.
long=$(printf %031d 0)
mistake 1 'names are of' <<END
[domain ${long}1]
END
echo "[domain $long]" >long.scenario
expect 0 "$xensim" --virtual -T 0.01 -o long -f long.scenario
expect 0 "$xenalyze" --info long
grep -q " $long " out || fail "a name of 31 characters is cut"
mistake 2 'no such key' <<'END'
[domain web]
cpus = 3
END
mistake 2 'load' <<'END'
[domain web]
load = heavy
END
mistake 2 'not pcpus' <<'END'
[domain web]
pin = 3-1
END
mistake 4 'new-weight' <<'END'
[domain web]
reweigh = 3s

[domain last]
END
mistake 4 'new-pin' <<'END'
[domain web]
repin = 3s

[domain last]
END
mistake 4 'pause-for' <<'END'
[domain web]
pause = 3s

[domain last]
END
mistake 3 'before all other' <<'END'
[domain web]

[domain Domain-0]
END
mistake 1 'no such option' <<'END'
scenario = other
END
printf '[domain web]\nrepin = 1s\nnew-pin = 1-4\n' >wrong.scenario
expect 1 "$xensim" -c 4 -f wrong.scenario
expect_message '[domain web]: new-pin 1-4: there are only 4 pcpus'
expect 1 "$xensim" -f nowhere
expect_message nowhere
