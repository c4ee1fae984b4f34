"""`make bench`: what this costs beside what it is built on, as ratios in one run.

Nothing here fails: a goal that is missed is printed as missed.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rich.console import Console

from tests.bench import (
    backlog,
    creating,
    executing,
    recognition,
    redaction,
    replaying,
    report,
    upload,
    waiting,
)
from tests.bench.contestants import DATABASES
from tests.bench.report import Section

Measure = Callable[[], Section]

_WIDTH = 140
_REPLAYED = (10, 100, 1_000)


def parse() -> argparse.Namespace:
    """Read the options; the defaults are what is published."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=MEASUREMENTS, action="append", help="measure this alone")
    parser.add_argument("--out", type=Path, help="write a Markdown page, as docs/bench.md")
    parser.add_argument("--database", choices=DATABASES, action="append", help="on this alone")
    parser.add_argument("--speech-s", type=float, default=600.0, help="seconds of speech")
    parser.add_argument("--sentences", type=int, default=40, help="per class, to redact")
    parser.add_argument("--upload-mib", type=int, default=2048, help="size of the upload")
    parser.add_argument("--instances", type=int, default=300, help="instances of three steps")
    parser.add_argument("--created", type=int, default=2_000, help="instances created")
    parser.add_argument("--waiters", type=int, default=50_000, help="instances of ours that wait")
    parser.add_argument("--recv-waiters", type=int, default=1_000, help="workflows in DBOS.recv")
    parser.add_argument("--messages", type=int, default=300, help="waiters woken")
    parser.add_argument("--idle-s", type=float, default=20.0, help="seconds watched while idle")
    parser.add_argument("--queued", type=int, default=2_000_000, help="instances queued")
    return parser.parse_args()


def _recognition(given: argparse.Namespace) -> Iterator[Measure]:
    yield partial(recognition.measure, given.speech_s)


def _redaction(given: argparse.Namespace) -> Iterator[Measure]:
    yield partial(redaction.measure, given.sentences)


def _upload(given: argparse.Namespace) -> Iterator[Measure]:
    yield partial(upload.measure, given.upload_mib * 1024 * 1024)


def _engine(given: argparse.Namespace) -> Iterator[Measure]:
    for kind in given.database or DATABASES:
        yield partial(executing.measure, kind, given.instances)


def _creating(given: argparse.Namespace) -> Iterator[Measure]:
    for kind in given.database or DATABASES:
        yield partial(creating.measure, kind, given.created)


def _waiting(given: argparse.Namespace) -> Iterator[Measure]:
    plan = waiting.Plan(given.waiters, given.recv_waiters, given.messages, given.idle_s)
    for kind in given.database or DATABASES:
        yield partial(waiting.measure, kind, plan)


def _backlog(given: argparse.Namespace) -> Iterator[Measure]:
    if "postgresql" in (given.database or DATABASES):
        yield partial(backlog.measure, given.queued)


def _replay(given: argparse.Namespace) -> Iterator[Measure]:
    for kind in given.database or DATABASES:
        yield partial(replaying.measure, kind, _REPLAYED)


MEASUREMENTS: dict[str, Callable[[argparse.Namespace], Iterator[Measure]]] = {
    "recognition": _recognition,
    "redaction": _redaction,
    "upload": _upload,
    "engine": _engine,
    "creating": _creating,
    "waiting": _waiting,
    "backlog": _backlog,
    "replay": _replay,
}


def main() -> None:
    """Measure, print, and put into the page what was found, where one is named."""
    given = parse()
    console = Console() if sys.stdout.isatty() else Console(width=_WIDTH)
    for name in given.only or MEASUREMENTS:
        for measure in MEASUREMENTS[name](given):
            before = os.getloadavg()[0]
            section = measure()
            report.show(console, section)
            if given.out is not None:
                _write(given.out, section, (before, os.getloadavg()[0]))


def _write(path: Path, section: Section, loads: tuple[float, float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(report.markdown(page, section, loads), encoding="utf-8")


if __name__ == "__main__":
    main()
