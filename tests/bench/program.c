/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a program is the CPU time in user mode, by the kernel's account,
 * since machines are shared; elapsed time is only meaningful on an idle
 * machine.
 */
#include "tests/bench/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *prefix = "bench";

void program_name(const char *name)
{
    prefix = name;
}

void give_up(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", prefix, what, strerror(errno));
    exit(EXIT_FAILURE);
}

static double timeval_seconds(struct timeval t)
{
    return t.tv_sec + t.tv_usec / 1e6;
}

static double elapsed_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void exec_measured(const char *const *args, const char *input)
{
    int nowhere = open("/dev/null", O_RDWR), in = open(input, O_RDONLY);

    dup2(in, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(args[0], (char **)(uintptr_t)args);
    _exit(127);
}

static pid_t start_program(const char *const *args, const char *input)
{
    pid_t pid = fork();

    if ( pid < 0 )
        give_up("fork");
    if ( !pid )
        exec_measured(args, input);
    return pid;
}

static struct rusage wait_for(pid_t pid, const char *program)
{
    struct rusage used;
    int status;

    if ( wait4(pid, &status, 0, &used) < 0 )
        give_up("wait4");
    if ( status )
    {
        errno = EINVAL;
        give_up(program);
    }
    return used;
}

struct took program_run(const char *const *args, const char *input)
{
    double begun = elapsed_now();
    struct rusage used = wait_for(start_program(args, input), args[0]);

    return (struct took){ timeval_seconds(used.ru_utime),
                          elapsed_now() - begun };
}

double program_run_two(const char *const *args, const char *input)
{
    double begun = elapsed_now();
    pid_t one = start_program(args, input), other = start_program(args, input);

    wait_for(one, args[0]);
    wait_for(other, args[0]);
    return elapsed_now() - begun;
}

/* The anonymous memory of a process, in MiB; 0: it has ended. */
static double read_own_memory(pid_t pid)
{
    char path[32], line[128];
    unsigned long kib = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    f = fopen(path, "r");
    while ( f && fgets(line, sizeof(line), f) )
        if ( sscanf(line, "RssAnon: %lu", &kib) == 1 )
            break;
    if ( f )
        fclose(f);
    return kib / 1024.0;
}

double program_own_memory(const char *const *args, const char *input)
{
    const struct timespec pause = { .tv_nsec = 500000 };
    pid_t pid = start_program(args, input);
    double most = 0;
    int status;

    while ( !waitpid(pid, &status, WNOHANG) )
    {
        double now = read_own_memory(pid);

        most = now > most ? now : most;
        nanosleep(&pause, NULL);
    }
    return most;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

double median_of_doubles(double *values, unsigned int nr)
{
    qsort(values, nr, sizeof(*values), compare_doubles);
    return values[nr / 2];
}

void make_file(char *path)
{
    int fd = mkstemp(path);

    if ( fd < 0 )
        give_up("a trace");
    close(fd);
}
