/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model: the declarations of a set of trace-events files, after parsing
 * and checking.  parse.c fills the model; formats and back ends read it, and
 * need not know the grammar (trace-events(5)).
 *
 * A model lives in an arena and is const for readers.  Families are expanded: a
 * declaration for 32 and 64 bits gives two events, each with its id, layout and
 * suffix.
 */
#ifndef TRACETOOL_MODEL_H
#define TRACETOOL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

#define TT_MAX_ARGS 10u         /* arguments of a user-space event */
#define TT_MAX_WORDS 7u         /* payload words of a hypervisor event */
#define TT_ALWAYS 0u            /* no bound of Xen's version */

struct tt_place                 /* place of a declaration */
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

struct tt_value                 /* value of an enum, or bit of flags */
{
    uint64_t value;             /* flags: number of the bit */
    const char *name;
    const char *text;           /* NULL: none */
};

enum tt_meaning { TT_PLAIN, TT_ENUM, TT_FLAGS };

/* A semantic word, declared by "type", "enum" or "flags". */
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
    const struct tt_sem *sem;   /* NULL: a plain number */
    const char *type;           /* in C: "uint32_t", "const char *" */
    const char *name;
    enum tt_kind kind;
    bool is_signed;
    uint8_t width;              /* bits of the C type; 0: depends on the ABI */
    struct tt_place at;

    /* The rest is for hypervisor events only. */
    uint8_t bits;               /* in payload or id; == width if no field */
    uint8_t bit;                /* first bit: in the payload, or in the id */
    bool in_id;
    bool optional;              /* part of the tail */
    int8_t present;             /* argument with the width; or -1 */
};

/*
 * A piece of a format: literal text or a conversion, in order.  Adjacent
 * literals and PRI macros are joined.  `text` is the printed text ("%%" is
 * "%"), or a conversion of printf without "N$".  A '*' in a conversion (not of
 * hypervisor events) takes the argument before the conversion's argument.
 */
struct tt_piece
{
    const char *text;           /* literal, if arg < 0; else the conversion */
    size_t length;              /* of text, without the final NUL */
    int8_t arg;                 /* index of the argument, or -1 */
    bool optional;              /* inside [ ] */
    uint8_t group;              /* number of the [ ], from 1 */
};

struct tt_event
{
    const char *name;           /* with the suffix of its family */
    const char *constant;       /* "TRC_SCHED_WAKE", or NULL */
    const struct tt_class *class;   /* NULL: no class declared */
    const struct tt_arg *args;
    size_t nr_args;
    const char *format;         /* C source, never NULL: "\"x %\" PRIx64" */
    const struct tt_piece *pieces;
    size_t nr_pieces;
    struct tt_place at;

    bool disabled, vcpu;        /* QEMU's properties */

    bool in_xen;                /* has an id: the members below are valid */
    bool timed;                 /* the record has a time stamp */
    bool unused;                /* defined, never emitted */
    bool is_private;            /* the constant is private to the emitter */
    uint32_t id;                /* as TRC_HD_TO_EVENT, id fields zero */
    uint32_t id_fields;         /* bits of the id taken by arguments */
    uint16_t since, until;      /* 0x0413: Xen 4.19; inclusive; TT_ALWAYS */
    uint8_t words, max_words;   /* without and with the tail */
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
