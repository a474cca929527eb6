/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The console: standard error, or a capture buffer for tests.
 *
 * Signal handlers call printk(), so printk() takes no lock and allocates no
 * memory: a line is formatted on the stack and written by one write(), or by
 * one atomic reservation in the capture buffer. vsnprintf() allocates nothing
 * for the integers and strings of the hypervisor's messages.
 */
#include "xensim/runtime/machine.h"

#include <xen/time.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES  512
#define CAPTURE_BYTES   65536
#define DEFAULT_LEVEL   1       /* default: a warning */

static struct
{
    unsigned int loglevel;  /* messages of this level and above are dropped */
    bool all_messages;      /* no limit of the rate */
    bool capturing;
    unsigned int side;      /* index of the buffer in use */
    size_t used;            /* bytes used in the buffer */
    char text[2][CAPTURE_BYTES + 1];
} console = { .loglevel = 2 };

void console_init(unsigned int loglevel, bool all_messages)
{
    console.all_messages = all_messages;
    console.loglevel = loglevel;
}

const char *xensim_capture_console(void)
{
    unsigned int full = console.side;

    console.capturing = true;
    console.side = !full;
    __atomic_store_n(&console.used, 0, __ATOMIC_RELEASE);
    memset(console.text[console.side], 0, sizeof(console.text[0]));
    return console.text[full];
}

static void capture_line(const char *line, size_t length)
{
    size_t at = __atomic_fetch_add(&console.used, length, __ATOMIC_ACQ_REL);

    if ( at + length <= CAPTURE_BYTES )
        memcpy(console.text[console.side] + at, line, length);
}

static void write_line(const char *line, size_t length)
{
    ssize_t done;

    if ( console.capturing )
    {
        capture_line(line, length);
        return;
    }
    do
        done = write(STDERR_FILENO, line, length);
    while ( done < 0 && errno == EINTR );
}

/*
 * Errors and warnings that a guest can cause: ten at once, then one in five
 * seconds, as in Xen.
 */
static bool exceeds_rate(void)
{
    static const s_time_t burst = 10, each = SECONDS(5);
    static s_time_t quiet; /* from then on a whole burst is possible */
    s_time_t now = NOW();
    s_time_t from = max(__atomic_load_n(&quiet, __ATOMIC_RELAXED), now);

    if ( from + each > now + burst * each )
        return true;
    __atomic_store_n(&quiet, from + each, __ATOMIC_RELAXED);
    return false;
}

/* Parse and skip "<G>" and "<level>". */
static unsigned int take_level(const char **text, bool *of_guest)
{
    unsigned int level = DEFAULT_LEVEL;

    while ( (*text)[0] == '<' && (*text)[1] && (*text)[2] == '>' )
    {
        if ( (*text)[1] >= '0' && (*text)[1] <= '3' )
            level = (*text)[1] - '0';
        *of_guest |= (*text)[1] == 'G';
        *text += 3;
    }
    return level;
}

void printk(const char *fmt, ...)
{
    static const char prefix[] = "(XEN) ";
    char line[LINE_MAX_BYTES];
    int length, saved = errno;
    bool of_guest = false;
    va_list args;

    if ( take_level(&fmt, &of_guest) >= console.loglevel )
        return;
    if ( of_guest && !console.all_messages && exceeds_rate() )
        return;

    memcpy(line, prefix, sizeof(prefix));
    va_start(args, fmt);
    length = vsnprintf(line + sizeof(prefix) - 1,
                       sizeof(line) - (sizeof(prefix) - 1), fmt, args);
    va_end(args);
    if ( length >= 0 )
        write_line(line, strlen(line));
    errno = saved;
}

void xensim_warn(const char *what, const char *file, unsigned int line)
{
    printk(XENLOG_ERR "Xen WARN at %s:%u: %s\n", file, line, what);
}

void xensim_bug(const char *what, const char *file, unsigned int line)
{
    console.capturing = false;
    printk(XENLOG_ERR "Xen BUG at %s:%u on CPU%d: %s\n", file, line,
           (int)smp_processor_id(), what);
    abort();
}
