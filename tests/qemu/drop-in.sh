#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With --runtime=qemu, our tracetool takes the place of QEMU's.  Both generate
# code for QEMU's events, and for events chosen for this test:
#
#   - c and h, with all back ends: a program calls each trace point, with events
#     on and off, and each function that a trace point calls prints its
#     arguments.  The outputs are equal.
#   - other formats: the texts are equal after known differences are removed.
#   - wrong calls: the exit codes are equal, and ours prints a line.
#
# A tenth of the events is compiled; all with CHECK_FULL.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
qemu=$("$top_srcdir/tests/qemu/fetch-source") || skip "$qemu"
here=$top_srcdir/tests/qemu

# both ARGUMENT...: one call of each tool; the last word is the output, in
# theirs/ and ours/
: >theirs.calls
: >ours.calls
mkdir theirs ours
both()
{
    line=
    while [ $# -gt 1 ]; do
        line="$line $1"
        shift
    done
    printf '%s theirs/%s\n' "$line" "$1" >>theirs.calls
    printf '%s ours/%s\n' "$line" "$1" >>ours.calls
}

# run_both: run these calls; exit codes are in theirs.codes and ours.codes
run_both()
{
    python3 "$here/python-tool.py" "$qemu/scripts" <theirs.calls \
        >theirs.codes || fail 'tracetool.py'
    while read -r line; do
        # shellcheck disable=SC2086 # words
        "$tracetool" --runtime=qemu $line >/dev/null 2>>ours.errors
        echo $?
    done <ours.calls >ours.codes
}

# --- which events --------------------------------------------------------------

# bsd-user has the same events as linux-user; no program contains both.
(cd "$qemu" && find . -name trace-events ! -path './bsd-user/*' | sort) >files
[ "$(wc -l <files)" -gt 80 ] || fail 'QEMU has more files of events'

every=10
[ -z "${CHECK_FULL-}" ] || every=1
sed "s|^|$qemu/|" files | xargs cat | grep -vE '^[[:space:]]*(#|$)' |
    awk -v every=$every 'NR % every == 0 || /^(vcpu|disable)/' >all
cat >>all <<'END'
odd_void(void)
odd_empty(void) ""
odd_unused(int a, const char *s)
  odd_indented( int a ,const char*s )   "a %d s %s"
odd_quotes(int a) "\"%d\"\t\\ %%"
odd_macros(uint64_t a, int8_t b) "%" PRIx64 " and %"PRId8
disable odd_disabled(int a) "%d"
disable disable odd_twice(int a) "%d"
vcpu odd_vcpu(int a, const char *s) "%d %s"
vcpu odd_vcpu_alone(void) ""
odd_ten(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) "%d %d %d %d %d %d %d %d %d %d"
odd_pointers(char **a, unsigned char *b, void *c, const uint64_t *d) "%p %p %p %p"
odd_string(char *a, const char *b) "%s %s"
odd_signed(signed char a, short b, long c, long long d, ssize_t e) "%d %d %ld %lld %zd"
odd_unsigned(unsigned char a, unsigned short b, unsigned long c, unsigned long long d, size_t e, bool f) "%u %u %lu %llu %zu %d"
odd_width(int width, int a, int b) "%0*x %d"
odd_words(int self, int next, int string, int probe) "%d %d %d %d"
END
[ "$(wc -l <all)" -gt 400 ] || fail 'QEMU has thousands of events'

# --- formats c and h: effects ----------------------------------------------------

backends=log,simple,syslog,ftrace,dtrace,ust
for format in h c; do
    both --backend=$backends --group=root --format=$format all \
        trace-root.$format
done
both --backend=$backends --group=root --format=d all trace-root.dtrace
run_both
[ "$(sort -u theirs.codes ours.codes)" = 0 ] || fail "exit codes: $(cat ours.errors)"

glue=$scratch/glue
mkdir -p "$glue/qemu" "$glue/hw/core" "$glue/lttng" "$glue/trace"
cp "$qemu"/trace/*.h "$glue/trace/" || exit 99
cp "$here/effects.h" "$here/effects.c" "$glue/" || exit 99
for header in qemu/osdep qemu/module qemu/log-for-trace qemu/error-report \
    hw/core/cpu lttng/tracepoint; do
    ln -s "$glue/effects.h" "$glue/$header.h" || exit 99
done
: >"$glue/trace-ust-root.h"

# The calls: each argument has a value that depends on its place.
sed -n 's/^static inline void trace_\([A-Za-z0-9_]*\)(\(.*\))$/\1\t\2/p' \
    theirs/trace-root.h | awk -F '\t' '
    BEGIN {
        print "#include \"qemu/osdep.h\"\n#include \"trace-root.h\""
        print "static char *null_string;\nextern CPUState *vcpu;"
        print "void call_all(void);\nvoid call_all(void)\n{"
    }
    {
        upper = toupper($1)
        call = ""
        n = $2 == "void" ? 0 : split($2, args, /, */)
        for ( i = 1; i <= n; i++ ) {
            type = args[i]
            sub(/[A-Za-z0-9_]+$/, "", type)
            gsub(/^ +| +$/, "", type)
            if ( args[i] == "void * __cpu" )
                value = "vcpu"
            else if ( type ~ /^(const )?char ?\*$/ )
                value = i % 3 ? "(char *)\"text " i "\"" : "NULL"
            else if ( args[i] ~ /^(int|unsigned) width[0-9]?$/ )
                value = 8               # "%0*x" prints no millions of zeros
            else if ( type ~ /\*/ )
                value = "(" type ")" 4096 * i
            else
                value = "(" type ")-" i * 77777777
            # printf of a NULL string is not defined, and gcc warns
            call = call (i > 1 ? ", " : "") \
                (value == "NULL" ? "null_string" : value)
        }
        printf "    _TRACE_%s_DSTATE = TRACE_%s_ENABLED;\n", upper, upper
        printf "    dprintf(1, \"%s %%d %%d\\n\", TRACE_%s_ENABLED, " \
            "TRACE_%s_BACKEND_DSTATE());\n", $1, upper, upper
        printf "    trace_%s(%s);\n", $1, call
    }
    END { print "}" }' >calls.c
