/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QMP over a real socket: compared with a session recorded with QEMU; then
 * message framing, and slow, numerous or hostile peers.
 */
#include "monitor-client.h"

#include <errno.h>
#include <jansson.h>
#include <sys/stat.h>

#include "libusertrace/monitor/frame.h"
#include "libusertrace/monitor/qmp.h"

static const char agree[] = "{'execute':'qmp_capabilities'}";
static bool read_line(int fd, char *line, size_t size)
{
    return client_get(fd, "\r\n", line, size);
}

static const char *send_message(int fd, const char *text)
{
    static char line[16384];

    client_put(fd, text);
    ck_assert_msg(read_line(fd, line, sizeof(line)), "%s: no reply", text);
    return line;
}

static int connect_greeted(void)
{
    int fd = client_connect();
    char line[512];

    ck_assert(read_line(fd, line, sizeof(line)));
    ck_assert_int_eq(strncmp(line, "{\"QMP\": {\"version\": {\"qemu\": {", 30),
                     0);
    return fd;
}

static int connect_ready(void)
{
    int fd = connect_greeted();

    ck_assert_str_eq(send_message(fd, agree), "{\"return\": {}}");
    return fd;
}

/* ---- the session -------------------------------------------------------- */

static bool is_same(const char *one, const char *two)
{
    json_t *a = json_loads(one, 0, NULL), *b = json_loads(two, 0, NULL);
    bool same = a && b && json_equal(a, b);

    json_decref(a);
    json_decref(b);
    return same;
}

static void replay_session(FILE *file, int fd)
{
    char line[16384], said[512], reply[16384] = "";
    unsigned int nr = 0;

    while ( fgets(line, sizeof(line), file) )
    {
        line[strcspn(line, "\n")] = '\0';
        if ( strchr("+-@", *line) )
            session_event(line);
        else if ( !strncmp(line, "C: ", 3) )
        {
            ck_assert_uint_lt(strlen(line), sizeof(said));
            strcpy(said, line + 3);
            strcpy(reply, send_message(fd, said));
            nr++;
        }
        else if ( *line == '!' )
            ck_assert(!strncmp(reply, "{\"return\": ", 11) &&
                      fgets(line, sizeof(line), file));
        else if ( *line != '#' )
            ck_assert_msg(is_same(reply, line + 3), "%s: %s, not %s", said,
                          reply, line + 3);
    }
    ck_assert_uint_eq(nr, 60);
}

START_TEST(a_session_is_as_qemu_has_it)
{
    FILE *file = session_open("qmp.txt");
    struct usertrace_server *server;
    struct trace_vcpu vcpu;
    int fd;

    usertrace_use_backends("simple,log");
    usertrace_vcpu_init(&vcpu, 0);
    ck_assert_int_eq(usertrace_file_set("third.bin", NULL), 0);
    server = monitor_open(USERTRACE_QMP);
    fd = connect_greeted();
    replay_session(file, fd);
    fclose(file);
    close(fd);
    ck_assert_int_eq(unlink("log.txt"), 0);
    monitor_close(server);
    usertrace_vcpu_fini(&vcpu);
}
END_TEST

START_TEST(our_own_commands)
{
    struct usertrace_server *server = monitor_open(USERTRACE_QMP);
    int fd = connect_ready();

    usertrace_use_backends("nop,log");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-query-backends'}"),
                     "{\"return\": [\"nop\", \"log\"]}");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-query-counts'}"),
                     "{\"return\": {\"written\": 0, \"dropped\": 0, "
                     "\"bytes\": 0, \"files\": 0, \"failed-writes\": 0, "
                     "\"rings\": 0}}");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-file-on'}"),
                     "{\"error\": {\"class\": \"GenericError\", \"desc\": "
                     "\"there is no trace file: the program was generated "
                     "without back end simple\"}}");
    ck_assert_str_eq(send_message(fd,
                                  "{'execute':'usertrace-file-set','arguments':"
                                  "{'path':'a'}}"), "{\"return\": {}}");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-query-file'}"),
                     "{\"return\": {\"path\": \"a\", \"open\": false}}");
    usertrace_file_set("\xff" "a", NULL);
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-query-file'}"),
                     "{\"return\": {\"path\": \"?a\", \"open\": false}}");
    ck_assert_ptr_nonnull(strstr(send_message(fd,
                                              "{'execute':'query-commands'}"),
                                 "{\"name\": \"usertrace-file-flush\"}"));
    close(fd);
    monitor_close(server);
}
END_TEST

