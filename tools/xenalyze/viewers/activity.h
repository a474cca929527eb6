/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activities: facts in the form in which timelines need them, for all formats
 * of timelines; private header of viewers/.
 *
 * The formats have rules that facts do not keep.  Every activity keeps them:
 *
 *  - A time is in nanoseconds from the start of the trace, never negative, and
 *    of all segments on one line: a segment begins behind the segment before.
 *  - The spans of a vcpu follow each other: no two begin at the same time, and
 *    no two neighbours are the same state.
 *  - The exits of a vcpu do not overlap.
 *
 * Activities arrive in the order of their ends; a span arrives late, with the
 * next state of its vcpu.
 */
#ifndef XENALYZE_VIEWERS_ACTIVITY_H
#define XENALYZE_VIEWERS_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/arena.h"
#include "xenalyze/viewers/activity-blocks.h"
#include "xenalyze/viewers/activity-queues.h"
#include "xenalyze/viewers/activity-waits.h"
#include "xenalyze/viewers/viewer.h"

enum activity_state
{
    ACTIVITY_NONE,              /* before the first span of a vcpu */
    ACTIVITY_RUNNING,
    ACTIVITY_RUNNABLE,
    ACTIVITY_BLOCKED,
    ACTIVITY_OFFLINE,
    ACTIVITY_ELSEWHERE,         /* runs on a pcpu that is not selected */
    ACTIVITY_UNKNOWN,           /* records were lost, or have not begun */
    ACTIVITY_STATES
};

const char *activity_state_name(enum activity_state state);

/* A vcpu, from its first activity to the end of the trace. */
#define ACTIVITY_LABEL_MAX (VIEWER_HOST_MAX + XT_LABEL_MAX + 8)

struct activity_vcpu
{
    uint32_t domain, id;
    uint32_t number;            /* in the order of first activities, from 0 */
    const char *label;          /* "web1/0", "d1v0", "host1:d1v0" */
    const char *domain_label;   /* "d1:web1", "d1", "host1:d1:web1" */
    uint64_t pid, tid;          /* never 0, and never the same number */
    uint64_t first;             /* time of the begin of the first segment */
    bool is_first_of_domain;    /* no vcpu of the domain came before */
};

/* A vcpu was in a state: from < to. */
struct activity_span
{
    const struct activity_vcpu *vcpu;
    enum activity_state state;
    uint32_t pcpu;              /* where it runs, or ran last; 0: unknown */
    uint64_t from, to;
    enum activity_state before; /* state that ended at `from` ... */
    uint32_t before_pcpu;       /* ... and its pcpu */
    bool is_last;               /* last span in the segment */
    enum activity_state next;   /* for run(): state that follows; ACTIVITY_NONE:
                                   unknown, or the vcpu goes on */

    /* For ACTIVITY_RUNNABLE after a wake-up with a known origin. */
    bool is_wakeup;
    uint32_t waker_pcpu;
    const struct activity_vcpu *waker;  /* NULL: an interrupt */
};

struct activity_exit
{
    const struct activity_vcpu *vcpu;
    uint32_t pcpu;
    uint64_t from, to;          /* from <= to */
    const char *name;           /* exit reason */
    uint16_t cause;
    uint32_t reason;
    uint64_t rip;
    bool wide;                  /* the guest is in 64-bit mode */
    bool nested;
    uint8_t handler;            /* number; 0: none */
    const char *handler_name;   /* or NULL */
    const char *detail_name;    /* "port", "gpa"; or NULL */
    uint64_t detail;
};

/* A PV vcpu enters Xen; the time of its return is unknown. */
#define ACTIVITY_CALLS 128u

struct activity_call
{
    const struct activity_vcpu *vcpu;
    uint32_t pcpu;
    uint64_t time;
    const char *name;           /* "mmu_update", "page_fault" */
    unsigned int number;  /* for the name, below ACTIVITY_CALLS; 0: none */
};

/* On a pcpu: from <= to. */
struct activity_pcpu_span
{
    uint32_t pcpu;              /* row; activity_label_pcpu() names it */
    uint64_t from, to;
    const char *name;           /* "irq 24 eth0", "C2", "records lost" */
    uint64_t count;             /* lost records */
};

struct activity_frequency
{
    uint32_t pcpu;
    uint64_t time, hz;
};

/* A part of a wait: from < to. */
struct activity_piece
{
    uint64_t from, to;
    char name[XT_LABEL_MAX + 8];        /* "Domain-0/0 runs", "idle" */
};

