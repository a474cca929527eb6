/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments and formats of a program's events in Rust.  Names of arguments
 * begin with "_", so none is a keyword, and none gives a warning if unused.
 */
#include "tracetool/program.h"

#include <assert.h>
#include <string.h>

/* ---- types ------------------------------------------------------------- */

#define NR(table) (sizeof(table) / sizeof((table)[0]))

/* Types of one word besides const. */
static const char *const single_words[][2] = {
    { "bool", "bool" }, { "void", "()" },
    { "int8_t", "i8" }, { "uint8_t", "u8" },
    { "int16_t", "i16" }, { "uint16_t", "u16" },
    { "int32_t", "i32" }, { "uint32_t", "u32" },
    { "int64_t", "i64" }, { "uint64_t", "u64" },
    { "size_t", "usize" }, { "ssize_t", "isize" }, { "ptrdiff_t", "isize" },
    { "intptr_t", "isize" }, { "uintptr_t", "usize" },
};

static bool is_word_char(char c)
{
    return c && c != ' ' && c != '*';
}

static size_t count_in_type(const char *type, const char *word)
{
    size_t n = 0, length = strlen(word);

    for ( const char *at = type; (at = strstr(at, word)); at += length )
        n += (at == type || !is_word_char(at[-1])) &&
             !is_word_char(at[length]);
    return n;
}

/* A type of the words char, short, int, long, signed and unsigned. */
static void put_composed_type(FILE *out, const char *type)
{
    bool is_unsigned = count_in_type(type, "unsigned") != 0;

    if ( count_in_type(type, "char") && is_unsigned )
        fputs("u8", out);
    else if ( count_in_type(type, "char") && count_in_type(type, "signed") )
        fputs("i8", out);
    else if ( count_in_type(type, "char") )
        fputs("std::ffi::c_char", out);
    else
        fprintf(out, "std::ffi::c_%s%s", is_unsigned ? "u" : "",
                count_in_type(type, "short") ? "short" :
                count_in_type(type, "long") > 1 ? "longlong" :
                count_in_type(type, "long") ? "long" : "int");
}

/* A pointer to a pointer is used as a pointer to void. */
static void put_rust_type(FILE *out, const char *type)
{
    const char *star = strchr(type, '*');
    size_t i;

    if ( star )
        fputs(count_in_type(type, "const") ? "*const " : "*mut ", out);
    if ( star && strchr(star + 1, '*') )
        type = "void";
    for ( i = 0; i < NR(single_words); i++ )
        if ( count_in_type(type, single_words[i][0]) )
            break;
    if ( i < NR(single_words) )
        fputs(single_words[i][1], out);
    else
        put_composed_type(out, type);
}

/* ---- arguments --------------------------------------------------------- */

/* QEMU's functions take a borrowed C string; its pointer goes to C. */
static bool is_rust_string(const struct tt_arg *a)
{
    return a->kind == TT_STRING && count_in_type(a->type, "const");
}

void program_rust_parameters(FILE *out, const struct tt_event *e, bool for_c)
{
    assert(program_has(e));
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        const struct tt_arg *a = program_arg(e, i);

        fprintf(out, "%s_%s: ", i ? ", " : "", a->name);
        if ( is_rust_string(a) && !for_c )
            fputs("&std::ffi::CStr", out);
        else
            put_rust_type(out, a->type);
    }
}

static void put_rust_argument(FILE *out, const struct tt_arg *a)
{
    fprintf(out, "_%s%s", a->name, is_rust_string(a) ? ".as_ptr()" : "");
}

void program_rust_arguments(FILE *out, const struct tt_event *e)
{
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        fputs(i ? ", " : "", out);
        put_rust_argument(out, program_arg(e, i));
    }
}

/* ---- a call with a format ---------------------------------------------- */

static void put_rust_literal(FILE *out, const struct tt_piece *piece)
{
    for ( size_t i = 0; i < piece->length; i++ )
    {
        unsigned char c = piece->text[i];

        if ( c == '%' )
            fputs("%%", out);
        else if ( c == '"' || c == '\\' )
            fprintf(out, "\\%c", c);
        else if ( c < ' ' || c > '~' )
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
}

/*
 * The macros of inttypes.h were expanded for this machine; in the output, 64
 * bits are "ll" on every machine.
 */
static void put_rust_conversion(FILE *out, const struct tt_piece *piece,
                                const struct tt_arg *a)
{
    for ( size_t i = 0; i < piece->length; i++ )
    {
        if ( a->width == 64 && piece->text[i] == 'l' )
            continue;
        if ( a->width == 64 && i + 1 == piece->length )
            fputs("ll", out);
        fputc(piece->text[i], out);
    }
}

static void put_rust_format(FILE *out, const struct tt_event *e)
{
    fprintf(out, "%s ", e->name);
    if ( e->vcpu )
        fputs("cpu=%p ", out);
    for ( size_t i = 0; i < e->nr_pieces; i++ )
    {
        const struct tt_piece *piece = &e->pieces[i];

        if ( piece->arg < 0 )
            put_rust_literal(out, piece);
        else
            put_rust_conversion(out, piece, &e->args[piece->arg]);
    }
}

/* A variadic function takes no type that is smaller than an int. */
static bool is_promoted(const struct tt_arg *a)
{
    return (a->kind == TT_INTEGER || a->kind == TT_BOOL) && a->width &&
           a->width < 32;
}

void program_rust_print(FILE *out, const char *call, const struct tt_event *e,
                        const char *end)
{
    fprintf(out, "unsafe { %sc\"", call);
    put_rust_format(out, e);
    fprintf(out, "%s\".as_ptr() as *const c_char", end);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        if ( !program_is_printed(e, i) )
            continue;
        fputs(", ", out);
        put_rust_argument(out, program_arg(e, i));
        if ( is_promoted(program_arg(e, i)) )
            fputs(" as std::ffi::c_int", out);
    }
    fputs("); }\n", out);
}
