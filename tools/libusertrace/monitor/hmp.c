/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that people type.  Names, replies and complaints are those of
 * QEMU's monitor (7.2), so that scripts written for it work; where QEMU is
 * silent about a trace file that cannot be opened, there is a reason here.
 *
 * Words are separated by blanks; one in double quotes may hold blanks, and a
 * backslash there takes the next character as it is.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/monitor/select.h"
#include "libusertrace/trace/monitor.h"

#define WORDS_MAX 5u            /* more than any command has */
#define BLANKS " \t\r\n"

struct command;

struct call
{
    const struct command *command;
    FILE *out;
    char *words[WORDS_MAX];     /* what the command is about */
    unsigned int nr;
};

struct command
{
    const char *name;           /* one word, or two, the first is "info" */
    const char *words, *text;   /* for help */
    unsigned int words_max;
    void (*run)(struct call *c);
};

static void show_help(struct call *c);
static void show_events(struct call *c);
static void show_backends(struct call *c);
static void show_counts(struct call *c);
static void switch_events(struct call *c);
static void trace_file(struct call *c);

static const struct command commands[] = {
    { "help", "[command]", "show the commands, or one of them", 2, show_help },
    { "info trace-events", "[name] [vcpu]", "show available trace-events & "
      "their state (name: event name pattern; vcpu: vCPU to query, default is "
      "any)", 2, show_events },
    { "info trace-backends", "", "show what the program was made with", 0,
      show_backends },
    { "info trace-counts", "", "show what went to trace files, and what did "
      "not", 0, show_counts },
    { "trace-event", "name on|off [vcpu]", "changes status of a specific trace "
      "event (vcpu: vCPU to set, default is all)", 3, switch_events },
    { "trace-file", "on|off|flush|set [arg]", "open, close, or flush trace "
      "file, or set a new file name", 2, trace_file },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* ---- replies -------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3)))
say(struct call *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(c->out, format, args);
    va_end(args);
    fputs("\r\n", c->out);
}

static void say_try(struct call *c)
{
    say(c, "Try \"help %s\" for more information", c->command->name);
}

static void say_usage(struct call *c, const struct command *command)
{
    say(c, "%s%s%s -- %s", command->name, *command->words ? " " : "",
        command->words, command->text);
}

/* "trace-events" of "info trace-events". */
static const char *last_word(const struct command *command)
{
    const char *blank = strchr(command->name, ' ');

    return blank ? blank + 1 : command->name;
}

/* ---- words ------------------------------------------------------------------ */

/* The next one of *line, which is cut up, or NULL. */
static char *next_word(char **line)
{
    char *from = *line + strspn(*line, BLANKS), *to = from, *word = from;
    bool quoted = *from == '"';

    if ( !*from )
        return NULL;
    for ( from += quoted; *from && !strchr(quoted ? "\"" : BLANKS, *from);
          from++ )
    {
        from += quoted && *from == '\\' && from[1];
        *to++ = *from;
    }
    *line = from + (*from != '\0');
    *to = '\0';
    return word;
}

/* More than the most words are as wrong as the most. */
static void take_words(struct call *c, char *line)
{
    while ( c->nr < WORDS_MAX && (c->words[c->nr] = next_word(&line)) != NULL )
        c->nr++;
}

static void drop_words(struct call *c, unsigned int nr)
{
    c->nr -= nr;
    memmove(c->words, c->words + nr, c->nr * sizeof(*c->words));
}

static bool has_name(const struct command *command, const struct call *c,
                     unsigned int nr)
{
    const char *last = last_word(command);

    return (last != command->name) == (nr == 2) &&
           !strcmp(last, c->words[nr - 1]);
}

/*
 * The command that the words begin with, which are then gone; NULL, after a
 * line about it, if there is none.
 */
static const struct command *take_command(struct call *c)
{
    bool is_info = !strcmp(c->words[0], "info") && c->nr > 1;
    unsigned int nr = 1 + is_info;

    for ( size_t i = 0; i < NR_COMMANDS; i++ )
        if ( has_name(&commands[i], c, nr) )
        {
            drop_words(c, nr);
            return &commands[i];
        }
    say(c, "unknown command: '%s%s'", is_info ? "info " : "",
        c->words[nr - 1]);
    return NULL;
}

/* ---- the commands ----------------------------------------------------------- */

static void show_help(struct call *c)
{
    const struct command *one;

    if ( c->nr )
    {
        one = take_command(c);
        if ( one )
            say_usage(c, one);
        return;
    }
    for ( size_t i = 0; i < NR_COMMANDS; i++ )
        say_usage(c, &commands[i]);
}

