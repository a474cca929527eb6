/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTML page: state of the format, and parts of its file; private header of
 * viewers/.
 */
#ifndef XENALYZE_VIEWERS_HTML_H
#define XENALYZE_VIEWERS_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "xenalyze/model/model.h"
#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/html-track.h"

/*
 * Bounds of the file, 20 MB: the slices of all rows, coarser levels with up to
 * half of their size, all as base64; names and numbers of rows.
 */
#define HTML_MAX_BYTES (7u << 20)
#define HTML_STATES_BYTES (HTML_MAX_BYTES / 2)  /* the share of states */
#define HTML_TEXT_BYTES (2u << 20)      /* all arguments of events, or none */
#define HTML_NUMBERS_BYTES (1u << 20)   /* tables; then, hosts have none */
#define HTML_MAX_VCPUS 2048u    /* with a row */
#define HTML_MAX_PCPUS 4096u
#define HTML_MAX_EXITS 64u      /* rows of tables */

#define HTML_LEVELS 8u

/* A row's track, and coarser copies, each at most a third of the one before. */
struct html_levels
{
    struct html_track all[HTML_LEVELS];
    unsigned int nr;            /* 0: the row has no such track */
};

/*
 * Tracks that share bytes and a quantum: a trace has far more exits than
 * changes of states, which are of more use.
 */
enum html_pool { HTML_STATES, HTML_EXITS, HTML_POOLS };

struct html_pcpu
{
    struct html_levels run;     /* keys: number of the vcpu + 1 */
    struct html_levels loss;    /* key 1; counts are lost records */
};

/*
 * A state's key has the origin above the state; 0: none.  A running vcpu has
 * its pcpu + 1.  A waiting vcpu has the number of the vcpu that woke it + 1,
 * times 2; or, for an interrupt, the interrupted pcpu + 1, times 2, plus 1.
 * Condensed slices have no origins.
 */
#define HTML_STATE_BITS 3u
#define HTML_STATE_MASK ((1u << HTML_STATE_BITS) - 1)

_Static_assert(ACTIVITY_STATES <= HTML_STATE_MASK + 1, "a state fits");

struct html_vcpu
{
    const struct activity_vcpu *vcpu;
    uint32_t host;
    struct html_levels state;   /* keys: state, origin */
    struct html_levels exits;   /* keys: number of the name */
};

/* A thread of a program. */
struct html_thread
{
    char *process_label, *label;
    struct html_levels events;  /* keys: number of the name + 1 */
    char **arguments;           /* by event; complete if below the bound */
    uint32_t nr_arguments, nr_events;   /* nr_arguments: room */
};

/* A host of several, or the only one. */
struct html_host
{
    char *label;                /* "": the only one */
    uint64_t begin;             /* its time 0 on the timeline */
    uint32_t first_pcpu;        /* row of its pcpu 0 */
    uint64_t hz;
    unsigned int segments;
    char *numbers;              /* members of a JSON object; NULL: too many */
};

#define HTML_HANDLERS 64u
#define HTML_NAMES (EXIT_CAUSES * HTML_HANDLERS + ACTIVITY_CALLS)

struct html
{
    FILE *out;
    const struct viewer_options *options;
    struct html_host *hosts;
    uint32_t nr_hosts, hosts_room;
    size_t numbers_size;        /* sum of all hosts */
    struct html_pcpu *pcpus;
    uint32_t nr_pcpus;
    struct html_vcpu *vcpus;
    uint32_t nr_vcpus;
    struct html_thread *threads;
    uint32_t nr_threads;
    char **event_names;         /* NULL: no such event */
    uint32_t nr_event_names;
    size_t arguments_size;      /* in the file; above HTML_TEXT_BYTES: none */
    struct arena texts;         /* memory of labels and names */
    bool has_hidden_pcpus, has_hidden_vcpus;    /* rows beyond the bounds */
    struct
    {
        uint64_t quantum;       /* common to all tracks of the pool */
        size_t used;            /* their bytes */
    } pools[HTML_POOLS];
    uint64_t from, to;          /* times of all slices; from > to: none */
    bool has_wall;
    int64_t wall;               /* ns since 1970 at time 0 */
    unsigned int used_states;   /* a bit for each enum activity_state */
    bool failed;                /* out of memory */
    uint16_t numbers[HTML_NAMES];       /* names have numbers from 1 */
    uint16_t names[HTML_NAMES]; /* by number - 1: the index in numbers */
    unsigned int nr_names;
};

_Static_assert(HTML_NAMES <= UINT16_MAX, "16 bits number the names");

/* --- html.c --------------------------------------------------------------- */

/* Add a slice to a track, and bound the bytes of its pool. */
void html_add_slice(struct html *x, struct html_levels *levels,
                    enum html_pool pool, uint32_t mask,
                    const struct html_slice *s);

/* ",[[quantum,offset,bytes,slices],...]"; *offset moves behind the bytes. */
void html_write_levels(struct html *x, const struct html_levels *levels,
                       size_t *offset);

/* --- html-programs.c ------------------------------------------------------ */

void html_add_thread(void *state, const struct activity_thread *a);
void html_add_program(void *state, const struct activity_program *a);

/* Write the rows of threads, and the names of events. */
void html_write_programs(struct html *x, size_t *offset);

/* Free the rows, without their tracks. */
void html_free_programs(struct html *x);

/* --- other parts of the file ---------------------------------------------- */

/*
 * Write numbers as members of a JSON object, in html-numbers.c.  0 or -ENOMEM.
 */
int html_write_numbers(FILE *out, const struct viewer_options *options);

/* The same for waits, in html-waits.c.  0 or -ENOMEM. */
int html_write_waits(FILE *out, const struct viewer_options *options);

/* Lines of the page before and behind the data, up to a NULL. */
extern const char *const html_page_before[], *const html_page_after[];

#endif /* XENALYZE_VIEWERS_HTML_H */
