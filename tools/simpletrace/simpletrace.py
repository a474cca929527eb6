#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Analysis of traces of the simple back end, in Python.

Scripts written for the module `simpletrace` of QEMU run unchanged: the classes
Analyzer and Analyzer2 and the functions process() and run() are the same.  The
records are read by a library in C (libsimpletrace_python.so, in the same
folder), which calls the functions of the script.  See simpletrace(1), ANALYSIS
IN PYTHON.
"""

import ctypes
import inspect
import os
import sys
import tempfile
import warnings

__all__ = ['Analyzer', 'Analyzer2', 'Event', 'SimpleException', 'process',
           'run']


class SimpleException(ValueError):
    """A trace, or a file of events, cannot be read."""


class Event:
    """An event: its name, its arguments as (type, name), and its format."""

    def __init__(self, name, args, fmt=''):
        self.name = name
        self.args = args
        self.fmt = fmt

    def __repr__(self):
        args = ', '.join(f'{type} {name}' for type, name in self.args)
        return f'Event({self.name}({args or "void"}))'


class Analyzer:
    """Gets the records of a trace: pass an instance to run() or process().

    begin() is called first, and end() last.  For each record, the method with
    the name of the event is called with the arguments of the event; with the
    time in ns before these if it has one parameter more; with time and process
    id if it has two more.  Events without a method go to catchall().  Strings
    are bytes.
    """

    def begin(self):
        """Called before the first record."""

    def catchall(self, event, rec):
        """Called with (name, time, process id, arguments...)."""

    def end(self):
        """Called after the last record."""

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        if exc_type is None:
            self.end()
        return False


class Analyzer2(Analyzer):
    """Like Analyzer, but all methods get the arguments of the event, and the
    keywords event, event_id, timestamp_ns and pid.  End the parameters of a
    method with **kwargs to ignore the others.
    """

    def catchall(self, *rec_args, event, timestamp_ns, pid, event_id, **kwargs):
        """Called for events without a method."""


# The calls that the library knows (python-module.c).
_SKIP, _CATCHALL, _ARGS, _KEYWORDS = 0, 1, 2, 5
_IGNORED = (Analyzer.catchall, Analyzer2.catchall)
_DROPPED = 'Dropped_Event'


def _load_library():
    folder = os.path.dirname(os.path.abspath(__file__))
    library = ctypes.PyDLL(os.path.join(folder, 'libsimpletrace_python.so'))
    library.st_python_open.restype = ctypes.c_void_p
    library.st_python_open.argtypes = [
        ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int,
        ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
    library.st_python_run.restype = ctypes.py_object
    library.st_python_run.argtypes = [ctypes.c_void_p, ctypes.py_object,
                                      ctypes.py_object]
    library.st_python_skipped.restype = ctypes.c_uint64
    library.st_python_skipped.argtypes = [ctypes.c_void_p]
    library.st_python_close.restype = None
    library.st_python_close.argtypes = [ctypes.c_void_p]
    return library


_library = _load_library()


def _choose_call(function, event):
    """The parameters of a method say what it wants."""
    wanted = len(inspect.getfullargspec(function)[0]) - 1
    extra = wanted - len(event.args)
    return _ARGS + extra if extra in (1, 2) else _ARGS


def _make_lookup(analyzer, given):
    """The function that the library calls for each new event."""

    def lookup(name, args, fmt):
        event = given.get(name) or Event(name, args, fmt)
        event_id = 'dropped' if name == _DROPPED else name
        function = getattr(analyzer, name, analyzer.catchall)
        if isinstance(analyzer, Analyzer2):
            call = _KEYWORDS
        elif hasattr(analyzer, name):
            call = _choose_call(function, event)
        else:
            call = _CATCHALL
        if getattr(function, '__func__', None) in _IGNORED:
            call = _SKIP
        return call, function, event, event_id

    return lookup


def _declare(event):
    """The declaration of an event of QEMU's package tracetool."""
    words = [word for word in getattr(event, 'properties', ())]
    args = ', '.join(f'{type} {name}' for type, name in event.args
                     if name != '__cpu')
    return ' '.join(words + [f'{event.name}({args or "void"}) {event.fmt}\n'])


