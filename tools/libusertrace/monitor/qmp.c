/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QMP of QEMU 7.2, with the trace commands, and additional commands with names
 * that begin with "usertrace-".  Each command is a row with its parameters,
 * which are checked before the command runs; the order of checks and the error
 * texts are QEMU's.
 *
 * There are no assertions about messages: they are well-formed JSON, but still
 * input of a stranger.
 */
#include "libusertrace/monitor/qmp.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "libusertrace/monitor/event-query.h"
#include "libusertrace/trace/monitor.h"

#define PARAMS_MAX 4u

enum type { STRING, BOOLEAN, INTEGER, ARRAY, NR_TYPES };

struct param
{
    const char *name;           /* NULL: end of the list */
    enum type type;
    bool is_optional;
};

struct command
{
    const char *name;
    struct param params[PARAMS_MAX + 1];
    /* A new value, or NULL and the reason. */
    json_t *(*run)(const json_t *args, struct err *e);
};

static const char negotiation[] = "qmp_capabilities";

/* ---- values ------------------------------------------------------------- */

/*
 * A path may hold any bytes, but JSON only UTF-8: replace the others by "?".
 */
static json_t *make_string(const char *text)
{
    json_t *value = json_string(text);
    char *copy = value ? NULL : strdup(text), *c;

    for ( c = copy; c && *c; c++ )
        if ( *c & 0x80 )
            *c = '?';
    if ( copy )
        value = json_string(copy);
    free(copy);
    return value;
}

static json_t *empty_result(void)
{
    return json_object();
}

static json_t *version_value(void)
{
    return json_pack("{s:{s:i,s:i,s:i},s:s}", "qemu", "micro", 0, "minor", 2,
                     "major", 7, "package", "libusertrace");
}

static bool get_bool(const json_t *args, const char *name)
{
    return json_is_true(json_object_get(args, name));
}

static const char *get_string(const json_t *args, const char *name)
{
    return json_string_value(json_object_get(args, name));
}

/* ---- events ------------------------------------------------------------- */

static int parse_query(const json_t *args, struct mon_query *q,
                       struct err *e)
{
    const json_t *vcpu = json_object_get(args, "vcpu");
    json_int_t index = json_integer_value(vcpu);

    *q = (struct mon_query){ .name = get_string(args, "name") };
    if ( !vcpu )
        return 0;
    if ( index < 0 || index > UINT32_MAX )
        return err_set(e, -EINVAL, "invalid vCPU index %u", (uint32_t)index);
    q->has_vcpu = true;
    q->vcpu = index;
    return 0;
}

static json_t *event_value(const struct mon_events *found,
                           const TraceEvent *ev)
{
    const char *state = !ev->sstate ? "unavailable"
                        : mon_event_is_on(found, ev) ? "enabled" : "disabled";

    return json_pack("{s:s,s:b,s:s}", "name", ev->name, "vcpu",
                     trace_event_is_vcpu(ev), "state", state);
}

static json_t *get_event_state(const json_t *args, struct err *e)
{
    struct mon_events found;
    struct mon_query q;
    json_t *list;

    if ( parse_query(args, &q, e) || mon_events_new(&q, &found, e) )
        return NULL;
    list = json_array();
    for ( size_t i = found.nr; list && i-- > 0; )
        if ( json_array_append_new(list, event_value(&found, found.list[i])) )
        {
            json_decref(list);
            list = NULL;
        }
    mon_events_free(&found);
    return list;
}

static json_t *set_event_state(const json_t *args, struct err *e)
{
    struct mon_events found;
    struct mon_query q;
    int rc;

    if ( parse_query(args, &q, e) || mon_events_new(&q, &found, e) )
        return NULL;
    rc = mon_events_switch(&found, get_bool(args, "enable"),
                           get_bool(args, "ignore-unavailable"), e);
    mon_events_free(&found);
    return rc ? NULL : empty_result();
}

/* ---- the rest ----------------------------------------------------------- */

static json_t *human_command(const json_t *args, struct err *e)
{
    json_t *value = NULL;
    char *reply;

    if ( !usertrace_command(get_string(args, "command-line"), &reply, e) )
        value = make_string(reply);
    free(reply);
    return value;
}

static json_t *query_version(const json_t *args, struct err *e)
{
    (void)args;
    (void)e;
    return version_value();
}

static json_t *query_backends(const json_t *args, struct err *e)
{
    const char *const *name;
    json_t *list = json_array();

    (void)args;
    (void)e;
    for ( name = usertrace_backends(); list && *name; name++ )
        json_array_append_new(list, json_string(*name));
    return list;
}

