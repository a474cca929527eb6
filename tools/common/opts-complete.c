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
 * The words of a NULL-terminated array, or suggestions.  The shell treats the
 * bytes in `special` in a special way, unless a backslash escapes these.
 */
static void put_completions(FILE *out, const char *const *choices,
                            void (*suggest)(FILE *out), const char *special)
{
    char *text = NULL;
    size_t size;
    FILE *words;

    assert(choices == NULL || suggest == NULL);
    for ( size_t i = 0; choices != NULL && choices[i] != NULL; i++ )
        fprintf(out, "%s%s", i > 0 ? " " : "", choices[i]);
    words = suggest != NULL ? open_memstream(&text, &size) : NULL;
    if ( words == NULL )
        return;
    suggest(words);
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

/* --- bash ----------------------------------------------------------------- */

/* "--name|-n", a pattern of `case`. */
static void bash_pattern(const struct program *p, const struct opt *o,
                         FILE *out)
{
    char letter = opts_letter(p, o);

    assert(o->name != NULL || letter != 0);
    if ( o->name != NULL )
        fprintf(out, "--%s", o->name);
    if ( letter != 0 )
        fprintf(out, "%s-%c", o->name != NULL ? "|" : "", letter);
}

/* The choices of CHOICE:FILE, with their colons. */
static void bash_choices(const struct opt *o, FILE *out)
{
    assert(o->file_follows && o->choices != NULL);
    fputs(" words='", out);
    for ( const char *const *c = o->choices; *c != NULL; c++ )
        fprintf(out, "%s%s:", c > o->choices ? " " : "", *c);
    fputc('\'', out);
}

/* A branch of `case $prev`: the completions of this option's argument. */
static void bash_argument(const struct program *p, const struct opt *o,
                          FILE *out)
{
    assert(opt_takes_text(o));
    fputs("    ", out);
    bash_pattern(p, o, out);
    fprintf(out, ") files=%s", is_free_text(o) ? "only" : "no");
    if ( o->values != NULL )
        fprintf(out, " values=%s", o->values);
    if ( o->list )
        fputs(" list=yes", out);
    if ( o->file_follows )
    {
        fputs("; case $cur in *:*) files=only ;;"
              " *) compopt -o nospace 2>/dev/null;", out);
        bash_choices(o, out);
        fputs(" ;; esac", out);
    }
    else if ( o->choices != NULL || o->suggest != NULL )
    {
        fputs(" words='", out);
        put_completions(out, o->choices, o->suggest, "");
        fputc('\'', out);
    }
    fputs(" ;;\n", out);
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

static void put_command_names(const struct program *p, FILE *out)
{
    const struct command *c;
    size_t i;

    assert(p->nr_commands != 0);
    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
        fprintf(out, "%s%s", i > 0 ? " " : "", c->name);
}

/* A branch of `case`: the first argument of a command; also a file. */
static void bash_command(const struct program *p, const struct command *c,
                         FILE *out)
{
    bool is_help = opts_is_help(c);

    assert(c->words == NULL || c->suggest == NULL);
    if ( c->words == NULL && c->suggest == NULL && c->values == NULL &&
         !is_help )
        return;
    fprintf(out, "    0%s) files=%s", c->name, is_help ? "no" : "both");
    if ( c->values != NULL )
        fprintf(out, " values=%s", c->values);
    if ( c->suggest != NULL )
        fputs(" list=yes", out);
    if ( c->words != NULL || c->suggest != NULL || is_help )
        fputs(" words='", out);
    if ( is_help )
        put_command_names(p, out);
    if ( c->words != NULL || c->suggest != NULL )
        put_completions(out, c->words, c->suggest, "");
    fputs(c->words != NULL || c->suggest != NULL ? "' ;;\n" :
          is_help ? " all' ;;\n" : " ;;\n", out);
}

/*
 * Find the command, and the number of arguments behind it: words that are no
 * option, and no argument of an option.  Behind "--" are only files.
 */
static void bash_commands(const struct program *p, FILE *out)
{
    const struct command *c;
    const struct opt *o;
    size_t i;

    if ( p->nr_commands == 0 )
        return;
    fputs("    for ((j = 1; j < i; j++)); do\n"
          "        case ${COMP_WORDS[j]} in\n        ", out);
    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
        if ( opts_is_shown(o) && opt_takes_text(o) )
        {
            bash_pattern(p, o, out);
            fputc('|', out);
        }
    fputs("=) [ \"${COMP_WORDS[j+1]}\" = = ] && ((j++)); ((j++))\n"
          "            while [ \"${COMP_WORDS[j+1]}\" = : ];"
          " do ((j += 2)); done ;;\n"
          "        --) command=-- nr=9 ;;\n"
          "        -*) ;;\n"
          "        *) if [ -z \"$command\" ]; then command=${COMP_WORDS[j]};"
          " else ((nr++)); fi ;;\n"
          "        esac\n"
          "    done\n"
          "    case $files:$cur in yes:-*) ;; yes:*) case $nr$command in\n"
          "    0) files=both words='", out);
    put_command_names(p, out);
    fputs("' ;;\n", out);
    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
        bash_command(p, c, out);
    fputs("    esac ;; esac\n", out);
}

static bool has_values(const struct program *p)
{
    for ( size_t i = 0; i < p->nr_opts; i++ )
        if ( p->opts[i].values != NULL )
            return true;
    return false;
}

/* A function with a line per value, from the first file on the command line. */
static void bash_values(const struct program *p, FILE *out)
{
    if ( !has_values(p) )
        return;
    fputc('_', out);
    put_identifier(out, p->name);
    fputs("_values()\n"
          "{\n"
          "    local word\n"
          "    for word in \"${COMP_WORDS[@]:1}\"; do\n"
          "        [ -f \"$word\" ] || word=${word//[\\\\\\\"\\']/}\n"
          "        if [ -f \"$word\" ]; then\n"
          "            \"${COMP_WORDS[0]}\" --complete-values=\"$1\" --"
          " \"$word\" 2>/dev/null\n"
          "            return\n"
          "        fi\n"
          "    done\n"
          "}\n", out);
}

/* Values are quoted: a shell must not evaluate bytes of a trace. */
static void bash_add_values(const struct program *p, FILE *out)
{
    if ( !has_values(p) )
        return;
    fputs("    if [ \"$values\" ]; then\n"
          "        plain=${item//[\\\\\\\"\\']/}\n"
          "        while IFS= read -r word; do\n"
          "            case $word in \"$plain\"*) ;; *) continue ;; esac\n"
          "            case $item in [\\\"\\']*) case $word in"
          " *[!A-Za-z0-9_.+/\\ -]*) ;;\n"
          "                *) COMPREPLY+=(\"$head$word\") ;; esac ;;\n"
          "            *) COMPREPLY+=(\"$head$(printf %q \"$word\")\") ;;"
          " esac\n"
          "        done < <(_", out);
    put_identifier(out, p->name);
    fputs("_values \"$values\")\n"
          "    fi\n", out);
}

/*
 * bash splits words at '=' and ':', which become words.  Without completions
 * bash falls back to file names (-o default), unless disabled.
 */
static void bash_begin(const struct program *p, FILE *out)
{
    fputc('_', out);
    put_identifier(out, p->name);
    fputs("()\n{\n"
          "    local i=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev word j"
          " colon=''\n"
          "    local words='' values='' list='' files=yes command='' nr=0"
          " head='' item plain\n"
          "    while [ $i -gt 1 ]; do\n"
          "        if [ \"$cur\" = : ]; then"
          " cur=${COMP_WORDS[i-1]}: i=$((i - 1)) colon=yes\n"
          "        elif [ \"${COMP_WORDS[i-1]}\" = : ]; then"
          " cur=${COMP_WORDS[i-2]}:$cur i=$((i - 2)) colon=yes\n"
          "        else break; fi\n"
          "    done\n"
          "    prev=${COMP_WORDS[i-1]}\n"
          "    if [ \"$cur\" = = ]; then cur=''\n"
          "    elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[i-2]}; fi\n"
          "    case $prev in\n", out);
}

/* An item that is in the list already is no completion. */
static void bash_drop_repeated(FILE *out)
{
    fputs("    for j in ${head:+\"${!COMPREPLY[@]}\"}; do\n"
          "        word=${COMPREPLY[j]#\"$head\"}\n"
          "        case ,$head in"
          " *\",$word,\"*) unset \"COMPREPLY[j]\" ;; esac\n"
          "    done\n"
          "    COMPREPLY=(\"${COMPREPLY[@]}\")\n", out);
}

/* The last item of a list is completed; the other items are a prefix. */
static void bash_end(const struct program *p, FILE *out)
{
    fputs("    item=$cur\n"
          "    if [ \"$list\" ]; then item=${cur##*,} head=${cur%\"$item\"};"
          " fi\n"
          "    if [ $files = no ]; then compopt +o default; fi 2>/dev/null\n"
          "    mapfile -t COMPREPLY <"
          " <(compgen -P \"$head\" -W \"$words\" -- \"$item\")\n", out);
    bash_add_values(p, out);
    bash_drop_repeated(out);
    fputs("    if [ $files = both ] && [ ${#COMPREPLY[@]} -gt 0 ]; then\n"
          "        while IFS= read -r word; do"
          " COMPREPLY+=(\"$(printf %q \"$word\")\");\n"
          "        done < <(compgen -f -- \"$cur\")\n"
          "    fi\n"
          "    if [ \"$colon\" ]; then colon=${cur%\"${cur##*:}\"};"
          " COMPREPLY=(\"${COMPREPLY[@]#\"$colon\"}\"); fi\n"
          "}\n"
          "complete -o default -F _", out);
    put_identifier(out, p->name);
    fprintf(out, " %s\n", p->name);
}

static void write_bash(const struct program *p, FILE *out)
{
    fprintf(out, "# bash completion for %s\n", p->name);
    bash_values(p, out);
    bash_begin(p, out);
    bash_arguments(p, out);
    fputs("    esac\n", out);
    bash_commands(p, out);
    fputs("    case $command:$files:$cur in --:*) ;; *:yes:-*) words='", out);
    bash_names(p, out);
    fputs("' ;; esac\n", out);
    bash_end(p, out);
}

/* --- zsh ------------------------------------------------------------------ */

/* Values of the first file on the command line, a line each. */
static void zsh_values(const char *values, bool list, FILE *out)
{
    assert(values != NULL);
    fprintf(out, "{ local w; for w in ${(Q)words[2,-1]}; do if [[ -f $w ]]; "
            "then %scompadd -- ${(f)\"$($words[1] --complete-values=%s -- $w "
            "2>/dev/null)\"}; break; fi; done }",
            list ? "compset -P \"*,\"; " : "", values);
}

/* A choice and its colon, and behind a colon a file. */
static void zsh_choice_file(const struct opt *o, FILE *out)
{
    assert(o->choices != NULL);
    fputs("{ if compset -P \"*\\:\"; then _files; else compadd -S \\: -- ",
          out);
    put_completions(out, o->choices, NULL, ":");
    fputs("; fi }", out);
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
        if ( o->file_follows )
            zsh_choice_file(o, out);
        else if ( o->choices != NULL || o->suggest != NULL )
        {
            fputs(o->list ? "_sequence compadd - " : "(", out);
            put_completions(out, o->choices, o->suggest, ":");
            fputs(o->list ? "" : ")", out);
        }
        else if ( o->values != NULL )
            zsh_values(o->values, o->list, out);
        else
            fputs(is_free_text(o) ? "_files" : " ", out);
    }
    fputs("' \\\n", out);
}

/* The first argument of a command; or a file. */
static void zsh_command(const struct program *p, const struct command *c,
                        FILE *out)
{
    if ( c->words == NULL && c->suggest == NULL && c->values == NULL &&
         !opts_is_help(c) )
        return;
    fprintf(out, " %s) ", c->name);
    if ( c->values != NULL )
        zsh_values(c->values, false, out);
    else
    {
        fputs(c->suggest != NULL ? "_sequence compadd - " : "compadd -- ", out);
        if ( opts_is_help(c) )
            put_command_names(p, out);
        else
            put_completions(out, c->words, c->suggest, ":");
    }
    fputs(";;", out);
}

/* The first argument is a command, or a file; the second depends on it. */
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
    fputs("; _files }' \\\n  '2: :{ case $line[1] in", out);
    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
        zsh_command(p, c, out);
    fputs(" esac; _files }' \\\n", out);
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

/* --- fish ----------------------------------------------------------------- */

/* A function that prints the values of the first file on the command line. */
static void fish_values(const struct program *p, FILE *out)
{
    if ( !has_values(p) )
        return;
    fputs("function __", out);
    put_identifier(out, p->name);
    fprintf(out, "_values\n"
            "    for w in (commandline -opc)[2..-1]\n"
            "        test -f \"$w\"; and %s --complete-values=$argv[1] -- $w "
            "2>/dev/null; and break\n"
            "    end\nend\n", p->name);
}

/*
 * A function that prints the first part of CHOICE:FILE, and behind a colon its
 * files.
 */
static void fish_choice_file(const struct program *p, FILE *out)
{
    size_t i = 0;

    while ( i < p->nr_opts && !p->opts[i].file_follows )
        i++;
    if ( i == p->nr_opts )
        return;
    fputs("function __", out);
    put_identifier(out, p->name);
    fputs("_choice_file\n"
          "    set -l word (commandline -ct | string replace -r '^-.*?=' '')\n"
          "    set -l head (string match -r '^[^:]*:' -- $word)\n"
          "    if test -z \"$head\"\n"
          "        printf '%s:\\n' $argv\n"
          "        return\n"
          "    end\n"
          "    for file in (complete -C \"'' \""
          "(string replace -- $head '' $word))\n"
          "        echo $head$file\n"
          "    end\nend\n", out);
}

/* Words that the program knows, or values of the trace; a list has commas. */
static void fish_words(const struct program *p, const char *const *choices,
                       void (*suggest)(FILE *out), const char *values,
                       bool list, FILE *out)
{
    assert(choices == NULL || suggest == NULL);
    fputs(list ? " -a '(__fish_complete_list , \"" : " -a '", out);
    if ( values != NULL )
    {
        fputs(list ? "__" : "(__", out);
        put_identifier(out, p->name);
        fprintf(out, "_values %s%s", values, list ? "" : ")");
    }
    else
    {
        fputs(list ? "printf %s\\\\n " : "", out);
        put_completions(out, choices, suggest, "<>&|$()");
    }
    fputs(list ? "\")'" : "'", out);
}

static void fish_choices(const struct program *p, const struct opt *o,
                         FILE *out)
{
    assert(o->choices != NULL);
    fputs(" -a '(__", out);
    put_identifier(out, p->name);
    fputs("_choice_file ", out);
    put_completions(out, o->choices, NULL, "<>&|$()");
    fputs(")'", out);
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
        if ( c->words == NULL && c->suggest == NULL && c->values == NULL &&
             !opts_is_help(c) )
            continue;
        fprintf(out, "complete -c %s -n '__fish_prev_arg_in %s'", p->name,
                c->name);
        if ( opts_is_help(c) )
        {
            fputs(" -a '", out);
            put_command_names(p, out);
            fputs("'", out);
        }
        else
            fish_words(p, c->words, c->suggest, c->values, c->suggest != NULL,
                       out);
        fputc('\n', out);
    }
}

static void write_fish(const struct program *p, FILE *out)
{
    const struct opt *o;
    size_t i;

    fprintf(out, "# fish completion for %s\n", p->name);
    fish_values(p, out);
    fish_choice_file(p, out);
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
        if ( o->file_follows )
            fish_choices(p, o, out);
        else if ( o->choices != NULL || o->suggest != NULL ||
                  o->values != NULL )
            fish_words(p, o->choices, o->suggest, o->values, o->list, out);
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
