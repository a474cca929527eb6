/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parser of the boot command line: words "name=value". An unknown name is an
 * error here: a typing mistake (Xen ignores unknown names).
 */
#include "xensim/runtime/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xen/param.h>

#define WORD_MAX 128

extern const struct xensim_param *const __start_xensim_params[]
    __attribute__((weak));
extern const struct xensim_param *const __stop_xensim_params[]
    __attribute__((weak));

static const struct xensim_param *find_param(const char *name)
{
    const struct xensim_param *const *row;

    for ( row = __start_xensim_params; row < __stop_xensim_params; row++ )
        if ( !strcmp((*row)->name, name) )
            return *row;
    return NULL;
}

static int set_integer(const struct xensim_param *p, const char *text)
{
    unsigned int bits = p->size * BITS_PER_BYTE;
    unsigned long value;
    char *end;

    ASSERT(p->size && p->size <= sizeof(value));
    if ( *text < '0' || *text > '9' )
        return -EINVAL;
    errno = 0;
    value = strtoul(text, &end, 0);
    if ( errno || *end || (bits < BITS_PER_LONG && value >> bits) )
        return -EINVAL;
    memcpy(p->at, &value, p->size); /* little-endian: low bytes first */
    return 0;
}

static int set_boolean(const struct xensim_param *p, const char *text)
{
    static const char *const words[][2] = {
        { "0", "1" }, { "no", "yes" }, { "off", "on" }, { "false", "true" },
    };

    ASSERT(p->size);
    for ( size_t i = 0; i < ARRAY_SIZE(words); i++ )
        for ( uint8_t value = 0; value <= 1; value++ )
            if ( !strcmp(text, words[i][value]) )
            {
                memset(p->at, 0, p->size);
                memcpy(p->at, &value, sizeof(value));
                return 0;
            }
    return -EINVAL;
}

static int set_string(const struct xensim_param *p, const char *text)
{
    if ( strlen(text) >= p->size )
        return -EINVAL;
    strcpy(p->at, text);
    return 0;
}

/* Set one parameter. The word is cut at its '='. */
static int set_param(char *word)
{
    static int (*const setters[])(const struct xensim_param *,
                                  const char *) = {
        [PARAM_INTEGER] = set_integer,
        [PARAM_BOOLEAN] = set_boolean,
        [PARAM_STRING] = set_string,
    };
    char *value = strchr(word, '=');
    const struct xensim_param *p;

    if ( value )
        *value++ = '\0';
    p = find_param(word);
    if ( !p || (!value && p->kind != PARAM_BOOLEAN) )
        return -EINVAL;
    ASSERT(p->kind < ARRAY_SIZE(setters));
    return setters[p->kind](p, value ?: "yes");
}

int params_parse(const char *boot, const char **bad)
{
    static char word[WORD_MAX];
    char copy[WORD_MAX];

    while ( boot && *(boot += strspn(boot, " \t")) )
    {
        size_t length = strcspn(boot, " \t");

        snprintf(word, sizeof(word), "%.*s", (int)length, boot);
        memcpy(copy, word, sizeof(copy));
        if ( length >= sizeof(word) || set_param(copy) )
        {
            if ( bad )
                *bad = word;
            return -EINVAL;
        }
        boot += length;
    }
    return 0;
}
