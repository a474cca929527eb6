/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Convert a plain trace to the format of our collector: sealed windows, with
 * metadata in the first.
 *
 *     reseal TRACE >SEALED
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxentrace/libxentrace.h"
#include "libxentrace/meta.h"
#include "libxentrace/seal.h"

/* Metadata of each kind, repeated as often as in a long capture. */
static size_t put_notes(unsigned char *to)
{
    struct xt_meta notes[] = {
        { .event = TRC_META_VERSION }, { .event = TRC_META_TSC },
        { .event = TRC_META_CLOCK }, { .event = TRC_META_START },
        { .event = TRC_META_TEXT }, { .event = TRC_META_DOMAIN },
        { .event = TRC_META_VCPU }, { .event = TRC_META_LOST },
    };
    size_t size = 0;

    for ( size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++ )
        size += xt_meta_encode(&notes[i], to + size);
    return size;
}

static int put_window(const struct xt_window *w, uint32_t number)
{
    unsigned char notes[8 * XT_META_MAX_BYTES];
    struct iovec spans[] = {
        { notes, number % 50 ? 0 : put_notes(notes) },
        { (void *)w->bytes, w->size },
    };
    struct xt_frame f;

    xt_frame_init(&f, w->cpu, spans, 2);
    xt_frame_seal(&f, number);
    for ( int i = 0; i < f.nr_iov; i++ )
        if ( fwrite(f.iov[i].iov_base, 1, f.iov[i].iov_len, stdout) !=
             f.iov[i].iov_len )
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    struct err e = ERR_INIT;
    struct xt_trace *t;
    struct xt_window w;
    uint32_t nr = 0;
    int rc = xt_trace_open(&t, argc > 1 ? argv[1] : "-", 0, &e);

    while ( !rc && (rc = xt_trace_next_window(t, &w, &e)) > 0 )
        rc = put_window(&w, nr++);
    if ( rc || fflush(stdout) )
    {
        fprintf(stderr, "reseal: %s\n", rc ? e.text : "cannot write");
        return EXIT_FAILURE;
    }
    xt_trace_close(t);
    return EXIT_SUCCESS;
}
