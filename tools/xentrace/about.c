/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of small questions to the system and to the hypervisor.  None of them
 * matters enough to fail for.
 */
#include "config.h"

#include "xentrace/about.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"
#include "libxentrace/catalogue.h"

/* Kinds of texts, and who said how fast the clock is: see events/11-meta. */
enum { TEXT_XEN_EXTRA = 1, TEXT_HOST = 7, TEXT_KERNEL = 8, TEXT_COLLECTOR = 10,
       TEXT_ARGUMENTS = 11, TEXT_OS = 13 };
enum { SOURCE_HYPERVISOR = 2 };

#define TRIES 3     /* of a pair of clocks: the best is taken */

/* --- records ------------------------------------------------------------- */

static void tell(void *about, const struct xt_meta *m)
{
    struct about *a = about;
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
    pthread_mutex_unlock(&a->lock);
}

/* Both kinds of text are laid out alike. */
_Static_assert(offsetof(struct xt_rec_meta_text, kind) ==
               offsetof(struct xt_rec_meta_domain_name, dom) &&
               offsetof(struct xt_rec_meta_text, part) ==
               offsetof(struct xt_rec_meta_domain_name, part) &&
               offsetof(struct xt_rec_meta_text, t0) ==
               offsetof(struct xt_rec_meta_domain_name, t0), "texts");

void about_text(hv_tell *to_whom, void *to, uint32_t event, uint16_t of,
                const char *text)
{
    size_t length = strlen(text);
    unsigned int parts = xt_meta_parts(length);

    for ( unsigned int i = 0; length && i < parts; i++ )
    {
        struct xt_meta m = {
            .event = event,
            .text = { .kind = of, .part = i, .parts = parts },
        };
        uint64_t words[3];

        xt_meta_part(words, text, length, i);
        m.text.t0 = words[0];
        m.text.t1 = words[1];
        m.text.t2 = words[2];
        to_whom(to, &m);
    }
}

static void tell_text(struct about *a, uint16_t kind, const char *text)
{
    about_text(tell, a, TRC_META_TEXT, kind, text);
}

/* --- clocks -------------------------------------------------------------- */

static uint64_t own_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t cycles;

    __asm__ __volatile__ ( "isb; mrs %0, cntvct_el0" : "=r" (cycles)
                           :: "memory" );
    return cycles;
#else
#error "which counter does Xen read here?"
#endif
}

int about_now(struct hv *hv, uint64_t *tsc, struct err *e)
{
    if ( hv->type->clock )
        return hv->type->clock(hv, tsc, e);
    *tsc = own_counter();
    return 0;
}