[ "$(grep -c '^    trace_' calls.c)" = "$(wc -l <all)" ] ||
    fail 'not all events are called'

# The header that dtrace(1) generates from format d.
for tool in theirs ours; do
    awk '/^ *probe / {
            name = $0
            sub(/^ *probe /, "", name)
            sub(/\(.*/, "", name)
            upper = toupper(name)
            print "#define QEMU_" upper "(...) EFFECT(\"dtrace " name \
                " \" #__VA_ARGS__)"
            print "#define QEMU_" upper "_ENABLED() ust_is_enabled" }' \
        $tool/trace-root.dtrace >$tool/trace-dtrace-root.h
done

# Our code has no warnings that QEMU's build makes errors.  QEMU, too, leaves out
# those that the compiler does not know.
gcc_only=-Wold-style-declaration
echo | $cc -Werror $gcc_only -xc -fsyntax-only - 2>errors || gcc_only=
for file in ours/trace-root.c calls.c; do
    $cc -std=gnu11 -D_GNU_SOURCE -DLOG_TRACE_BIT='(1 << 15)' -fsyntax-only \
        -Wall -Wextra -Werror -Wundef -Wwrite-strings -Wmissing-prototypes \
        -Wstrict-prototypes -Wredundant-decls $gcc_only \
        -Wformat-security -Wformat-y2k -Winit-self -Wignored-qualifiers \
        -Wempty-body -Wnested-externs -Wendif-labels -Wexpansion-to-defined \
        -Wno-unused-parameter -Wno-type-limits -Wno-overflow -Iours \
        -I"$glue" $file 2>errors ||
        { head -n 20 errors; fail "warnings in $file"; }
done

# compile TOOL LOG_TRACE: the program, with the code of the tool
compile()
{
    $cc -std=gnu11 -D_GNU_SOURCE -O0 -w -DLOG_TRACE_BIT="$2" \
        "-I$1" -I"$glue" -o "$1/program" calls.c "$1/trace-root.c" \
        "$glue/effects.c" 2>errors || { head -n 20 errors; fail "compile $1"; }
}

