/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with trace points: threads that pretend to serve requests.
 * libusertrace(3) refers to this example.
 *
 *     sample [-T TRACE]... [-e EVENTS]... [-f FILE] [-t THREADS]
 *            [-n REQUESTS] [-F] [-K] [-p US]
 *
 * -T is [enable=]PATTERN,events=FILE,file=FILE,qmp=PATH,hmp=PATH, of which -e
 * is the first part and -f the third; -F forks a child half-way, which does the
 * same; -K kills the process at the end, before it can write anything; -p
 * pauses between requests.  -n 0: serve requests until standard input ends, to
 * try trace-control(7); -h prints these options.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace/usertrace.h>
#include <trace-sample.h>

struct job
{
    unsigned int worker, requests, pause;
};

static struct trace_vcpu vcpu;
static atomic_bool input_ended;

static int serve_request(const struct job *job, uint64_t sector)
{
    int rc = sector % 7 ? 0 : -5;

    trace_sample_request(job->worker, sector, 4096, sector & 1);
    /* Compute the argument only if a back end uses the event. */
    if ( trace_event_get_state_backends(TRACE_SAMPLE_DETAIL) )
        trace_sample_detail(getppid());
    trace_sample_done(job->worker, (void *)(uintptr_t)(sector << 4), rc);
    return rc;
}

static bool has_more(const struct job *job, unsigned int done)
{
    return job->requests ? done < job->requests : !atomic_load(&input_ended);
}

static void *run_worker(void *arg)
{
    const struct job *job = arg;

    for ( unsigned int i = 0; has_more(job, i); i++ )
    {
        serve_request(job, (uint64_t)job->worker << 32 | i);
        if ( job->pause )
            usleep(job->pause);
    }
    trace_sample_idle();
    return NULL;
}

static void wait_for_input(void)
{
    while ( getchar() != EOF )
        ;
    atomic_store(&input_ended, true);
}

static void run_workers(unsigned int threads, unsigned int requests,
                        unsigned int pause)
{
    pthread_t *thread = calloc(threads, sizeof(*thread));
    struct job *jobs = calloc(threads, sizeof(*jobs));

    if ( !thread || !jobs )
        exit(1);
    trace_sample_begin("sample", threads);
    trace_sample_vcpu(&vcpu, 17);
    for ( unsigned int i = 0; i < threads; i++ )
    {
        jobs[i] = (struct job){ i, requests, pause };
        if ( pthread_create(&thread[i], NULL, run_worker, &jobs[i]) )
            exit(1);
    }
    if ( !requests )
        wait_for_input();
    for ( unsigned int i = 0; i < threads; i++ )
        pthread_join(thread[i], NULL);
    trace_sample_text("all \"done\", \xc3\xbc"
                      "ber");
    trace_sample_text(NULL);
    free(thread);
    free(jobs);
}

static void on_signal(int number)
{
    trace_sample_signal(number);
}

static int print_usage(FILE *out, int rc)
{
    fputs("usage: sample [OPTION...]\n"
          "  -T TRACE     [enable=]PATTERN,events=FILE,file=FILE,qmp=PATH,"
          "hmp=PATH\n"
          "  -e EVENTS    enable events, by a pattern\n"
          "  -f FILE      write the trace of back end simple to FILE\n"
          "  -t THREADS   run so many threads (default: 2)\n"
          "  -n REQUESTS  serve so many requests per thread (default: 10);\n"
          "               0: until standard input ends\n"
          "  -p US        pause between requests, in microseconds\n"
          "  -F           fork a child that does the same\n"
          "  -K           kill the process at the end\n"
          "  -h, --help   print this page\n", out);
    return rc;
}

int main(int argc, char **argv)
{
    unsigned int threads = 2, requests = 10, pause = 0;
    bool forks = false, kills = false;
    int option;

    if ( argc > 1 && !strcmp(argv[1], "--help") )
        return print_usage(stdout, 0);
    usertrace_vcpu_init(&vcpu, 0);
    while ( (option = getopt(argc, argv, "T:e:f:t:n:p:FKh")) != -1 )
        switch ( option )
        {
        case 'T': trace_opt_parse(optarg); break;
        case 'e': trace_enable_events(optarg); break;
        case 'f': st_set_trace_file(optarg); break;
        case 't': threads = strtoul(optarg, NULL, 0); break;
        case 'n': requests = strtoul(optarg, NULL, 0); break;
        case 'p': pause = strtoul(optarg, NULL, 0); break;
        case 'F': forks = true; break;
        case 'K': kills = true; break;
        case 'h': return print_usage(stdout, 0);
        default: return print_usage(stderr, 2);
        }
    if ( !trace_init_backends() )
        return 1;
    trace_init_file();

    signal(SIGALRM, on_signal);
    raise(SIGALRM);
    run_workers(threads, requests, pause);
    if ( forks )
    {
        if ( fork() == 0 )
        {
            run_workers(threads, requests, pause);
            exit(0);
        }
        wait(NULL);
        run_workers(threads, requests, pause);
    }
    if ( kills )
        kill(getpid(), SIGKILL);
    usertrace_vcpu_fini(&vcpu);
    return 0;
}
