/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which records are wanted: by pcpu, domain, vcpu, event and time, as a user
 * says it.  Of each kind, one hit is enough; of the kinds that are given, all
 * have to agree.  A record is of a domain or of a vcpu if that is on its pcpu,
 * or if one of its fields names it.
 */
#ifndef XENALYZE_FILTER_FILTER_H
#define XENALYZE_FILTER_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/libxentrace.h"

struct filter;

/* Nobody is on the pcpu, as far as is known. */
#define FILTER_NOBODY UINT32_MAX

/* The texts, each of which may be NULL: all are wanted. */
struct filter_texts
{
    const char *pcpus;          /* "0,4-7" */
    const char *domains;        /* "0,3-5,idle" */
    const char *vcpus;          /* "d1v0,d1v1" */
    const char *events;         /* "sched_*,hvm:handler,0x28004,TRC_..." */
};

/* 0, or -EINVAL and *e says which word; or -ENOMEM. */
int filter_new(struct filter **f, const struct filter_texts *texts,
               struct err *e);
void filter_free(struct filter *f);     /* NULL is fine */

/* Does it let all pass; does it have to know who is on a pcpu? */
bool filter_is_empty(const struct filter *f);
bool filter_needs_who(const struct filter *f);

/* `who` is domain << 16 | vcpu, or FILTER_NOBODY. */
bool filter_wants(const struct filter *f, const struct xt_catalogue *catalogue,
                  unsigned int cpu, uint32_t who, const struct xt_record *r);

/*
 * The same for what is known of a whole pcpu, domain or vcpu, whatever the
 * event.  Of a domain as a whole, vcpu is FILTER_NOBODY: it is wanted if any of
 * its vcpus is.
 */
bool filter_wants_pcpu(const struct filter *f, unsigned int cpu);
bool filter_wants_vcpu(const struct filter *f, unsigned int domain,
                       unsigned int vcpu);

/* --- time ----------------------------------------------------------------- */

enum moment_kind
{
    MOMENT_NONE,                /* not bounded */
    MOMENT_SINCE_START,         /* nanoseconds from the first time stamp on */
    MOMENT_BEFORE_END,          /* nanoseconds before the last one */
    MOMENT_CYCLES,              /* a time stamp */
    MOMENT_WALL,                /* nanoseconds since 1970 */
    MOMENT_CLOCK,               /* nanoseconds since midnight of that day */
};

struct moment
{
    enum moment_kind kind;
    uint64_t value;
};

struct span
{
    struct moment from, to;
};

/*
 * "A..B", of which either may be absent: 1.5 or 3ms from the start, -10ms
 * before the end, 123456789c as a time stamp, 12:00:03.5 or
 * 2024-02-29T12:00:03 by the wall clock, in local time.  0 or -EINVAL.
 */
int span_parse(const char *text, struct span *s, struct err *e);

/*
 * The time stamp of a moment; first and last are those of the trace, and last
 * is 0 if nobody knows.  0, or -EINVAL: this trace does not say that.
 */
int moment_resolve(const struct moment *m, const struct xt_clock *clock,
                   uint64_t first, uint64_t last, uint64_t *tsc,
                   struct err *e);

#endif /* XENALYZE_FILTER_FILTER_H */
