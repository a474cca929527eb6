# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where ours is not stock, on purpose, and why: all of it.  These commands
# turn what the driver says of stock into what it must say of ours, word for
# word; what they do not name has to be the same.

# Stock prints sizes as signed numbers.  They are not.
s/^\((XEN) xentrace: tb_set_size from [0-9]* to\) -1 not implemented$/\1 4294967295 not implemented/

# Tracing is switched off while records are owed as lost.  Stock forgets how
# many; ours tells the reader in a LOST record, if the ring has room for it.
# The driver has counted for itself: that count, and no other, must be there.
# (From what it says of ours, `run` removes the driver's own count.)
s/^owing /late /

# Not met by the driver, because there is nothing to compare:
#
#   padding                 its length is compared, its payload is not: ours
#                           has zeroes there, stock what was in the ring before
#   VIRQ_TBUF counts        compared only while readers take all there is: one
#                           who stops just below the high-water mark gets one
#                           notification less now and then
#   bytes beyond a payload  that is no whole number of words: ours has zeroes,
#                           stock reads on behind the caller's data
#   bogus cons              stock stops tracing on all CPUs; ours loses (and
#                           counts) the records of that CPU until cons is sane.
#                           A bogus prod: ours does not read it
#   hypercall numbers       above 20 bits: stock warns and lets them overwrite
#                           the argument bits, ours cuts them off
#   bits 28-31 of an event  stock matches them with the mask; ours does not
#                           look at them, for no record has them
#   CPUs that come later    have no ring with stock
#   operations from 0x100   unknown to stock, which answers -EINVAL
