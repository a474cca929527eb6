/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filter records by pcpu, domain, vcpu, event and time, from the arguments of
 * options.  Words of one option are alternatives; a record has to match all
 * given options.  A record matches a domain or vcpu that runs on the record's
 * pcpu, or that a field of the record names.
 */
#ifndef XENALYZE_FILTER_FILTER_H
#define XENALYZE_FILTER_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/internal.h"
#include "libxentrace/libxentrace.h"

struct filter;

/* The pcpu's current vcpu is unknown. */
#define FILTER_NO_VCPU UINT32_MAX

/* Arguments of options; NULL: no restriction. */
struct filter_texts
{
    const char *pcpus;          /* "0,4-7" */
    const char *domains;        /* "0,3-5,idle,web1" */
    const char *vcpus;          /* "d1v0,d1v1,web1/0" */
    const char *events;         /* "sched_*,hvm:handler,0x28004,TRC_..." */
    const struct xt_domain_names *names; /* in the trace; or NULL */

    /*
     * Does the dump show the event under a name that this pattern matches?
     * For patterns that match no name in the catalogue; or NULL.
     */
    bool (*has_dump_name)(const struct xt_event *event, const char *pattern);

    /* A pattern may match names that only events of programs have. */
    bool has_programs;
};

/*
 * 0; -EINVAL and the invalid word in *e; -ENOENT: the trace has no domain of
 * this name; or -ENOMEM.
 */
int filter_new(struct filter **f, const struct filter_texts *texts,
               struct err *e);
void filter_free(struct filter *f);     /* NULL is fine */

/* Do all records match?  Does matching need the current vcpu of pcpus? */
bool filter_is_empty(const struct filter *f);
bool filter_needs_vcpu(const struct filter *f);

/* `vcpu_id`: domain << 16 | vcpu of the current vcpu, or FILTER_NO_VCPU. */
bool filter_wants(const struct filter *f, const struct xt_catalogue *catalogue,
                  unsigned int cpu, uint32_t vcpu_id,
                  const struct xt_record *r);

/*
 * Match an event of a program by its name, if filter_texts.has_programs.  Such
 * an event belongs to no pcpu, domain or vcpu, and filters by these accept it.
 */
bool filter_wants_name(const struct filter *f, const char *name);

/*
 * Match facts about a pcpu or vcpu, regardless of events.  For a whole domain,
 * vcpu is FILTER_NO_VCPU: a domain matches if any of its vcpus does.
 */
bool filter_wants_pcpu(const struct filter *f, unsigned int cpu);
bool filter_wants_vcpu(const struct filter *f, unsigned int domain,
                       unsigned int vcpu);

/*
 * The id of the domain with this name, which ends at a comma, for an option.
 * 0; -EINVAL: the trace has no names, or several domains have this one; or
 * -ENOENT.
 */
int filter_find_domain(const struct xt_domain_names *names, const char *option,
                       const char *name, uint64_t *id, struct err *e);

/* --- time ----------------------------------------------------------------- */

enum moment_kind
{
    MOMENT_NONE,                /* not bounded */
    MOMENT_SINCE_START,         /* nanoseconds after the first time stamp */
    MOMENT_BEFORE_END,          /* nanoseconds before the last time stamp */
    MOMENT_CYCLES,              /* a time stamp */
    MOMENT_WALL,                /* nanoseconds since 1970 */
    MOMENT_CLOCK,               /* nanoseconds since midnight */
};

struct moment
{
    enum moment_kind kind;
    uint64_t value;
    bool has_zone;              /* MOMENT_CLOCK: not in local time, but ... */
    int32_t zone;               /* ... so many seconds east of UTC */
};

struct span
{
    const char *text, *option;  /* borrowed */
    struct moment from, to;
};

/*
 * Parse "A..B", where A or B may be absent: 1.5 or 3ms after the start, -10ms
 * before the end, 123456789c as a time stamp, 12:00, 12:00:03.5 or
 * 2024-02-29T12:00:03 of the wall clock, in local time or with Z, UTC or
 * +01:00 behind it.  0 or -EINVAL, also if the end is before the begin.  Errors
 * name the option: "time", or that of span_parse_option().
 */
int span_parse(const char *text, struct span *s, struct err *e);
int span_parse_option(const char *option, const char *text, struct span *s,
                      struct err *e);

/*
 * Convert a span to time stamps; first and last are those of the trace, and
 * last is 0 if unknown.  A missing begin is 0, a missing end UINT64_MAX; a span
 * that ends before any time stamp has from > until.  0, or -EINVAL: the trace
 * lacks the information, or the end is before the begin.
 */
int span_resolve(const struct span *s, const struct xt_clock *clock,
                 uint64_t first, uint64_t last, uint64_t *from,
                 uint64_t *until, struct err *e);

#endif /* XENALYZE_FILTER_FILTER_H */
