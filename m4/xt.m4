dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl Parts of configure.ac: which warnings the compiler knows, which instruments
dnl go in, which libraries may be absent, and what a cross build runs.

dnl XT_WARNINGS(FLAGS): WARN_CFLAGS gets those that this compiler accepts.
dnl -Werror while asking, since clang only warns of an option it does not know.
AC_DEFUN([XT_WARNINGS], [
    WARN_CFLAGS=
    xt_cflags=$CFLAGS
    for xt_flag in m4_normalize([$1])
    do
        AC_MSG_CHECKING([whether $CC accepts $xt_flag])
        CFLAGS="$xt_cflags -Werror $xt_flag"
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
            [AC_MSG_RESULT([yes])
             WARN_CFLAGS="$WARN_CFLAGS $xt_flag"],
            [AC_MSG_RESULT([no])])
    done
    CFLAGS=$xt_cflags
    AC_SUBST([WARN_CFLAGS])
])

m4_define([XT_SANITIZE_WITH],
    [xt_sanitize="$xt_sanitize${xt_sanitize:+,}$1"])

dnl XT_SANITIZE(SWITCH, SANITIZER, PURPOSE): --enable-SWITCH.
AC_DEFUN([XT_SANITIZE], [
    AC_ARG_ENABLE([$1],
        [AS_HELP_STRING([--enable-$1], [$3 (-fsanitize=$2)])],
        [], [enable_$1=no])
    AS_CASE([$enable_$1],
        [yes], [XT_SANITIZE_WITH([$2])
                XT_INSTRUMENTS="$XT_INSTRUMENTS $1"],
        [no], [],
        [AC_MSG_ERROR([--enable-$1=$enable_$1: say yes or no])])
])

dnl XT_FUZZ: --enable-fuzz builds the harnesses of tests/fuzz around an engine.
dnl That is clang's libFuzzer, or what LIB_FUZZING_ENGINE names (for AFL++: its
dnl driver library, with CC=afl-clang-fast).
AC_DEFUN([XT_FUZZ], [
    AC_ARG_VAR([LIB_FUZZING_ENGINE],
        [what links a fuzzing engine into a harness @<:@-fsanitize=fuzzer@:>@])
    AC_ARG_ENABLE([fuzz],
        [AS_HELP_STRING([--enable-fuzz], [build the fuzzers, with clang])],
        [], [enable_fuzz=no])
    AS_CASE([$enable_fuzz],
        [yes], [XT_INSTRUMENTS="$XT_INSTRUMENTS fuzz"
                AS_IF([test -z "$LIB_FUZZING_ENGINE"],
                    [LIB_FUZZING_ENGINE=-fsanitize=fuzzer
                     XT_SANITIZE_WITH([fuzzer-no-link])])],
        [no], [],
        [AC_MSG_ERROR([--enable-fuzz=$enable_fuzz: say yes or no])])
    AM_CONDITIONAL([FUZZ], [test "x$enable_fuzz" = xyes])
])

dnl XT_INSTRUMENTS_APPLY: an instrument is a property of the whole build tree,
dnl so its flags go into CFLAGS, where no target can forget them.  A test that
dnl runs nothing of the build need not run in each: put it under `if PLAIN`.
dnl DEBUG_ASSERTIONS switches on debug_assert() (tools/common/debug.h).
AC_DEFUN([XT_INSTRUMENTS_APPLY], [
    AS_IF([test "x$enable_tsan" = xyes && test "x$enable_asan" = xyes],
        [AC_MSG_ERROR(m4_normalize([--enable-tsan and --enable-asan exclude each
            other: both want the address space; build twice]))])
    AS_IF([test -n "$xt_sanitize"], [
        CFLAGS="$CFLAGS -fsanitize=$xt_sanitize -fno-sanitize-recover=all"
        CFLAGS="$CFLAGS -fno-omit-frame-pointer -DDEBUG_ASSERTIONS"
        AC_MSG_CHECKING([whether $CC can link -fsanitize=$xt_sanitize])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
            [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR(m4_normalize([$CC cannot link
                -fsanitize=$xt_sanitize: install its runtime libraries, or, for
                --enable-fuzz, take CC=clang]))])
    ])
    AM_CONDITIONAL([PLAIN], [test -z "$XT_INSTRUMENTS"])
    AM_CONDITIONAL([ASAN], [test "x$enable_asan" = xyes])
    AM_CONDITIONAL([TSAN], [test "x$enable_tsan" = xyes])
])

dnl XT_OPTIONAL(NAME, SWITCH, MODULES, PURPOSE): --with-SWITCH=auto|yes|no.
dnl Gives NAME_CFLAGS, NAME_LIBS, the conditional and the define HAVE_NAME, and
dnl a line of the summary.  "yes" makes absence an error.
AC_DEFUN([XT_OPTIONAL], [
    AC_ARG_WITH([$2],
        [AS_HELP_STRING([--with-$2], [$4 @<:@auto@:>@])],
        [], [AS_TR_SH([with_$2])=auto])
    xt_have=no
    AS_IF([test "x$AS_TR_SH([with_$2])" != xno],
        [PKG_CHECK_MODULES([$1], [$3], [xt_have=yes],
            [AS_IF([test "x$AS_TR_SH([with_$2])" = xyes],
                [AC_MSG_ERROR([--with-$2: $3 not found by pkg-config])])])])
    AS_IF([test "$xt_have" = yes],
        [AC_DEFINE([HAVE_$1], [1], [Define to 1 for $4.])])
    AM_CONDITIONAL([HAVE_$1], [test "$xt_have" = yes])
    XT_SUMMARY="$XT_SUMMARY
  $4: `test $xt_have = yes && echo yes || echo 'no (no $3)'`"
])

dnl XT_NATIVE_BUILD: --with-native-build=DIR gives $(native), DIR/ or nothing.
dnl Programs of this tree generate sources and shell completions; a cross build
dnl cannot run its own.
AC_DEFUN([XT_NATIVE_BUILD], [
    AC_ARG_WITH([native-build],
        [AS_HELP_STRING([--with-native-build=DIR],
            [for a cross build: a finished build of this tree for this machine])],
        [], [with_native_build=no])
    native=
    AS_IF([test "x$with_native_build" = xno],
        [AS_IF([test "x$cross_compiling" = xyes],
            [AC_MSG_ERROR(m4_normalize([a cross build runs programs of this tree:
                build for this machine first, and name that build folder by
                --with-native-build=DIR]))])],
        [native=`cd "$with_native_build" 2>/dev/null && pwd`/
         AS_IF([test -x "${native}tools/tracetool/tracetool"], [],
            [AC_MSG_ERROR(m4_normalize([--with-native-build=$with_native_build:
                no finished build of this tree is there]))])])
    AC_SUBST([native])
])
