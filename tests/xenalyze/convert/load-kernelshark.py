#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# load-kernelshark.py FILE: load a trace with the library of KernelShark, and
# print the number of its entries, and the numbers of tasks.  Exit code 77: there
# is no such library.
import ctypes
import sys

try:
    shark = ctypes.CDLL('libkshark.so.2')
except OSError as e:
    print(e)
    sys.exit(77)
context, rows, pids = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
assert shark.kshark_instance(ctypes.byref(context))
stream = shark.kshark_open(context, sys.argv[1].encode())
assert stream >= 0, 'kshark_open: %d' % stream
shark.kshark_load_entries.restype = ctypes.c_ssize_t
print('entries', shark.kshark_load_entries(context, stream,
                                           ctypes.byref(rows)))
shark.kshark_get_task_pids.restype = ctypes.c_ssize_t
nr = shark.kshark_get_task_pids(context, stream, ctypes.byref(pids))
tasks = ctypes.cast(pids, ctypes.POINTER(ctypes.c_int))
print('tasks', *sorted(tasks[i] for i in range(nr)))