/*
 * One of the longest waits of a segment, at its end: from < to.  Pieces of a
 * selection of pcpus or vcpus are unknown.
 */
struct activity_wait
{
    const struct activity_vcpu *vcpu;
    uint64_t from, to;
    bool is_first;              /* wait of the vcpu in the file */
    bool is_complete;           /* then the vcpu ran on `pcpu` */
    uint32_t pcpu;
    unsigned int nr_pieces;
    struct activity_piece pieces[WAIT_PIECES];  /* longest ones, by time */
    uint64_t shorter, nr_shorter;       /* sum and number of the other pieces */

    /* After a wake-up with a known origin. */
    bool is_wakeup;
    uint64_t woken;             /* <= from */
    uint32_t waker_pcpu;
    const struct activity_vcpu *waker;  /* NULL: an interrupt */
};

#define ACTIVITY_BLOCKS 1024u   /* names with a number */

/* A vcpu was blocked, until `name` ended that: from < to. */
struct activity_block
{
    const struct activity_vcpu *vcpu;
    bool is_first;              /* block of the vcpu in the file */
    uint64_t from, to;
    uint32_t number;            /* for the name, below ACTIVITY_BLOCKS; 0:
                                   none */
    const char *name;           /* "timer", "event from Domain-0" */
};

/* From `time` on, `nr` vcpus wait for a pcpu. */
struct activity_waiting
{
    uint64_t time;
    uint32_t nr;
};

/* From `time` on, a run queue of credit2 has this load. */
struct activity_queue
{
    uint64_t time;
    uint32_t queue;             /* number, below ACTIVITY_QUEUES */
    bool is_first;              /* the queue is new in the file */
    bool has_nr, has_average;   /* differ from the ones before */
    uint32_t nr;                /* vcpus that run or wait */
    uint32_t average;           /* number of vcpus, in hundredths */
};

/* A part of the critical path of a vcpu. */
struct activity_path
{
    uint64_t from, to;          /* from < to; parts in the order of time */
    const char *path;           /* "critical path of web1/0" */
    const char *name;           /* "Domain-0/0 runs" */
};

/* A thread of a program, or a process with unknown threads. */
struct activity_thread
{
    uint32_t number;            /* in the order of first events, from 0 */
    uint32_t process;           /* number of its process */
    uint32_t tid;               /* 0: unknown */
    const char *process_label;  /* "qemu/1001" */
    const char *label;          /* "qemu/1001 thread 1003" */
    bool is_first_of_process;
};

#define ACTIVITY_THREADS 1024u  /* further ones share the last row */

/* An event of a program; at the end of the trace, in the order of time. */
struct activity_program
{
    const struct activity_thread *thread;
    uint64_t time;
    uint32_t number;            /* number of the name; 0: lost events */
    const char *name, *text;    /* text: the arguments; or "" */
};

struct activity_begin
{
    unsigned int segment;
    uint64_t first;             /* time of the first record */
    bool has_wall;
    int64_t wall;               /* ns since 1970 at time `first` */
    uint64_t hz;                /* TSC frequency */
};

/*
 * Callbacks of a format.  Slots may be empty.  A failure to write stays in the
 * stream; a failure to allocate, or the reason of one to write that the stream
 * has lost, is the result of finish().
 */
struct activity_ops
{
    size_t size;                /* bytes of the state, initially zeros */
    uint32_t max_pcpus;         /* further ones are not shown; 0: all are */
    void (*open)(void *state, const struct viewer_options *options, FILE *out);
    void (*begin)(void *state, const struct activity_begin *a);
    void (*vcpu)(void *state, const struct activity_vcpu *v);
    /* A part of a running span, as soon as known: times of a pcpu rise. */
    void (*run)(void *state, const struct activity_span *a);
    void (*span)(void *state, const struct activity_span *a);
    void (*exit)(void *state, const struct activity_exit *a);
    void (*call)(void *state, const struct activity_call *a);
    void (*interrupt)(void *state, const struct activity_pcpu_span *a);
    void (*sleep)(void *state, const struct activity_pcpu_span *a);
    void (*loss)(void *state, const struct activity_pcpu_span *a);
    void (*frequency)(void *state, const struct activity_frequency *a);
    void (*wait)(void *state, const struct activity_wait *a);
    void (*block)(void *state, const struct activity_block *a);
    void (*waiting)(void *state, const struct activity_waiting *a);
    void (*queue)(void *state, const struct activity_queue *a);
    void (*path)(void *state, const struct activity_path *a);
    void (*thread)(void *state, const struct activity_thread *t);
    void (*program)(void *state, const struct activity_program *a);
    /* The numbers of the current host are complete; 0 or -ENOMEM. */
    int (*numbers)(void *state);
    int (*finish)(void *state);         /* 0, -ENOMEM, or -errno of a write */
    void (*close)(void *state);         /* frees memory of the state */
};

