/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/xensim/rig.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

void rig_start(const struct xensim_config *config)
{
    ck_assert_int_eq(xensim_start(config, NULL), 0);
}

void rig_start_single(unsigned int cpus)
{
    const struct xensim_config config = {
        .cpus = cpus, .frames = 4096, .poison = true,
    };

    rig_start(&config);
    xensim_capture_console();
}

bool rig_dies(void (*fn)(void))
{
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if ( child == 0 )
    {
        close(STDERR_FILENO);
        fn();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
