# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runstates of vcpus in the summary of stock's xenalyze, as lines "dom vcpu
# state count average".

/^\|-- Domain/ { dom = $3; vcpu = "" }
/^-- v/ { vcpu = substr($2, 2) }
/^ cpu affinity/ || /^[A-Z]/ || /^pcpu/ { vcpu = vcpu ? vcpu ":" : "" }
vcpu != "" && vcpu !~ /:/ && /^ +(running|runnable|blocked|offline):/ {
    state = $1
    sub(/:/, "", state)
    print dom, vcpu, state, $2, $4
}
