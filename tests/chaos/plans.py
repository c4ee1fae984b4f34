"""What the web process does with each instance: its program, and what it sends and asks when."""

from dataclasses import dataclass
from typing import Any

from pipeline.engine.handles import DEFAULT_TENANT, full_id
from pipeline.engine.journal import StepKey
from tests.chaos.author import Author
from tests.chaos.chance import Chance, drawn
from tests.chaos.programs import Node, nodes, planned

_WAITING = ("event", "either", "contest")
_RETENTION_RATIO = 0.02
_LATER_S = 4.0
_OPERATIONS = {
    "": 66,
    "pause resume": 10,
    "pause resume pause resume": 2,
    "pause": 2,
    "terminate": 3,
    "undo": 5,
    "pause terminate": 1,
    "pause undo": 1,
    "restart": 3,
    "restart_from": 3,
    "pause restart": 1,
    "restart restart_from": 1,
    "delete": 2,
}


@dataclass(frozen=True)
class Action:
    """Something to do with an instance, `at_s` after it was created."""

    at_s: float
    kind: str
    type: str = ""
    value: int = 0
    key: str = ""
    step: StepKey | None = None


@dataclass(frozen=True)
class Plan:
    """One instance: whose it is, what it runs, and what is done to it, in order."""

    name: str
    tenant: str
    program: Node
    actions: tuple[Action, ...]
    retention_s: float | None = None

    @property
    def id(self) -> str:
        """The id by which the instance is known everywhere."""
        return full_id(self.tenant, self.name)

    @property
    def sent(self) -> dict[str, Action]:
        """The events by their key."""
        return {action.key: action for action in self.actions if action.kind == "event"}

    @property
    def operations(self) -> tuple[str, ...]:
        """What is asked of the instance besides events, in order."""
        return tuple(action.kind for action in self.actions if action.kind != "event")


def plan_of(seed: int, number: int) -> Plan:
    """Return the plan of one instance; the same for the same seed and number."""
    chance = drawn(seed, "plan", number)
    program = Author(chance).program()
    tenant = chance.choices((DEFAULT_TENANT, "acme", "globex"), (8, 1, 1))[0]
    retention_s = chance.uniform(0.0, 5.0) if chance.random() < _RETENTION_RATIO else None
    actions = [*_sends(program, chance), *_operations(program, chance)]
    in_order = tuple(sorted(actions, key=lambda action: action.at_s))
    return Plan(f"c{number:05d}", tenant, program, in_order, retention_s)


def number_of(instance: str) -> int:
    """Return the number of a plan by its instance's id."""
    return int(instance.rpartition(".")[2].removeprefix("c"))


def _operations(program: Node, chance: Chance) -> list[Action]:
    """Return what is asked of the instance, at any time: while it runs, waits, or has ended."""
    kinds = chance.choices(list(_OPERATIONS), list(_OPERATIONS.values()))[0].split()
    at_s, found = 0.0, []
    for kind in kinds:
        at_s += chance.choice((0.0, chance.uniform(0.0, 1.5), chance.uniform(0.0, 6.0)))
        at_s += _LATER_S if kind == "delete" else 0.0
        step = chance.choice(planned(program))
        found.append(Action(at_s, kind, step=StepKey(step.branch, step.name, step.count)))
    return found


def _sends(program: Node, chance: Chance) -> list[Action]:
    found: list[Action] = []
    shared_at = chance.uniform(0.0, 4.0)
    for node in nodes(program):
        if node.kind not in _WAITING:
            continue
        if node.how == "in order":  # of one type: they have to arrive in the order of the program
            shared_at += chance.uniform(0.0, 2.0)
            at_s = shared_at
        elif node.kind == "contest":
            at_s = node.takes_s + chance.uniform(-0.8, 1.2)
        else:
            at_s = chance.choice((0.0, chance.uniform(0.0, 6.0)))
        event = Action(max(at_s, 0.0), "event", chance.choice(node.types), node.value, f"{node.id}")
        found += [event] * chance.choice((1, 1, 1, 2))  # the same key: one event
    return found


def payload(action: Action) -> dict[str, Any]:
    """Return what an event carries."""
    return {"value": action.value}
