/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of back ends, the subset that the program was generated with, and
 * their initialization.
 */
#include "libusertrace/backends.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "libusertrace/registry.h"
#include "libusertrace/reporter.h"
#include "libusertrace/simple-backend.h"
#include "libusertrace/trace/usertrace.h"

/* In the order of tracetool --list-backends. */
static const struct ut_backend rows[] = {
    { .name = "nop" },
    { .name = "dtrace" },
    { .name = "ftrace", .init = ut_ftrace_init },
    { .name = "log" },
    { .name = "simple", .init = ut_simple_init,
      .prepare = ut_simple_prepare },
    { .name = "syslog", .init = ut_syslog_init },
    { .name = "ust" },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

/*
 * used[] is filled from the front, under ut_lock(); the last entry stays NULL.
 */
static const char *used[NR_ROWS + 1];
static bool initialized[NR_ROWS];

static const struct ut_backend *find_backend(const char *name, size_t length)
{
    for ( size_t i = 0; i < NR_ROWS; i++ )
        if ( strlen(rows[i].name) == length &&
             !strncmp(rows[i].name, name, length) )
            return &rows[i];
    return NULL;
}

static void mark_used(const struct ut_backend *row)
{
    size_t i;

    for ( i = 0; used[i] && used[i] != row->name; i++ )
        ;
    assert(i < NR_ROWS);
    __atomic_store_n(&used[i], row->name, __ATOMIC_RELEASE);
}

void usertrace_use_backends(const char *names)
{
    const struct ut_backend *row;
    size_t length;

    ut_lock();
    for ( ; *names; names += length + (names[length] == ',') )
    {
        length = strcspn(names, ",");
        row = find_backend(names, length);
        if ( row )
            mark_used(row);
    }
    ut_unlock();
}

const char *const *usertrace_backends(void)
{
    return used;
}

bool usertrace_has_backend(const char *name)
{
    const char *one;
    size_t i;

    for ( i = 0; (one = __atomic_load_n(&used[i], __ATOMIC_ACQUIRE)); i++ )
        if ( !strcmp(one, name) )
            return true;
    return false;
}

void ut_backends_prepare(void)
{
    for ( size_t i = 0; i < NR_ROWS; i++ )
        if ( rows[i].prepare && usertrace_has_backend(rows[i].name) )
            rows[i].prepare();
}

bool trace_init_backends(void)
{
    struct err e = ERR_INIT;

    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        if ( !rows[i].init || initialized[i] ||
             !usertrace_has_backend(rows[i].name) )
            continue;
        if ( rows[i].init(&e) )
        {
            ut_report("%s", e.text);
            ut_report("failed to initialize %s tracing backend.", rows[i].name);
            return false;
        }
        initialized[i] = true;
    }
    return true;
}
