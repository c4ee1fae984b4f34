"""What instances do, as data: small random programs, the steps they take, what they come to.

A program is a tree of nodes. Its result does not depend on what is killed or in which order
parallel parts end, so that it can be told in advance (`expected`); a test runs programs undisturbed
and finds the same.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pipeline.engine.names import ROLLBACK_BRANCH

Output = Any  # whole numbers and lists of them; sets where it is left to chance

TIMED_OUT, CAUGHT = -1, -2
SHARED_TYPE = "news"
REFUSED_CODE = "chaos.refused"


@dataclass(frozen=True)
class Node:
    """One part of a program.

    Attributes:
        kind: `do heavy keyed sleep event either contest silence caught refuse forever`, or one of
            `seq all shared group race` over `parts`.
        id: Unique in the program; what the step leaves in the ledger is under this number.
        value: What the step returns, or the event brings.
        how: How a step does it (`thread loop`), or goes wrong (`raise hang die`).
        fails: Calls that go wrong before one succeeds.
        takes_s: How long a call takes, or a sleep or a wait lasts.
        keeps: Whether the step writes a row of the application with its result.
        undo: Whether it can be undone: not at all, `ok`, at the second time, or never (`refuse`).
        parts: The parts of a combination.
    """

    kind: str
    id: int
    value: int = 0
    how: str = ""
    fails: int = 0
    takes_s: float = 0.0
    keeps: bool = False
    undo: str = ""
    parts: tuple["Node", ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        """The types of events that the node waits for."""
        if self.kind == "either":
            return (f"this-{self.id}", f"that-{self.id}")
        return (SHARED_TYPE,) if self.how == "in order" else (f"only-{self.id}",)


@dataclass(frozen=True)
class Expected:
    """How an instance is to end (or `waiting`, for good). An output may leave a choice: a set."""

    status: str
    output: Output = None
    error_code: str | None = None


@dataclass(frozen=True)
class Planned:
    """A step of a program under its key in the journal; `label` is its name in the ledger.

    `is_certain` is false where it depends on chance whether it runs.
    """

    branch: str
    name: str
    count: int
    node: Node
    label: str
    is_certain: bool


def expected(program: Node) -> Expected:
    """Tell how an instance of the program ends when nobody interferes."""
    last = program.parts[-1].kind
    if last == "refuse":
        return Expected("errored", error_code=REFUSED_CODE)
    if last == "forever":
        return Expected("waiting")
    return Expected("complete", _output(program))


def agrees(wanted: Output, found: Output) -> bool:
    """Tell whether an output is the expected one, or one of those that chance may bring."""
    if isinstance(wanted, set):
        return found in wanted
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(map(agrees, wanted, found))
        )
    return bool(wanted == found)


def _output(node: Node) -> Output:
    if node.kind == "race":
        return node.value
    if node.parts:
        return [_output(part) for part in node.parts]
    if node.kind == "contest":
        return {node.value, TIMED_OUT}
    return {"silence": TIMED_OUT, "caught": CAUGHT}.get(node.kind, node.value)


def nodes(program: Node) -> Iterator[Node]:
    """Yield every node, in the order of the program."""
    yield program
    for part in program.parts:
        yield from nodes(part)


def branch_of(node: Node, part: int) -> str:
    """Return the name of the branch in which one part of a combination runs."""
    return f"{node.kind}-{node.id}-{part}"


def step_name(node: Node) -> str:
    """Return the name of a leaf's step; most are used again and again, and counted up."""
    return f"{node.kind}-{node.id}" if node.how == "shared" else node.kind


def planned(program: Node) -> list[Planned]:
    """Return every step that an instance of the program may take."""
    return [
        replace(step, count=count)
        for _, group in itertools.groupby(
            sorted(_planned(program, "", is_certain=True), key=lambda s: (s.branch, s.name)),
            key=lambda s: (s.branch, s.name),
        )
        for count, step in enumerate(group, start=1)
    ]


def undoing(step: Planned) -> Planned:
    """Return the rollback of a step that has one, as a step of its own."""
    branch = "/".join(filter(None, (ROLLBACK_BRANCH, step.branch)))
    return replace(step, branch=branch, label=f"undo-{step.label}")


def _planned(node: Node, branch: str, *, is_certain: bool) -> Iterator[Planned]:
    def own(name: str, label: str, *, certain: bool = is_certain) -> Planned:
        return Planned(branch, name, 0, node, label, certain)

    if node.kind in ("seq", "shared"):
        for part in node.parts:
            yield from _planned(part, branch, is_certain=is_certain)
    elif node.parts:
        for number, part in enumerate(node.parts):
            inner = "/".join(filter(None, (branch, branch_of(node, number))))
            yield from _planned(part, inner, is_certain=is_certain and node.kind != "race")
        if node.kind == "race":
            for number in range(len(node.parts)):
                yield own(f"after-{node.id}-{number}", f"{node.id}-{number}", certain=False)
    else:
        if node.kind == "keyed":
            yield own("key", "")
        yield own(step_name(node), str(node.id))