static json_t *query_counts(const json_t *args, struct err *e)
{
    struct usertrace_counts c;

    (void)args;
    (void)e;
    usertrace_counts(&c);
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}",
                     "written", (json_int_t)c.written,
                     "dropped", (json_int_t)c.dropped,
                     "bytes", (json_int_t)c.bytes,
                     "files", (json_int_t)c.files,
                     "failed-writes", (json_int_t)c.failed_writes,
                     "rings", (json_int_t)c.rings);
}

static json_t *query_file(const json_t *args, struct err *e)
{
    char path[4096];
    bool is_open = usertrace_file_status(path, sizeof(path));

    (void)args;
    (void)e;
    return json_pack("{s:o,s:b}", "path", make_string(path), "open", is_open);
}

static json_t *file_on(const json_t *args, struct err *e)
{
    (void)args;
    return usertrace_file(USERTRACE_FILE_ON, e) ? NULL : empty_result();
}

static json_t *file_off(const json_t *args, struct err *e)
{
    (void)args;
    return usertrace_file(USERTRACE_FILE_OFF, e) ? NULL : empty_result();
}

static json_t *file_flush(const json_t *args, struct err *e)
{
    (void)args;
    return usertrace_file(USERTRACE_FILE_FLUSH, e) ? NULL : empty_result();
}

static json_t *file_set(const json_t *args, struct err *e)
{
    return usertrace_file_set(get_string(args, "path"), e) ? NULL
                                                           : empty_result();
}

/* No capabilities are offered, so none can be enabled. */
static json_t *negotiate_capabilities(const json_t *args, struct err *e)
{
    if ( !json_array_size(json_object_get(args, "enable")) )
        return empty_result();
    err_set(e, -EINVAL, "the server offers no capabilities");
    return NULL;
}

static json_t *query_commands(const json_t *args, struct err *e);

