/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a ring ought to do, as naively as it can be said: a queue of records,
 * and two counters that never wrap.  It plays the scripts of rig.h and gives
 * the same answers as the real one, or the real one is wrong.
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

#define MODEL_RECORDS 32768 /* more than fit into the largest ring */

struct model
{
    uint32_t size;          /* bytes of records */
    uint64_t head, tail;    /* bytes ever written, and read */
    uint32_t owed;          /* records lost and not said so */
    unsigned int crossings; /* of the half: each tells dom0 */

    struct model_record queue[MODEL_RECORDS];
    uint64_t first, behind; /* of the queue, modulo its length */

    size_t used;            /* of text */
    char token[16];
    unsigned int times;
    char text[16384];
};

void model_start(struct model *model, unsigned int pages);
const char *model_play(struct model *model, const char *script);

/* What the next record (with the text "r8", say) takes, all included. */
uint32_t model_total(const struct model *model, const char *record);

#endif /* TESTS_UNIT_XEN_MODEL_H */
