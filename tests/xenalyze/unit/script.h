/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in, facts out, both as text, for tests of the state machines.
 *
 * A script has a record per line: time, pcpu, event, words:
 *
 *     100 p0 blocked>running d1v0
 *     120 p0 hvm_vmexit 12 0x1000
 *     130 p0 0x2100f 7
 *
 * The event is a change of runstate, "old>new" by the names of the states or
 * by digits; a name in the catalogue, an id, or name|flags.  A word is a
 * number, or dDvV for a vcpu as Xen packs it, or vV@D for the same in the word
 * of a LOST record.  The time may be "-": a record without a time stamp.
 * Further lines:
 *
 *     150 p0 loss         the engine sees a loss in advance
 *     170 p0 end          the last record of the pcpu has been read
 *     4.19                dialect of the trace: version
 *     svm                 ... and hardware
 *     levels 3            levels of page tables, unless a record names them
 *
 * Records are handled in the order of the script; each record's changes are
 * applied to the global machine at once.  After the last line all pcpus end.
 */
#ifndef TESTS_XENALYZE_UNIT_SCRIPT_H
#define TESTS_XENALYZE_UNIT_SCRIPT_H

#include "tests/unit/common/unit.h"
#include "xenalyze/machine/machine.h"

/*
 * Run the script and return the facts of the kinds in the comma-separated list,
 * a line each, in the order in which they are emitted; then, with the kind
 * "anomaly", a line for each kind of anomaly, and with "disorder" the worst
 * difference between the clocks of two pcpus.  To be freed.
 */
char *script_run(const char *kinds, const char *script);

struct script_row
{
    const char *what, *kinds, *script, *expected;
};

/*
 * Run each row, with and without the fast path of runstates; fail at the first
 * line that differs.  With SCRIPT_SHOW in the environment, print the facts
 * instead: for new rows, to be checked by hand.
 */
void script_check(const struct script_row *rows, size_t nr);

/* A test of all rows of the table NAME_rows. */
#define SCRIPT_TEST(name)                                                   \
START_TEST(name)                                                            \
{                                                                           \
    script_check(name##_rows, sizeof(name##_rows) / sizeof(name##_rows[0])); \
}                                                                           \
END_TEST

#endif /* TESTS_XENALYZE_UNIT_SCRIPT_H */
