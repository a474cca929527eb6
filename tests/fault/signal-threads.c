/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal-threads PID: send SIGUSR2, with an empty handler, to each thread of a
 * process again and again until the process ends, to interrupt all of its
 * system calls.
 */
#define _GNU_SOURCE /* tgkill */

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Signal each thread once; false: the process has no thread. */
static bool signal_all(pid_t process, const char *tasks)
{
    DIR *dir = opendir(tasks);
    struct dirent *d;
    bool any = false;

    while ( dir && (d = readdir(dir)) )
        if ( isdigit((unsigned char)*d->d_name) )
            any |= !tgkill(process, atoi(d->d_name), SIGUSR2);
    if ( dir )
        closedir(dir);
    return any;
}

int main(int argc, char **argv)
{
    struct timespec interval = { .tv_nsec = 200000 };
    unsigned long times = 0;
    char tasks[64];

    if ( argc != 2 )
        return EXIT_FAILURE;
    snprintf(tasks, sizeof(tasks), "/proc/%.20s/task", argv[1]);
    for ( ; signal_all(atoi(argv[1]), tasks); times++ )
        nanosleep(&interval, NULL);
    printf("%lu\n", times);
    return EXIT_SUCCESS;
}
