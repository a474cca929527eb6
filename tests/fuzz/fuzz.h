/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A harness is one parser and what must hold of it for any bytes at all.
 * With --enable-fuzz an engine finds the bytes; without, drive.c makes some,
 * so that every build (the sanitizers', above all) runs the harness.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The engine's name for it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Not assert(): it stays in a release build. */
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