for tool in theirs ours; do
    compile $tool '(1 << 15)'
    $tool/program >$tool.printed || fail "$tool: exit $?"
    # Ours appends _ to a name that is a macro of common headers or of Xen's.
    sed '/^\(dtrace\|ust\) /s/ current_\(,\|$\)/ current\1/' $tool.printed \
        >$tool.effects
done
grep -q '^log 77@12.000345:odd_void' theirs.effects || fail 'no log'
for kind in log syslog record dtrace ust 'event [0-9]*:'; do
    grep -q "^$kind" theirs.effects || fail "no effect of $kind"
done
# The order of the lines is that of --backend in both.
cmp -s theirs.effects ours.effects || {
    diff theirs.effects ours.effects | head -n 20
    fail 'effects differ'
}

# Since QEMU 10.2, qemu_log() writes the time.
compile ours '(1u << 15)'
ours/program | grep -a '^log' | sort -u >new.log
sed -n 's/^log 77@12.000345:/log /p' ours.effects | sort -u >old.log
cmp -s new.log old.log || fail 'the log of QEMU 10.2'

# Each back end alone, and none.
for backend in log simple syslog ftrace dtrace ust nop; do
    mkdir $backend
    cp ours/trace-dtrace-root.h $backend/
    for format in h c; do
        "$tracetool" --runtime=qemu --backend=$backend --group=root \
            --format=$format all $backend/trace-root.$format || fail "$backend"
    done
    $cc -std=gnu11 -D_GNU_SOURCE -fsyntax-only -Wall -Werror \
        -Wno-type-limits -Wno-overflow -DLOG_TRACE_BIT='(1 << 15)' \
        -I$backend -I"$glue" $backend/trace-root.c 2>errors ||
        { head errors; fail "back end $backend"; }
done

# --- the other formats: texts ------------------------------------------------------

: >theirs.calls
: >ours.calls
probes='--binary=/usr/bin/qemu --target-type=system --target-name=x86'
probes="$probes --probe-prefix=qemu.system.x86"
while read -r file; do
    group=$(dirname "$file" | sed 's|^[.]/*||' | tr -c 'a-zA-Z0-9\n' _)
    both --backend=dtrace --group="${group:-root}" --format=d "$qemu/$file" \
        "${group:-root}.d"
done <files
for format in d stap log-stap simpletrace-stap ust-events-h ust-events-c; do
    # shellcheck disable=SC2086 # words
    both --backend=$backends --group=all --format=$format $probes all \
        $format.text
    both --backend=$backends --group=one --format=$format $probes none \
        $format.empty
done
: >none
run_both
[ "$(sort -u theirs.codes ours.codes)" = 0 ] ||
    fail "exit codes: $(cat ours.errors)"

# same NAME FILTER...: the files NAME are equal after the filter
same()
{
    name=$1
    shift
    for tool in theirs ours; do
        "$@" $tool/"$name" >$tool.filtered
    done
    cmp -s theirs.filtered ours.filtered && return
    diff theirs.filtered ours.filtered | head -n 20
    fail "$name differs"
}

# Blanks do not matter.
no_blanks()
{
    tr -d ' \n' <"$1"
}