def _read_events(events):
    """Text, name, and the given objects of a path, a file, or a list."""
    if events == '':
        return b'', 'events', {}
    if isinstance(events, (str, os.PathLike)):
        with open(events, 'rb') as file:
            return file.read(), os.fspath(events), {}
    if isinstance(events, (list, tuple)):
        text = ''.join(_declare(event) for event in events)
        return text.encode(), 'events', {event.name: event for event in events}
    text = events.read()
    return (text if isinstance(text, bytes) else text.encode(),
            str(getattr(events, 'name', 'events')), {})


def _open_log(log):
    """A descriptor at the position of a path or a file, and its name."""
    if isinstance(log, (str, os.PathLike)):
        return os.open(log, os.O_RDONLY | os.O_CLOEXEC), os.fspath(log)
    name = str(getattr(log, 'name', 'trace'))
    try:
        fd = os.dup(log.fileno())
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as copy:
            copy.write(log.read())
            copy.flush()
            copy.seek(0)
            return os.dup(copy.fileno()), name
    if log.seekable():
        os.lseek(fd, log.tell(), os.SEEK_SET)
    return fd, name


def _call_all(trace, analyzer, given):
    lookup = _make_lookup(analyzer, given)
    if hasattr(analyzer, '__enter__'):
        with analyzer:
            _library.st_python_run(trace, lookup, SimpleException)
    else:
        analyzer.begin()
        _library.st_python_run(trace, lookup, SimpleException)
        analyzer.end()


def process(events, log, analyzer, read_header=True):
    """Call the methods of an analyzer for all records of a trace.

    events: a path ('' if the trace has the declarations), an open file, or a
    list of events; log: a path or an open file; read_header: False if the trace
    has no header.
    """
    text, events_name, given = _read_events(events)
    fd, name = _open_log(log)
    why = ctypes.create_string_buffer(1024)
    trace = _library.st_python_open(text, len(text), os.fsencode(events_name),
                                    fd, os.fsencode(name), read_header, why,
                                    len(why))
    if not trace:
        raise SimpleException(why.value.decode(errors='replace'))
    try:
        _call_all(trace, analyzer, given)
        skipped = _library.st_python_skipped(trace)
    finally:
        _library.st_python_close(trace)
    if skipped:
        warnings.warn(f'{name}: skipped {skipped} damaged bytes',
                      RuntimeWarning, stacklevel=2)


def run(analyzer):
    """Process the files on the command line: the main() of a script."""
    args = sys.argv[1:]
    read_header = args[:1] != ['--no-header']
    if not read_header:
        args = args[1:]
    if len(args) != 2:
        sys.exit(f'usage: {sys.argv[0]} [--no-header] <trace-events> '
                 '<trace-file>')
    process(args[0], args[1], analyzer, read_header=read_header)


class _Formatter(Analyzer2):
    """Prints all records, as QEMU's module does when it is run."""

    last = None

    def catchall(self, *rec_args, event, timestamp_ns, pid, **kwargs):
        delta = timestamp_ns - (timestamp_ns if self.last is None else
                                self.last)
        self.last = timestamp_ns
        fields = [event.name, f'{delta / 1000:0.3f}', f'pid={pid}']
        for (_, name), value in zip(event.args, rec_args):
            fields.append(f'{name}={value}' if isinstance(value, bytes) else
                          f'{name}=0x{value:x}')
        print(' '.join(fields))


if __name__ == '__main__':
    try:
        run(_Formatter())
    except (SimpleException, OSError) as error:
        sys.exit(f'{sys.argv[0]}: {error}')
