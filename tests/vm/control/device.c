/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device model in dom0 for a guest with one vcpu: reads of the ports of the
 * device return zero.  The first word of a file counts the accesses, so that a
 * script can compare a trace with the count; a log has a line for each access,
 * in the form of the log back end of trace points.
 *
 *    device DOMAIN FIRST-PORT NUMBER-OF-PORTS FILE LOG
 *
 * Serves until killed; prints a line once the guest may use the ports.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xendevicemodel.h>
#include <xenevtchn.h>
#include <xenforeignmemory.h>

#include <xen/hvm/dm_op.h>
#include <xen/hvm/ioreq.h>
#include <xen/memory.h>

struct device {
    domid_t domain;
    xendevicemodel_handle *model;
    xenforeignmemory_handle *memory;
    xenevtchn_handle *events;
    volatile struct ioreq *request; /* vcpu 0, in a page shared with Xen */
    uint32_t port;              /* event channel of vcpu 0 */
    volatile uint32_t *accesses;
    FILE *log;
};

/* die(WHAT): the reason is in errno */
static void __attribute__((noreturn)) die(const char *what)
{
    fprintf(stderr, "device: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void open_handles(struct device *d)
{
    d->model = xendevicemodel_open(NULL, 0);
    d->memory = xenforeignmemory_open(NULL, 0);
    d->events = xenevtchn_open(NULL, 0);
    if ( !d->model || !d->memory || !d->events )
        die("no interface to Xen");
}

static void open_counter(struct device *d, const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT, 0600);

    if ( fd < 0 || ftruncate(fd, sizeof(*d->accesses)) )
        die(name);
    d->accesses = mmap(NULL, sizeof(*d->accesses), PROT_READ | PROT_WRITE,
                       MAP_SHARED, fd, 0);
    if ( d->accesses == MAP_FAILED )
        die(name);
    close(fd);
}

static void open_log(struct device *d, const char *name)
{
    d->log = fopen(name, "w");
    if ( !d->log )
        die(name);
    setlinebuf(d->log);         /* we are killed */
}

static void log_access(const struct device *d)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    fprintf(d->log, "%d@%lld.%06ld:device_read port %#llx\n", (int)getpid(),
            (long long)now.tv_sec, now.tv_nsec / 1000,
            (unsigned long long)d->request->addr);
}

/* A server of I/O requests, with the pages that Xen shares. */
static void begin_device(struct device *d, uint32_t first, uint32_t ports)
{
    void *at = NULL;
    ioservid_t id;
    int port;

    if ( xendevicemodel_create_ioreq_server(d->model, d->domain,
                                            HVM_IOREQSRV_BUFIOREQ_OFF, &id) )
        die("no server of I/O requests");
    if ( !xenforeignmemory_map_resource(
             d->memory, d->domain, XENMEM_resource_ioreq_server, id,
             XENMEM_resource_ioreq_server_frame_ioreq(0), 1, &at,
             PROT_READ | PROT_WRITE, 0) )
        die("no page of I/O requests");
    d->request = ((struct shared_iopage *)at)->vcpu_ioreq;
    if ( xendevicemodel_map_io_range_to_ioreq_server(
             d->model, d->domain, id, 0, first, first + ports - 1) ||
         xendevicemodel_set_ioreq_server_state(d->model, d->domain, id, 1) )
        die("the ports cannot be had");
    port = xenevtchn_bind_interdomain(d->events, d->domain,
                                      d->request->vp_eport);
    if ( port < 0 )
        die("no event channel");
    d->port = port;
}

/* Xen sets the state to READY last, and reads the data behind RESP_READY. */
static void answer_request(struct device *d)
{
    volatile struct ioreq *r = d->request;

    if ( r->state != STATE_IOREQ_READY )
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    r->state = STATE_IOREQ_INPROCESS;
    log_access(d);
    if ( r->dir == IOREQ_READ && !r->data_is_ptr )
        r->data = 0;
    ++*d->accesses;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    r->state = STATE_IORESP_READY;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if ( xenevtchn_notify(d->events, d->port) )
        die("no answer");
}

int main(int argc, char **argv)
{
    struct device d = { 0 };

    if ( argc != 6 )
    {
        fprintf(stderr, "usage: device DOMAIN FIRST-PORT PORTS FILE LOG\n");
        return 2;
    }
    d.domain = atoi(argv[1]);
    open_handles(&d);
    open_counter(&d, argv[4]);
    open_log(&d, argv[5]);
    begin_device(&d, atoi(argv[2]), atoi(argv[3]));
    /* The event of an access from before the channel is lost. */
    answer_request(&d);
    printf("device: serves d%u\n", d.domain);
    fflush(stdout);
    for ( ;; )
    {
        xenevtchn_port_or_error_t port = xenevtchn_pending(d.events);

        if ( port < 0 || xenevtchn_unmask(d.events, port) )
            die("events end");
        answer_request(&d);
    }
}
