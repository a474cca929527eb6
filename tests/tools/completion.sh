#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installed shell completion of each program: every option of --help is offered,
# with its values, and each available shell can read its file.  The functions of
# the files are tested in tests/unit/common.
. "$top_srcdir/tests/tools/lib.sh"

top=$(cd "$top_builddir" && pwd -P) || exit 99
files=$top/tools/completion

# options PROGRAM: the long options in its --help
options() {
    "$1" --list-options | sed -n 's/^\([^\t][^\t]*\)\t.*/--\1/p' | sort -u
}

# offered WORD...: bash's completions of the last word
offered() {
    bash --norc -c '. "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        "_$1" 2>/dev/null
        printf "%s\n" "${COMPREPLY[@]}"' "$files/bash/$1" "$@"
}

formats='chrome: collapsed: ctf: fxt: html: perfetto-compact: perfetto: '
formats="${formats}speedscope: trace.dat: "
nr=0
for program in "$top_builddir"/tools/simpletrace/simpletrace \
    "$top_builddir"/tools/tracetool/tracetool "$xenalyze" \
    "$top_builddir"/tools/xenalyze/xentrace_format "$xentrace" \
    "$top_builddir"/tools/xentrace/xentrace_setsize "$xensim"
do
    [ -x "$program" ] || continue
    name=$(basename "$program")
    options "$program" >"$tmp/options"
    [ "$(wc -l <"$tmp/options")" -ge 3 ] || fail "$name: hardly any options"
    grep -v '^$' "$tmp/options" >"$tmp/all"
    if command -v bash >/dev/null; then
        offered "$name" -- | sort -u >"$tmp/bash"
        missing=$(comm -23 "$tmp/all" "$tmp/bash" | tr '\n' ' ')
        [ -z "$missing" ] || fail "$name: bash does not offer $missing"
    fi
    while read -r option; do
        grep -q -e "$option" "$files/zsh/_$name" ||
            fail "$name: $option is not in zsh's file"
        grep -q -e "-l ${option#--}\b" "$files/fish/$name.fish" ||
            fail "$name: $option is not in fish's file"
    done <"$tmp/all"
    for shell in bash fish zsh; do
        command -v $shell >/dev/null || continue
        $shell -n "$files/$shell/"*"$name"* || fail "$name: $shell: syntax error"
    done
    nr=$((nr + 1))
done

