/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small queries to the system and to the hypervisor.  A failed query leaves its
 * record out, and does not stop the capture.
 */
#include "config.h"

#include "xentrace/metadata.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"
#include "libxentrace/catalogue.h"
#include "xentrace/cycle-counter.h"

/* Values of text_kind and tsc_source of events/11-meta. */
enum { TEXT_XEN_EXTRA = 1, TEXT_HOST = 7, TEXT_KERNEL = 8, TEXT_COLLECTOR = 10,
       TEXT_ARGUMENTS = 11, TEXT_OS = 13 };
enum { SOURCE_HYPERVISOR = 2 };

#define CLOCK_SAMPLES 3     /* clock samples; the most precise one is used */

/* --- records -------------------------------------------------------------- */

static void append_record(void *metadata, const struct xt_meta *m)
{
    struct metadata *a = metadata;
    size_t room = 2 * a->room + 1024;
    unsigned char *bytes;

    pthread_mutex_lock(&a->lock);
    if ( !a->failed && a->room - a->used < XT_META_MAX_BYTES )
    {
        bytes = fault_realloc(a->bytes, room);
        if ( bytes )
        {
            a->bytes = bytes;
            a->room = room;
        }
        else
            a->failed = -ENOMEM;
    }
    if ( !a->failed )
        a->used += xt_meta_encode(m, a->bytes + a->used);
    assert(a->used <= a->room);
    pthread_mutex_unlock(&a->lock);
}

