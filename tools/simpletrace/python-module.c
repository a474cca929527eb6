/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader for scripts in Python: simpletrace.py loads this library with
 * ctypes.PyDLL.  One call reads a whole trace, and calls a function of the
 * script for each record, with arguments made here: most of the time of
 * QEMU's simpletrace.py goes into unpacking records in Python.
 *
 * The functions of Python that are used here belong to its stable ABI.  They
 * are declared here and resolved in the process that loads the library, so the
 * library needs no headers of Python, and works with Python 3.9 and later.
 *
 * An event without a function in the script is looked up once, and its records
 * are skipped without decoding.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "common/fault.h"
#include "simpletrace/python-module.h"
#include "simpletrace/trace-reader.h"

/* ---- Python's stable ABI ------------------------------------------------ */

PyObject *PyTuple_New(ssize_t nr);
int PyTuple_SetItem(PyObject *tuple, ssize_t at, PyObject *item);   /* steals */
PyObject *PyTuple_GetItem(PyObject *tuple, ssize_t at);         /* borrowed */
ssize_t PyTuple_Size(PyObject *tuple);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long value);
long PyLong_AsLong(PyObject *number);
PyObject *PyBytes_FromStringAndSize(const char *bytes, ssize_t nr);
PyObject *PyUnicode_DecodeUTF8(const char *bytes, ssize_t nr,
                               const char *errors);
PyObject *PyObject_CallFunctionObjArgs(PyObject *function, ...);
/* Since 3.9; args[-1] may be changed if nr includes CAN_CHANGE. */
PyObject *PyObject_Vectorcall(PyObject *function, PyObject *const *args,
                              size_t nr, PyObject *keywords)
    __attribute__((weak));
#define CAN_CHANGE ((size_t)1 << (8 * sizeof(size_t) - 1))
PyObject *PyUnicode_InternFromString(const char *text);
int PyErr_CheckSignals(void);
void PyErr_SetString(PyObject *type, const char *text);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);

/* ---- one trace ---------------------------------------------------------- */

#define RECORDS_PER_CHECK 65536u    /* records between checks for signals */

/* What a function gets; simpletrace.py has the same numbers. */
enum call { SKIP, CATCHALL, ARGS, TIME_ARGS, TIME_PID_ARGS, KEYWORDS };

struct handler                  /* functions for an event */
{
    struct handler *next;
    enum call call;
    PyObject *answer;           /* result of lookup(): owns the others */
    PyObject *function, *event, *id;
};

struct st_python
{
    struct st_events events;
    struct st_reader reader;
    struct handler *handlers;
    PyObject *lookup, *exception;   /* borrowed while running */
    PyObject *keywords;         /* names of the last arguments of KEYWORDS */
    PyObject *pid;              /* process id of the last record */
    uint32_t pid_number;
    char name[256];
};

static char diagnostic[512];    /* the first; Python's lock protects it */

static void note_diagnostic(const char *text)
{
    if ( !*diagnostic )
        snprintf(diagnostic, sizeof(diagnostic), "%s", text);
}

static int open_python_trace(struct st_python *p, const char *events, size_t nr,
                             const char *events_name, int fd, bool has_header,
                             struct err *e)
{
    struct tt_source source = { .name = events_name, .text = events,
                                .length = nr };
    struct st_reader_options how = { .no_header = !has_header };
    int rc = 0;

    *diagnostic = '\0';
    st_events_init(&p->events);
    if ( nr )
        rc = st_events_parse(&p->events, &source, 1, note_diagnostic, e);
    if ( rc )
        close(fd);
    else
        rc = st_reader_open_fd(&p->reader, fd, p->name, &p->events, &how, e);
    if ( rc )
        st_events_fini(&p->events);
    return rc;
}

struct st_python *st_python_open(const char *events, size_t nr,
                                 const char *events_name, int fd,
                                 const char *name, int has_header, char *text,
                                 size_t size)
{
    struct st_python *p = fault_calloc(1, sizeof(*p));
    struct err e = ERR_INIT;

    if ( !p || !PyObject_Vectorcall )
    {
        close(fd);
        fault_free(p);
        snprintf(text, size, p ? "Python 3.9 or later is needed" : "no memory");
        return NULL;
    }
    snprintf(p->name, sizeof(p->name), "%s", name);
    if ( !open_python_trace(p, events, nr, events_name, fd, has_header, &e) )
        return p;
    snprintf(text, size, "%s%s%s", diagnostic, *diagnostic ? "\n" : "", e.text);
    fault_free(p);
    return NULL;
}

