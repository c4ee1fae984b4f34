"""What the steps of programs do to the outside world, and how they go wrong."""

import asyncio
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass, replace

import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import TransientError
from pipeline.engine import NonRetryableError, Undo
from tests.chaos import ledger
from tests.chaos.programs import REFUSED_CODE

SPOKEN = "Quillon Sedgemoor"  # a fictional person: errors name them, and no log may
_HANG_S = 30.0

metadata = sa.MetaData()
kept = sa.Table(
    "chaos_kept",
    metadata,
    sa.Column("instance", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
)


class FlakyError(TransientError):
    """It did not work this time."""

    code = "chaos.flaky"


class RefusedError(NonRetryableError):
    """It will never work."""

    code = REFUSED_CODE


@dataclass(frozen=True)
class Effect:
    """One step's effect: where it is written down, and how it goes on from there."""

    folder: str
    instance: str
    label: str
    value: int = 0
    takes_s: float = 0.0
    fails: int = 0
    how: str = ""
    key: str = ""


def in_thread(effect: Effect) -> int:
    """Have the effect in a thread of the worker."""
    goes_wrong = _happen(effect, os.getpid())
    time.sleep(effect.takes_s)
    if goes_wrong:
        raise FlakyError(f"{SPOKEN} did not answer.")
    return effect.value


async def in_loop(effect: Effect) -> int:
    """Have the effect on the worker's event loop; where it hangs, only a time-out ends it."""
    goes_wrong = _happen(effect, os.getpid())
    await asyncio.sleep(_HANG_S if goes_wrong and effect.how == "hang" else effect.takes_s)
    if goes_wrong:
        raise FlakyError(f"{SPOKEN} did not answer.")
    return effect.value


def in_child(effect: Effect) -> int:
    """Have the effect in a child process of the worker: it may die of it, or hang."""
    parent = multiprocessing.parent_process()
    goes_wrong = _happen(effect, parent.pid if parent is not None and parent.pid else 0)
    time.sleep(_HANG_S if goes_wrong and effect.how == "hang" else effect.takes_s)
    if goes_wrong and effect.how == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if goes_wrong:
        raise FlakyError(f"{SPOKEN} did not answer.")
    return effect.value


def refuse(effect: Effect) -> int:
    """Have the effect and fail for good."""
    _happen(effect, os.getpid())
    raise RefusedError(f"{SPOKEN} said no.")


def exhaust(effect: Effect) -> int:
    """Have the effect and fail, as often as it is tried."""
    _happen(effect, os.getpid())
    raise FlakyError(f"{SPOKEN} did not answer.")


def undo(effect: Effect, undone: Undo) -> None:
    """Undo a step: it tells the result that it was given by the key that it leaves."""
    goes_wrong = _happen(replace(effect, key=f"was-{undone.result}"), os.getpid())
    if effect.how == "refuse":
        raise RefusedError(f"{SPOKEN} said no.")
    if goes_wrong:
        raise FlakyError(f"{SPOKEN} did not answer.")


def keep(instance: str, label: str, session: Session, result: int) -> int:
    """Write the application's row, in the transaction that records the result."""
    session.connection().execute(sa.insert(kept).values(instance=instance, label=label))
    return result


def _happen(effect: Effect, pid: int) -> bool:
    times = ledger.happen(effect.folder, effect.instance, effect.label, pid, effect.key)
    return times <= effect.fails
