/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A naive model of the ring: a queue of records, and two counters that never
 * wrap.  The model plays the scripts of rig.h, and the real ring has to produce
 * the same text.
 */
#ifndef TESTS_UNIT_XEN_MODEL_H
#define TESTS_UNIT_XEN_MODEL_H

#include <stddef.h>
#include <stdint.h>

struct model_record
{
    char letter;            /* as in rig.h */
    uint32_t value, bytes;
};

#define MODEL_RECORDS 32768 /* more than the largest ring holds */

struct model
{
    uint32_t size;          /* bytes of records */
    uint64_t head, tail;    /* bytes ever written, and read */
    uint32_t owed;          /* lost records, not yet reported */
    unsigned int crossings; /* times the mark was crossed */

    struct model_record queue[MODEL_RECORDS];
    uint64_t first, behind; /* ends of the queue, modulo its length */

    size_t used;            /* length of text */
    char token[16];
    unsigned int times;
    char text[16384];
};

void model_start(struct model *model, unsigned int pages);
const char *model_play(struct model *model, const char *script);

/* The bytes taken by the next record ("r8", say), with padding and LOST. */
uint32_t model_total(const struct model *model, const char *record);

#endif /* TESTS_UNIT_XEN_MODEL_H */
