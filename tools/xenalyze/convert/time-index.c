/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading an index, of which any byte may be wrong: a wrong index is stale.
 */
#define _GNU_SOURCE             /* asprintf */
#include "xenalyze/convert/time-index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/file-read.h"
#include "libxentrace/internal.h"
#include "libxentrace/meta-event.h"
#include "xenalyze/convert/early-save.h"

/* The bytes behind the name find errors of transfers as text. */
static const char magic[8] = { 'x', 't', 'i', '\x1a', '\r', '\n', '\n', '\0' };

#define VERSION 3u
#define MAX_TABLES (256u << 20)

_Static_assert(sizeof(struct index_header) == 96 &&
               sizeof(struct index_checkpoint) == 40 &&
               sizeof(struct index_metadata) == 16 &&
               sizeof(struct xt_pcpu_damage) == 40, "no holes");

/* --- common --------------------------------------------------------------- */

char *time_index_name(const char *path)
{
    char *name;

    return asprintf(&name, "%s" TIME_INDEX_SUFFIX, path) < 0 ? NULL : name;
}

/* Another program owns the folders of these. */
static const char *const nameless[] = { "/dev/stdin", "/dev/fd/", "/proc/" };

bool time_index_may_exist(const char *path)
{
    for ( size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++ )
        if ( !strncmp(path, nameless[i], strlen(nameless[i])) )
            return false;
    return strcmp(path, "-");
}

#define SAMPLES 64u
#define SAMPLE_BYTES 4096u

/* The first and the last bytes, and some between. */
int time_index_identify(int fd, uint64_t size, struct index_identity *id)
{
    unsigned char bytes[SAMPLE_BYTES];
    uint64_t last = size > SAMPLE_BYTES ? size - SAMPLE_BYTES : 0;
    size_t length = size < SAMPLE_BYTES ? size : SAMPLE_BYTES;
    struct stat st;
    int rc = fstat(fd, &st) ? -errno : 0;

    *id = (struct index_identity){ .size = size };
    for ( unsigned int i = 0; !rc && i < SAMPLES; i++ )
    {
        rc = file_read_at(fd, bytes, length, last / (SAMPLES - 1) * i +
                          last % (SAMPLES - 1) * i / (SAMPLES - 1), -EINVAL);
        id->crc = rc ? 0 : xt_crc32c(id->crc, bytes, length);
    }
    if ( !rc )
        id->modified = UINT64_C(1000000000) * st.st_mtim.tv_sec +
                       st.st_mtim.tv_nsec;
    return rc;
}

void index_header_init(struct index_header *h)
{
    *h = (struct index_header){ .version = VERSION };
    memcpy(h->magic, magic, sizeof(magic));
}

uint32_t index_header_crc(const struct index_header *h)
{
    struct index_header copy = *h;

    copy.crc = 0;
    return xt_crc32c(0, &copy, sizeof(copy));
}

/* --- opening -------------------------------------------------------------- */

static enum index_state compare_trace(const struct index_identity *id,
                                      const char *path)
{
    enum index_state state = INDEX_STALE;
    struct index_identity now;
    struct stat st;
    int fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);

    if ( fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
         (uint64_t)st.st_size >= id->size &&
         !time_index_identify(fd, id->size, &now) && now.crc == id->crc )
        state = (uint64_t)st.st_size > id->size ? INDEX_OUTGROWN
                : now.modified == id->modified ? INDEX_FITS : INDEX_STALE;
    if ( fd >= 0 )
        close(fd);
    return state;
}

static size_t checkpoint_bytes(const struct index_header *h)
{
    return (size_t)h->nr_checkpoints * sizeof(struct index_checkpoint);
}

static size_t damage_bytes(const struct index_header *h)
{
    return h->flags & INDEX_IS_DAMAGED
           ? sizeof(struct xt_damage) +
             (size_t)h->nr_damages * sizeof(struct xt_pcpu_damage) : 0;
}

static size_t metadata_bytes(const struct index_header *h)
{
    return (size_t)h->nr_metadata * sizeof(struct index_metadata);
}

static size_t tables_bytes(const struct index_header *h)
{
    return checkpoint_bytes(h) + damage_bytes(h) + metadata_bytes(h) +
           h->metadata_size;
}