static uint64_t ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int clock_once(struct hv *hv, struct xt_meta *m, struct err *e)
{
    uint64_t before, after, mono, wall;
    int rc = about_now(hv, &before, e);

    if ( rc )
        return rc;
    mono = ns(CLOCK_MONOTONIC);
    wall = ns(CLOCK_REALTIME);
    rc = about_now(hv, &after, e);
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

int about_clock(struct hv *hv, struct xt_meta *m, struct err *e)
{
    struct xt_meta one;
    int rc = clock_once(hv, m, e);

    for ( unsigned int i = 1; !rc && i < TRIES; i++ )
    {
        rc = clock_once(hv, &one, e);
        if ( !rc && one.clock.uncertainty < m->clock.uncertainty )
            *m = one;
    }
    return rc;
}

/* --- the machine --------------------------------------------------------- */

/* The first line of a file, or what stands behind `key` in it; or "". */
static void read_line(const char *path, const char *key, char *line, int size)
{
    FILE *f = fopen(path, "re");
    size_t skip = strlen(key);

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

static void tell_version(struct about *a)
{
    struct xt_meta m = {
        .event = TRC_META_VERSION,
        .version = { .version = 1, .catalogue = xt_catalogue_sum() },
    };

    tell(a, &m);
}

static void tell_tsc(struct about *a, const struct hv_info *info)
{
    struct xt_meta m = {
        .event = TRC_META_TSC,
        .tsc = { .hz = 1000ull * info->tsc_khz, .source = SOURCE_HYPERVISOR },
    };

    if ( info->tsc_khz )
        tell(a, &m);
}

static void tell_start(struct about *a, struct hv *hv,
                       const struct about_start *start)
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
    about_now(hv, &tsc, &ignored);
    m.start.tsc = tsc;
    tell(a, &m);
}

/* "4.17.5-pre": two numbers, and the rest as a text. */
static void tell_xen(struct about *a, const struct hv_info *info)
{
    struct xt_meta m = { .event = TRC_META_XEN,
                         .xen = { .cpus = info->nr_cpus } };
    unsigned int major = 0, minor = 0;
    int length = 0;

    if ( sscanf(info->version, "%u.%u%n", &major, &minor, &length) < 2 )
        length = 0;
    m.xen.major = major;
    m.xen.minor = minor;
    tell(a, &m);
    tell_text(a, TEXT_XEN_EXTRA, info->version + length);
}

static void tell_system(struct about *a)
{
    struct utsname u;
    char line[256];

    if ( !uname(&u) )
    {
        tell_text(a, TEXT_HOST, u.nodename);
        snprintf(line, sizeof(line), "%s %s %s", u.sysname, u.release,
                 u.machine);
        tell_text(a, TEXT_KERNEL, line);
    }
    read_line("/etc/os-release", "PRETTY_NAME=\"", line, sizeof(line));
    line[strcspn(line, "\"")] = '\0';
    tell_text(a, TEXT_OS, line);
    tell_text(a, TEXT_COLLECTOR, PACKAGE_NAME " xentrace " PACKAGE_VERSION);
}

static void tell_boot_id(struct about *a)
{
    struct xt_meta m = { .event = TRC_META_BOOT_ID };
    unsigned char id[16];
    unsigned int nr = 0;
    char line[64];

    read_line("/proc/sys/kernel/random/boot_id", "", line, sizeof(line));
    for ( const char *p = line; *p && nr < sizeof(id); p++ )
        if ( *p != '-' && sscanf(p, "%2hhx", &id[nr]) == 1 )
        {
            nr++;
            p++;
        }
    if ( nr < sizeof(id) )
        return;
    memcpy(&m.boot_id, id, sizeof(id));
    tell(a, &m);
}

static void tell_clock(struct about *a, struct hv *hv)
{
    struct err ignored = ERR_INIT;
    struct xt_meta m;

    if ( !about_clock(hv, &m, &ignored) )
        tell(a, &m);
}

/* Into the bytes, and into a list of what is new. */
struct news
{
    struct about *about;
    struct xt_meta *m;
    unsigned int nr, room;
};

static void tell_news(void *to, const struct xt_meta *m)
{
    struct news *news = to;
    unsigned int room = 2 * news->room + 16;
    struct xt_meta *more;

    tell(news->about, m);
    if ( news->nr == news->room )
    {
        more = fault_realloc(news->m, room * sizeof(*more));
        if ( !more )
            return;
        news->m = more;
        news->room = room;
    }
    news->m[news->nr++] = *m;
}

void about_news(struct about *a, struct hv *hv, struct xt_meta **m,
                unsigned int *nr)
{
    struct news news = { .about = a };

    domains_news(&a->domains, hv, tell_news, &news);
    *m = news.m;
    *nr = news.nr;
}

void *about_copy(void *about, size_t *bytes)
{
    struct about *a = about;
    void *copy;

    pthread_mutex_lock(&a->lock);
    copy = fault_malloc(a->used);
    if ( copy )
        memcpy(copy, a->bytes, a->used);
    *bytes = a->used;
    pthread_mutex_unlock(&a->lock);
    return copy;
}

static void tell_all(struct about *a, struct hv *hv,
                     const struct hv_info *info,
                     const struct about_start *start)
{
    tell_version(a);
    tell_tsc(a, info);
    tell_start(a, hv, start);
    tell_clock(a, hv);
    tell_xen(a, info);
    tell_system(a);
    if ( start->arguments )
        tell_text(a, TEXT_ARGUMENTS, start->arguments);
    tell_boot_id(a);
    if ( hv->type->describe )
        hv->type->describe(hv, tell, a);
    domains_news(&a->domains, hv, tell, a);
}

int about_init(struct about *a, struct hv *hv, const struct hv_info *info,
               const struct about_start *start, struct err *e)
{
    int rc;

    *a = (struct about){ .failed = 0 };
    rc = domains_init(&a->domains, e);
    if ( rc )
        return rc;
    pthread_mutex_init(&a->lock, NULL);
    tell_all(a, hv, info, start);
    if ( !a->failed )
        return 0;
    about_fini(a);
    return err_sys(e, -ENOMEM, "cannot describe the machine");
}

/* One that was never made is nothing, as with free(). */
void about_fini(struct about *a)
{
    if ( !a->domains.known )
        return;
    pthread_mutex_destroy(&a->lock);
    domains_fini(&a->domains);
    free(a->bytes);
    *a = (struct about){ .failed = 0 };
}
