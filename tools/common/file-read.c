/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/file-read.h"

#include <assert.h>
#include <errno.h>

#include "common/fault.h"

int file_read_at(int fd, void *to, size_t size, uint64_t at, int at_end)
{
    unsigned char *bytes = to;

    assert(at_end < 0);
    while ( size )
    {
        ssize_t n = fault_pread(fd, bytes, size, at);

        if ( n < 0 && errno == EINTR )
            continue;
        if ( n <= 0 )
            return n ? -errno : at_end;
        bytes += n;
        at += n;
        size -= n;
    }
    return 0;
}
