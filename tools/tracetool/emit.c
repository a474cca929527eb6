/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for generated files.  Bytes are compared as ASCII, independent of the
 * locale: the same input gives the same output everywhere.
 */
#include "tracetool/emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tracetool/select.h"

/*
 * Valid names in a declaration that are not usable as names of C parameters:
 * keywords of GNU C and of later C standards, and lower-case macros of
 * compilers, common headers and Xen.  The parser rejects C's keywords, so these
 * are not listed.  Sorted.
 */
static const char *const taken[] = {
    "alignas", "alignof", "asm", "assert", "complex", "constexpr", "current",
    "errno", "false", "i386", "likely", "linux", "noinline", "noreturn",
    "nr_cpu_ids", "nullptr", "static_assert", "stderr", "stdin", "stdout",
    "thread_local", "true", "typeof", "typeof_unqual", "unix", "unlikely",
    "unreachable",
};

static int compare_text(const void *key, const void *row)
{
    return strcmp(key, *(const char *const *)row);
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static char to_upper(char c)
{
    return is_lower(c) ? c - 'a' + 'A' : c;
}

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/* A name without lower-case letters may be a macro. */
static bool is_macro_like(const char *name)
{
    while ( *name && !is_lower(*name) )
        name++;
    return !*name;
}

static bool is_taken(const char *name)
{
    return is_macro_like(name) ||
           bsearch(name, taken, sizeof(taken) / sizeof(taken[0]),
                   sizeof(taken[0]), compare_text);
}

void emit_upper(FILE *out, const char *text)
{
    for ( ; *text; text++ )
        fputc(to_upper(*text), out);
}

void emit_string(FILE *out, const char *text)
{
    char last = 0;

    if ( !text )
    {
        fputs("NULL", out);
        return;
    }
    fputc('"', out);
    for ( ; *text; last = *text++ )
    {
        /* Escaped: "??" could begin a trigraph. */
        if ( *text == '"' || *text == '\\' || (*text == '?' && last == '?') )
            fprintf(out, "\\%c", *text);
        else if ( is_printable(*text) )
            fputc(*text, out);
        else
            fprintf(out, "\\%03o", (unsigned char)*text);
    }
    fputc('"', out);
}

void emit_comment(FILE *out, const char *text)
{
    char last = 0;

    for ( ; *text; last = *text++ )
    {
        if ( (last == '*' && *text == '/') || (last == '/' && *text == '*') )
            fputc(' ', out);
        fputc(is_printable(*text) ? *text : ' ', out);
    }
}

void emit_name(FILE *out, const char *name)
{
    size_t length = strlen(name);

    assert(*name);
    fputs(name, out);
    if ( length && (name[length - 1] == '_' || is_taken(name)) )
        fputc('_', out);
}

void emit_parameters(FILE *out, const struct tt_event *e)
{
    if ( !e->nr_args )
        fputs("void", out);
    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        const char *type = e->args[i].type;
        size_t length = strlen(type);

        fprintf(out, "%s%s", i ? ", " : "", type);
        if ( length && type[length - 1] != '*' )
            fputc(' ', out);
        emit_name(out, e->args[i].name);
    }
}

void emit_version(FILE *out, uint16_t version, char point)
{
    assert(point == '.' || point == '_');
    assert(version);
    fprintf(out, "%u%c%u", version >> 8, point, version & 0xffu);
}

void emit_layout(FILE *out, const struct tt_model *m, const struct tt_event *e)
{
    assert(e->in_xen);
    fputs(e->name, out);
    if ( select_is_newest(m, e) )
        return;
    fputs("_until_", out);
    emit_version(out, e->until, '_');
}