/* From facts to activities.  Rows of hosts follow each other. */
struct activities
{
    const struct activity_ops *ops;
    void *state;                /* argument of `ops` */
    const struct viewer_options *options;
    struct xt_clock clock;
    uint64_t base;              /* time of nanosecond 0 of the segment */
    uint64_t last;              /* latest time so far */
    uint64_t earliest;          /* in the first segment */
    bool has_programs;          /* their events were shown */
    struct arena arena;
    struct activity_slot **slots;       /* by the index of the vcpu */
    uint32_t nr_slots;
    uint32_t nr_vcpus;          /* rows, all hosts */
    uint64_t *processes;        /* pid by the index of the domain; 0: none */
    uint32_t nr_domains;        /* room */
    uint32_t nr_processes;
    uint32_t nr_pcpus;          /* rows, all hosts */
    unsigned int nr_segments;   /* all hosts */
    bool has_hidden_vcpus;      /* there are more vcpus than rows */
    struct activity_waits *waits;       /* NULL: the format shows none */
    struct activity_blocks *blocks;     /* the same */
    struct activity_queues *queues;     /* the same */
    struct
    {
        struct activity_waiting now;
        uint32_t nr_shown;      /* the number passed on last, or 0 */
    } waiting;
    uint32_t nr_block_names;    /* names of reasons, all hosts */
    struct fact_handle main;    /* the main handler of the next exit */
    bool has_main;
    bool has_any;               /* a span, an exit or a call */
    bool failed;                /* out of memory */
};

/* 0 or -ENOMEM. */
int activities_init(struct activities *a, const struct viewer_format *format,
                    const struct viewer_options *options, void *state);
void activities_fini(struct activities *a);

/* After the facts of a host; the new host is in the options.  0 or -ENOMEM. */
int activities_begin_host(struct activities *a);

struct sink activities_sink(struct activities *a);

/* "pcpu 3", or "host1:pcpu 3": the row of a pcpu of the current host. */
const char *activity_label_pcpu(const struct viewer_options *options,
                                uint32_t pcpu, char label[ACTIVITY_LABEL_MAX]);

/*
 * Put "host1:", or "" for the only host, without a blank, as all labels.
 * Returns the length, below VIEWER_HOST_MAX.
 */
int activity_put_host(const struct viewer_options *options, char *label);

/* The number that Xen gives the pcpu of a row. */
static inline uint32_t activity_get_pcpu(const struct viewer_options *options,
                                         uint32_t row)
{
    return row < options->first_pcpu ? row : row - options->first_pcpu;
}

/* The row of a pcpu: rows of a host follow those of the host before. */
uint32_t activities_get_row(struct activities *a, uint32_t pcpu);

/* Nanoseconds of a time stamp of the current segment. */
uint64_t activities_get_time(struct activities *a, uint64_t tsc);

/* The row of a vcpu, which now has waits; NULL: none. */
const struct activity_vcpu *activities_announce_waits(struct activities *a,
                                                      const struct vcpu *v,
                                                      bool *is_first);

/* The same for blocked times, of the vcpu with this index. */
const struct activity_vcpu *activities_announce_block(struct activities *a,
                                                      uint32_t index,
                                                      bool *is_first);

/* False: the waker has no row.  An interrupt is a NULL. */
bool activities_find_waker(const struct activities *a, const struct vcpu *v,
                           const struct activity_vcpu **waker);

/* `part` has time stamps of the current segment. */
void activities_add_path(struct activities *a,
                         const struct activity_path *part);

/* At the end of the first segment: show the events of programs in its time. */
int activities_add_programs(struct activities *a, struct err *e);

/* The formats. */
extern const struct activity_ops html_ops, perfetto_ops, perfetto_compact_ops,
                                 fxt_ops, chrome_ops;

#endif /* XENALYZE_VIEWERS_ACTIVITY_H */
