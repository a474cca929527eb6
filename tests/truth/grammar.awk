# SPDX-License-Identifier: GPL-2.0-or-later
# Check the order of records on each pcpu, from `od -An -v -tu4 -w4`.  The rules
# hold in traces of real Xen (except the last: these machines had no C-states).
# Each violation is printed with its rule; at the end "checked" and the number
# of checks.
#
#     switch      INFPREV, INFNEXT, SWITCH, runstate change of the old vcpu from
#                 running, of the new vcpu to running, with nothing in between
#     continue    INFCONT, CONTINUE
#     current     a vcpu that blocks, yields, is switched from or continues is
#                 the vcpu of the last SWITCH
#     woken       a vcpu that was not running becomes runnable only after WAKE
#     guest       exit, handlers, entry: no handler and no switch inside the
#                 guest
#     kind        no guest records on an idle pcpu; a domain has a single kind
#     sleep       idle entry and exit alternate, on the idle vcpu only

function next_word(    word) {
    getline word
    return word + 0
}

function report_violation(rule) {
    printf "pcpu %d, cycle %s: %07x after %07x breaks: %s\n", cpu, tsc, id, \
           last[cpu], rule
}

function check_rule(rule, holds) {
    checked++
    if ( !holds )
        report_violation(rule)
}

# Is `vcpu_id` the current vcpu?  True before the first switch of a pcpu.
function is_current(vcpu_id) {
    return !(cpu in current) || vcpu_id == current[cpu]
}

function is_idle(vcpu_id) {
    return int(vcpu_id / 65536) == 32767
}

BEGIN {
    CPU_CHANGE = 126979         # 0x1f003
    LOST = 126977
    CONTINUE = 135170           # 0x21002
    WAKE = 163844               # 0x28004
    YIELD = 163845
    BLOCK = 163846
    SWITCH = 163850             # 0x2800a
    INFPREV = 163854            # 0x2800e
    INFNEXT = 163855
    INFCONT = 163857            # 0x28011
    IDLE_ENTRY = 8392706        # 0x801002
    IDLE_EXIT = 8392707
}

function reset_pcpu() {
    delete current[cpu]
    delete inside[cpu]
    delete expected[cpu]
    delete asleep[cpu]
    delete woken[cpu]
}

# Check a record that has to follow the previous one directly.
function check_sequence(    want) {
    want = expected[cpu]
    expected[cpu] = 0
    if ( want == "next" )
        check_rule("switch", id == INFNEXT)
    else if ( want == "switch" )
        check_rule("switch", id == SWITCH)
    else if ( want == "from" ) {
        check_rule("switch", is_change && from == 0 && vcpu_id == prev[cpu])
        expected[cpu] = "to"
    } else if ( want == "to" )
        check_rule("switch", is_change && to == 0 && vcpu_id == current[cpu])
    else if ( want == "continue" )
        check_rule("continue", id == CONTINUE && is_current(vcpu_id))
    else if ( is_change )
        check_rule("switch", from != 0 && to != 0)
}

function check_scheduling(    vcpu) {
    vcpu = word[0] * 65536 + word[1]
    if ( id == INFPREV )
        expected[cpu] = "next"
    else if ( id == INFNEXT )
        expected[cpu] = "switch"
    else if ( id == INFCONT )
        expected[cpu] = "continue"
    if ( id == BLOCK || id == YIELD || id == SWITCH || id == INFPREV ||
         id == INFCONT )
        check_rule("current", is_current(vcpu))
    if ( id == SWITCH ) {
        prev[cpu] = vcpu
        current[cpu] = word[2] * 65536 + word[3]
        expected[cpu] = "from"
        inside[cpu] = 0
    }
    if ( is_change && to == 1 && from != 0 )
        check_rule("woken", last[cpu] == WAKE && woken[cpu] == vcpu_id)
    if ( id == WAKE )
        woken[cpu] = vcpu
}

function check_guest(    class, kind, dom) {
    class = int(id / 4096)
    kind = class == 129 || class == 130 ? "hvm" : class == 513 ? "pv" : ""
    if ( kind == "" ) {
        if ( class == 33 || class == 34 )
            check_rule("guest", !inside[cpu])
        return
    }
    if ( class == 129 ) {
        if ( cpu in inside )
            check_rule("guest", inside[cpu] != (id % 16 == 1))
        inside[cpu] = id % 16 == 1
    } else if ( class == 130 )
        check_rule("guest", inside[cpu] != 1)
    if ( !(cpu in current) )
        return
    dom = int(current[cpu] / 65536)
    check_rule("kind", !is_idle(current[cpu]))
    check_rule("kind", !(dom in kinds) || kinds[dom] == kind)
    kinds[dom] = kind
}

function check_idle() {
    if ( id != IDLE_ENTRY && id != IDLE_EXIT )
        return
    if ( cpu in asleep )
        check_rule("sleep", asleep[cpu] == (id == IDLE_EXIT))
    asleep[cpu] = id == IDLE_ENTRY
    if ( cpu in current )
        check_rule("sleep", is_idle(current[cpu]))
}

{
    header = $1
    id = header % 268435456
    words = int(header / 268435456) % 8
    if ( header >= 2147483648 ) {
        low = next_word()
        tsc = sprintf("%.0f", next_word() * 4294967296 + low)
    }
    for ( i = 0; i < words; i++ )
        word[i] = next_word()
    if ( id == CPU_CHANGE )
        cpu = word[0]
    if ( id == LOST )
        reset_pcpu()
    if ( int(id / 4096) == 31 )
        next

    is_change = int(id / 4096) == 33 && id % 16 == 1
    from = int(id / 256) % 4
    to = int(id / 16) % 4
    # dom << 16 | vcpu, as runstate records have it
    vcpu_id = word[0]
    check_sequence()
    check_scheduling()
    check_guest()
    check_idle()
    last[cpu] = id
}

END { print "checked", checked + 0 }