static bool is_valid_header(const struct index_header *h, uint64_t file_size)
{
    struct index_header expected;

    index_header_init(&expected);
    return h->version == expected.version && h->crc == index_header_crc(h) &&
           h->metadata_size < MAX_TABLES && tables_bytes(h) < MAX_TABLES &&
           h->tables <= file_size && file_size - h->tables == tables_bytes(h) &&
           h->counts <= h->tables && h->counts_size < MAX_TABLES &&
           h->counts_size <= h->tables - h->counts;
}

static const struct index_checkpoint *
get_checkpoints(const struct time_index *x)
{
    return (const void *)x->tables;
}

static const struct index_metadata *get_metadata(const struct time_index *x)
{
    return (const void *)(x->tables + checkpoint_bytes(&x->header) +
                          damage_bytes(&x->header));
}

static const unsigned char *get_records(const struct time_index *x)
{
    return (const unsigned char *)get_metadata(x) + metadata_bytes(&x->header);
}

static bool are_valid_checkpoints(const struct time_index *x)
{
    const struct index_checkpoint *c = get_checkpoints(x);
    const struct index_header *h = &x->header;

    for ( uint32_t i = 0; i < h->nr_checkpoints; i++ )
        if ( c[i].at > h->tables || c[i].size > h->tables - c[i].at ||
             c[i].nr_metadata > h->nr_metadata ||
             (i && (c[i].time <= c[i - 1].time ||
                    c[i].position < c[i - 1].position)) )
            return false;
    return true;
}

static bool is_valid_metadata(const struct time_index *x)
{
    const struct index_metadata *m = get_metadata(x);
    const unsigned char *at = get_records(x);
    const unsigned char *end = at + x->header.metadata_size;
    struct xt_record r;

    for ( uint32_t i = 0; i < x->header.nr_metadata; i++ )
    {
        if ( m[i].cpu >= XT_MAX_CPUS || !m[i].size ||
             xt_record_decode(&r, at, end) != m[i].size ||
             !xt_event_is_meta(r.event) )
            return false;
        at += m[i].size;
    }
    return at == end;
}

/* --- damage --------------------------------------------------------------- */

static bool is_valid_log(const struct xt_damage *d)
{
    if ( d->nr_first > XT_DAMAGE_PLACES )
        return false;
    for ( size_t i = 0; i < d->nr_first; i++ )
        if ( (unsigned int)d->first[i].kind >= XT_DAMAGE_KINDS ||
             d->first[i].offset + d->first[i].bytes < d->first[i].offset )
            return false;
    return true;
}

static bool is_valid_damage(const struct xt_pcpu_damage *d)
{
    return d->type < XT_PCPU_DAMAGE_TYPES && d->kind < XT_DAMAGE_KINDS &&
           d->cpu < XT_MAX_CPUS && d->begin <= d->end &&
           d->offset + d->bytes >= d->offset;
}

/* Set x->damages; false: they are not as a writer writes them. */
static bool find_damages(struct time_index *x)
{
    struct xt_pcpu_damages *d = &x->damages;
    unsigned char *at = x->tables + checkpoint_bytes(&x->header);

    if ( !(x->header.flags & INDEX_IS_DAMAGED) )
        return true;
    memcpy(&d->of_windows, at, sizeof(d->of_windows));
    d->items = (void *)(at + sizeof(d->of_windows));
    d->nr = x->header.nr_damages;
    for ( size_t i = 0; i < d->nr; i++ )
        if ( !is_valid_damage(&d->items[i]) ||
             (i && xt_pcpu_damage_compare(&d->items[i - 1],
                                          &d->items[i]) > 0) )
            return false;
    return is_valid_log(&d->of_windows);
}

const struct xt_pcpu_damages *
time_index_get_damages(const struct time_index *x)
{
    assert(x->tables);
    return x->header.flags & INDEX_IS_DAMAGED ? &x->damages : NULL;
}

/* --- tables --------------------------------------------------------------- */

/* Read and check all but the states.  0, -EINVAL, or another -errno. */
static int read_tables(struct time_index *x)
{
    struct index_header *h = &x->header;
    size_t size = tables_bytes(h);
    int rc;

    x->tables = fault_malloc(size ? size : 1);
    if ( !x->tables )
        return -ENOMEM;
    rc = file_read_at(x->fd, x->tables, size, h->tables, -EINVAL);
    if ( !rc && (xt_crc32c(0, x->tables, size) != h->tables_crc ||
                 !are_valid_checkpoints(x) || !find_damages(x) ||
                 !is_valid_metadata(x)) )
        rc = -EINVAL;
    return rc;
}

