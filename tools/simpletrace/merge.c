/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pending record per trace.  The number of traces is small, so the
 * earliest record is found by linear search.
 */
#include "simpletrace/merge.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

#include "common/debug.h"
#include "common/fault.h"

static int allocate_heads(struct st_merge *m, size_t nr, struct err *e)
{
    m->readers = fault_calloc(nr, sizeof(*m->readers));
    m->heads = fault_calloc(nr, sizeof(*m->heads));
    m->has = fault_calloc(nr, sizeof(*m->has));
    if ( m->readers && m->heads && m->has )
        return 0;
    return err_sys(e, -ENOMEM, "cannot read the traces");
}

/* Wait for the header of a file that is followed. */
static int open_reader(struct st_reader *r, const char *path,
                       struct st_events *events,
                       const struct st_reader_options *how, struct err *e)
{
    static const struct timespec tick = { .tv_nsec = 100000000 };
    struct err why = ERR_INIT;
    int rc;

    assert(path);
    while ( (rc = st_reader_open(r, path, events, how, &why)) == -EAGAIN )
    {
        why = (struct err)ERR_INIT;
        nanosleep(&tick, NULL);
    }
    if ( rc && e )
        *e = why;
    return rc;
}

int st_merge_open(struct st_merge *m, char *const *paths, size_t nr,
                  struct st_events *events, const struct st_reader_options *how,
                  struct err *e)
{
    int rc;

    assert(nr);
    *m = (struct st_merge){ .nr = 0 };
    rc = allocate_heads(m, nr, e);
    for ( ; !rc && m->nr < nr; m->nr += !rc )
        rc = open_reader(&m->readers[m->nr], paths[m->nr], events, how, e);
    if ( rc )
        st_merge_close(m);
    return rc;
}

void st_merge_close(struct st_merge *m)
{
    while ( m->nr )
        st_reader_close(&m->readers[--m->nr]);
    fault_free(m->readers);
    fault_free(m->heads);
    fault_free(m->has);
    *m = (struct st_merge){ .nr = 0 };
}

static int fill_head(struct st_merge *m, size_t i, struct err *e)
{
    int rc = st_reader_next(&m->readers[i], &m->heads[i], e);

    assert(i < m->nr && !m->has[i]);
    m->has[i] = rc > 0;
    return rc < 0 ? rc : 0;
}

static int fill_heads(struct st_merge *m, struct err *e)
{
    int rc = 0;

    for ( size_t i = 0; i < m->nr && !rc; i++ )
        if ( !m->has[i] )
            rc = fill_head(m, i, e);
    return rc;
}

int st_merge_next(struct st_merge *m, const struct st_record **record,
                  struct err *e)
{
    size_t i, best;
    int rc;

    debug_assert(!m->handed || m->has[m->last]);
    if ( m->handed )
        m->has[m->last] = false;
    m->handed = false;
    *record = m->heads;
    if ( m->nr == 1 )
        return st_reader_next(m->readers, m->heads, e);
    rc = fill_heads(m, e);
    if ( rc )
        return rc;
    for ( i = 0, best = m->nr; i < m->nr; i++ )
        if ( m->has[i] && (best == m->nr ||
                           m->heads[i].time < m->heads[best].time) )
            best = i;
    if ( best == m->nr )
        return 0;
    m->last = best;
    m->handed = true;
    *record = &m->heads[best];
    return 1;
}

/*
 * A reader with a pending record is not at its end, and its buffer is in use.
 */
int st_merge_follow(struct st_merge *m, const struct st_reader_options *how,
                    struct err *e)
{
    bool more = false;
    int rc = 0;

    assert(!m->handed);
    for ( size_t i = 0; i < m->nr && rc >= 0; i++ )
        if ( !m->has[i] )
        {
            rc = st_reader_follow(&m->readers[i], how, e);
            more |= rc > 0;
        }
    return rc < 0 ? rc : more;
}
