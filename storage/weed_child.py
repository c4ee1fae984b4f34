"""Become another program that ends with the process that started it.

Run as a script: `python weed_child.py PARENT_PID PROGRAM ARGUMENT...`. A step between, because only
the child itself can ask the kernel for this, and asking between fork and exec is not safe in a
process with threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>; kept over exec


def main() -> None:
    """Bind to the parent, keep what is written private, and become the program."""
    parent, program = int(sys.argv[1]), sys.argv[2]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was asked
        sys.exit(1)
    os.umask(0o077)
    os.execv(program, sys.argv[2:])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