for path in theirs/*.d; do
    same "$(basename "$path")" no_blanks
done
for empty in theirs/*.empty; do
    same "$(basename "$empty")" grep -c '(qemu'
done

# Lines are sorted in each probe, and temporary variables are numbered.  QEMU's
# prints arguments that have no conversion, and keeps C's escapes.
probes_of()
{
    awk '/^probe/ { split("", number); n = 0; probe++ }
        {
            gsub(/[ \t]+/, "")
            text = ""
            while ( match($0, /arg[A-Za-z0-9_]+_(str|len)/) ) {
                name = substr($0, RSTART, RLENGTH - 4)
                if ( !(name in number) )
                    number[name] = n++
                text = text substr($0, 1, RSTART - 1) "temporary" \
                    number[name] substr($0, RSTART + RLENGTH - 4, 4)
                $0 = substr($0, RSTART + RLENGTH)
            }
            text = text $0
            gsub(/\\012/, "\\n", text)
            gsub(/\\011/, "\\t", text)
            if ( text != "" && text !~ /odd_unused\\n/ )
                print probe, text
        }' "$1" | sort
}

for format in stap log-stap simpletrace-stap; do
    same $format.text probes_of
done
[ "$(grep -c '^probe' theirs/stap.text)" -gt 400 ] || fail 'probes are missing'

# LTTng: the arguments of each event, and kinds of the fields that QEMU's has.
# QEMU's declares disabled events, too, and loses fields without a conversion.
arguments_of()
{
    tr -d ' \n' <"$1" |
        sed 's/TRACEPOINT_EVENT(/\n&/g; s/,current_\([,)]\)/,current\1/g' |
        sed -n 's/^TRACEPOINT_EVENT(qemu,\([^,]*\),TP_ARGS(\([^)]*\)).*/\1 \2/p' |
        grep -v '^odd_disabled \|^odd_twice ' | grep -vFf disabled
}

sed -n 's/^disable *\([a-z0-9_]*\)(.*/\1 /p' all >disabled
same ust-events-h.text arguments_of
defines_of()
{
    grep -E '^#(define TRACEPOINT|include "trace)' "$1"
}
same ust-events-c.text defines_of

# --- wrong calls: exit codes -------------------------------------------------------

cat >theirs.calls <<'END'
--backend=log --group=x --format=h all
--backend=log --group=x --format=h
--backend=log --group=x all theirs/wrong
--backend=log --format=h all theirs/wrong
--group=x --format=h all theirs/wrong
--group=x --format=d all theirs/wrong
--backend=dtrace --format=d all theirs/wrong
--backend=log,foo --group=x --format=h all theirs/wrong
--backend=log --group=x --format=foo all theirs/wrong
--backend=log --group=x --format=h absent theirs/wrong
--backend=log --group=x --format=h all absent/wrong
--bogus
--format
--backend=dtrace --group=x --format=stap all theirs/wrong
--backend=dtrace --group=x --format=stap --binary=x all theirs/wrong
--backend=dtrace --group=x --format=log-stap all theirs/wrong
--backend=dtrace --group=x --format=simpletrace-stap all theirs/wrong
--check-backends
--check-backends --backends=log,foo
--check-backends --backends=xen
END
for line in 'a(int b)' 'a(foo b) ""' 'a() ""' 'a(int) ""' 'bad a(int b) ""' \
    'a(int b) "%d\n"' 'a(void) "%m"' 'a(int b,) ""' 'nonsense' \
    'a(int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l) ""'
do
    n=$((${n-0} + 1))
    printf '%s\n' "$line" >bad.$n
    [ $n -gt 1 ] || printf '%s' "$line" >bad.$n   # no final newline
    echo "--backend=log --group=x --format=h bad.$n theirs/wrong"
done >>theirs.calls
sed 's|theirs/|ours/|' theirs.calls >ours.calls
: >ours.errors
run_both
grep -vq '^1$' theirs.codes && fail 'the calls are not wrong'
paste ours.codes theirs.codes ours.calls | awk '$1 != $2' >differ
[ ! -s differ ] || { cat differ; fail 'exit codes: ours, QEMU'; }
# --check-backends is silent in both
[ "$(wc -l <ours.errors)" -eq "$(($(wc -l <ours.calls) - 2))" ] || {
    cat ours.errors
    fail 'not a line for each wrong call'
}

cat >theirs.calls <<'END'
--check-backends --backends=log,nop,ust
--list-backends
--help
END
cp theirs.calls ours.calls
run_both
cmp -s theirs.codes ours.codes || fail "queries: $(cat ours.codes)"
[ "$("$tracetool" --runtime=qemu --list-backends)" = \
    'nop, dtrace, ftrace, log, simple, syslog, ust' ] || fail 'list of back ends'
exit $failed
