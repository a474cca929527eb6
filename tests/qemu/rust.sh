#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Trace points for QEMU's code in Rust (--runtime=qemu --format=rs) have the
# effects of those in C: the same program calls all of them, in both languages,
# with events on and off.  QEMU's crates util and trace are replaced by a few
# lines.  The code compiles without warnings with all back ends.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v rustc >/dev/null || skip 'rustc is not installed'
qemu=$("$top_srcdir/tests/qemu/fetch-source") || skip "$qemu"
here=$top_srcdir/tests/qemu
echo 'pub fn f() -> *const std::ffi::c_char { c"x".as_ptr() }' >literal.rs
rustc --edition 2021 --crate-type rlib literal.rs 2>/dev/null ||
    skip 'this rustc has no literals of C strings'

# A tenth of QEMU's events; since 8.1, none is a vcpu's.
find "$qemu" -name trace-events | LC_ALL=C sort | xargs cat |
    grep -vE '^[[:space:]]*(#|$)|^vcpu' |
    awk 'NR % 10 == 0 || /^disable/' >events
cat >>events <<'END'
odd_void(void) ""
odd_names(int self, int type, int fn, int match) "%d %d %d %d"
odd_pointers(char **a, unsigned char *b, void *c, const uint64_t *d) "%p %p %p %p"
odd_string(const char *a, int b, const char *c) "100%% \"%s\"\t%d\\ %s"
odd_signed(signed char a, short b, long c, long long d, ssize_t e, int8_t f, int64_t g) "%d %d %ld %lld %zd %d %" PRId64
odd_unsigned(unsigned char a, unsigned short b, unsigned long c, unsigned long long d, size_t e, bool f) "%u %u %lu %llu %zu %d"
END
[ "$(wc -l <events)" -gt 400 ] || fail 'QEMU has thousands of events'

backends=log,simple,syslog,ftrace
for format in h c rs; do
    "$tracetool" --runtime=qemu --backends=$backends --group=root \
        --format=$format events trace-root.$format || fail "format $format"
done
"$tracetool" --runtime=qemu --backends=$backends,dtrace,ust,nop --group=root \
    --format=rs events all.rs || fail 'all back ends'

# --- stand-ins for headers and crates of QEMU ---------------------------------

glue=$scratch/glue
mkdir -p "$glue/qemu" "$glue/hw/core" "$glue/trace"
cp "$qemu"/trace/*.h "$glue/trace/" || exit 99
cp "$here/effects.h" "$here/effects.c" "$glue/" || exit 99
for header in qemu/osdep qemu/module qemu/log-for-trace qemu/error-report \
    hw/core/cpu; do
    ln -s "$glue/effects.h" "$glue/$header.h" || exit 99
done
cat >util.rs <<'END'
#[allow(non_upper_case_globals)]
pub mod bindings {
    use std::ffi::c_char;
    pub const LOG_TRACE: u32 = 1 << 15;
    extern "C" {
        pub static mut qemu_loglevel: u32;
        pub fn qemu_log(format: *const c_char, ...);
        pub fn ftrace_write(format: *const c_char, ...);
    }
}
END
cat >trace.rs <<'END'
use std::ffi::{c_char, c_int};
pub const LOG_INFO: c_int = 6;
extern "C" { pub fn syslog(priority: c_int, format: *const c_char, ...); }
#[macro_export]
macro_rules! probe {
    ($provider:ident, $name:ident $(, $arg:expr)*) => { $( let _ = $arg; )* };
}
END
for crate in util trace; do
    rustc --edition 2021 --crate-type rlib $crate.rs 2>errors ||
        { cat errors; exit 99; }
done

# --- the calls -----------------------------------------------------------------

# Each argument has a value that depends on its place; strings are never NULL.
awk '
    /^static inline void trace_/ {
        name = $0
        sub(/^static inline void trace_/, "", name)
        args = name
        sub(/\(.*/, "", name)
        sub(/^[^(]*\(/, "", args)
        sub(/\)$/, "", args)
        upper = toupper(name)
        call = ""
        n = args == "void" ? 0 : split(args, arg, /, */)
        for ( i = 1; i <= n; i++ ) {
            type = arg[i]
            sub(/[A-Za-z0-9_]+$/, "", type)
            gsub(/^ +| +$/, "", type)
            value = type ~ /^const char ?\*$/ ? "\"text " i "\"" : \
                type ~ /^char ?\*$/ ? "(char *)\"text\"" : \
                type ~ /\*/ ? "(" type ")" 4096 * i : \
                "(" type ")-" i * 77777777 "ll"
            call = call (i > 1 ? ", " : "") value
        }
        states = states "    _TRACE_" upper "_DSTATE = TRACE_" upper \
            "_ENABLED;\n"
        calls = calls "    dprintf(1, \"" name " %d\\n\", TRACE_" upper \
            "_BACKEND_DSTATE());\n    trace_" name "(" call ");\n"
    }
    END {
        print "#include \"qemu/osdep.h\"\n#include \"trace-root.h\""
        print "void set_states(void);\nvoid call_all(void);"
        print "void set_states(void)\n{\n" states "}"
        print "#ifdef IN_C\nvoid call_all(void)\n{\n    set_states();\n" \
            calls "}\n#endif"
        print "void ftrace_write(const char *format, ...);"
        print "void ftrace_write(const char *format, ...)\n{"
        print "    va_list args;\n    va_start(args, format);"
        print "    vdprintf(1, format, args);\n    va_end(args);\n}"
    }' trace-root.h >calls.c
