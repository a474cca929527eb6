# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common functions of this folder's scripts: the cache, failures with one line,
# and an apt with private lists, which needs neither root nor changes of this
# machine's lists.  The archives are those of the machine (apt-get
# indextargets); this tree names none.
#
# Sourced with $here, this folder.
: "${here:?}"

top=$(cd "$here/../.." && pwd -P) || exit 99
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/xen-tracing/vm

print_line()
{
    printf '%s\n' "$*"
}

# give_up REASON: print the log and, as the last line of stderr, the reason
give_up()
{
    [ ! -s "${log-}" ] || tail -n 25 "$log" | sed 's/^/    | /' >&2
    printf 'tests/vm/%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# waits COMMAND...: run in the background, so that a signal ends the command and
# this script at once; the caller has a trap that kills $child
child=
waits()
{
    "$@" &
    child=$!
    wait $child
    status=$?
    child=
    return $status
}

need_tools()
{
    for tool; do
        command -v "$tool" >/dev/null ||
            give_up "$tool is missing; house/packages names its package" \
                "(./check --vm installs them)"
    done
}

# hash_of FILE...: a short hash of names and contents, for a folder's name
hash_of()
{
    sha256sum "$@" | sed "s|$top/||" | sha256sum | cut -c 1-16
}

# begin_scratch: make a folder that is removed at exit, with a log file
begin_scratch()
{
    mkdir -p "$cache" || give_up "cannot make $cache"
    # remove leftovers of killed scripts, and unused folders
    find "$cache" -maxdepth 1 -name 'new.*' -mtime +1 -exec rm -rf {} +
    find "$cache" -maxdepth 1 -type d -mtime +30 -exec rm -rf {} +
    scratch=$(mktemp -d "$cache/new.XXXXXX") ||
        give_up "cannot write $cache"
    trap '[ -z "$child" ] || kill "$child"; rm -rf "$scratch"' EXIT
    trap 'exit 1' HUP INT TERM
    # apt downloads as a user of its own, which needs access
    chmod 755 "$scratch"
    log=$scratch/log
    : >"$log"
}

# used FOLDER: keep the folder for another month
used()
{
    touch "$1" 2>/dev/null || true
}

# publish FOLDER NAME: rename, which makes the folder visible in one step.  If a
# concurrent script was faster, its folder is used.
publish()
{
    mv -T "$1" "$2" 2>/dev/null || [ -d "$2" ] || give_up "cannot write $2"
}

# --- daily queries of the archive --------------------------------------------

# fresh LINK: the link was set within a day, and its target exists
fresh()
{
    [ -d "$1/" ] && [ -n "$(find "$1" -prune -mtime -1)" ]
}

# point LINK FOLDER
point()
{
    ln -sfn "$(basename "$2")" "$scratch/link" &&
        mv -T "$scratch/link" "$1" || give_up "cannot write $1"
}

# --- apt ---------------------------------------------------------------------

# The architecture of packages, for apt; empty: this machine's
apt_arch=

# apt_private PROGRAM ARGUMENT...: an apt with its sources and its lists in
# $scratch/apt
apt_private()
{
    program=$1
    shift
    timeout 600 "$program" -q \
        ${apt_arch:+-o "APT::Architecture=$apt_arch"} \
        ${apt_arch:+-o "APT::Architectures=$apt_arch"} \
        -o Dir::Etc::sourcelist=/dev/null \
        -o Dir::Etc::sourceparts="$scratch/apt/sources" \
        -o Dir::State="$scratch/apt" \
        -o Dir::State::status="$scratch/apt/status" \
        -o Dir::State::lists="$scratch/apt/lists" \
        -o Dir::Cache="$scratch/apt/cache" \
        -o Debug::NoLocking=1 -o APT::Install-Recommends=0 \
        -o APT::Get::Assume-Yes=1 \
        -o Acquire::Languages=none -o Acquire::Retries=2 \
        -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 \
        "$@" 2>>"$log" </dev/null
}

# apt_begin: set up an empty machine with the archives of this one.
apt_begin()
{
    need_tools apt-get dpkg-deb
    mkdir -p "$scratch/apt/sources" "$scratch/apt/lists/partial" \
        "$scratch/apt/cache/archives/partial"
    : >"$scratch/apt/status"
    # shellcheck disable=SC2016 # apt's dollars
    apt-get indextargets 'Created-By: Packages' --format \
        '$(SITE) $(RELEASE) $(COMPONENT) $(SIGNED_BY)' 2>>"$log" | awk '
        NF >= 3 && !seen[$0]++ {
            key = $4 ~ /^\// ? "[signed-by=" $4 "] " : ""
            print "deb " key $1, $2, $3
            print "deb-src " key $1, $2, $3
        }' >"$scratch/apt/sources/vm.list"
    [ -s "$scratch/apt/sources/vm.list" ] ||
        give_up "this machine's apt knows no archive"
    # A missing index is only a warning; the package decides.
    apt_private apt-get update >>"$log" || true
}