START_TEST(the_file_is_controlled)
{
    struct usertrace_server *server;
    int fd;

    usertrace_use_backends("simple");
    ck_assert(trace_init_backends());
    server = monitor_open(USERTRACE_QMP);
    fd = connect_ready();
    send_message(fd,
                 "{'execute':'usertrace-file-set','arguments':{'path':'a'}}");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-file-on'}"),
                     "{\"return\": {}}");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-file-flush'}"),
                     "{\"return\": {}}");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-query-file'}"),
                     "{\"return\": {\"path\": \"a\", \"open\": true}}");
    ck_assert_str_eq(send_message(fd, "{'execute':'usertrace-file-off'}"),
                     "{\"return\": {}}");
    ck_assert_int_eq(unlink("a"), 0);
    close(fd);
    monitor_close(server);
}
END_TEST

/* ---- messages ----------------------------------------------------------- */

static const char *check_frames(const char *bytes)
{
    static struct mon_frame f;
    static char text[512];

    text[0] = '\0';
    mon_frame_clear(&f);
    for ( ; *bytes; bytes++ )
        if ( mon_frame_put_byte(&f, *bytes) == MON_WHOLE )
        {
            snprintf(text + strlen(text), sizeof(text) - strlen(text),
                     "<%.*s>", (int)f.nr, f.text);
            mon_frame_clear(&f);
        }
    return text;
}

START_TEST(messages_are_cut)
{
    static const struct { const char *bytes, *frames; } t[] = {
        { "{}[]\n{ \"a\":[1]}", "<{}><[]><{ \"a\":[1]}>" },
        { " \r\n 12 x\t", "<12><x>" },
        { "{\"}\": \"\\\"}\"}", "<{\"}\": \"\\\"}\"}>" },
        { "{'a':'\"'}", "<{\"a\":\"\\\"\"}>" },
        { "{'it\\'s':'\\\\'}", "<{\"it's\":\"\\\\\"}>" },
        { "{'\\\"':\"'\"}", "<{\"\\\"\":\"'\"}>" },
        { "}{}", "<}><{}>" }, { "{[}", "" }, { "{[}}", "<{[}}>" },
    };

    for ( size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++ )
        ck_assert_str_eq(check_frames(t[i].bytes), t[i].frames);
}
END_TEST

START_TEST(bytes_come_as_they_like)
{
    struct usertrace_server *server = monitor_open(USERTRACE_QMP);
    const char *text = agree;
    char line[512];
    int fd = connect_greeted();

    for ( ; *text; text++ )
        ck_assert_int_eq(write(fd, text, 1), 1);
    ck_assert(read_line(fd, line, sizeof(line)));
    client_put(fd, "{'execute':'query-version','id':1}"
                   "{'execute':'x','id':null}5 ");
    ck_assert(read_line(fd, line, sizeof(line)) && strstr(line, "\"id\": 1}"));
    ck_assert(read_line(fd, line, sizeof(line)) &&
              strstr(line, "CommandNotFound") && strstr(line, "\"id\": null"));
    ck_assert(read_line(fd, line, sizeof(line)) &&
              strstr(line, "QMP input must be a JSON object"));
    ck_assert_ptr_nonnull(strstr(send_message(fd, "{}"),
                                 "lacks member 'execute'"));
    ck_assert_ptr_nonnull(strstr(send_message(fd, "{'id':1,'id':2}"),
                                 "parse error"));
    ck_assert_ptr_nonnull(strstr(send_message(fd, "{'a':'\xff'}"),
                                 "parse error"));
    close(fd);
    monitor_close(server);
}
END_TEST

START_TEST(nothing_was_offered_to_enable)
{
    struct usertrace_server *server = monitor_open(USERTRACE_QMP);
    int fd = connect_greeted();
    const char *reply = send_message(fd, "{'execute':'qmp_capabilities',"
                                     "'arguments':{'enable':['oob']}}");

    ck_assert_ptr_nonnull(strstr(reply, "GenericError"));
    reply = send_message(fd, "{'execute':'query-version'}");
    ck_assert_ptr_nonnull(strstr(reply, "Expecting capabilities"));
    ck_assert_str_eq(send_message(fd,
                                  "{'execute':'qmp_capabilities','arguments':"
                                  "{'enable':[]}}"), "{\"return\": {}}");
    close(fd);
    monitor_close(server);
}
END_TEST

/* ---- peers -------------------------------------------------------------- */

