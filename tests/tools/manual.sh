#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each example of xentrace(8), as it stands there, all at the same time and each
# on a hypervisor of its own.  Only time is shorter here than in the manual.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# Its programs.  Options may come twice: the last one counts.
mkdir bin
cat >bin/xentrace <<END
#!/bin/sh
exec '$xentrace' "\$@" \$shorter
END
# A snapshot that was asked for is not there at once.
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

# Example n is the file n/script; what is sent to the background has begun before
# the next line, and is ended after the last.
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
    # What runs until it is ended is; else, it ends soon.
    shorter='-T 0.3'
    ! grep -q '&$' "$script" || shorter=
    export shorter
    (
        cd "${script%/*}" || exit 99
        "$xensim" --cpus 2 --rate 2k -- sh -e script >said 2>&1 </dev/null
        echo $? >status
    ) &
done
wait
for script in */script; do
    folder=${script%/*}
    [ "$(cat "$folder/status")" -eq 0 ] || grep -q 'no zstd' "$folder/said" || {
        cat "$script" "$folder/said" >&2
        fail "example $folder: exit status $(cat "$folder/status")"
    }
done

# What they leave can be analyzed, as soon as the last of them has ended.
for file in */*.bin* */*.zst; do
    tries=0
    until "$xenalyze" --info "$file" >out 2>err && grep -qx 'damage: none' out
    do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "$file: damage"
        sleep 0.05
    done
done
[ "$(find . -name '*.bin' | wc -l)" -ge 10 ] || fail "they leave no traces"
echo "$nr examples"
