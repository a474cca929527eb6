/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal program with all features of common/ for a main function: options,
 * fault points from the environment, error messages.  Prints its positional
 * arguments.
 */
#include "common/fault.h"
#include "opts-example.h"

int main(int argc, char **argv)
{
    const struct program *p = example_program();
    struct err e = ERR_INIT;
    struct example config = { .cpus = 0 };
    enum opts_next next = OPTS_EXIT;
    int first = argc;

    if ( fault_arm_env(&e) ||
         opts_parse(p, argc, argv, &config, &first, &next, &e) )
    {
        err_print(p->name, &e);
        return err_exit_code(&e);
    }

    for ( ; next == OPTS_RUN && first < argc; first++ )
        printf("%s\n", argv[first]);
    return 0;
}
