# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For tests of our Python module.  Source this file where skip() is defined.

# copy_module FOLDER NAME: copy the module to a folder, and import it by a name
# that is found from the working directory
copy_module()
{
    command -v python3 >/dev/null || skip 'python3 is not installed'
    mkdir -p "$1"
    cp "$top_srcdir/tools/simpletrace/simpletrace.py" \
        "$top_builddir/tools/simpletrace/libsimpletrace_python.so" \
        "$1" || exit 99
    unset PYTHONPATH PYTHONHOME
    export PYTHONDONTWRITEBYTECODE=1
    python3 -c "import $2" 2>err || {
        grep -qi -e 'asan' -e 'tsan' -e 'ubsan' -e 'sanitize' err &&
            skip 'python3 cannot load a library with a sanitizer'
        cat err
        exit 1
    }
}