static enum index_state read_index(struct time_index *x, const char *path)
{
    enum index_state state = INDEX_MISSING;
    struct stat st;
    int rc;

    if ( !fstat(x->fd, &st) && S_ISREG(st.st_mode) &&
         !file_read_at(x->fd, &x->header, sizeof(x->header), 0, -EINVAL) &&
         !memcmp(x->header.magic, magic, sizeof(magic)) )
        state = is_valid_header(&x->header, st.st_size)
                ? compare_trace(&x->header.trace, path) : INDEX_STALE;
    if ( state != INDEX_FITS )
        return state;
    rc = read_tables(x);
    return !rc ? INDEX_FITS : rc == -ENOMEM ? INDEX_MISSING : INDEX_STALE;
}

enum index_state time_index_open(struct time_index *x, const char *path)
{
    char *name = time_index_name(path);
    enum index_state state;

    *x = (struct time_index){ .fd = -1 };
    if ( name )         /* opening a pipe would wait for a writer */
        x->fd = fault_open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
    free(name);
    if ( x->fd < 0 )
        return INDEX_MISSING;
    state = read_index(x, path);
    if ( state != INDEX_FITS )
        time_index_close(x);
    return state;
}

void time_index_close(struct time_index *x)
{
    assert(x->fd >= 0);
    close(x->fd);
    free(x->tables);
    *x = (struct time_index){ .fd = -1 };
}

/* --- a checkpoint --------------------------------------------------------- */

const struct index_checkpoint *time_index_find(const struct time_index *x,
                                               uint64_t time)
{
    const struct index_checkpoint *c = get_checkpoints(x);
    size_t low = 0, high = x->header.nr_checkpoints;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( c[middle].time <= time )
            low = middle + 1;
        else
            high = middle;
    }
    assert(!low || c[low - 1].time <= time);
    return low ? &c[low - 1] : NULL;
}

const struct index_checkpoint *
time_index_get_previous(const struct time_index *x,
                        const struct index_checkpoint *c)
{
    assert(c >= get_checkpoints(x));
    return c > get_checkpoints(x) ? c - 1 : c;
}

int time_index_load(const struct time_index *x,
                    const struct index_checkpoint *c,
                    struct early_records *early)
{
    unsigned char *bytes = fault_malloc(c->size ? c->size : 1);
    int rc = bytes ? file_read_at(x->fd, bytes, c->size, c->at, -EINVAL)
                   : -ENOMEM;

    assert(c->size <= x->header.tables);
    if ( !rc && xt_crc32c(0, bytes, c->size) != c->crc )
        rc = -EINVAL;
    rc = rc ? rc : early_load(early, bytes, c->size);
    free(bytes);
    return rc;
}

int time_index_visit_metadata(const struct time_index *x,
                              const struct index_checkpoint *c,
                              index_metadata_fn *fn, void *arg)
{
    const struct index_metadata *m = get_metadata(x);
    const unsigned char *at = get_records(x);
    struct xt_record r;
    struct xt_item item;
    int rc = 0;

    assert(c->nr_metadata <= x->header.nr_metadata);
    for ( uint32_t i = 0; !rc && i < c->nr_metadata; at += m[i++].size )
    {
        xt_record_view(&r, at);
        item = (struct xt_item){
            .time = m[i].time, .where = (uint64_t)m[i].cpu << XT_ITEM_CPU_SHIFT,
        };
        rc = fn(arg, &item, &r, at, m[i].size);
    }
    return rc;
}

const unsigned char *time_index_get_metadata(const struct time_index *x,
                                             size_t *size)
{
    assert(x->tables);
    *size = x->header.metadata_size;
    return x->header.flags & INDEX_IS_UNUSABLE ? NULL : get_records(x);
}

/* --- counts --------------------------------------------------------------- */

int time_index_load_counts(const struct time_index *x, struct saved_counts *c)
{
    const struct index_header *h = &x->header;
    unsigned char *bytes = fault_malloc(h->counts_size + 1);
    int rc = bytes ? file_read_at(x->fd, bytes, h->counts_size, h->counts,
                                  -EINVAL) : -ENOMEM;

    assert(h->counts_size <= h->tables - h->counts);
    if ( !rc && xt_crc32c(0, bytes, h->counts_size) != h->counts_crc )
        rc = -EINVAL;
    rc = rc ? rc : counts_load(c, bytes, h->counts_size, h->trace.size);
    free(bytes);
    return rc;
}
