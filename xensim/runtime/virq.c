/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VIRQ_TBUF to dom0: an eventfd for each receiver. Xen has one receiver, and
 * the control socket accepts one client; several let a test listen beside the
 * collector.
 *
 * The functions run in tasklets, never in interrupts, so the lock may be a
 * mutex.
 */
#include "xensim/runtime/machine.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <xen/event.h>

#define BOUND_MAX 64

static struct
{
    pthread_mutex_t lock;   /* protects fds and nr */
    int fds[BOUND_MAX];
    unsigned int nr;
    unsigned long sent;
} virqs = { .lock = PTHREAD_MUTEX_INITIALIZER };

unsigned long xensim_virqs(void)
{
    return __atomic_load_n(&virqs.sent, __ATOMIC_RELAXED);
}

int xensim_bind_virq(void)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if ( fd < 0 )
        return -errno;

    pthread_mutex_lock(&virqs.lock);
    if ( virqs.nr == BOUND_MAX )
    {
        close(fd);
        fd = -ENOSPC;
    }
    else
        virqs.fds[virqs.nr++] = fd;
    pthread_mutex_unlock(&virqs.lock);
    return fd;
}

void xensim_unbind_virq(int fd)
{
    pthread_mutex_lock(&virqs.lock);
    for ( unsigned int i = 0; i < virqs.nr; i++ )
        if ( virqs.fds[i] == fd )
        {
            virqs.fds[i] = virqs.fds[--virqs.nr];
            break;
        }
    pthread_mutex_unlock(&virqs.lock);
}

void send_global_virq(uint32_t virq)
{
    static const uint64_t one = 1;

    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    if ( virq != VIRQ_TBUF )
        return;

    __atomic_add_fetch(&virqs.sent, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&virqs.lock);
    for ( unsigned int i = 0; i < virqs.nr; i++ )
        /* A full counter makes write() fail; the eventfd is readable then. */
        if ( write(virqs.fds[i], &one, sizeof(one)) < 0 )
            continue;
    pthread_mutex_unlock(&virqs.lock);
}

void virqs_fini(void)
{
    virqs.nr = 0;
    virqs.sent = 0;
}
