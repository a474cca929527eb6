/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parser of /proc/interrupts:
 *
 *             CPU0       CPU1
 *     1:         9          0   xen-pirq    -ioapic-edge  i8042
 *    48:     33411          0   xen-percpu    -virq      timer0
 *    61:       511          0   xen-dyn    -event     vif1.0
 *   NMI:         0          0   Non-maskable interrupts
 *
 * The head has a word for each pcpu, and so many counts are in each line.  The
 * interrupts of a single pcpu (xen-percpu: IPIs and timers) are many on a large
 * host and are left out, as lines without a number.
 */
#include "xentrace/interrupt-names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xentrace/metadata.h"

static const char *skip_spaces(const char *p)
{
    while ( isspace((unsigned char)*p) )
        p++;
    return p;
}

static const char *skip_field(const char *p)
{
    while ( *p && !isspace((unsigned char)*p) )
        p++;
    return p;
}

static unsigned int count_head_fields(const char *line)
{
    unsigned int nr = 0;

    for ( line = skip_spaces(line); *line; line = skip_spaces(line) )
    {
        line = skip_field(line);
        nr++;
    }
    return nr;
}

/* The number before the colon; false: there is none, or it is too large. */
static bool parse_irq_number(const char **line, unsigned int *irq)
{
    char *end;
    unsigned long n;

    *line = skip_spaces(*line);
    if ( !isdigit((unsigned char)**line) )
        return false;
    n = strtoul(*line, &end, 10);
    if ( *end != ':' || n > UINT16_MAX )
        return false;
    *line = end + 1;
    *irq = n;
    return true;
}

/* Skip at most `nr` counts; the file may have fewer. */
static const char *skip_counts(const char *line, unsigned int nr)
{
    line = skip_spaces(line);
    for ( ; nr && isdigit((unsigned char)*line); nr-- )
        line = skip_spaces(skip_field(line));
    return line;
}

/* Copy the words with single spaces between them. */
static void copy_words(char text[XT_IRQ_TEXT_MAX], const char *line)
{
    size_t used = 0;

    for ( line = skip_spaces(line); *line && used + 1 < XT_IRQ_TEXT_MAX;
          line++ )
        if ( !isspace((unsigned char)*line) )
            text[used++] = *line;
        else if ( *skip_spaces(line) && text[used - 1] != ' ' )
            text[used++] = ' ';
    text[used] = '\0';
}

/* False if the line is of no interrupt that is recorded. */
static bool put_interrupt(const char *line, unsigned int nr_counts,
                     hv_record_fn *put, void *arg)
{
    char text[XT_IRQ_TEXT_MAX];
    unsigned int irq;

    if ( !parse_irq_number(&line, &irq) )
        return false;
    copy_words(text, skip_counts(line, nr_counts));
    if ( !*text || !strncmp(text, "xen-percpu", 10) )
        return false;
    metadata_put_text(put, arg, TRC_META_IRQ_NAME, irq, text);
    return true;
}

void interrupt_names_put(const char *path, hv_record_fn *put, void *arg)
{
    FILE *f = fopen(path, "re");
    unsigned int nr_counts = 0, nr = 0;
    char *line = NULL;
    size_t size = 0;

    if ( !f )
        return;
    if ( getline(&line, &size, f) > 0 )
        nr_counts = count_head_fields(line);
    while ( nr < INTERRUPT_NAMES_MAX && getline(&line, &size, f) > 0 )
        nr += put_interrupt(line, nr_counts, put, arg);
    free(line);
    fclose(f);
}
