# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs QEMU's tracetool many times in one process.

    python-tool.py SCRIPTS <CALLS

Each line of CALLS is a command line of tracetool.py, without its name.  Prints
a line for each: its exit code.  SCRIPTS is QEMU's folder scripts/.
"""
import io
import runpy
import shlex
import sys

scripts = sys.argv[1]
sys.path.insert(0, scripts)
import tracetool                                        # noqa: E402


def run(args):
    tracetool.out_lineno = 1
    sys.argv = ["tracetool.py"] + args
    code = 0
    saved = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    tracetool.out_fobj = sys.stdout
    try:
        runpy.run_path(scripts + "/tracetool.py", run_name="__main__")
    except SystemExit as e:
        code = e.code or 0
    except Exception:       # Python prints a traceback, and exits with 1
        code = 1
    finally:
        sys.stdout, sys.stderr = saved
    tracetool.out_fobj.flush()
    return code


for line in sys.stdin.readlines():
    print(run(shlex.split(line)), flush=True)
