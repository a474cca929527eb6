/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and UUIDs of domains, from the metadata of a trace, and labels for
 * output; and the description of the host, which comes from the same metadata.
 *
 * A name is any bytes; those that are no visible characters of UTF-8 are
 * replaced by "?".  A label has no spaces, commas and backslashes, less than
 * XT_DOMAIN_LABEL_MAX bytes, and belongs to one domain only:
 *
 *     web1        a domain with a name
 *     web1#7      two domains have this name, or the name looks like a number
 *     a-long-n~7  a name that is cut
 *     web\x201    a space in a name
 *     d7          a domain without a name
 *     web1+db2    a domain with an id that web1 had before
 *     web1/0      a vcpu of a domain with a name
 *     d7v0        a vcpu of a domain without a name
 */
#ifndef LIBXENTRACE_DOMAIN_NAMES_H
#define LIBXENTRACE_DOMAIN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/host.h"

struct xt_trace;

#define XT_NAME_MAX 256u        /* a longer name is cut */
#define XT_DOMAIN_LABEL_MAX 33u /* label of a domain, with its 0 */
#define XT_LABEL_MAX 48u        /* label of a vcpu, with its 0 */
#define XT_WHOLE_NAME_MAX (4 * XT_NAME_MAX)     /* with its 0 */

struct xt_domain_name
{
    uint16_t id;
    uint16_t length;            /* length of the label */
    const char *name;           /* owned */
    uint16_t latest;            /* offset in `name`: the name without those of
                                   domains that had the id before */
    char label[XT_DOMAIN_LABEL_MAX];
};

/* The UUID of a domain; several domains have the same after a reboot. */
struct xt_domain_uuid
{
    char text[XT_UUID_TEXT];
    struct xt_domain_name domain;   /* without a name: label "d7" */
};

struct xt_domain_names
{
    struct xt_domain_name *all; /* in the order of ids */
    size_t nr;
    unsigned int widest;        /* length of the longest label */
    struct xt_domain_uuid *uuids;   /* in the order of ids */
    size_t nr_uuids;
    struct xt_host host;
};

/*
 * Read the names from the trace: of a mapped file all of them, of a stream
 * those in its first bytes.  A later name of the same id replaces an earlier
 * one, unless another UUID came between them: this is another domain, and all
 * reports by id are about both, so they get both names.  Like xt_trace_info(),
 * only before reading has begun.  0 or -errno; after a failure,
 * xt_domain_names_fini() need not be called.
 */
int xt_domain_names_init(struct xt_domain_names *n, struct xt_trace *t,
                         struct err *e);
/* The same from metadata records in memory, such as those of a capture. */
int xt_domain_names_init_records(struct xt_domain_names *n, const void *bytes,
                                 size_t size, struct err *e);
void xt_domain_names_fini(struct xt_domain_names *n);

/* The functions below accept NULL for `n`: no names are known. */

/* May a word be a name or a UUID? */
static inline bool xt_domain_names_any(const struct xt_domain_names *n)
{
    return n && (n->nr || n->nr_uuids);
}

/* The name of a domain; NULL: unknown. */
const char *xt_domain_name(const struct xt_domain_names *n, unsigned int id);

/*
 * The label of a domain or a vcpu.  Returns `text`.
 */
const char *xt_domain_label(const struct xt_domain_names *n, unsigned int id,
                            char text[XT_LABEL_MAX]);
const char *xt_vcpu_label(const struct xt_domain_names *n, unsigned int domain,
                          unsigned int vcpu, char text[XT_LABEL_MAX]);

/*
 * The label, or in place of a label that is cut the whole name, escaped in the
 * same way.  Returns `text`.
 */
const char *xt_domain_whole_name(const struct xt_domain_names *n,
                                 unsigned int id,
                                 char text[XT_WHOLE_NAME_MAX]);

/*
 * A label for a column of at most `width` bytes, at least XT_COLUMN_MIN
 * where there are names: the domain's name is cut, and the result still belongs
 * to one domain only.
 */
#define XT_COLUMN_MIN 12u

const char *xt_domain_column(const struct xt_domain_names *n, unsigned int id,
                             unsigned int width, char text[XT_LABEL_MAX]);
const char *xt_vcpu_column(const struct xt_domain_names *n,
                           unsigned int domain, unsigned int vcpu,
                           unsigned int width, char text[XT_LABEL_MAX]);

/*
 * The width of a column of vcpus: `least` without names; with names at least
 * XT_COLUMN_MIN, and at most `most`.
 */
unsigned int xt_vcpu_column_width(const struct xt_domain_names *n,
                                  unsigned int least, unsigned int most);

/*
 * The next domain from index *at on with this name, or the name of one of its
 * domains, this label, however short
 * it is cut, or this UUID; *at is then behind it.  Several domains may have one
 * name or one UUID, and one may have the cut label of another as its name.
 * NULL: there are no more.
 */
const struct xt_domain_name *
xt_domain_names_find(const struct xt_domain_names *n, const char *text,
                     size_t length, size_t *at);

#endif /* LIBXENTRACE_DOMAIN_NAMES_H */
