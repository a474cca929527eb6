/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The human monitor: compared with a session recorded with QEMU, then cases
 * that the session does not have.
 */
#include "session.h"

#include <errno.h>

#include "common/err.h"

static const char *run_line(const char *line)
{
    static char text[8192];
    struct err e = ERR_INIT;
    char *reply;

    ck_assert_int_eq(usertrace_command(line, &reply, &e), 0);
    ck_assert_uint_lt(strlen(reply), sizeof(text));
    strcpy(text, reply);
    free(reply);
    return text;
}

/* ---- the session -------------------------------------------------------- */

struct session
{
    char recorded[512];         /* the command */
    char reply[8192];           /* rest of our reply */
    bool differs;               /* deliberately */
    unsigned int nr;
};

static void end_reply(struct session *s)
{
    ck_assert_msg(s->differs ? s->reply[0] : !s->reply[0],
                  "%s: reply too %s: %s", s->recorded,
                  s->differs ? "short" : "long", s->reply);
    s->differs = false;
}

static void begin_reply(struct session *s, const char *command)
{
    end_reply(s);
    snprintf(s->recorded, sizeof(s->recorded), "%s", command);
    strcpy(s->reply, run_line(command));
    s->nr++;
}

static void expect_line(struct session *s, const char *line)
{
    size_t length = strcspn(s->reply, "\r");

    ck_assert_msg(strlen(line) == length && !strncmp(s->reply, line, length) &&
                  !strncmp(s->reply + length, "\r\n", 2),
                  "%s: '%.*s', not '%s'", s->recorded, (int)length, s->reply,
                  line);
    memmove(s->reply, s->reply + length + 2, strlen(s->reply + length + 2) + 1);
}

static void replay_line(struct session *s, const char *line)
{
    if ( *line == '#' )
        return;
    if ( !strncmp(line, "(qemu) ", 7) )
        begin_reply(s, line + 7);
    else if ( *line && line[1] == ' ' && strchr("+-@", *line) )
        session_event(line);
    else if ( !strcmp(line, "!") )
        s->differs = true;
    else
        expect_line(s, line);
}

START_TEST(a_session_is_as_qemu_has_it)
{
    FILE *file = session_open("hmp.txt");
    struct session s = { .nr = 0 };
    struct trace_vcpu vcpu;
    char folder[32], line[512];

    session_folder(folder);
    usertrace_use_backends("simple");
    ck_assert(trace_init_backends());
    usertrace_vcpu_init(&vcpu, 0);
    while ( fgets(line, sizeof(line), file) )
    {
        line[strcspn(line, "\n")] = '\0';
        replay_line(&s, line);
    }
    end_reply(&s);
    fclose(file);
    ck_assert_uint_eq(s.nr, 64);
    usertrace_vcpu_fini(&vcpu);
    ck_assert(!unlink("first.bin") && !unlink("second.bin") &&
              !unlink("third.bin") && !chdir("/") && !rmdir(folder));
}
END_TEST

/* ---- and more ----------------------------------------------------------- */

START_TEST(lines_have_words)
{
    session_event("+ one");
    ck_assert_str_eq(run_line(""), "");
    ck_assert_str_eq(run_line(" \t\r\n"), "");
    ck_assert_str_eq(run_line("  trace-event\tone   on \n"), "");
    ck_assert_str_eq(run_line("info trace-events \"one\""),
                     "one : state 1\r\n");
    ck_assert_str_eq(run_line("info trace-events \"o\\\"n e"),
                     "unknown event \"o\"n e\"\r\n");
    ck_assert_str_eq(run_line("info trace-events \"\""),
                     "unknown event \"\"\r\n");
    ck_assert_str_eq(run_line("info trace-events \"\\"),
                     "unknown event \"\\\"\r\n");
    ck_assert_str_eq(run_line("info"), "unknown command: 'info'\r\n");
    ck_assert_str_eq(run_line("trace-events"),
                     "unknown command: 'trace-events'\r\n");
    ck_assert_str_eq(run_line("a b c d e f g"), "unknown command: 'a'\r\n");
}
END_TEST

START_TEST(words_that_are_wrong_are_told)
{
    static const char try[] =
        "Try \"help info trace-events\" for more information\r\n";

    session_event("@ one");
    ck_assert_str_eq(run_line("trace-event"), "trace-event: string expected\r\n"
                     "Try \"help trace-event\" for more information\r\n");
    ck_assert_str_eq(strchr(run_line("info trace-events one x"), 'T'), try);
    ck_assert_str_eq(strchr(run_line("info trace-events one 1x"), 'T'), try);
    ck_assert_str_eq(strchr(run_line("info trace-events one 4294967296"), 'T'),
                     try);
    ck_assert_str_eq(strchr(run_line("info trace-events one 0 0"), 'T'), try);
    ck_assert_str_eq(run_line("info trace-events one 4294967295"),
                     "invalid vCPU index 4294967295\r\n");
    ck_assert_int_eq(trace_events_enabled_count, 0);
}
END_TEST

