/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One machine, one ring, and a language of a few letters to say what happens
 * to it; the answer comes in the same letters.  Sizes are in bytes.
 *
 *   rN   a record of N bytes without a time stamp: 4, 8, ... 32
 *   RN   one with: 12, 16, ... 40
 *   @N   go to byte N of the ring, which is empty then; @-N: N before its end
 *   =    fill to the brim; =N: until N bytes are unread; =-N: until N are free
 *   ?    read all; ?N: only N records
 *
 * What was read comes out as rN and RN, and as pN (padding of N bytes, PN
 * with a time stamp) and LN (N records were lost); equals in a row are
 * counted, as in r32*4; "|" stands between one reading and the next.
 *
 * Every record carries a number, and every reading checks that the numbers
 * rise; kit.h says what else.  A failure is check's.
 */
#ifndef TESTS_UNIT_XEN_RIG_H
#define TESTS_UNIT_XEN_RIG_H

#include <check.h>

#include "tests/ring/kit.h"

struct rig
{
    struct kit_reader reader;
    uint32_t emitted;       /* also the number of the last record */
    uint32_t last_number;   /* of those read */
    uint32_t read;          /* records of ours */
    uint32_t lost;          /* in LOST records */
    struct kit_record record; /* the last one read that was ours */
    struct kit_record lost_record; /* the last LOST record */
    size_t used;            /* of text */
    bool full;              /* text is not */
    char token[16];         /* the last one in it, and how often */
    unsigned int times;
    char text[4096];
};

/* A machine of one CPU with a ring of so many pages, and tracing on. */
void rig_start(struct rig *rig, unsigned int pages);

/* The same, for a machine that is running: map a CPU's ring. */
void rig_attach(struct rig *rig, unsigned int cpu);

/* Play a script.  The text is the rig's, valid until the next one. */
const char *rig_play(struct rig *rig, const char *script);

/* Play a script and compare. */
#define rig_expect(rig, script, wanted)                                 \
    do {                                                                \
        const char *script_ = (script), *wanted_ = (wanted);            \
        const char *text_ = rig_play(rig, script_);                     \
                                                                        \
        if ( strcmp(text_, wanted_) )                                   \
            ck_abort_msg("%s\nis:     %s\nwanted: %s",                  \
                         script_, text_, wanted_);                      \
    } while ( 0 )

/* printf for scripts.  The last four texts last. */
const char *rig_script(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* All that was emitted was read or is counted as lost. */
void rig_balance(struct rig *rig);

/* Unread bytes, and where in the ring the next record goes. */
uint32_t rig_unread(const struct rig *rig);
uint32_t rig_place(const struct rig *rig);

/* Let pending notifications out: VIRQs sent since the last call. */
unsigned int rig_virqs(void);

/* The console since the last call has this line once, and n lines at all. */
void rig_console(const char *line, unsigned int n);

/* Run all tests of a case, each in a process of its own. */
int rig_main(TCase *tests);

#endif /* TESTS_UNIT_XEN_RIG_H */