if command -v bash >/dev/null; then
    [ "$(offered xenalyze --dump-a)" = --dump-all ] ||
        fail 'xenalyze: --dump-a is not completed'
    [ "$(offered xenalyze --order f)" = file ] ||
        fail 'xenalyze: --order f is not completed'
    [ "$(offered xenalyze lat)" = latency ] ||
        fail 'xenalyze: the command lat is not completed'
    offered xenalyze export j | grep -qx json ||
        fail 'xenalyze: export j is not completed'
    ! offered xenalyze -- | grep -q -e '^--no-s' ||
        fail 'xenalyze: --no-... of flags that are off are offered'

    # Values: events, triggers, hypervisors, and domains of the trace.
    [ "$(offered xenalyze --event sched_wak)" = sched_wake ] ||
        fail 'xenalyze: --event sched_wak is not completed'
    offered xentrace -e hvm | grep -qx hvm:entryexit ||
        fail 'xentrace: -e hvm has no subclass'
    offered xentrace --snapshot-on run | grep -qx 'runnable>20ms' ||
        fail 'xentrace: --snapshot-on run is not completed'
    [ "$(offered xentrace --hypervisor x | tr '\n' ' ')" = 'xen xensim ' ] ||
        fail 'xentrace: --hypervisor x is not completed'
    offered xensim --load per | grep -qx periodic ||
        fail 'xensim: --load per is not completed'
    offered xenalyze over w | grep -qx wait ||
        fail 'xenalyze: over w is not completed'
    if [ -x "$xensim" ]; then
        cd "$tmp" || exit 99
        ln -s "$xenalyze" xenalyze
        printf 'cpus = 2\n[domain web1]\nvcpus = 1\n' >host
        "$xensim" --virtual -f host -T 0.01 -o 'a trace' >/dev/null ||
            fail 'no trace'
        PATH=$tmp:$PATH
        [ "$(offered xenalyze latency 'a trace' --domain we)" = web1 ] ||
            fail 'xenalyze: --domain we is not completed'
        [ "$(offered xenalyze latency 'a trace' --vcpu = we)" = web1/0 ] ||
            fail 'xenalyze: --vcpu=we is not completed'
        [ -z "$(offered xenalyze latency none --domain we)" ] ||
            fail 'xenalyze: domains without a trace'

        # completes EXPECTED WORD...: exactly these words, sorted
        completes() {
            expected=$1
            shift
            got=$(offered "$@" | grep -v '^$' | LC_ALL=C sort | tr '\n' ' ')
            [ "$got" = "$expected" ] || fail "$*: $got, not $expected"
        }
        printf 'cpus = 2\n%s\nvcpus = 3\n%s\n' '[domain web1]' \
            '[domain web2]' >host
        "$xensim" --virtual -f host -T 0.01 -o t.xt >/dev/null || fail 't.xt'

        # Each item of a list.
        completes 'web1 web2 ' xenalyze latency t.xt --domain we
        completes 'web1,web2 ' xenalyze latency t.xt --domain web1,web2
        completes '0,web1,web2 ' xenalyze t.xt --domain 0,web1,we
        completes 'web1,web2 ' xenalyze t.xt --domain = web1,web2
        completes 'web1,web2 ' xenalyze t.xt --domain web1,we
        completes 'web1,Domain-0 web1,web2 ' xenalyze t.xt --domain web1,
        completes '0 1 ' xenalyze pcpus t.xt --pcpu ''
        completes '0,1 ' xenalyze pcpus t.xt --pcpu 0,
        completes 'web1/0 web1/1 web1/2 ' xenalyze t.xt --vcpu web1/
        completes 'web1/1,web1/2 ' xenalyze t.xt --vcpu web1/1,web1/2
        completes 'hvm,sched_wake ' xenalyze --event hvm,sched_wak
        completes 'hvm,sched_wake ' xentrace -e hvm,sched_wak
        # bash splits words at a colon, and replaces the part behind it.
        completes 'min ' xentrace -e sched : mi
        completes 'class min verbose ' xentrace -e sched :
        completes 'entryexit ' xentrace -e sched : min,hvm : entr

        # in_fish EXPECTED LINE: exactly these words, sorted
        in_fish() {
            command -v fish >/dev/null || return 0
            got=$(fish --no-config -c "source '$files/fish/xenalyze.fish'
                complete -C '$2'" | cut -f1 | LC_ALL=C sort | tr '\n' ' ')
            [ "$got" = "$1" ] || fail "fish: $2: $got, not $1"
        }
        in_fish 'latency ' 'xenalyze lat'
        in_fish 'web1 web2 ' 'xenalyze latency t.xt --domain we'
        in_fish 'web1,web1 web1,web2 ' 'xenalyze t.xt --domain web1,we'
        in_fish 'web1/0,web2/0 ' 'xenalyze t.xt --vcpu web1/0,web2/'
        in_fish '0 1 ' 'xenalyze t.xt --pcpu '
        in_fish 'sched_wake ' 'xenalyze --event sched_wak'
        in_fish 'hvm,sched_wake ' 'xenalyze dump hvm,sched_wak'
        in_fish 'total ' 'xenalyze --sort tot'
        in_fish "$formats" \
            'xenalyze --export '
        in_fish 'perfetto:t.xt ' 'xenalyze --export perfetto:t.x'
        in_fish '--export=perfetto:t.xt ' 'xenalyze --export=perfetto:t.x'

        # Words, after options of any kind.
        completes 'web1/0 web1/1 web1/2 ' xenalyze --output t.xt why web1
        completes 'sched_wake ' xenalyze dump sched_wak
        completes 'sched_wake ' xenalyze dump --time 1..2 -v --order = time \
            sched_wak
        completes 'hvm,sched_wake ' xenalyze records hvm,sched_wak
        completes '' xenalyze dump sched_wake sched_wak
        completes 'latency ' xenalyze --time 1..2 lat
        completes 'latency ' xenalyze help lat
        completes 'all ' xenalyze help al
        completes 'list ' xentrace help l
        completes 'sched_wake ' xentrace list sched_wak
        completes '' xenalyze latency lat
        completes '' xenalyze -- lat
        completes '' xenalyze latency -- --rep
        completes 'json ' xenalyze export js
        completes 'latency ' xenalyze --export perfetto : o.pf lat
        # FORMAT:FILE; behind the colon, readline completes the name of a file.
        completes "$formats" \
            xenalyze --export ''
        completes 'perfetto-compact: perfetto: ' xenalyze t.xt --export = pe
        completes '' xenalyze t.xt --export perfetto : t
        completes 'total ' xenalyze export json t.xt --sort tot

        # Names with blanks and characters of shells: quoted, not evaluated.
        {
            name_domain 1 'two words'
            # shellcheck disable=SC2016 # not evaluated
            name_domain 2 '$(touch x)`id`'
            name_domain 3 'a;b&c"d'
            name_domain 4 'a,b'
            name_domain 5 'y\nz'
            echo '0 1000000 0x21011 0x10000'
        } | "$top/tests/xenalyze/reports/compose" >n.xt || fail 'n.xt'
        completes 'two\ words ' xenalyze n.xt --domain two
        completes 'two\ words ' xenalyze n.xt --domain 'two\ w'
        completes 'two words ' xenalyze n.xt --domain '"two w'
        completes '' xenalyze n.xt --domain '"a'
        completes 'two\ words/0 ' xenalyze n.xt --vcpu tw
        offered xenalyze n.xt --domain '' >names
        while read -r name; do
            # shellcheck disable=SC2016 # not evaluated
            case $name in
            'two\ words'*) eval "set -- $name"; [ "$1" = 'two words' ] ;;
            *touch*) eval "set -- $name"; [ "$1" = '$(touch x)`id`' ] ;;
            *2cb) eval "set -- $name"; [ "$1" = 'a\x2cb' ] ;;
            *b*) eval "set -- $name"; [ "$1" = 'a;b&c"d' ] ;;
            y*) eval "set -- $name"; [ "$1" = 'y?z' ] ;;
            esac || fail "$name is another name for a shell"
        done <names
        [ "$(wc -l <names)" -eq 5 ] || fail "names: $(cat names)"
        [ ! -e x ] || fail 'a name was evaluated'
    fi