static void free_handlers(struct st_python *p)
{
    struct handler *h;

    while ( (h = p->handlers) != NULL )
    {
        p->handlers = h->next;
        Py_DecRef(h->answer);
        fault_free(h);
    }
}

void st_python_close(struct st_python *p)
{
    free_handlers(p);
    Py_DecRef(p->pid);
    st_reader_close(&p->reader);
    st_events_fini(&p->events);
    fault_free(p);
}

uint64_t st_python_skipped(const struct st_python *p)
{
    return p->reader.skipped;
}

/* ---- objects ------------------------------------------------------------ */

/* Put an item, which may be NULL after an error, into a tuple. */
static bool set_item(PyObject *tuple, size_t at, PyObject *item)
{
    return item && !PyTuple_SetItem(tuple, at, item);
}

static PyObject *make_text(const char *text)
{
    return PyUnicode_DecodeUTF8(text, strlen(text), "replace");
}

static PyObject *make_value(const struct st_value *value)
{
    return value->text ? PyBytes_FromStringAndSize(value->text, value->length) :
                         PyLong_FromUnsignedLongLong(value->word);
}

/* A new reference. */
static PyObject *make_pid(struct st_python *p, uint32_t pid)
{
    if ( !p->pid || p->pid_number != pid )
    {
        Py_DecRef(p->pid);
        p->pid = PyLong_FromUnsignedLongLong(pid);
        p->pid_number = pid;
    }
    Py_IncRef(p->pid);
    return p->pid;
}

/* A pair (type, name) for each argument. */
static PyObject *make_arguments(const struct st_event *event)
{
    PyObject *all = PyTuple_New(event->nr_args), *pair;
    bool ok = all != NULL;

    assert(event->declared);
    for ( size_t i = 0; ok && i < event->nr_args; i++ )
    {
        pair = PyTuple_New(2);
        ok = set_item(all, i, pair) &&
             set_item(pair, 0, make_text(event->args[i].type)) &&
             set_item(pair, 1, make_text(event->args[i].name));
    }
    if ( ok )
        return all;
    Py_DecRef(all);
    return NULL;
}

/* ---- the functions of a script ------------------------------------------ */

/* The answer of the script: (call, function, event, id). */
static bool read_answer(struct handler *h)
{
    if ( PyTuple_Size(h->answer) != 4 )
        return false;
    h->call = PyLong_AsLong(PyTuple_GetItem(h->answer, 0));
    h->function = PyTuple_GetItem(h->answer, 1);
    h->event = PyTuple_GetItem(h->answer, 2);
    h->id = PyTuple_GetItem(h->answer, 3);
    return true;
}

static bool ask_script(struct st_python *p, struct handler *h,
                       const struct st_event *event)
{
    PyObject *name = make_text(event->name), *args = make_arguments(event);
    PyObject *format = make_text(event->format);

    assert(!h->answer);
    if ( name && args && format )
        h->answer = PyObject_CallFunctionObjArgs(p->lookup, name, args, format,
                                                 NULL);
    Py_DecRef(name);
    Py_DecRef(args);
    Py_DecRef(format);
    return h->answer && read_answer(h);
}

/* NULL: an exception is set. */
static struct handler *find_handler(struct st_python *p, struct st_event *event)
{
    struct handler *h;
    char text[512];

    assert(!event->handler);
    if ( !event->declared )
    {
        snprintf(text, sizeof(text), "'%.200s' event is logged but is not "
                 "declared in the trace events file, try using "
                 "trace-events-all instead.", event->name);
        PyErr_SetString(p->exception, text);
        return NULL;
    }
    h = fault_calloc(1, sizeof(*h));
    if ( !h )
    {
        PyErr_SetString(p->exception, "no memory");
        return NULL;
    }
    h->next = p->handlers;
    p->handlers = h;
    if ( !ask_script(p, h, event) )
        return NULL;
    event->handler = h;
    return h;
}

/* ---- a call ------------------------------------------------------------- */

struct vector                   /* arguments; the call owns a reference each */
{
    PyObject *items[1 + 2 + ST_MAX_ARGS + 4];   /* items[0]: CAN_CHANGE */
    size_t nr;                  /* number of items[1] and the following */
    bool ok;
};

static inline void add_item(struct vector *v, PyObject *item)
{
    assert(v->nr + 1 < sizeof(v->items) / sizeof(v->items[0]));
    v->ok &= item != NULL;
    v->items[++v->nr] = item;
}

static void add_borrowed(struct vector *v, PyObject *item)
{
    Py_IncRef(item);
    add_item(v, item);
}

