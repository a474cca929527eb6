/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compose a trace from lines, for cases that xensim cannot play:
 *
 *     PCPU TSC EVENT [WORD...]
 *
 * on standard input, numbers as in C, TSC "-" for none, and "+" for slightly
 * later than the last; consecutive lines of one pcpu become a window.  Written
 * byte by byte, independently of the code under test.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WINDOW 65536u

static uint32_t window[MAX_WINDOW];
static size_t nr;
static unsigned long pcpu;

static void put(uint32_t word)
{
    const unsigned char bytes[] = { word, word >> 8, word >> 16, word >> 24 };

    if ( fwrite(bytes, 1, sizeof(bytes), stdout) != sizeof(bytes) )
        exit(1);
}

static void end_window(void)
{
    if ( !nr )
        return;
    put(0x2001f003);
    put((uint32_t)pcpu);
    put((uint32_t)(4 * nr));
    for ( size_t i = 0; i < nr; i++ )
        put(window[i]);
    nr = 0;
}

static void add_record(const char *tsc, uint32_t event, uint32_t words,
                       const uint32_t *payload)
{
    static uint64_t time = 1000000;

    time = *tsc == '-' ? time : *tsc == '+' ? time + 100
                                            : strtoull(tsc, NULL, 0);
    if ( nr + 10 > MAX_WINDOW )
        end_window();
    window[nr++] = (*tsc == '-' ? 0 : 1u << 31) | words << 28 | event;
    if ( *tsc != '-' )
    {
        window[nr++] = (uint32_t)time;
        window[nr++] = time >> 32;
    }
    for ( uint32_t i = 0; i < words; i++ )
        window[nr++] = payload[i];
}

static void add_line(char *line)
{
    const char *cpu = strtok(line, " \t\n"), *tsc = strtok(NULL, " \t\n");
    const char *event = strtok(NULL, " \t\n"), *word;
    uint32_t payload[8], words = 0;

    if ( !cpu || *cpu == '#' )
        return;
    if ( !tsc || !event )
    {
        fprintf(stderr, "compose: PCPU TSC EVENT [WORD...]\n");
        exit(1);
    }
    while ( words < 7 && (word = strtok(NULL, " \t\n")) )
        payload[words++] = (uint32_t)strtoull(word, NULL, 0);
    if ( strtoul(cpu, NULL, 0) != pcpu )
        end_window();
    pcpu = strtoul(cpu, NULL, 0);
    add_record(tsc, (uint32_t)strtoul(event, NULL, 0), words, payload);
}

int main(void)
{
    char line[512];

    while ( fgets(line, sizeof(line), stdin) )
        add_line(line);
    end_window();
    return fflush(stdout) ? 1 : 0;
}