fi
# Each word of a vocabulary, with a letter too many, is a usage error of one line
# that names the word.
misspell() {
    path=$1
    shift
    for word in $(offered "$(basename "$path")" "$@" ''); do
        expect 2 "$path" "$@" "${word}q" "$tmp/x"
        expect_message "is $word meant"
        echo "$word" >>"$tmp/misspelt"
    done
}
if command -v bash >/dev/null && [ -x "$xensim" ]; then
    mkdir "$tmp/empty" && cd "$tmp/empty" || exit 99
    "$xensim" --virtual --cpus 1 -T 0.01 -o "$tmp/x" >/dev/null ||
        fail 'no trace'
    for option in --sort --theme --order --event --color --layout --vendor \
        --completion over plot points export
    do
        misspell "$top/tools/xenalyze/xenalyze" $option
    done
    for word in $(offered xenalyze l s h); do
        expect 2 "$top/tools/xenalyze/xenalyze" "${word}q" "$tmp/x"
        expect_message "is $word meant"
    done
    for option in --vendor --layout --scheduler --kind --load; do
        misspell "$top/xensim/xensim" $option
    done
    [ "$(wc -l <"$tmp/misspelt")" -ge 250 ] || fail 'hardly any word'
fi
grep -q -e '--event=.*:LIST:_sequence compadd - .*sched\\:min .*sched_wake' \
    "$files/zsh/_xenalyze" ||
    fail "zsh: no events"
grep -q -e '-l snapshot-on.* -a .runnable\\>20ms' "$files/fish/xentrace.fish" ||
    fail "fish: no triggers"
grep -q -e '--export=.*_files; else compadd .* perfetto perfetto-compact fxt chrome sp' \
    "$files/zsh/_xenalyze" || fail 'zsh: no formats of --export'
grep -q -e '--complete-values=domain' "$files/zsh/_xenalyze" ||
    fail 'zsh: no domains of the trace'
grep -q -e '-l domain .*_values domain' "$files/fish/xenalyze.fish" ||
    fail 'fish: no domains of the trace'
echo "$nr programs"
