/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outputs and passes.  An OUTPUT is the text that one option asks for.  A PASS
 * reads the trace once and serves all outputs that name it: by window, in the
 * order of the file (window-pass.c); record by record (line-passes.c); or
 * through the state machines (report-pass.c).
 */
#ifndef XENALYZE_OUTPUTS_H
#define XENALYZE_OUTPUTS_H

#include <stdio.h>

#include "common/err.h"
#include "common/progress.h"
#include "libxentrace/internal.h"
#include "xenalyze/options.h"
#include "xenalyze/programs/programs.h"

/* The arguments of a pass, all borrowed. */
struct run
{
    const struct config *config;
    const char *name;           /* of the trace, for messages and headings */
    struct xt_trace *trace;     /* rewound before each pass */
    struct programs *programs;  /* with the clock of the trace; or NULL */
    struct report_hosts *hosts; /* the trace is one of several; or NULL */
    const struct time_index *index;     /* of the trace; or NULL */
    bool index_is_stale;        /* the trace has one that does not fit */
    const struct saved_counts *counts;  /* of all records, by an index; or
                                           NULL */
    struct xt_info info;        /* metadata in the trace ... */
    struct xt_domain_names names;       /* ... and its domains' names */
    const struct log *log;
    FILE *out;
    const char *output;         /* name of out in messages; NULL: no file */
    FILE *progress;             /* for a progress bar, or NULL */
    bool colour;
};

/*
 * 0; -errno, and *e says why; or nothing was printed, since the filter matched
 * nothing (PASS_NO_MATCH) or the input has no record (PASS_NO_RECORD).
 */
typedef int pass_fn(const struct run *run, struct err *e);

#define PASS_NO_MATCH 1
#define PASS_NO_RECORD 2

/*
 * Write out the text so far, before warnings: if standard output and standard
 * error are one file, a warning must not be in the middle of a line.  0, or
 * -errno with *e.
 */
int run_flush(const struct run *run, struct err *e);

/* Warn if parts of the trace are missing: the output does not show where. */
void run_warn_gaps(const struct run *run, uint64_t places, uint64_t bytes);

/* Warn that the trace has copies of a capture, each counted. */
void run_warn_twice(const struct run *run, uint64_t copies);

/* Both warnings, after a pass that has read all of the trace ... */
void run_warn_damage(const struct run *run);

/* ... or about damage that is known without such a pass. */
void run_warn_places(const struct run *run, const struct xt_damage *damage);

/* The same for time stamps before those of earlier records of a pcpu. */
void run_warn_backward(const struct run *run, uint64_t windows);

/*
 * Set the default: the overview on a terminal, else the summary.  -EINVAL:
 * wanted outputs exclude each other.
 */
int outputs_choose(struct config *config, bool terminal, struct err *e);

/* -EINVAL: another output is wanted beside the schema. */
int outputs_check_schema(const struct config *config, struct err *e);

/* True if the trace has to be read more than once. */
bool outputs_read_again(const struct config *config);

/* Is the only output one that several hosts can share? */
bool outputs_have_hosts(const struct config *config);

/* Run the outputs in run->config.  The caller has set all but info and
   names. */
int outputs_run(struct run *run, struct err *e);

/* For a pass over a second trace: fill in info and names of its run. */
int outputs_read_metadata(struct run *run, struct err *e);

/* The passes. */
int windows_pass(const struct run *run, struct err *e);
int dump_pass(const struct run *run, struct err *e);
int records_pass(const struct run *run, struct err *e);
int raw_pass(const struct run *run, struct err *e);
int formats_pass(const struct run *run, struct err *e);
int count_pass(const struct run *run, struct err *e);
int reports_pass(const struct run *run, struct err *e);
int compare_pass(const struct run *run, struct err *e);
int cut_pass(const struct run *run, struct err *e);
int index_pass(const struct run *run, struct err *e);
int ctf_pass(const struct run *run, struct err *e);
int trace_dat_pass(const struct run *run, struct err *e);

#endif /* XENALYZE_OUTPUTS_H */
