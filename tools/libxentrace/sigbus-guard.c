/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The handler may interrupt any code, so it only reads a fixed table of
 * atomics: a mapping is guarded from the store of its `end` until `end` is
 * cleared.  Slots are acquired and released outside of the handler, by
 * compare-and-exchange of `taken`.
 */
#define _GNU_SOURCE /* SA_ONSTACK */

#include "libxentrace/sigbus-guard.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_GUARDS 64

static struct guard
{
    atomic_bool taken;
    atomic_uintptr_t begin;
    atomic_uintptr_t end;       /* 0: not guarded */
    atomic_int fd;
    _Atomic uint64_t hit_at;    /* UINT64_MAX: no fault */
} guards[NR_GUARDS];

static struct sigaction before;
static pthread_once_t installed = PTHREAD_ONCE_INIT;

/*
 * Map zeroes over the page at `page`; and over all pages behind it if the file
 * ends there, so that losing gigabytes does not cost a signal per page.
 */
static bool map_zeroes(struct guard *g, uintptr_t page, uintptr_t end)
{
    size_t size = sysconf(_SC_PAGESIZE);
    uint64_t offset = page - atomic_load(&g->begin);
    struct stat st;

    if ( fstat(atomic_load(&g->fd), &st) || (uint64_t)st.st_size <= offset )
        size = end - page;
    if ( offset < atomic_load(&g->hit_at) )
        atomic_store(&g->hit_at, offset);
    return mmap((void *)page, size, PROT_READ,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool handle_fault(uintptr_t at)
{
    uintptr_t page = at & -(uintptr_t)sysconf(_SC_PAGESIZE);

    for ( struct guard *g = guards; g < guards + NR_GUARDS; g++ )
    {
        uintptr_t end = atomic_load(&g->end);

        if ( at < end && at >= atomic_load(&g->begin) )
            return map_zeroes(g, page, end);
    }
    return false;
}

/* Another mapping's fault.  By default the access faults again. */
static void call_previous_handler(int signal, siginfo_t *info, void *context)
{
    if ( before.sa_flags & SA_SIGINFO )
        before.sa_sigaction(signal, info, context);
    else if ( before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN )
        before.sa_handler(signal);
    else
        sigaction(signal, &before, NULL);
}

static void handle_sigbus(int signal, siginfo_t *info, void *context)
{
    int saved = errno;

    /*
     * Only the kernel's signals have an address; kill() can send SIGBUS, too.
     */
    if ( info->si_code <= 0 || !handle_fault((uintptr_t)info->si_addr) )
        call_previous_handler(signal, info, context);
    errno = saved;
}

static void install_handler(void)
{
    struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

    ours.sa_sigaction = handle_sigbus;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGBUS, &ours, &before);
}

static bool claim_slot(struct guard *g)
{
    bool no = false;

    return atomic_compare_exchange_strong(&g->taken, &no, true);
}

int guard_add(const void *at, size_t size, int fd)
{
    size_t page = sysconf(_SC_PAGESIZE);

    assert(at && size && fd >= 0);
    pthread_once(&installed, install_handler);
    for ( int i = 0; i < NR_GUARDS; i++ )
    {
        struct guard *g = &guards[i];

        if ( !claim_slot(g) )
            continue;
        atomic_store(&g->begin, (uintptr_t)at);
        atomic_store(&g->fd, fd);
        atomic_store(&g->hit_at, UINT64_MAX);
        atomic_store(&g->end, (uintptr_t)at + (size + page - 1) / page * page);
        return i;
    }
    return -ENOSPC;
}

void guard_remove(int guard)
{
    assert(guard >= 0 && guard < NR_GUARDS);
    assert(atomic_load(&guards[guard].taken));
    atomic_store(&guards[guard].end, 0);
    atomic_store(&guards[guard].taken, false);
}

uint64_t guard_hit_at(int guard)
{
    assert(guard >= 0 && guard < NR_GUARDS);
    return atomic_load(&guards[guard].hit_at);
}
