/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of events in CTF, and their metadata in TSDL.  A class is an event of
 * the catalogue with a number of words, so all its fields are present:
 *
 *     id field (16 bits) ... | payload, unchanged | arguments
 *
 * Fields of the payload have the place that they have in the record, down to
 * the bit.  Only the arguments of hypercalls have places that depend on other
 * fields: they are a sequence behind the payload.
 */
#ifndef XENALYZE_CONVERT_CTF_LAYOUT_H
#define XENALYZE_CONVERT_CTF_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libxentrace/catalogue.h"
#include "libxentrace/internal.h"

#define CTF_ID_FIELDS 4u        /* maximum of one event */
#define CTF_UNKNOWN 0u          /* class of records without an event */
#define CTF_EXTENDED 4095u      /* in an event's header: not a compact one */

/* Bytes of the fields of an event, at most. */
#define CTF_FIELDS_MAX (2u * CTF_ID_FIELDS + 4u * XT_RECORD_MAX_WORDS + \
                        1u + 8u * XT_RECORD_MAX_WORDS)

struct ctf_event
{
    uint16_t first;             /* class of the least number of words */
    uint8_t nr_id;
    struct { uint8_t bit, bits; } id[CTF_ID_FIELDS];
    uint8_t nr_arguments;       /* fields with a place that depends on others */
};

struct ctf_layout
{
    struct ctf_event *events;   /* by index in the catalogue */
    unsigned int nr_classes;    /* CTF_UNKNOWN included */
};

/* 0 or -ENOMEM. */
int ctf_layout_init(struct ctf_layout *l);
void ctf_layout_fini(struct ctf_layout *l);

/*
 * Write the fields of a record at p, at most CTF_FIELDS_MAX bytes, and set
 * *class.  Returns the end.
 */
unsigned char *ctf_put_fields(const struct ctf_layout *l,
                              const struct xt_catalogue *catalogue,
                              const struct xt_record *r, unsigned char *p,
                              unsigned int *class);

/* Declare all classes in TSDL. */
void ctf_layout_print(const struct ctf_layout *l,
                      const struct xt_catalogue *catalogue,
                      const struct xt_domain_names *names, FILE *out);

/* Print the type of a field of 16 bits with the id of a domain. */
void ctf_print_domain_type(const struct xt_domain_names *names, FILE *out);

/* Print text as a string literal of TSDL; unprintable bytes become "?". */
void ctf_print_string(const char *text, FILE *out);

#endif /* XENALYZE_CONVERT_CTF_LAYOUT_H */