START_TEST(help_knows_all)
{
    const char *text = run_line("help");

    ck_assert_ptr_nonnull(strstr(text, "info trace-counts -- "));
    ck_assert_ptr_nonnull(strstr(text, "\ntrace-file on|off|flush|set [arg]"));
    ck_assert_str_eq(run_line("help nosuch"), "unknown command: 'nosuch'\r\n");
    ck_assert_str_eq(run_line("help info nosuch"),
                     "unknown command: 'info nosuch'\r\n");
}
END_TEST

START_TEST(backends_and_counts_are_shown)
{
    usertrace_use_backends("nop,log");
    ck_assert_str_eq(run_line("info trace-backends"), "nop\r\nlog\r\n");
    ck_assert_str_eq(run_line("info trace-counts"), "written 0\r\ndropped 0\r\n"
                     "bytes 0\r\nfiles 0\r\nfailed-writes 0\r\nrings 0\r\n");
    ck_assert_str_eq(run_line("trace-file on"), "there is no trace file: the "
                     "program was generated without back end simple\r\n");
}
END_TEST

START_TEST(the_log_is_for_trace_events)
{
    char folder[32];

    session_event("+ one");
    session_event("+ two");
    session_event("- three");
    ck_assert_str_eq(run_line("log trace:one"),
                     "there is no log: the program was "
                     "generated without back end log\r\n");
    usertrace_use_backends("log");
    ck_assert_str_eq(run_line("log trace:on*,trace:three,trace:no"),
                     "warning: trace event 'three' is not traceable\r\n"
                     "warning: trace event 'no' does not exist\r\n");
    ck_assert_str_eq(run_line("log trace:two,none"),
                     "log trace:pattern[,...] -- switch on events, for the "
                     "log\r\n");
    ck_assert_str_eq(run_line("log"), "log: string expected\r\n"
                     "Try \"help log\" for more information\r\n");
    ck_assert_str_eq(run_line("info trace-events"),
                     "three : state 0\r\ntwo : state 0\r\none : state 1\r\n");
    ck_assert_str_eq(run_line("log trace:help"), "one\r\ntwo\r\nthree\r\n");
    session_folder(folder);
    ck_assert_str_eq(run_line("logfile lines"), "");
    ck_assert(!unlink("lines") && !chdir("/") && !rmdir(folder));
    ck_assert_str_eq(run_line("logfile /no/such"),
                     "Error opening logfile /no/such: No such file or "
                     "directory\r\n");
}
END_TEST

START_TEST(one_vcpu_is_one)
{
    struct trace_vcpu zero, seven;

    session_event("@ in");
    session_event("+ plain");
    usertrace_vcpu_init(&zero, 0);
    usertrace_vcpu_init(&seven, 7);
    ck_assert_str_eq(run_line("trace-event * on 7"), "");
    ck_assert_str_eq(run_line("info trace-events * 0"), "in : state 0\r\n");
    ck_assert_str_eq(run_line("info trace-events * 7"), "in : state 1\r\n");
    ck_assert_str_eq(run_line("info trace-events"),
                     "plain : state 0\r\nin : state 1\r\n");
    usertrace_vcpu_fini(&seven);
    ck_assert_str_eq(run_line("info trace-events in"), "in : state 0\r\n");
    usertrace_vcpu_fini(&zero);
}
END_TEST

START_TEST(no_memory_is_told)
{
    struct err e = ERR_INIT;
    char *reply;

    session_event("+ one");
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(usertrace_command("help", &reply, &e), -ENOMEM);
    ck_assert_ptr_null(reply);
    fault_arm(FAULT_ALLOC, 2);
    ck_assert_str_eq(run_line("trace-event one on"),
                     "trace events: Cannot allocate memory\r\n");
    fault_arm(FAULT_ALLOC, 2);
    ck_assert_str_eq(run_line("trace-event * on"),
                     "trace events: Cannot allocate memory\r\n");
    fault_disarm();
    ck_assert_int_eq(trace_events_enabled_count, 0);
}
END_TEST

UNIT_MAIN("hmp", a_session_is_as_qemu_has_it, lines_have_words,
          words_that_are_wrong_are_told, help_knows_all,
          backends_and_counts_are_shown, the_log_is_for_trace_events,
          one_vcpu_is_one, no_memory_is_told)
