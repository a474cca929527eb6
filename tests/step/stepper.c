/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stepper.  The kernel clears the trap flag on entry of a signal handler
 * and restores it on return, so the handler itself is not stepped.  With
 * SA_NODEFER the handler may be interrupted by its own signal, which lets steps
 * nest.
 */
#include "tests/step/stepper.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include <asm/system.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
# define INSTRUMENTED 1
#elif defined(__has_feature)
# if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#  define INSTRUMENTED 1
# endif
#endif

#if defined(__x86_64__) && !defined(INSTRUMENTED)

#define TRAP_FLAG 0x100

struct stepping
{
    bool (*each)(void *arg, unsigned long n);
    void *arg;
    unsigned long n;
};

static struct stepping *volatile now; /* the innermost step */
static const unsigned char *volatile next; /* instruction */

static void on_trap(int signal, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    struct stepping *s = now;

    (void)signal;
    (void)info;
    next = (const unsigned char *)interrupted->uc_mcontext.gregs[REG_RIP];
    if ( !s->each(s->arg, ++s->n) )
        interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void catch_traps(void)
{
    struct sigaction action = {
        .sa_sigaction = on_trap,
        .sa_flags = SA_SIGINFO | SA_NODEFER,
    };

    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, NULL);
}

/* Skip the red zone, which the compiler may be using. */
#define CHANGE_FLAGS(operation)                                         \
    __asm__ __volatile__ ( "lea -128(%%rsp), %%rsp\n\t"                 \
                           "pushfq\n\t"                                 \
                           operation "\n\t"                             \
                           "popfq\n\t"                                  \
                           "lea 128(%%rsp), %%rsp"                      \
                           ::: "memory", "cc" )

unsigned long step_function(void (*fn)(void *arg), void *fn_arg,
                            bool (*each)(void *arg, unsigned long n),
                            void *arg)
{
    struct stepping s = { .each = each, .arg = arg }, *outer = now;

    if ( !outer )
        catch_traps();
    now = &s;
    CHANGE_FLAGS("orq $0x100, (%%rsp)");
    fn(fn_arg);
    CHANGE_FLAGS("andq $~0x100, (%%rsp)");
    now = outer;

    return s.n;
}

bool stepper_is_at_barrier(void)
{
    static const unsigned char mark[] = { XENSIM_BARRIER_MARK };

    return !memcmp(next, mark, sizeof(mark));
}

static void run_four_nops(void *unused)
{
    (void)unused;
    __asm__ __volatile__ ( "nop; nop; nop; nop" );
}

static bool is_below_100(void *unused, unsigned long n)
{
    (void)unused;
    return n < 100;
}

bool stepper_works(void)
{
    unsigned long n = step_function(run_four_nops, NULL, is_below_100, NULL);

    /* Four nops, a call, a return, and a few instructions around them. */
    return n > 6 && n < 60;
}

#else

bool stepper_works(void)
{
    return false;
}

bool stepper_is_at_barrier(void)
{
    return false;
}

unsigned long step_function(void (*fn)(void *arg), void *fn_arg,
                            bool (*each)(void *arg, unsigned long n),
                            void *arg)
{
    (void)each;
    (void)arg;
    fn(fn_arg);
    return 0;
}

#endif
