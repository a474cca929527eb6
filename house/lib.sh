# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Functions of ./quickstart and ./check: messages, installation of missing
# packages, and build folders, which are configured again when their inputs
# change.  POSIX sh; the caller sets $top (the source tree, absolute) and $me
# (the command's name).
: "${top:?}" "${me:?}"

print_line()
{
    printf '%s\n' "$*"
}

die()
{
    printf '%s: %s\n' "$me" "$*" >&2
    exit 1
}

# The last lines of a log usually have the reason of a failure.
show_tail()
{
    tail -n 25 "$1" | sed 's/^/    | /'
}

# xensim and the sanitizers read /proc/self; a bare chroot lacks /proc.
need_proc()
{
    [ -e /proc/self/fd ] ||
        die "/proc is not mounted; run as root: mount -t proc proc /proc"
}

cores()
{
    getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}

# --- packages ----------------------------------------------------------------

# packages_of GROUP...: print the names of their packages, one a line
packages_of()
{
    awk -v groups=" $* " '
        !/^#/ && NF && index(groups, " " $1 " ") { print $2 }' \
        "$top/house/packages"
}

# packages_missing NAME...: print the names that dpkg has not installed
packages_missing()
{
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
        awk -v wanted="$*" '
            $1 == "installed" { have[$2] = 1 }
            END {
                n = split(wanted, name, " ")
                for ( i = 1; i <= n; i++ )
                    if ( !(name[i] in have) )
                        print name[i]
            }'
}

# Print the prefix that runs a command as root; false if there is no way.
root_command()
{
    if [ "$(id -u)" -eq 0 ]; then
        return 0
    elif ! command -v sudo >/dev/null; then
        return 1
    elif [ -t 0 ] && [ -t 2 ]; then
        echo sudo
    else
        sudo -n true 2>/dev/null && echo 'sudo -n'
    fi
}

# Package lists may be absent (a fresh image) or outdated, so try the present
# lists first, and fetch new ones only after a failure.
apt_install()
{
    apt="$root_command env DEBIAN_FRONTEND=noninteractive apt-get -q -y
         -o DPkg::Lock::Timeout=300"
    # shellcheck disable=SC2086 # words are meant to split
    $apt install --no-install-recommends "$@" ||
        { $apt update && $apt install --no-install-recommends "$@"; }
}

# install_packages LOG GROUP...: install all missing packages at once
install_packages()
{
    log=$1
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null
    then
        print_line "not a Debian: the packages of house/packages must be there"
        return 0
    fi
    # shellcheck disable=SC2046 # one word a package
    missing=$(packages_missing $(packages_of "$@") | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    root_command=$(root_command) ||
        die "no root, no sudo; run as root: apt-get install $missing"
    print_line "installing $missing"
    # shellcheck disable=SC2086
    apt_install $missing >"$log" 2>&1 </dev/null && return 0
    show_tail "$log" >&2
    die "cannot install $missing, see $log"
}

# --- the build ---------------------------------------------------------------

# The inputs of a configured folder: switches, compiler, installed packages.
build_signature()
{
    print_line "$* CC=${CC-} CFLAGS=${CFLAGS-}"
    # shellcheck disable=SC2046
    dpkg-query -W $(packages_of build check full) 2>/dev/null
    cat "$top/configure" "$top/Makefile.in" | cksum
}

# configure_in DIR SWITCH...: configure, unless the inputs are unchanged
configure_in()
{
    dir=$1
    shift
    "$top/autogen.sh" --if-needed || return 1
    mkdir -p "$dir"
    build_signature "$@" >"$dir/.signature.new"
    if [ -f "$dir/Makefile" ] &&
        cmp -s "$dir/.signature" "$dir/.signature.new"; then
        return 0
    fi
    rm -f "$dir/.signature"
    ( cd "$dir" && "$top/configure" "$@" ) &&
        mv "$dir/.signature.new" "$dir/.signature"
}

make_in()
{
    make -C "$@"
}
