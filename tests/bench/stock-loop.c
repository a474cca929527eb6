/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stock-loop FILE SECONDS: what stock's xentrace does with the rings, as far
 * as losing goes: one thread that waits for the VIRQ or 100 ms, and writes
 * each ring as it stands before it gives it back.  Beside it, tests/bench
 * measures what a writing thread is worth.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "libxentrace/window.h"
#include "xentrace/drain.h"
#include "xentrace/rings.h"
#include "xentrace/tbuf.h"

static int out;

static void write_all(const void *bytes, size_t size)
{
    while ( size )
    {
        ssize_t done = write(out, bytes, size);

        if ( done < 0 )
            exit(EXIT_FAILURE);
        bytes = (const char *)bytes + done;
        size -= done;
    }
}

static uint64_t put(void *store, unsigned int cpu, const struct iovec *spans,
                    int nr_spans)
{
    struct xt_frame f;

    (void)store;
    xt_frame_init(&f, cpu, spans, nr_spans);
    for ( int i = 0; i < f.nr_iov; i++ )
        write_all(f.iov[i].iov_base, f.iov[i].iov_len);
    return 1;
}

static uint64_t safe(void *store)
{
    (void)store;
    return 1;
}

int main(int argc, char **argv)
{
    const struct store store = { .put = put, .safe = safe,
                                 .window_max = XT_WINDOW_MAX };
    struct hv_where where = { .socket = NULL };
    struct pollfd fd = { .events = POLLIN };
    struct err e = ERR_INIT, ignored = ERR_INIT;
    struct hv_info info;
    struct rings rings;
    struct hv *hv;
    time_t end;

    out = argc == 3 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if ( out < 0 || hv_open(&hv, NULL, &where, &e) ||
         hv->type->info(hv, &info, &e) )
        return EXIT_FAILURE;
    tbuf_set_size(hv, 32, &ignored);
    if ( tbuf_enable(hv, &e) || rings_open(&rings, hv, info.nr_cpus, &e) ||
         hv->type->bind_virq(hv, &fd.fd, &e) )
        return EXIT_FAILURE;
    end = time(NULL) + atoi(argv[2]);
    while ( time(NULL) < end )
    {
        drain_all(&rings, &store, false, NULL);
        if ( poll(&fd, 1, 100) > 0 )
            hv->type->ack_virq(hv, &e);
    }
    tbuf_disable(hv, &e);
    drain_all(&rings, &store, true, NULL);
    rings_close(&rings);
    hv_close(hv);
    return EXIT_SUCCESS;
}
