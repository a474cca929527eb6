#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run each example of xentrace(8) verbatim, all at the same time, and each on a
# hypervisor of its own.  Only the durations are shorter than in the man page.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# Wrappers of the programs.  If an option is repeated, the last one counts.
mkdir bin
cat >bin/xentrace <<END
#!/bin/sh
exec '$xentrace' "\$@" \$shorter
END
# Wait until the requested snapshot is complete.
cat >bin/xenalyze <<END
#!/bin/sh
for file; do :; done
until [ -s "\$file" ] && '$xenalyze' --info "\$file" | grep -qx 'damage: none'
do
    sleep 0.02
done
exec '$xenalyze' "\$@"
END
printf '#!/bin/sh\nexec "%s" --rate 2k "$@"\n' "$xensim" >bin/xensim
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >bin/ssh
chmod +x bin/*
PATH=$tmp/bin:$PATH

# Example n becomes the file n/script.  A background command has started tracing
# before the next line, and is interrupted after the last.
awk '
    /^\.SH / { here = /EXAMPLES/ }
    here && /^\.nf/ { n++; open = 1; next }
    here && /^\.fi/ {
        if (back)
            print "kill -INT $!; wait $!" >file
        open = back = 0
    }
    open {
        if (!(n in made)) {
            system("mkdir " n)
            made[n] = 1
            file = n "/script"
        }
        gsub(/\\-/, "-")
        gsub(/\\e/, "\\")
        print >file
        if (/&$/) {
            back = 1
            print "until [ -s *.bin ]; do sleep 0.02; done" >file
        }
    }' "$top_srcdir/man/xentrace.8"
nr=$(find . -name script | wc -l)
[ "$nr" -ge 12 ] || fail "xentrace(8) has only $nr examples"

for script in */script; do
    # Background captures are interrupted; others get a short time limit.
    shorter='-T 0.3'
    ! grep -q -e '&$' -e '--from-dump' "$script" || shorter=
    export shorter
    (
        cd "${script%/*}" || exit 99
        ! grep -q -e '--from-dump' script ||
            python3 "$top_srcdir/tests/tools/make-dump.py" stock vmcore \
                expected xen-syms || exit 99
        XENTRACE_CONTROL_DIR=$PWD/control # of this example only
        "$xensim" --cpus 2 --rate 2k -- sh -e script >messages 2>&1 </dev/null
        echo $? >status
    ) &
done
wait
for script in */script; do
    folder=${script%/*}
    [ "$(cat "$folder/status")" -eq 0 ] || grep -q 'no zstd' "$folder/messages" || {
        cat "$script" "$folder/messages" >&2
        fail "example $folder: exit status $(cat "$folder/status")"
    }
done

# Their traces can be analyzed as soon as the last writer has ended.
for file in */*.bin* */*.zst; do
    tries=0
    until "$xenalyze" --info "$file" >out 2>err && grep -qx 'damage: none' out
    do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "$file: damage"
        sleep 0.05
    done
done
[ "$(find . -name '*.bin' | wc -l)" -ge 10 ] || fail "fewer than 10 traces"
echo "$nr examples"
