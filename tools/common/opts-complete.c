/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --completion: a script for a shell (bash: source the script; zsh: install it
 * in $fpath as _PROGRAM; fish: as completions/PROGRAM.fish).  The type of an
 * option's argument determines the completions: its choices, none for a
 * number, file names otherwise.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/opts-private.h"

static bool is_free_text(const struct opt *o)
{
    return o->choices == NULL && o->suggest == NULL && o->values == NULL &&
           !opt_kind(o->type)->fixed;
}

/* Text in single quotes of fish, where a backslash escapes. */
static void put_fish(FILE *out, const char *text)
{
    for ( ; *text != '\0'; text++ )
    {
        if ( strchr("'\\", *text) != NULL )
            fputc('\\', out);
        fputc(*text, out);
    }
}

/*
 * Text in single quotes of zsh, where no character escapes: a quote ends the
 * string, is escaped outside, and begins a new string.  Characters with a
 * meaning for _arguments get a backslash.
 */
static void put_zsh(FILE *out, const char *text)
{
    for ( ; *text != '\0'; text++ )
    {
        if ( *text == '\'' )
            fputs("'\\'", out);
        else if ( strchr("[]:\\", *text) != NULL )
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* Text of a command's row, in double quotes inside single quotes. */
static void put_zsh_command(FILE *out, const char *text)
{
    for ( ; *text != '\0'; text++ )
    {
        if ( *text == ':' )
            fputs("\\\\:", out);
        else if ( strchr("'\"[]$`\\", *text) == NULL )
            fputc(*text, out);
    }
}

/*
 * The choices or suggestions of an option.  The shell treats the bytes in
 * `special` in a special way, unless a backslash escapes these.
 */
static void put_completions(FILE *out, const struct opt *o, const char *special)
{
    char room[OPT_ARG_MAX], *text = NULL;
    size_t size;
    FILE *words;

    assert(o->choices == NULL || o->suggest == NULL);
    if ( o->choices != NULL )
        fputs(opt_choices(o, " ", room), out);
    words = o->suggest != NULL ? open_memstream(&text, &size) : NULL;
    if ( words == NULL )
        return;
    o->suggest(words);
    fclose(words);
    for ( const char *c = text; c != NULL && *c != '\0'; c++ )
    {
        if ( strchr(special, *c) != NULL )
            fputc('\\', out);
        fputc(*c, out);
    }
    free(text);
}

/* The name of a shell function: "-" of "xentrace-format" is not allowed. */
static void put_identifier(FILE *out, const char *name)
{
    for ( ; *name != '\0'; name++ )
        fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

/* The spellings, each with a blank; --no-NAME if the preset is yes. */
static void put_spellings(const struct program *p, const struct opt *o,
                          FILE *out)
{
    char letter = opts_letter(p, o);

    assert(o->name != NULL || letter != 0);
    if ( o->name != NULL )
        fprintf(out, "--%s ", o->name);
    if ( o->type == OPT_FLAG && o->preset != NULL && *o->preset == 'y' )
        fprintf(out, "--no-%s ", o->name);
    if ( letter != 0 )
        fprintf(out, "-%c ", letter);
}

/* A branch of `case $prev`: the completions of this option's argument. */
static void bash_argument(const struct program *p, const struct opt *o,
                          FILE *out)
{
    assert(opt_takes_text(o));
    if ( is_free_text(o) )
        return;                 /* bash completes file names by default */

    fputs("    ", out);
    if ( o->name != NULL )
        fprintf(out, "--%s", o->name);
    if ( opts_letter(p, o) != 0 )
        fprintf(out, "%s-%c", o->name ? "|" : "", opts_letter(p, o));
    if ( o->values != NULL )
    {
        fprintf(out, ") words=$(_%s_values %s) files=no ;;\n", p->name,
                o->values);
        return;
    }
    fputs(") words='", out);
    put_completions(out, o, "");
    fputs("' files=no ;;\n", out);
}

static void bash_arguments(const struct program *p, FILE *out)
{
    const struct opt *o;
    size_t i;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
        if ( opts_is_shown(o) && opt_takes_text(o) )
            bash_argument(p, o, out);
}

static void bash_names(const struct program *p, FILE *out)
{
    const struct opt *o;
    size_t i;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
        if ( opts_is_shown(o) )
            put_spellings(p, o, out);
}

static void put_choice_words(const char *const *words, FILE *out)
{
    for ( size_t i = 0; words != NULL && words[i] != NULL; i++ )
        fprintf(out, "%s%s", i > 0 ? " " : "", words[i]);
}

/*
 * Branches of `case $prev`: after the program's name the table of commands,
 * after a command the choices of its first argument; files in both cases.
 */
static void bash_commands(const struct program *p, FILE *out)
{
    const struct command *c;
    size_t i;

    if ( p->nr_commands == 0 )
        return;
    fputs("    ", out);
    put_identifier(out, p->name);
    fputs(") words='", out);
    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
        fprintf(out, "%s%s", i > 0 ? " " : "", c->name);
    fputs("' files=both ;;\n", out);
    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
    {
        if ( c->words == NULL )
            continue;
        fprintf(out, "    %s) words='", c->name);
        put_choice_words(c->words, out);
        fputs("' files=both ;;\n", out);
    }
}

static bool has_values(const struct program *p)
{
    for ( size_t i = 0; i < p->nr_opts; i++ )
        if ( p->opts[i].values != NULL )
            return true;
    return false;
}

/*
 * A function with the values from the first file on the command line.  The
 * program prints values without special characters only, since compgen
 * evaluates the list.
 */
static void bash_values(const struct program *p, FILE *out)
{
    if ( !has_values(p) )
        return;
    fprintf(out, "_%s_values()\n"
            "{\n"
            "    local word\n"
            "    for word in \"${COMP_WORDS[@]:1}\"; do\n"
            "        if [ -f \"$word\" ]; then\n"
            "            \"${COMP_WORDS[0]}\" --complete-values=\"$1\" --"
            " \"$word\" 2>/dev/null\n"
            "            return\n"
            "        fi\n"
            "    done\n"
            "}\n", p->name);
}

/*
 * bash splits --name=value into three words, with '=' in the middle.  Without
 * completions bash falls back to file names (-o default), unless disabled.
 */
static void write_bash(const struct program *p, FILE *out)
{
    fprintf(out, "# bash completion for %s\n", p->name);
    bash_values(p, out);
    fputc('_', out);
    put_identifier(out, p->name);
    fputs("()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} words='' files=yes\n"
          "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    if [ \"$cur\" = = ]; then cur=''\n"
          "    elif [ \"$prev\" = = ]; then"
          " prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    case ${prev##*/} in\n", out);
    bash_arguments(p, out);
    bash_commands(p, out);
    fputs("    esac\n"
          "    case $files$cur in yes-*|both-*) words='", out);
    bash_names(p, out);
    fputs("' files=yes ;; esac\n"
          "    if [ $files = no ]; then compopt +o default; fi 2>/dev/null\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    if [ $files = both ]; then"
          " COMPREPLY+=($(compgen -f -- \"$cur\")); fi\n"
          "}\n"
          "complete -o default -F _", out);
    put_identifier(out, p->name);
    fprintf(out, " %s\n", p->name);
}

/* '*--cpus=[how many pcpus to play]:N: ' */
static void zsh_spelling(const struct opt *o, const char *dashes,
                         const char *name, FILE *out)
{
    char room[OPT_ARG_MAX];
    bool text = opt_takes_text(o);

    fprintf(out, "  '*%s%s%s[", dashes, name,
            !text ? "" : dashes[1] != '\0' ? "=" : "+");
    put_zsh(out, o->help);
    fputc(']', out);
    if ( text )
    {
        fputc(':', out);
        put_zsh(out, opt_arg(o, room));
        fputc(':', out);
        if ( o->choices != NULL || o->suggest != NULL )
        {
            fputc('(', out);
            put_completions(out, o, ":");
            fputc(')', out);
        }
        else if ( o->values != NULL )
            fprintf(out, "{ local w; for w in $words[2,-1]; do if [[ -f $w ]];"
                    " then compadd -- $($words[1] --complete-values=%s -- $w "
                    "2>/dev/null); break; fi; done }", o->values);
        else
            fputs(is_free_text(o) ? "_files" : " ", out);
    }
    fputs("' \\\n", out);
}

/* The first argument: a row of the table of commands, or a file. */
static void zsh_commands(const struct program *p, FILE *out)
{
    const struct command *c;
    size_t i;

    if ( p->nr_commands == 0 )
        return;
    fputs("  '1: :{ _values command", out);
    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
    {
        fprintf(out, " \"%s[", c->name);
        put_zsh_command(out, c->help);
        fputs("]\"", out);
    }
    fputs("; _files }' \\\n", out);
}

static void write_zsh(const struct program *p, FILE *out)
{
    const struct opt *o;
    size_t i;

    fprintf(out, "#compdef %s\n_arguments -s -S \\\n", p->name);
    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
    {
        char letter[] = { opts_letter(p, o), '\0' };

        if ( !opts_is_shown(o) )
            continue;
        if ( o->name != NULL )
            zsh_spelling(o, "--", o->name, out);
        if ( *letter != '\0' )
            zsh_spelling(o, "-", letter, out);
    }
    zsh_commands(p, out);
    fputs(p->max_args != 0 ? "  '*:file:_files'\n" : "  && return\n", out);
}

static void fish_commands(const struct program *p, FILE *out)
{
    const struct command *c;
    size_t i;

    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
    {
        fprintf(out, "complete -c %s -n __fish_is_first_token -a %s -d '",
                p->name, c->name);
        put_fish(out, c->help);
        fputs("'\n", out);
        if ( c->words == NULL )
            continue;
        fprintf(out, "complete -c %s -n '__fish_prev_arg_in %s' -a '", p->name,
                c->name);
        put_choice_words(c->words, out);
        fputs("'\n", out);
    }
}

static void write_fish(const struct program *p, FILE *out)
{
    const struct opt *o;
    size_t i;

    fprintf(out, "# fish completion for %s\n", p->name);
    fish_commands(p, out);
    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
    {
        char letter = opts_letter(p, o);

        if ( !opts_is_shown(o) )
            continue;
        fprintf(out, "complete -c %s", p->name);
        if ( letter != 0 )
            fprintf(out, " -s %c", letter);
        if ( o->name != NULL )
            fprintf(out, " -l %s", o->name);
        if ( opt_takes_text(o) )
            fputs(is_free_text(o) ? " -r" : " -x", out);
        if ( o->choices != NULL || o->suggest != NULL )
        {
            fputs(" -a '", out);
            put_completions(out, o, "<>&|$()");
            fputc('\'', out);
        }
        else if ( o->values != NULL )
            fprintf(out, " -a '(for w in (commandline -opc)[2..-1]; test -f "
                    "$w; and %s --complete-values=%s -- $w 2>/dev/null; and "
                    "break; end)'", p->name, o->values);
        fputs(" -d '", out);
        put_fish(out, o->help);
        fputs("'\n", out);
    }
}

static const struct
{
    const char *name;
    void (*print)(const struct program *p, FILE *out);
} shells[] = {
    { "bash", write_bash }, { "zsh", write_zsh }, { "fish", write_fish },
};

int opts_completion(const struct program *p, const char *shell, FILE *out,
                    struct err *e)
{
    size_t i;

    for ( i = 0; i < sizeof(shells) / sizeof(shells[0]); i++ )
        if ( !strcmp(shells[i].name, shell) )
        {
            shells[i].print(p, out);
            return 0;
        }

    return err_usage(e, "no completion for %s; it is one of bash, zsh, "
                     "fish", shell);
}