/* Is word number `at` a vcpu, or absent? */
static bool take_vcpu(struct call *c, unsigned int at, struct mon_question *q)
{
    long long value;
    char *end;

    if ( c->nr <= at )
        return true;
    errno = 0;
    value = strtoll(c->words[at], &end, 0);
    if ( end == c->words[at] || *end )
        say(c, "'%s' has failed: a vCPU is a number", last_word(c->command));
    else if ( errno || value < 0 || value > UINT32_MAX )
        say(c, "'%s' has failed: integer is for 32-bit values",
            last_word(c->command));
    else
    {
        q->has_vcpu = true;
        q->vcpu = value;
        return true;
    }
    say_try(c);
    return false;
}

static void show_events(struct call *c)
{
    struct mon_question q = { .name = c->nr ? c->words[0] : "*" };
    struct err e = ERR_INIT;
    struct mon_events found;

    if ( !take_vcpu(c, 1, &q) )
        return;
    if ( mon_events_new(&q, &found, &e) )
    {
        say(c, "%s", e.text);
        return;
    }
    for ( size_t i = found.nr; i-- > 0; )
        say(c, "%s : state %d", found.list[i]->name,
            mon_is_on(&found, found.list[i]));
    mon_events_free(&found);
}

static bool take_switch(struct call *c, bool *on)
{
    *on = c->nr > 1 && !strcmp(c->words[1], "on");
    if ( *on || (c->nr > 1 && !strcmp(c->words[1], "off")) )
        return true;
    say(c, "%s", c->nr ? "Expected 'on' or 'off'"
                       : "trace-event: string expected");
    say_try(c);
    return false;
}

static void switch_events(struct call *c)
{
    struct mon_question q = { .name = c->words[0] };
    struct err e = ERR_INIT;
    struct mon_events found;
    bool on;

    if ( !take_switch(c, &on) || !take_vcpu(c, 2, &q) )
        return;
    if ( mon_events_new(&q, &found, &e) )
    {
        say(c, "%s", e.text);
        return;
    }
    if ( mon_switch(&found, on, true, &e) )
        say(c, "%s", e.text);
    mon_events_free(&found);
}

static void show_backends(struct call *c)
{
    for ( const char *const *name = usertrace_backends(); *name; name++ )
        say(c, "%s", *name);
}

static void show_counts(struct call *c)
{
    struct usertrace_counts counts;

    usertrace_counts(&counts);
    say(c, "written %llu", (unsigned long long)counts.written);
    say(c, "dropped %llu", (unsigned long long)counts.dropped);
    say(c, "bytes %llu", (unsigned long long)counts.bytes);
    say(c, "files %llu", (unsigned long long)counts.files);
    say(c, "failed-writes %llu", (unsigned long long)counts.failed_writes);
    say(c, "rings %u", counts.rings);
}

static void show_file(struct call *c)
{
    char path[4096];
    bool is_open = usertrace_file_status(path, sizeof(path));

    say(c, "Trace file \"%s\" %s.", path, is_open ? "on" : "off");
}

static int do_file(struct call *c, struct err *e)
{
    static const char *const words[] = {
        [USERTRACE_FILE_OFF] = "off", [USERTRACE_FILE_ON] = "on",
        [USERTRACE_FILE_FLUSH] = "flush",
    };

    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        if ( !strcmp(c->words[0], words[i]) )
            return usertrace_file(i, e);
    if ( !strcmp(c->words[0], "set") )
        return c->nr > 1 ? usertrace_file_set(c->words[1], e) : 0;
    say(c, "unexpected argument \"%s\"", c->words[0]);
    say_usage(c, c->command);
    return 0;
}

static void trace_file(struct call *c)
{
    struct err e = ERR_INIT;

    if ( !c->nr )
        show_file(c);
    else if ( do_file(c, &e) )
        say(c, "%s", e.text);
}

/* ---- a line ----------------------------------------------------------------- */

static void obey(struct call *c)
{
    c->command = take_command(c);
    if ( !c->command )
        return;
    if ( c->nr <= c->command->words_max )
    {
        c->command->run(c);
        return;
    }
    say(c, "%s: extraneous characters at the end of line",
        last_word(c->command));
    say_try(c);
}

int usertrace_command(const char *line, char **reply, struct err *e)
{
    char *copy = fault_strdup(line);
    struct call c = { .out = NULL };
    size_t bytes;
    int rc = 0;

    *reply = NULL;
    if ( copy )
        c.out = open_memstream(reply, &bytes);
    if ( !c.out )
    {
        fault_free(copy);
        return err_sys(e, -ENOMEM, "a monitor's command");
    }
    take_words(&c, copy);
    if ( c.nr )
        obey(&c);
    if ( ferror(c.out) )
        rc = -ENOMEM;
    if ( fclose(c.out) )
        rc = -ENOMEM;
    fault_free(copy);
    if ( !rc )
        return 0;
    free(*reply);
    *reply = NULL;
    return err_sys(e, rc, "a monitor's command");
}
