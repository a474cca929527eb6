# SPDX-License-Identifier: GPL-2.0-or-later
#
# Convert the output of the program `facts` to the form of told.awk.
# Consecutive times of one vcpu are merged if the scheduler picked the vcpu
# again.  Times that are cut by an end of the trace are left out.
/ last$/ { delete open[$2]; next }
$1 == "runstate" {
    from = $2 in open ? open[$2] : $4
    if ( !($2 in open) )
        cut[$2] = / first/
    delete open[$2]
    if ( / goes on$/ )
        open[$2] = from
    else if ( $5 > from && !cut[$2] )
        print $1, $2, $3, from, $5, $6
    next
}
{ print }
