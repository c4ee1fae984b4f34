"""What a workflow is written with: the class itself, its events and its outcome."""

import inspect
import types
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, Union, get_args, get_origin

from sqlmodel import Session

from pipeline.engine.codec import Annotation, ErrorRecord, Function, result_type

if TYPE_CHECKING:
    from pipeline.engine.step import Step

ParamsT = TypeVar("ParamsT")


class Status(StrEnum):
    """Where an instance stands. The last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    WAITING_FOR_PAUSE = "waiting_for_pause"
    PAUSED = "paused"
    ROLLING_BACK = "rolling_back"
    ERRORED = "errored"
    TERMINATED = "terminated"
    COMPLETE = "complete"


FINAL = frozenset({Status.ERRORED, Status.TERMINATED, Status.COMPLETE})


class StepStatus(StrEnum):
    """Where a step stands, as history shows it."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    WAITING = "waiting"
    RETRYING = "retrying"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class WorkflowEvent(Generic[ParamsT]):
    """What an instance was created with."""

    payload: ParamsT
    instance_id: str
    created_at: datetime


@dataclass(frozen=True)
class Event:
    """An event that an instance was sent. `payload` is plain JSON."""

    type: str
    payload: Any
    sent_at: datetime


@dataclass(frozen=True)
class Outcome:
    """How an instance ended: `complete` with its output, `errored` with its error, `terminated`.

    `error` has `type`, `code`, `message` and `details`.
    """

    status: Status
    output: Any = None
    error: ErrorRecord | None = None


@dataclass(frozen=True)
class Undo:
    """What a rollback is told about its step.

    Attributes:
        result: The step's result; None where it did not succeed, though it may have had effects.
        error: Why the instance rolls back; None where it was terminated.
    """

    result: Any
    error: ErrorRecord | None


class Workflow(Generic[ParamsT]):
    """A workflow: subclass it, name it, and write `run` with `step`.

    `run` awaits only `step.*` (and `asyncio.gather`, `asyncio.wait` and task groups over them); it
    reads no clock, draws no randomness and does no I/O, for it is run again from its beginning
    after every wait, with the results of finished steps taken from the journal. It is checked when
    the engine is made.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1

    async def run(self, event: WorkflowEvent[ParamsT], step: "Step") -> object:
        """Take one instance from its parameters to its output."""
        raise NotImplementedError

    def finished(self, session: Session, event: WorkflowEvent[ParamsT], outcome: Outcome) -> None:
        """Write the application's rows in the transaction that ends the instance."""

    def moved(self, session: Session, event: WorkflowEvent[ParamsT], status: Status) -> None:
        """Write the application's rows in the transaction that pauses or requeues the instance.

        Args:
            session: The transaction.
            event: What the instance was created with.
            status: `paused` (a step may still be at work), or `queued` after `resume` and
                `restart`.
        """


@lru_cache(maxsize=256)
def params_type(workflow: Workflow[Any]) -> Annotation:
    """Return the type of a workflow's parameters: `P` of its base `Workflow[P]`."""
    for kind in type(workflow).__mro__:
        for base in getattr(kind, "__orig_bases__", ()):
            if get_origin(base) is Workflow and not isinstance(get_args(base)[0], TypeVar):
                return get_args(base)[0]
    return Any


@lru_cache(maxsize=256)
def output_type(workflow: Workflow[Any]) -> Annotation:
    """Return the annotation of `run`'s result."""
    return result_type(workflow.run)


def journal_type(fn: Function, commit: Function | None) -> Annotation:
    """Return the type of a step's result: that of its commit where it returns one, else of `fn`."""
    replaced = _without_none(result_type(commit)) if commit is not None else Any
    if replaced is Any or replaced is None or isinstance(replaced, TypeVar):
        return result_type(fn)
    return replaced


def _without_none(annotation: Annotation) -> Annotation:
    if annotation is type(None):
        return None
    origin: object = get_origin(annotation)
    if origin in (Union, types.UnionType):
        kinds = tuple(kind for kind in get_args(annotation) if kind is not type(None))
        return kinds[0] if len(kinds) == 1 else Union[kinds]  # noqa: UP007 - built at run time
    return annotation


def is_async(fn: Function) -> bool:
    """Tell whether a step's function (or the one inside its `partial`) is a coroutine function."""
    target = getattr(fn, "func", fn)
    return inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(
        getattr(target, "__call__", None)  # noqa: B004 - the method itself is looked at
    )
