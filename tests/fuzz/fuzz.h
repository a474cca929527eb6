/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A harness is one parser, and the conditions that hold for any input.  With
 * --enable-fuzz an engine generates inputs; without, drive.c does, so that
 * every build runs the harness, with sanitizers in particular.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The entry point, named by the engine. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Like assert(), but also in a release build. */
#define MUST(condition)                                                 \
    do {                                                                \
        if ( !(condition) )                                             \
        {                                                               \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,  \
                    #condition);                                        \
            abort();                                                    \
        }                                                               \
    } while ( 0 )

#endif /* TESTS_FUZZ_FUZZ_H */
