"""A web process that dies in the middle of a decision: `python -m tests.crash.deciding RUN HASH`.

It is killed after the decision has committed and before anybody is answered; with `before`, just
before the commit.
"""

import os
import signal
import sys

from sqlalchemy import event
from sqlmodel import Session

from configs.settings import load_settings
from pipeline import commands
from pipeline.runtime import open_runtime
from tests.deployment import OPERATOR


def main(run_id: str, sha256: str, point: str = "after") -> None:
    """Decide, and die."""
    with open_runtime(load_settings()) as runtime:
        if point == "before":
            event.listen(Session, "before_commit", _die)
        commands.decide(runtime.app, OPERATOR, run_id, "approve", sha256)
        _die()


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
