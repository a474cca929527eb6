/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a set of trace-events files declares, after parsing and checking: the
 * room's middle.  parse.c fills it, formats and back ends read it, and
 * nobody else knows the grammar (trace-events(5)).
 *
 * All of it lives in one arena and is const to its readers.  Families are
 * expanded: an event that was declared once for 32 and 64 bits stands here
 * twice, each with its own id, layout and suffix.
 */
#ifndef TRACETOOL_MODEL_H
#define TRACETOOL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

#define TT_MAX_ARGS 10u         /* of a user-space event */
#define TT_MAX_WORDS 7u         /* payload of a hypervisor event */
#define TT_ALWAYS 0u            /* no bound on Xen's version */

struct tt_place                 /* where something was declared */
{
    const char *file;
    unsigned int line, column;  /* from 1 */
};

/* "class sched_min 0x00021000 ..." */
struct tt_class
{
    const char *name;           /* "sched_min": the constant is TRC_SCHED_MIN */
    const char *text;
    uint32_t id;
    struct tt_place at;
};

struct tt_value                 /* of an enum, or a bit of flags */
{
    uint64_t value;             /* flags: number of the bit */
    const char *name;
    const char *text;           /* NULL: none */
};

enum tt_meaning { TT_PLAIN, TT_ENUM, TT_FLAGS };

/* A semantic word: "type", "enum" or "flags". */
struct tt_sem
{
    const char *name;
    const char *text;
    enum tt_meaning meaning;
    const struct tt_value *values;  /* in order of declaration */
    size_t nr_values;
    struct tt_place at;
};

enum tt_kind { TT_INTEGER, TT_BOOL, TT_POINTER, TT_STRING };

struct tt_arg
{
    const struct tt_sem *sem;   /* NULL: just a number */
    const char *type;           /* as C wants it: "uint32_t", "const char *" */
    const char *name;
    enum tt_kind kind;
    bool is_signed;
    uint8_t width;              /* bits of the C type here; 0: the ABI's */
    struct tt_place at;

    /* Hypervisor events only. */
    uint8_t bits;               /* taken in payload or id; == width if whole */
    uint8_t bit;                /* first one: in the payload, or in the id */
    bool in_id;
    bool optional;              /* in the tail */
    int8_t present;             /* argument that says if it is there; or -1 */
};

/*
 * A format: literal text and conversions, in order.  Adjacent literals and PRI
 * macros are joined; TEXT is what would be printed ("%%" is "%"), or the
 * conversion as printf knows it, without "N$".  A '*' in a conversion (not of
 * hypervisor events) takes the argument before the conversion's own.
 */
struct tt_piece
{
    const char *text;           /* literal, if arg < 0; else the conversion */
    size_t length;              /* of text, without its final NUL */
    int8_t arg;                 /* converted here, or -1 */
    bool optional;              /* inside [ ] */
    uint8_t group;              /* which [ ], from 1 */
};

struct tt_event
{
    const char *name;           /* with the suffix of its family */
    const char *constant;       /* "TRC_SCHED_WAKE", or NULL */
    const struct tt_class *class;   /* NULL: none declared */
    const struct tt_arg *args;
    size_t nr_args;
    const char *format;         /* C source, never NULL: "\"x %\" PRIx64" */
    const struct tt_piece *pieces;
    size_t nr_pieces;
    struct tt_place at;

    bool disabled, vcpu;        /* QEMU's properties */

    bool in_xen;                /* has an id: the fields below mean something */
    bool timed;                 /* the record has a time stamp */
    bool unused;                /* defined, never emitted */
    bool is_private;            /* the constant is its emitter's own */
    uint32_t id;                /* of TRC_HD_TO_EVENT, id fields zero */
    uint32_t id_fields;         /* which bits of it arguments take */
    uint16_t since, until;      /* 0x0413: Xen 4.19; inclusive; TT_ALWAYS */
    uint8_t words, max_words;   /* without and with its tail */
};

struct tt_model
{
    const char *group;          /* --group, or NULL */
    const struct tt_class *classes;
    size_t nr_classes;
    const struct tt_sem *sems;
    size_t nr_sems;
    const struct tt_event *events;  /* in order of declaration */
    size_t nr_events;
};

#endif /* TRACETOOL_MODEL_H */