/* The records with a text have the same layout. */
#define ASSERT_LAYOUT(name, id) \
    _Static_assert(offsetof(struct xt_rec_meta_text, kind) == \
                   offsetof(struct xt_rec_meta_##name, id) && \
                   offsetof(struct xt_rec_meta_text, part) == \
                   offsetof(struct xt_rec_meta_##name, part) && \
                   offsetof(struct xt_rec_meta_text, t0) == \
                   offsetof(struct xt_rec_meta_##name, t0), "texts")
ASSERT_LAYOUT(domain_name, dom);
ASSERT_LAYOUT(irq_name, irq);

void metadata_put_text(hv_record_fn *put, void *arg, uint32_t event,
                       uint16_t id, const char *text)
{
    size_t length = strlen(text);
    unsigned int parts = xt_meta_count_parts(length);

    assert(event == TRC_META_TEXT || event == TRC_META_DOMAIN_NAME ||
           event == TRC_META_IRQ_NAME);
    for ( unsigned int i = 0; length && i < parts; i++ )
    {
        struct xt_meta m = { .event = event, .text.kind = id };

        xt_meta_set_part(&m, text, i);
        put(arg, &m);
    }
}

static void append_meta_text(struct metadata *a, uint16_t kind,
                             const char *text)
{
    metadata_put_text(append_record, a, TRC_META_TEXT, kind, text);
}

/* --- clocks --------------------------------------------------------------- */

int metadata_read_tsc(struct hv *hv, uint64_t *tsc, struct err *e)
{
    if ( hv->type->clock )
        return hv->type->clock(hv, tsc, e);
    *tsc = cycle_counter_read();
    return 0;
}

static uint64_t read_clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int sample_clocks_once(struct hv *hv, struct xt_meta *m, struct err *e)
{
    uint64_t before, after, mono, wall;
    int rc = metadata_read_tsc(hv, &before, e);

    if ( rc )
        return rc;
    mono = read_clock_ns(CLOCK_MONOTONIC);
    wall = read_clock_ns(CLOCK_REALTIME);
    rc = metadata_read_tsc(hv, &after, e);
    if ( rc )
        return rc;
    *m = (struct xt_meta){
        .event = TRC_META_CLOCK,
        .clock = {
            .tsc = before + (after - before) / 2, .mono = mono, .wall = wall,
            .uncertainty = after - before < UINT32_MAX ? after - before
                                                       : UINT32_MAX,
        },
    };
    return 0;
}

int metadata_sample_clocks(struct hv *hv, struct xt_meta *m, struct err *e)
{
    struct xt_meta sample;
    int rc = sample_clocks_once(hv, m, e);

    for ( unsigned int i = 1; !rc && i < CLOCK_SAMPLES; i++ )
    {
        rc = sample_clocks_once(hv, &sample, e);
        if ( !rc && sample.clock.uncertainty < m->clock.uncertainty )
            *m = sample;
    }
    return rc;
}

/* --- machine -------------------------------------------------------------- */

/*
 * Read the first line of a file that starts with `key`, without the key; or "".
 */
static void read_text_line(const char *path, const char *key, char *line,
                           int size)
{
    FILE *f = fopen(path, "re");
    size_t skip = strlen(key);

    assert(size > 0);
    *line = '\0';
    if ( !f )
        return;
    while ( fgets(line, size, f) && strncmp(line, key, skip) )
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    memmove(line, line + (*line ? skip : 0), strlen(line + (*line ? skip : 0))
            + 1);
    fclose(f);
}

static void append_version(struct metadata *a)
{
    struct xt_meta m = {
        .event = TRC_META_VERSION,
        .version = { .version = 1, .catalogue = xt_catalogue_sum() },
    };

    append_record(a, &m);
}

static void append_tsc(struct metadata *a, const struct hv_info *info)
{
    struct xt_meta m = {
        .event = TRC_META_TSC,
        .tsc = { .hz = 1000ull * info->tsc_khz, .source = SOURCE_HYPERVISOR },
    };

    if ( info->tsc_khz )
        append_record(a, &m);
}

static void append_start(struct metadata *a, struct hv *hv,
                         const struct metadata_start *start)
{
    struct err ignored = ERR_INIT;
    time_t now = time(NULL);
    struct tm local;
    struct xt_meta m = {
        .event = TRC_META_START,
        .start = { .events = start->evt_mask, .pages = start->pages,
                   .cpus = start->cpus, .flags = start->flags },
    };
    uint64_t tsc = 0;

    if ( localtime_r(&now, &local) )
        m.start.utc_offset = local.tm_gmtoff;
    metadata_read_tsc(hv, &tsc, &ignored);
    m.start.tsc = tsc;
    append_record(a, &m);
}

/* "4.17.5-pre" becomes two numbers and the text behind the numbers. */
static void append_xen(struct metadata *a, const struct hv_info *info)
{
    struct xt_meta m = { .event = TRC_META_XEN,
                         .xen = { .hardware = info->hardware,
                                  .cpus = info->nr_cpus } };
    unsigned int major = 0, minor = 0;
    int length = 0;

    if ( sscanf(info->version, "%u.%u%n", &major, &minor, &length) < 2 )
        length = 0;
    m.xen.major = major;
    m.xen.minor = minor;
    append_record(a, &m);
    append_meta_text(a, TEXT_XEN_EXTRA, info->version + length);
}

static void append_system(struct metadata *a)
{
    struct utsname u;
    char line[256];

    if ( !uname(&u) )
    {
        append_meta_text(a, TEXT_HOST, u.nodename);
        snprintf(line, sizeof(line), "%s %s %s", u.sysname, u.release,
                 u.machine);
        append_meta_text(a, TEXT_KERNEL, line);
    }
    read_text_line("/etc/os-release", "PRETTY_NAME=\"", line, sizeof(line));
    line[strcspn(line, "\"")] = '\0';
    append_meta_text(a, TEXT_OS, line);
    append_meta_text(a, TEXT_COLLECTOR,
                     PACKAGE_NAME " xentrace " PACKAGE_VERSION);
}

static void append_boot_id(struct metadata *a)
{
    struct xt_meta m = { .event = TRC_META_BOOT_ID };
    unsigned char id[16];
    unsigned int nr = 0;
    char line[64];

    read_text_line("/proc/sys/kernel/random/boot_id", "", line, sizeof(line));
    for ( const char *p = line; *p && nr < sizeof(id); p++ )
        if ( *p != '-' && sscanf(p, "%2hhx", &id[nr]) == 1 )
        {
            nr++;
            p++;
        }
    if ( nr < sizeof(id) )
        return;
    memcpy(&m.boot_id, id, sizeof(id));
    append_record(a, &m);
}

static void append_clock(struct metadata *a, struct hv *hv)
{
    struct err ignored = ERR_INIT;
    struct xt_meta m;

    if ( !metadata_sample_clocks(hv, &m, &ignored) )
        append_record(a, &m);
}

/* Records that are appended to the metadata and to an array. */
struct new_records
{
    struct metadata *metadata;
    struct xt_meta *m;
    unsigned int nr, room;
};

static void append_new(void *arg, const struct xt_meta *m)
{
    struct new_records *new_records = arg;
    unsigned int room = 2 * new_records->room + 16;
    struct xt_meta *larger;

    assert(new_records->nr <= new_records->room);
    append_record(new_records->metadata, m);
    if ( new_records->nr == new_records->room )
    {
        larger = fault_realloc(new_records->m, room * sizeof(*larger));
        if ( !larger )
            return;
        new_records->m = larger;
        new_records->room = room;
    }
    new_records->m[new_records->nr++] = *m;
}

void metadata_poll(struct metadata *a, struct hv *hv, struct xt_meta **m,
                   unsigned int *nr)
{
    struct new_records new_records = { .metadata = a };

    domains_poll(&a->domains, hv, append_new, &new_records);
    *m = new_records.m;
    *nr = new_records.nr;
}

void *metadata_copy(void *metadata, size_t *bytes)
{
    struct metadata *a = metadata;
    void *copy;

    pthread_mutex_lock(&a->lock);
    assert(a->used <= a->room);
    copy = fault_malloc(a->used);
    if ( copy )
        memcpy(copy, a->bytes, a->used);
    *bytes = a->used;
    pthread_mutex_unlock(&a->lock);
    return copy;
}

/* This thread alone appends records, so that reading needs no lock. */
int metadata_read_names(const struct metadata *a,
                        struct xt_domain_names *names, struct err *e)
{
    return xt_domain_names_init_records(names, a->bytes, a->used, e);
}

static void append_all(struct metadata *a, struct hv *hv,
                       const struct hv_info *info,
                       const struct metadata_start *start)
{
    append_version(a);
    append_tsc(a, info);
    append_start(a, hv, start);
    append_clock(a, hv);
    append_xen(a, info);
    append_system(a);
    if ( start->arguments )
        append_meta_text(a, TEXT_ARGUMENTS, start->arguments);
    if ( start->comment )
        append_meta_text(a, METADATA_TEXT_COMMENT, start->comment);
    append_boot_id(a);
    if ( hv->type->describe )
        hv->type->describe(hv, append_record, a);
    domains_poll(&a->domains, hv, append_record, a);
}

int metadata_init(struct metadata *a, struct hv *hv, const struct hv_info *info,
                  const struct metadata_start *start, struct err *e)
{
    int rc;

    *a = (struct metadata){ .failed = 0 };
    rc = domains_init(&a->domains, e);
    if ( rc )
        return rc;
    pthread_mutex_init(&a->lock, NULL);
    append_all(a, hv, info, start);
    if ( !a->failed )
        return 0;
    metadata_fini(a);
    return err_sys(e, -ENOMEM, "cannot describe the machine");
}

/* Zeroed metadata is a valid argument, as for free(). */
void metadata_fini(struct metadata *a)
{
    if ( !a->domains.known )
        return;
    pthread_mutex_destroy(&a->lock);
    domains_fini(&a->domains);
    free(a->bytes);
    *a = (struct metadata){ .failed = 0 };
}
