# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the scripts of this folder share: where things are kept, giving up with
# one line, and an apt with lists of its own, so that neither root nor this
# machine's lists are needed.  Which archives there are is the machine's word
# (apt-get indextargets); nothing of that is in this tree.
#
# Sourced with $here, this folder.
: "${here:?}"

top=$(cd "$here/../.." && pwd -P) || exit 99
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/xen-tracing/vm

say()
{
    printf '%s\n' "$*"
}

# give_up REASON: the last line of stderr, for who reads only that
give_up()
{
    [ ! -s "${log-}" ] || tail -n 25 "$log" | sed 's/^/    | /' >&2
    printf 'tests/vm/%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# waits COMMAND...: in the background, so that a signal ends it, and us, now;
# who calls it has a trap that kills $child
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

# hash_of FILE...: of their names and contents; short, for a folder's name
hash_of()
{
    sha256sum "$@" | sed "s|$top/||" | sha256sum | cut -c 1-16
}

# begin_scratch: a folder that goes when the script ends, and a log in it
begin_scratch()
{
    mkdir -p "$cache" || give_up "cannot make $cache"
    # of who was killed with no chance to clean up; and what nobody uses
    find "$cache" -maxdepth 1 -name 'new.*' -mtime +1 -exec rm -rf {} +
    find "$cache" -maxdepth 1 -type d -mtime +30 -exec rm -rf {} +
    scratch=$(mktemp -d "$cache/new.XXXXXX") ||
        give_up "cannot write $cache"
    trap '[ -z "$child" ] || kill "$child"; rm -rf "$scratch"' EXIT
    trap 'exit 1' HUP INT TERM
    # apt downloads as a user of its own, who must get in
    chmod 755 "$scratch"
    log=$scratch/log
    : >"$log"
}

# used FOLDER: keep it for another month
used()
{
    touch "$1" 2>/dev/null || true
}

# publish FOLDER NAME: in one step, so that who finds it finds all of it.
# Somebody else may have been faster: then his is as good.
publish()
{
    mv -T "$1" "$2" 2>/dev/null || [ -d "$2" ] || give_up "cannot write $2"
}

# --- what the archive is asked for once a day --------------------------------

# fresh LINK: it was pointed at something today, and that is there
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

# apt_private PROGRAM ARGUMENT...: an apt with its sources and its lists in
# $scratch/apt
apt_private()
{
    program=$1
    shift
    timeout 600 "$program" -q \
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

# A machine on which nothing is installed, with the archives of this one.
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
    # An index that is missing is a warning; the package decides.
    apt_private apt-get update >>"$log" || true
}