/* (id, time, pid, arguments...) */
static PyObject *make_record(struct st_python *p, const struct handler *h,
                             const struct st_record *record,
                             const struct st_value *values)
{
    size_t i, nr = record->event->nr_args;
    PyObject *tuple = PyTuple_New(3 + nr);
    bool ok;

    if ( !tuple )
        return NULL;
    Py_IncRef(h->id);
    ok = set_item(tuple, 0, h->id) &&
         set_item(tuple, 1, PyLong_FromUnsignedLongLong(record->time)) &&
         set_item(tuple, 2, make_pid(p, record->pid));
    for ( i = 0; ok && i < nr; i++ )
        ok = set_item(tuple, 3 + i, make_value(&values[i]));
    if ( ok )
        return tuple;
    Py_DecRef(tuple);
    return NULL;
}

static void add_arguments(struct vector *v, struct st_python *p,
                          const struct handler *h,
                          const struct st_record *record,
                          const struct st_value *values)
{
    if ( h->call == TIME_ARGS || h->call == TIME_PID_ARGS )
        add_item(v, PyLong_FromUnsignedLongLong(record->time));
    if ( h->call == TIME_PID_ARGS )
        add_item(v, make_pid(p, record->pid));
    for ( size_t i = 0; i < record->event->nr_args; i++ )
        add_item(v, make_value(&values[i]));
}

/* In the order of p->keywords; returns the number of them. */
static size_t add_keywords(struct vector *v, struct st_python *p,
                           const struct handler *h,
                           const struct st_record *record)
{
    add_borrowed(v, h->event);
    add_borrowed(v, h->id);
    add_item(v, PyLong_FromUnsignedLongLong(record->time));
    add_item(v, make_pid(p, record->pid));
    return 4;
}

static PyObject *make_keywords(void)
{
    static const char *const names[] = { "event", "event_id", "timestamp_ns",
                                         "pid" };
    PyObject *tuple = PyTuple_New(4);
    bool ok = tuple != NULL;

    for ( size_t i = 0; ok && i < 4; i++ )
        ok = set_item(tuple, i, PyUnicode_InternFromString(names[i]));
    if ( ok )
        return tuple;
    Py_DecRef(tuple);
    return NULL;
}

/* False: an exception is set. */
static bool call_function(struct st_python *p, const struct handler *h,
                          const struct st_record *record,
                          const struct st_value *values)
{
    struct vector v = { .ok = true };
    PyObject *result = NULL;
    size_t keywords = 0;

    assert(h->call != SKIP && h->function);
    if ( h->call == CATCHALL )
    {
        add_borrowed(&v, h->event);
        add_item(&v, make_record(p, h, record, values));
    }
    else
        add_arguments(&v, p, h, record, values);
    if ( h->call == KEYWORDS )
        keywords = add_keywords(&v, p, h, record);
    if ( v.ok )
        result = PyObject_Vectorcall(h->function, v.items + 1,
                                     (v.nr - keywords) | CAN_CHANGE,
                                     keywords ? p->keywords : NULL);
    for ( size_t i = 1; i <= v.nr; i++ )
        Py_DecRef(v.items[i]);
    Py_DecRef(result);
    return result != NULL;
}

static bool call_handler(struct st_python *p, const struct handler *h,
                         const struct st_record *record)
{
    struct st_value values[ST_MAX_ARGS];
    char text[512];

    if ( st_record_values(record, values) )
    {
        snprintf(text, sizeof(text), "a record of '%.200s' does not match the "
                 "declaration: use the file of events of the traced program",
                 record->event->name);
        PyErr_SetString(p->exception, text);
        return false;
    }
    return call_function(p, h, record, values);
}

static bool run_all(struct st_python *p, struct err *e)
{
    const struct handler *h;
    struct st_record record;
    uint64_t nr = 0;
    int rc;

    while ( (rc = st_reader_next(&p->reader, &record, e)) > 0 )
    {
        h = record.event->handler;
        if ( !h )
            h = find_handler(p, record.event);
        if ( !h || (h->call != SKIP && !call_handler(p, h, &record)) )
            return false;
        if ( ++nr % RECORDS_PER_CHECK == 0 && PyErr_CheckSignals() )
            return false;
    }
    if ( rc < 0 )
        PyErr_SetString(p->exception, e->text);
    return !rc;
}

PyObject *st_python_run(struct st_python *p, PyObject *lookup,
                        PyObject *exception)
{
    struct err e = ERR_INIT;
    bool ok;

    p->lookup = lookup;
    p->exception = exception;
    p->keywords = make_keywords();
    ok = p->keywords && run_all(p, &e);
    Py_DecRef(p->keywords);
    return ok ? PyLong_FromUnsignedLongLong(p->reader.records) : NULL;
}
