/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The human monitor: a line is split into words, and the first words select a
 * command.  Names, replies and errors are those of QEMU's monitor, so scripts
 * written for QEMU work.
 *
 * Words are separated by blanks.  A word in double quotes may contain blanks,
 * and a backslash in quotes escapes the next character.
 */
#include "libusertrace/monitor/hmp.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libusertrace/monitor/hmp-private.h"
#include "libusertrace/trace/monitor.h"

#define BLANKS " \t\r\n"

static void show_help(struct mon_call *c);

#define BOTH (MON_7_2 | MON_0_14)

static const struct mon_command commands[] = {
    { "help", "[command]", "show the commands, or one of them", 2, BOTH,
      show_help },
    { "info trace", "", "show the records in the rings", 0, MON_0_14,
      mon_old_show_records },
    { "info trace-events", "[name] [vcpu]", "show available trace-events & "
      "their state (name: event name pattern; vcpu: vCPU to query, default is "
      "any)", 2, MON_7_2, mon_show_events },
    { "info trace-events", "", "show available trace-events & their state", 0,
      MON_0_14, mon_old_show_events },
    { "info trace-backends", "", "show the program's back ends", 0,
      BOTH, mon_show_backends },
    { "info trace-counts", "", "show the counters of trace files", 0, BOTH,
      mon_show_counts },
    { "trace-event", "name on|off [vcpu]", "changes status of a specific trace "
      "event (vcpu: vCPU to set, default is all)", 3, MON_7_2,
      mon_switch_events },
    { "trace-event", "name on|off", "changes status of a specific trace event",
      2, MON_0_14, mon_old_switch_events },
    { "trace-file", "on|off|flush|set [arg]", "open, close, or flush trace "
      "file, or set a new file name", 2, MON_7_2, mon_trace_file },
    { "trace-file", "on|off|flush|set [arg]", "open, close, or flush trace "
      "file, or set a new file name", 2, MON_0_14, mon_old_trace_file },
    { "log", "trace:pattern[,...]", "switch on events, for the log", 1,
      MON_7_2, mon_log_events },
    { "logfile", "filename", "output logs to 'filename'", 1, MON_7_2,
      mon_log_file },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* ---- replies ------------------------------------------------------------ */

void mon_reply_line(struct mon_call *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(c->out, format, args);
    va_end(args);
    fputs("\r\n", c->out);
}

void mon_reply_hint(struct mon_call *c)
{
    mon_reply_line(c, "Try \"help %s\" for more information", c->command->name);
}

void mon_reply_usage(struct mon_call *c, const struct mon_command *command)
{
    mon_reply_line(c, "%s%s%s -- %s", command->name, *command->words ? " " : "",
                   command->words, command->text);
}

const char *mon_last_word(const struct mon_command *command)
{
    const char *blank = strchr(command->name, ' ');

    return blank ? blank + 1 : command->name;
}

/* ---- words -------------------------------------------------------------- */

/* The next word of *line, terminated in place, or NULL. */
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

/*
 * One word more than the longest command takes is enough to detect excess
 * words.
 */
static void split_words(struct mon_call *c, char *line)
{
    while ( c->nr < MON_WORDS_MAX &&
            (c->words[c->nr] = next_word(&line)) != NULL )
        c->nr++;
}

static void drop_words(struct mon_call *c, unsigned int nr)
{
    assert(nr <= c->nr);
    c->nr -= nr;
    memmove(c->words, c->words + nr, c->nr * sizeof(*c->words));
}

static bool name_matches(const struct mon_command *command,
                         const struct mon_call *c, unsigned int nr)
{
    const char *last = mon_last_word(command);

    assert(nr && nr <= c->nr);
    return (last != command->name) == (nr == 2) &&
           !strcmp(last, c->words[nr - 1]);
}

static const struct mon_command *find_command(const struct mon_call *c,
                                              unsigned int nr)
{
    for ( size_t i = 0; i < NR_COMMANDS; i++ )
        if ( (commands[i].versions & c->version) &&
             name_matches(&commands[i], c, nr) )
            return &commands[i];
    return NULL;
}

/*
 * The command that the first words name, after removing these words; NULL,
 * after an error line, if there is none.
 */
static const struct mon_command *parse_command(struct mon_call *c)
{
    bool is_info = !strcmp(c->words[0], "info") && c->nr > 1;
    unsigned int nr = 1 + is_info;
    const struct mon_command *command = find_command(c, nr);

    assert(c->nr);
    if ( command )
        drop_words(c, nr);
    else
        mon_reply_line(c, "unknown command: '%s%s'", is_info ? "info " : "",
                       c->words[nr - 1]);
    return command;
}

static void show_help(struct mon_call *c)
{
    const struct mon_command *one;

    if ( c->nr )
    {
        one = parse_command(c);
        if ( one )
            mon_reply_usage(c, one);
        return;
    }
    for ( size_t i = 0; i < NR_COMMANDS; i++ )
        if ( commands[i].versions & c->version )
            mon_reply_usage(c, &commands[i]);
}

/* ---- a line ------------------------------------------------------------- */

static void run_command(struct mon_call *c)
{
    assert(!c->command);
    c->command = parse_command(c);
    if ( !c->command )
        return;
    if ( c->nr <= c->command->words_max )
    {
        c->command->run(c);
        return;
    }
    mon_reply_line(c, "%s: extraneous characters at the end of line",
        mon_last_word(c->command));
    mon_reply_hint(c);
}

int mon_command(const char *line, enum mon_version version, char **reply,
                struct err *e)
{
    char *copy = fault_strdup(line);
    struct mon_call c = { .version = version };
    size_t bytes;
    int rc = 0;

    *reply = NULL;
    if ( copy )
        c.out = open_memstream(reply, &bytes);
    if ( !c.out )
    {
        fault_free(copy);
        return err_sys(e, -ENOMEM, "cannot execute the command");
    }
    split_words(&c, copy);
    if ( c.nr )
        run_command(&c);
    if ( ferror(c.out) )
        rc = -ENOMEM;
    if ( fclose(c.out) )
        rc = -ENOMEM;
    fault_free(copy);
    if ( !rc )
        return 0;
    free(*reply);
    *reply = NULL;
    return err_sys(e, rc, "cannot execute the command");
}

int usertrace_command(const char *line, char **reply, struct err *e)
{
    return mon_command(line, MON_7_2, reply, e);
}
