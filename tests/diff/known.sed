# SPDX-License-Identifier: GPL-2.0-or-later
#
# All intended differences to stock, with reasons.  The commands convert the
# driver's output for stock to the output expected from ours; all other lines
# have to be equal.

# Stock prints sizes as signed numbers; they are unsigned.
s/^\((XEN) xentrace: tb_set_size from [0-9]* to\) -1 not implemented$/\1 4294967295 not implemented/

# When tracing is disabled while records are owed as lost, stock drops their
# count; ours writes a LOST record if the ring has room.  The driver has counted
# the losses itself, and prints the expected record as `owing`.  (`run` removes
# this line from the output for ours.)
s/^owing /late /

# Differences that the driver never triggers:
#
#   padding                 only the length is compared: the payload is zeroes in
#                           ours, and stale data in stock
#   VIRQ_TBUF counts        compared only while readers take all records: after
#                           a drain to just below the high-water mark, ours may
#                           send one notification less
#   bytes beyond a payload  of a partial word: zeroes in ours; stock copies the
#                           bytes behind the caller's data
#   invalid cons            stock stops tracing on all CPUs; ours counts the
#                           records of the CPU as lost until cons is valid again.
#                           An invalid prod: ours never reads prod
#   hypercall numbers       above 20 bits: stock warns and overwrites the
#                           argument bits, ours cuts the number
#   bits 28-31 of an event  stock matches them with the mask; ours ignores them,
#                           as no record has them
#   CPUs onlined later      have no ring with stock
#   operations from 0x100   unknown to stock: -EINVAL
