/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *    driver sequence SEED CALLS CPUS PAGES DRAIN whole|part
 *    driver control NAME        run a script of control operations
 *    driver scripts             list the scripts
 */
#include "tests/diff/driver.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned int parse_number(const char *text)
{
    return strtoul(text, NULL, 0);
}

static int print_usage(void)
{
    fputs("usage: driver sequence SEED CALLS CPUS PAGES DRAIN whole|part\n"
          "       driver control NAME\n"
          "       driver scripts\n", stderr);
    return 1;
}

static int list_scripts(void)
{
    const char *name;

    for ( unsigned int i = 0; (name = control_name(i)); i++ )
        puts(name);

    return 0;
}

int main(int argc, char **argv)
{
    int rc;

    if ( argc == 8 && !strcmp(argv[1], "sequence") )
    {
        const struct sequence params = {
            .seed = parse_number(argv[2]), .calls = parse_number(argv[3]),
            .cpus = parse_number(argv[4]), .pages = parse_number(argv[5]),
            .drain = parse_number(argv[6]), .whole = !strcmp(argv[7], "whole"),
        };

        rc = sequence_run(&params);
    }
    else if ( argc == 3 && !strcmp(argv[1], "control") )
        rc = control_run(argv[2]);
    else if ( argc == 2 && !strcmp(argv[1], "scripts") )
        rc = list_scripts();
    else
        return print_usage();

    if ( rc )
        fprintf(stderr, "driver: %s\n", strerror(-rc));

    return rc ? 1 : 0;
}