START_TEST(many_come)
{
    enum { MANY = 20, AT_ONCE = 16 };
    struct usertrace_server *server = monitor_open(USERTRACE_QMP);
    const char *reply;
    char line[512];
    int fds[MANY], i;

    for ( i = 0; i < AT_ONCE; i++ )
        fds[i] = connect_ready();
    for ( ; i < MANY; i++ )
        fds[i] = client_connect();
    ck_assert_int_eq(recv(fds[AT_ONCE], line, 1, MSG_DONTWAIT), -1);
    for ( i = 0; i < MANY - AT_ONCE; i++ )
    {
        close(fds[i]);
        ck_assert(read_line(fds[AT_ONCE + i], line, sizeof(line)));
    }
    for ( i = MANY - AT_ONCE; i < AT_ONCE; i++ )
    {
        reply = send_message(fds[i], "{'execute':'query-version'}");
        ck_assert_ptr_nonnull(strstr(reply, "major"));
    }
    monitor_close(server);
    for ( i = MANY - AT_ONCE; i < MANY; i++ )
        ck_assert_int_eq(recv(fds[i], line, 1, 0), 0);
}
END_TEST

/*
 * The client never reads: the server stops reading from it, and serves the
 * others.
 */
START_TEST(one_that_does_not_read_waits_alone)
{
    static const char text[] = "{'execute':'query-commands'}";
    struct usertrace_server *server = monitor_open(USERTRACE_QMP);
    int slow = connect_ready(), other = connect_ready();
    unsigned int blocked = 0;

    while ( blocked < 100 )
    {
        if ( send(slow, text, sizeof(text) - 1, MSG_DONTWAIT) > 0 )
            continue;
        blocked++;
        ck_assert_ptr_nonnull(strstr(send_message(other, text),
                                     "query-version"));
    }
    close(slow);
    ck_assert_ptr_nonnull(strstr(send_message(other, text), "query-version"));
    close(other);
    monitor_close(server);
}
END_TEST

START_TEST(too_much_is_the_end)
{
    struct usertrace_server *server = monitor_open(USERTRACE_QMP);
    char *text = calloc(1, MON_FRAME_MAX + 1), line[512];
    int fd = connect_ready();

    memset(text, '[', 5000);
    memset(text + 5000, ']', 5000);
    ck_assert_ptr_nonnull(strstr(send_message(fd, text), "JSON parse error, "));
    memset(text, '[', MON_FRAME_MAX);
    client_put(fd, text);
    ck_assert(!read_line(fd, line, sizeof(line)));
    close(fd);
    close(connect_ready());
    monitor_close(server);
    free(text);
}
END_TEST

/* Pieces of messages in any order get a reply or none; the server survives. */
START_TEST(noise_does_no_harm)
{
    static const char *const pieces[] = {
        "{", "}", "[", "]", "'", "\"", "\\", ":", ",", " ", "execute",
        "'execute'", "'arguments'", "'name'", "'trace-event-get-state'",
        "'human-monitor-command'", "'command-line'", "*", "'*'", "\xff", "1",
        "{'execute':", "'id'", "true", "-1", "\\u0000", "'trace-event a* on'",
    };
    static struct mon_frame f;
    struct mon_qmp q = { .is_ready = true };
    uint64_t random = unit_seed();
    const char *byte;
    char *line;

    ck_assert(!mon_qmp_load(NULL));
    session_event("+ abc");
    for ( int i = 0; i < 200000; i++ )
    {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        byte = pieces[(random >> 33) % (sizeof(pieces) / sizeof(*pieces))];
        for ( ; *byte; byte++ )
        {
            if ( mon_frame_put_byte(&f, *byte) == MON_MORE )
                continue;
            line = mon_qmp_answer(&q, f.text, f.nr);
            UNIT_CHECK(line && strstr(line, "\r\n"));
            free(line);
            mon_frame_clear(&f);
        }
        if ( random >> 60 == 0 )
            mon_frame_clear(&f);
    }
}
END_TEST

START_TEST(what_fails_leaves_nothing)
{
    static const enum fault_kind kinds[] = { FAULT_ALLOC, FAULT_OPEN };
    struct usertrace_server *server;

    session_folder(folder);
    for ( size_t i = 0; i < 2; i++ )
        for ( uint64_t n = 1; n < 3; n++ )
        {
            fault_arm(kinds[i], n);
            ck_assert_int_lt(usertrace_server_open(&server, USERTRACE_QMP,
                                                   "socket", NULL), 0);
            ck_assert(fault_fired(kinds[i]) && access("socket", F_OK));
            ck_assert_int_eq(fault_blocks(), 0);
            fault_disarm();
        }
    ck_assert(!chdir("/") && !rmdir(folder));
}
END_TEST

UNIT_MAIN("qmp", a_session_is_as_qemu_has_it, our_own_commands,
          the_file_is_controlled, messages_are_cut, bytes_come_as_they_like,
          nothing_was_offered_to_enable, many_come,
          one_that_does_not_read_waits_alone, too_much_is_the_end,
          noise_does_no_harm, what_fails_leaves_nothing)
