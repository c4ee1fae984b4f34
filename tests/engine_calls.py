"""Functions that engine tests run in child processes."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import CorruptInputError

prepared: list[str] = []

metadata = sa.MetaData()
notes = sa.Table("notes", metadata, sa.Column("what", sa.Text))


@dataclass(frozen=True)
class Clip:
    """A value of a type that only its annotation names."""

    name: str
    length_s: float


def prepare(resource: str) -> None:
    """Load the model once (`child_setup`)."""
    prepared.append(resource)


def preparations() -> list[str]:
    return prepared


def fail_to_prepare(resource: str) -> None:
    raise RuntimeError(resource)


def double(clip: Clip) -> Clip:
    return Clip(clip.name, clip.length_s * 2)


def process_id() -> int:
    return os.getpid()


async def process_id_async() -> int:
    return os.getpid()


def loop_in_c(path: str) -> None:
    """Say which process this is, then loop in C, deaf to Python's signals."""
    Path(path).write_text(str(os.getpid()))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sum(range(10**15))


def wait_for_file(mine: str, other: str) -> int:
    """Meet another process: show that this one is here and wait for the other."""
    Path(mine).touch()
    while not Path(other).exists():
        time.sleep(0.01)
    return os.getpid()


def be_alone(path: str) -> int:
    """Fail where another process does this at the same time."""
    Path(path).touch(exist_ok=False)
    time.sleep(0.3)
    Path(path).unlink()
    return os.getpid()


def die_once(path: str) -> str:
    """Die as if out of memory, the first time."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def refuse() -> None:
    raise CorruptInputError("The file is damaged.", {"at_s": 3})


def large(size: int) -> str:
    return "x" * size


def note(text: str, session: Session, clip: Clip) -> Clip:
    """A commit that writes a row and replaces the result."""
    write_note(session, text)
    return Clip(text, clip.length_s)


def write_note(session: Session, text: str) -> None:
    session.connection().execute(sa.insert(notes).values(what=text))


def read_notes(database: sa.Engine, prefix: str = "") -> list[str]:
    with database.begin() as connection:
        statement = sa.select(notes.c.what).where(notes.c.what.startswith(prefix))
        return sorted(connection.execute(statement).scalars())
