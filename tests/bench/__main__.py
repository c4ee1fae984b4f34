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

from tests.bench import recognition, report, upload, waiting
from tests.bench.report import Section

NAMES = ("recognition", "upload", "waiting")
DATABASES = ("sqlite", "postgresql")
_WIDTH = 140


def parse() -> argparse.Namespace:
    """Read the options; the defaults are what is published."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=NAMES, action="append", help="measure this alone")
    parser.add_argument("--out", type=Path, help="write a Markdown page, as docs/bench.md")
    parser.add_argument("--speech-s", type=float, default=600.0, help="seconds of speech")
    parser.add_argument("--upload-mib", type=int, default=2048, help="size of the upload")
    parser.add_argument("--waiters", type=int, default=10_000, help="instances of ours")
    parser.add_argument("--recv-waiters", type=int, default=1_000, help="workflows in DBOS.recv")
    parser.add_argument("--messages", type=int, default=200, help="waiters woken")
    parser.add_argument("--idle-s", type=float, default=20.0, help="seconds watched while idle")
    parser.add_argument("--database", choices=DATABASES, action="append", help="wait on this alone")
    return parser.parse_args()


def measurements(given: argparse.Namespace) -> Iterator[Callable[[], Section]]:
    """Yield what was asked for, in order."""
    names = given.only or NAMES
    if "recognition" in names:
        yield partial(recognition.measure, given.speech_s)
    if "upload" in names:
        yield partial(upload.measure, given.upload_mib * 1024 * 1024)
    if "waiting" in names:
        for kind in given.database or DATABASES:
            yield partial(
                waiting.measure,
                kind,
                given.waiters,
                given.recv_waiters,
                given.messages,
                given.idle_s,
            )


def main() -> None:
    """Measure, print, and put into the page what was found, where one is named."""
    given = parse()
    console = Console() if sys.stdout.isatty() else Console(width=_WIDTH)
    for measure in measurements(given):
        before = os.getloadavg()[0]
        section = measure()
        report.show(console, section)
        if given.out is not None:
            given.out.parent.mkdir(parents=True, exist_ok=True)
            page = given.out.read_text(encoding="utf-8") if given.out.exists() else ""
            page = report.markdown(page, section, (before, os.getloadavg()[0]))
            given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
