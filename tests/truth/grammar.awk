# SPDX-License-Identifier: GPL-2.0-or-later
#
# What comes after what on one pcpu, from `od -An -v -tu4 -w4`.  These rules
# hold in traces of real Xen (but for the last: those had no C-states).  A
# record that breaks one is printed, with the rule; at the end: "checked", and
# how often a rule was asked.
#
#     switch      INFPREV, INFNEXT, SWITCH, a change of the one from running,
#                 one of the other to running, and nothing in between
#     continue    INFCONT, CONTINUE
#     current     who blocks, yields, is switched from or chosen again is who
#                 was switched to before
#     woken       who becomes runnable and did not run was woken just before
#     guest       exit, what Xen does, entry: no handler is inside the guest,
#                 and no switch
#     who         no guest's record on an idle pcpu; one domain is not of two
#                 kinds
#     sleep       idle entry and exit take turns, and only the idle vcpu's

function take(    word) {
    getline word
    return word + 0
}

function broken(rule) {
    printf "pcpu %d, cycle %s: %07x after %07x breaks: %s\n", cpu, tsc, id, \
           last[cpu], rule
}

function judge(rule, holds) {
    judged++
    if ( !holds )
        broken(rule)
}

# Is it who runs here?  Nobody knows before the first switch.
function runs(who) {
    return !(cpu in current) || who == current[cpu]
}

function idle(who) {
    return int(who / 65536) == 32767
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

function forget() {
    delete current[cpu]
    delete inside[cpu]
    delete due[cpu]
    delete asleep[cpu]
    delete woken[cpu]
}

# What must follow directly.
function follows(    want) {
    want = due[cpu]
    due[cpu] = 0
    if ( want == "next" )
        judge("switch", id == INFNEXT)
    else if ( want == "switch" )
        judge("switch", id == SWITCH)
    else if ( want == "from" ) {
        judge("switch", is_change && from == 0 && who == prev[cpu])
        due[cpu] = "to"
    } else if ( want == "to" )
        judge("switch", is_change && to == 0 && who == current[cpu])
    else if ( want == "continue" )
        judge("continue", id == CONTINUE && runs(who))
    else if ( is_change )
        judge("switch", from != 0 && to != 0)
}

function scheduling(    me) {
    me = word[0] * 65536 + word[1]
    if ( id == INFPREV )
        due[cpu] = "next"
    else if ( id == INFNEXT )
        due[cpu] = "switch"
    else if ( id == INFCONT )
        due[cpu] = "continue"
    if ( id == BLOCK || id == YIELD || id == SWITCH || id == INFPREV ||
         id == INFCONT )
        judge("current", runs(me))
    if ( id == SWITCH ) {
        prev[cpu] = me
        current[cpu] = word[2] * 65536 + word[3]
        due[cpu] = "from"
        inside[cpu] = 0
    }
    if ( is_change && to == 1 && from != 0 )
        judge("woken", last[cpu] == WAKE && woken[cpu] == who)
    if ( id == WAKE )
        woken[cpu] = me
}

function guests(    class, kind, dom) {
    class = int(id / 4096)
    kind = class == 129 || class == 130 ? "hvm" : class == 513 ? "pv" : ""
    if ( kind == "" ) {
        if ( class == 33 || class == 34 )
            judge("guest", !inside[cpu])
        return
    }
    if ( class == 129 ) {
        if ( cpu in inside )
            judge("guest", inside[cpu] != (id % 16 == 1))
        inside[cpu] = id % 16 == 1
    } else if ( class == 130 )
        judge("guest", inside[cpu] != 1)
    if ( !(cpu in current) )
        return
    dom = int(current[cpu] / 65536)
    judge("who", !idle(current[cpu]))
    judge("who", !(dom in kinds) || kinds[dom] == kind)
    kinds[dom] = kind
}

function sleeping() {
    if ( id != IDLE_ENTRY && id != IDLE_EXIT )
        return
    if ( cpu in asleep )
        judge("sleep", asleep[cpu] == (id == IDLE_EXIT))
    asleep[cpu] = id == IDLE_ENTRY
    if ( cpu in current )
        judge("sleep", idle(current[cpu]))
}

{
    header = $1
    id = header % 268435456
    words = int(header / 268435456) % 8
    if ( header >= 2147483648 ) {
        low = take()
        tsc = sprintf("%.0f", take() * 4294967296 + low)
    }
    for ( i = 0; i < words; i++ )
        word[i] = take()
    if ( id == CPU_CHANGE )
        cpu = word[0]
    if ( id == LOST )
        forget()
    if ( int(id / 4096) == 31 )
        next

    is_change = int(id / 4096) == 33 && id % 16 == 1
    from = int(id / 256) % 4
    to = int(id / 16) % 4
    # dom << 16 | vcpu, as runstate records have it
    who = word[0]
    follows()
    scheduling()
    guests()
    sleeping()
    last[cpu] = id
}

END { print "checked", judged + 0 }
