/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One machine, one ring, and a script language for operations on the ring; the
 * result is a text in the same language.  Sizes are in bytes.
 *
 *   rN   a record of N bytes without time stamp: 4, 8, ... 32
 *   RN   a record of N bytes with time stamp: 12, 16, ... 40
 *   @N   empty the ring and move to its byte N; @-N: to N before its end
 *   =    fill the ring; =N: until N bytes are unread; =-N: until N are free
 *   ?    read all records; ?N: only N records
 *
 * The text has rN and RN for records read, pN for padding of N bytes (PN with
 * time stamp), and LN for N lost records.  Equal tokens in a row are counted,
 * as in r32*4; "|" separates two readings.
 *
 * Records are numbered, and every reading checks that the numbers rise; kit.h
 * lists the other checks.  A failed check ends the test.
 */
#ifndef TESTS_UNIT_XEN_RIG_H
#define TESTS_UNIT_XEN_RIG_H

#include <check.h>

#include "tests/ring/kit.h"

struct rig
{
    struct kit_reader reader;
    uint32_t emitted;       /* also the number of the last record */
    uint32_t last_number;   /* last number that was read */
    uint32_t read;          /* records read, without Xen's own */
    uint32_t lost;          /* sum of LOST records */
    struct kit_record record; /* last emitted record that was read */
    struct kit_record lost_record; /* the last LOST record */
    size_t used;            /* length of text */
    bool full;              /* text has no room */
    char token[16];         /* last token of text, and its count */
    unsigned int times;
    char text[4096];
};

/* Start a machine of one CPU with a ring of so many pages, and tracing on. */
void rig_start(struct rig *rig, unsigned int pages);

/* The same for a running machine: map the ring of a CPU. */
void rig_attach(struct rig *rig, unsigned int cpu);

/* Play a script.  The text belongs to the rig, valid until the next call. */
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

/* printf for scripts; the result is valid for the next three calls. */
const char *rig_script(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Check that each emitted record was read or is counted as lost. */
void rig_balance(struct rig *rig);

/* Unread bytes, and the position of the next record in the ring. */
uint32_t rig_unread(const struct rig *rig);
uint32_t rig_place(const struct rig *rig);

/* Run pending notifications; returns the VIRQs sent since the last call. */
unsigned int rig_virqs(void);

/* Check that the new console output has this line once, and n lines. */
void rig_console(const char *line, unsigned int n);

/* Run all tests of a case, each in its own process. */
int rig_main(TCase *tests);

#endif /* TESTS_UNIT_XEN_RIG_H */
