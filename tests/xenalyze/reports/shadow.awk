# SPDX-License-Identifier: GPL-2.0-or-later
#
# Input of compose: d1v0 with 32 bits under shadow paging, on pcpu 0, in a form
# that stock can read; and d1v1, which shares the page tables, on pcpu 1.  Each
# call of arc() is an exit of distinct length with its records.
function say(pcpu, time, event, words)
{
    text[pcpu] = text[pcpu] pcpu " " time " " event " " words "\n"
}

function arc(pcpu, reason, ip, handlers,    n, i, each)
{
    say(pcpu, t[pcpu] += 1000, "0x81002", reason " " ip)
    n = split(handlers, each, ";")
    for ( i = 1; i <= n; i++ )
        say(pcpu, "-", each[i], "")
    say(pcpu, t[pcpu] += 300 + 7 * arcs++, "0x81001", "")
}

# A fault of 2 levels of paging, with the flags of a kind.
function fixup(flags, others)
{
    arc(0, 0, "0x80101234", "0x40f006 0x1067 0x7000 " flags others)
}

function emulate(va, flags, others)
{
    arc(0, 0, "0x80105678", others "0x40f008 0x2067 0x3067 " va " " flags)
}

function load(pcpu, frame, before)
{
    arc(pcpu, 28, "0x80100000", before "0x82009 3 " frame)
}

BEGIN {
    t[0] = t[1] = 5000000
    say(0, 5000000, "0x21101", "0x10000")
    say(1, 5000000, "0x21101", "0x10001")
    arc(0, 12, "0x400000", "0x82013 0")
    arc(1, 12, "0x400000", "0x82013 0")
    load(0, "0x1000", "")
    load(1, "0x2000", "")
    load(0, "0x3000", "0x40f00e 5 0;0x40f00f 6 0;")
    for ( i = 0; i < 20; i++ )
        many = many "0x40f00f " i " 0;"
    load(0, "0x3000", many)
    load(0, "0x1000", "0x40f00e 7 0;")

    fixup("0x00200", "")
    fixup("0x40000", "")
    fixup("0x40000", ";0x40f00e 5 0")
    fixup("0x40000", ";0x40f00e 5 0;0x40f00e 6 0;0x40f00e 7 0")
    fixup("0x80000", "")
    fixup("0x100000", "")
    fixup("0x00400", "")
    fixup("0x00400", ";0x40f00c 9 0")
    fixup("0x00000", ";0x40f00d 0x1 0")

    emulate("0x1000", "0x00020", "")
    emulate("0x1000", "0x00000", "")
    emulate("0xc0301000", "0x00040", "")
    emulate("0xc0000010", "0x00080", "")
    emulate("0xc0300010", "0x02000", "")
    emulate("0x2000", "0x00300", "")
    emulate("0x2000", "0x20000", "0x40f00d 0x3 0;")

    # The other kinds, and 3 levels: entries of 64 bits, addresses of 32.
    arc(0, 0, "0x80101111", "0x40f001 0x1067 0x7000 0")
    arc(0, 0, "0x401111", "0x40f002 0x7000")
    arc(0, 0, "0x401111", "0x40f003 0x7000")
    arc(0, 0, "0x401111", "0x40f004 0x7000")
    arc(0, 0, "0x401111", "0x40f005 0x7000;0x82217 0xfee00300 0x40")
    arc(0, 0, "0x401111", "0x40f009 0x5 0x7000")
    arc(0, 0, "0x401111", "0x40f00a 0x5 0x7000")
    arc(0, 0, "0x401111", "0x40f108 0x2067 0 0x3067 0 0xc0000010 0x20")
    arc(0, 0, "0x401111", "0x40f108 0x2067 0 0x3067 0 0xc0600010 0x20")
    arc(0, 0, "0x401111", "0x40f108 0x2067 0 0x3067 0 0xc0603010 0x20")
    arc(0, 0, "0x401111", "0x40f108 0x2067 0 0x3067 0 0xc0603018 0x20")
    arc(0, 0, "0x401111", "0x40f106 0x1067 0 0x7000 0x40000")

    load(0, "0x5000", "")
    arc(0, 18, "0x401111", "0x82012 17")
    arc(0, 1, "0x401111", "0x8200f 0xf0")
    load(1, "0x1000", "")
    # The vcpu blocks, is woken, and continues; its previous page table dies.
    say(0, t[0] += 1000, "0x81002", "12 0x402222")
    say(0, "-", "0x82013", "0")
    say(0, t[0] += 100, "0x21021", "0x10000")
    say(0, t[0] += 1, "0x21101", "0x7fff0000")
    say(0, t[0] += 9000, "0x21211", "0x10000")
    say(0, t[0] += 100, "0x21011", "0x7fff0000")
    say(0, t[0] += 1, "0x21101", "0x10000")
    say(0, t[0] += 100, "0x81001", "")
    arc(0, 12, "0x401111", "0x82013 0")
    load(0, "0x6000", "0x82100 0;")
    load(1, "0x3000", "")
    arc(1, 0, "0x401111", "0x82001 0x7000 4")
    arc(1, 0, "0x401111", "0x82001 0x80007000 4")
    say(0, t[0] += 1000, "0x21011", "0x10000")
    say(1, t[1] += 1000, "0x21011", "0x10001")
    printf "%s%s", text[0], text[1]
}