awk '
    /_enabled\(\) -> bool$/ { next }
    /^pub fn trace_/ {
        name = $0
        sub(/^pub fn trace_/, "", name)
        args = name
        sub(/\(.*/, "", name)
        sub(/^[^(]*\(/, "", args)
        sub(/\)$/, "", args)
        call = ""
        n = args == "" ? 0 : split(args, arg, /, /)
        for ( i = 1; i <= n; i++ ) {
            type = arg[i]
            sub(/^[^:]*: /, "", type)
            number = "(-" i * 77777777 "i64)"
            value = type == "&std::ffi::CStr" ? "c\"text " i "\"" : \
                type == "*mut std::ffi::c_char" ? \
                    "c\"text\".as_ptr() as " type : \
                type ~ /^\*/ ? 4096 * i "usize as " type : \
                type == "bool" ? number " != 0" : number " as " type
            call = call (i > 1 ? ", " : "") value
        }
        print "    state(c\"" name " %d\\n\", trace_" name "_enabled());"
        print "    trace_" name "(" call ");"
    }' trace-root.rs >calls.inc
cat >program.rs <<'END'
include!("trace-root.rs");
extern "C" {
    fn set_states();
    fn dprintf(file: std::ffi::c_int, format: *const c_char, ...);
}
fn state(format: &std::ffi::CStr, on: bool) {
    unsafe { dprintf(1, format.as_ptr(), on as std::ffi::c_int); }
}
#[no_mangle]
pub extern "C" fn call_all() {
    unsafe { set_states(); }
END
cat calls.inc >>program.rs
echo '}' >>program.rs
[ "$(grep -c '^    trace_' calls.inc)" = "$(wc -l <events)" ] ||
    fail 'not all events are called'

# --- compile, run, compare -------------------------------------------------------

rust='--edition 2021 -L . --extern util=libutil.rlib --extern trace=libtrace.rlib'
echo 'pub mod trace { include!("all.rs"); }' >whole.rs
# shellcheck disable=SC2086 # words
rustc $rust --crate-type rlib --emit=metadata -D warnings whole.rs 2>errors ||
    { head -n 30 errors; fail 'the code of all back ends does not compile'; }
# shellcheck disable=SC2086 # words
rustc $rust --crate-type staticlib program.rs 2>errors ||
    { head -n 30 errors; fail 'the program does not compile'; exit 1; }

# link NAME FLAG...: the program
link()
{
    name=$1
    shift
    $cc -std=gnu11 -D_GNU_SOURCE -O0 -w -DLOG_TRACE_BIT='(1u << 15)' -I. \
        -I"$glue" -o "$name" calls.c trace-root.c "$glue/effects.c" "$@" \
        2>errors || { head -n 20 errors; fail "link $name"; }
}

link in-c -DIN_C
link in-rust libprogram.a -lpthread -ldl -lm
for program in in-c in-rust; do
    ./$program >$program.effects || fail "$program: exit $?"
done
for effect in log syslog record odd_unsigned; do
    grep -q "^$effect" in-c.effects || fail "no effect of $effect"
done
cmp -s in-c.effects in-rust.effects || {
    diff in-c.effects in-rust.effects | head -n 20
    fail 'effects differ'
}
exit $failed