static const struct command commands[] = {
    { negotiation, { { "enable", ARRAY, true } }, negotiate_capabilities },
    { "query-version", .run = query_version },
    { "query-commands", .run = query_commands },
    { "trace-event-get-state",
      { { "name", STRING, false }, { "vcpu", INTEGER, true } },
      get_event_state },
    { "trace-event-set-state",
      { { "name", STRING, false }, { "enable", BOOLEAN, false },
        { "ignore-unavailable", BOOLEAN, true }, { "vcpu", INTEGER, true } },
      set_event_state },
    { "human-monitor-command",
      { { "command-line", STRING, false }, { "cpu-index", INTEGER, true } },
      human_command },
    { "usertrace-query-backends", .run = query_backends },
    { "usertrace-query-counts", .run = query_counts },
    { "usertrace-query-file", .run = query_file },
    { "usertrace-file-on", .run = file_on },
    { "usertrace-file-off", .run = file_off },
    { "usertrace-file-flush", .run = file_flush },
    { "usertrace-file-set", { { "path", STRING, false } }, file_set },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static json_t *query_commands(const json_t *args, struct err *e)
{
    json_t *list = json_array();

    (void)args;
    (void)e;
    for ( size_t i = 0; list && i < NR_COMMANDS; i++ )
        json_array_append_new(list, json_pack("{s:s}", "name",
                                              commands[i].name));
    return list;
}

/* ---- checks ------------------------------------------------------------- */

static bool has_type(const json_t *value, enum type type)
{
    static const json_type plain[] = {
        [STRING] = JSON_STRING, [INTEGER] = JSON_INTEGER, [ARRAY] = JSON_ARRAY,
    };

    return type == BOOLEAN ? json_is_boolean(value)
                           : json_typeof(value) == plain[type];
}

static int check_param(const struct param *p, const json_t *value,
                       struct err *e)
{
    static const char *const names[NR_TYPES] = {
        "string", "boolean", "integer", "array",
    };

    if ( !value && !p->is_optional )
        return err_set(e, -EINVAL, "Parameter '%s' is missing", p->name);
    if ( value && !has_type(value, p->type) )
        return err_set(e, -EINVAL, "Invalid parameter type for '%s', "
                       "expected: %s", p->name, names[p->type]);
    return 0;
}

static int check_args(const struct command *c, json_t *args, struct err *e)
{
    const struct param *p;
    const char *name;
    json_t *value;
    int rc = 0;

    for ( p = c->params; !rc && p->name; p++ )
        rc = check_param(p, json_object_get(args, p->name), e);
    if ( rc )
        return rc;
    json_object_foreach(args, name, value)
    {
        for ( p = c->params; p->name && strcmp(p->name, name); p++ )
            ;
        if ( !p->name )
            return err_set(e, -EINVAL, "Parameter '%.200s' is unexpected",
                           name);
    }
    return 0;
}

static int check_member(const char *name, const json_t *value, struct err *e)
{
    if ( !strcmp(name, "execute") )
        return json_is_string(value) ? 0 :
            err_set(e, -EINVAL, "QMP input member 'execute' must be a string");
    if ( !strcmp(name, "arguments") )
        return json_is_object(value) ? 0 :
            err_set(e, -EINVAL,
                    "QMP input member 'arguments' must be an object");
    if ( !strcmp(name, "id") )
        return 0;
    return err_set(e, -EINVAL, "QMP input member '%.200s' is unexpected",
                   name);
}

static int check_message(json_t *message, struct err *e)
{
    const char *name;
    json_t *value;
    int rc = 0;

    if ( !json_is_object(message) )
        return err_set(e, -EINVAL, "QMP input must be a JSON object");
    json_object_foreach(message, name, value)
    {
        rc = check_member(name, value, e);
        if ( rc )
            return rc;
    }
    if ( !json_object_get(message, "execute") )
        return err_set(e, -EINVAL, "QMP input lacks member 'execute'");
    return 0;
}

/* -ENOENT becomes the error class CommandNotFound. */
static int check_moment(const struct mon_qmp *q, const char *name,
                        struct err *e)
{
    bool is_first = !strcmp(name, negotiation);

    if ( !q->is_ready && !is_first )
        return err_set(e, -ENOENT, "Expecting capabilities negotiation with "
                       "'%s'", negotiation);
    if ( q->is_ready && is_first )
        return err_set(e, -ENOENT, "Capabilities negotiation is already "
                       "complete, command ignored");
    return 0;
}

static const struct command *find_qmp_command(const char *name)
{
    for ( size_t i = 0; i < NR_COMMANDS; i++ )
        if ( !strcmp(commands[i].name, name) )
            return &commands[i];
    return NULL;
}

/* ---- a message ---------------------------------------------------------- */

static json_t *run_checked(const struct command *c, const json_t *message,
                           struct err *e)
{
    json_t *args = json_incref(json_object_get(message, "arguments"));
    json_t *value = NULL;

    if ( !args )
        args = json_object();
    if ( args && !check_args(c, args, e) )
        value = c->run(args, e);
    json_decref(args);
    return value;
}

/* NULL and the reason; *is_known selects the error class. */
static json_t *execute_message(struct mon_qmp *q, json_t *message,
                               bool *is_known, struct err *e)
{
    const struct command *c;
    const char *name;
    json_t *value;

    *is_known = true;
    if ( check_message(message, e) )
        return NULL;
    name = get_string(message, "execute");
    *is_known = !check_moment(q, name, e);
    if ( !*is_known )
        return NULL;
    c = find_qmp_command(name);
    *is_known = c != NULL;
    if ( !c )
    {
        err_set(e, -ENOENT, "The command %.200s has not been found", name);
        return NULL;
    }
    value = run_checked(c, message, e);
    q->is_ready |= value != NULL;
    return value;
}

/* Takes ownership of `reply`. */
static char *format_line(json_t *reply, json_t *id)
{
    char *text = NULL, *line = NULL;
    size_t length;

    if ( !id || !json_object_set(reply, "id", id) )
        text = json_dumps(reply, 0);
    if ( text )
    {
        length = strlen(text);
        line = realloc(text, length + 3);
        if ( line )
            memcpy(line + length, "\r\n", 3);
        else
            free(text);
    }
    json_decref(reply);
    return line;
}

/* json_pack() takes ownership of values even on failure. */
static json_t *error_value(const char *class, const char *text)
{
    return json_pack("{s:{s:s,s:o}}", "error", "class", class, "desc",
                     make_string(text));
}

static char *error_line(const char *text)
{
    return format_line(error_value("GenericError", text), NULL);
}

static char *greeting_line(void)
{
    return format_line(json_pack("{s:{s:o,s:[]}}", "QMP", "version",
                                 version_value(), "capabilities"), NULL);
}

static char *parse_error_line(const json_error_t *why)
{
    struct err e = ERR_INIT;

    err_set(&e, -EINVAL, "JSON parse error, %s",
            json_error_code(why) == json_error_invalid_syntax ?
            "expecting value" : why->text);
    return error_line(e.text);
}

static char *answer_message(struct mon_qmp *q, const char *text, size_t length)
{
    struct err e = ERR_INIT;
    json_error_t why;
    json_t *message, *value;
    bool is_known;
    char *line;

    message = json_loadb(text, length,
                         JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
    if ( !message )
        return parse_error_line(&why);
    value = execute_message(q, message, &is_known, &e);
    if ( !value && !e.code )
        err_sys(&e, -ENOMEM, "cannot build the reply");
    line = format_line(value ? json_pack("{s:o}", "return", value)
                         : error_value(is_known ? "GenericError"
                                              : "CommandNotFound", e.text),
                       json_object_get(message, "id"));
    json_decref(message);
    return line;
}

const struct mon_qmp_ops *usertrace_qmp(void)
{
    static const struct mon_qmp_ops ops = {
        .greeting = greeting_line, .answer = answer_message,
    };

    return &ops;
}
