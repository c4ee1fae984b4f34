"""The steps of an instance as a picture: in order, with what runs at the same time side by side.

The journal holds no graph: a workflow is code. What ran beside what shows in time: a step that was
begun before an earlier one had ended ran beside it. Where no step is open, the picture is cut into
blocks; in a block each branch has a lane, and a step without a named branch takes the first lane
that is free. Long stretches of steps that are alike become one node, so that three hundred steps
are still a picture.
"""

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from pipeline.engine import StepHistory, StepStatus
from pipeline.engine.journal import ROLLBACK
from pipeline.engine.names import ROLLBACK_BRANCH
from review_ui.engine_contexts import Lane, Picture, StepNode

MOST_NODES = 16
MOST_LANES = 6
MOST_BLOCKS = 16
MOST_AT_ONCE = 2000
_ALIKE = 4
_EDGE = 4
_CALM = frozenset({"succeeded", "cancelled"})
_NEVER = datetime.max.replace(tzinfo=UTC)

Block = Sequence[Lane]
Link = Callable[[StepHistory], str]
T = TypeVar("T")


def picture_of(steps: Sequence[StepHistory], link: Link, *, everything: bool = False) -> Picture:
    """Return the picture of an instance's steps.

    Args:
        steps: those of one generation, in the order in which they were begun.
        link: where a step's node leads.
        everything: leave nothing out and put nothing together, up to 2000 steps.
    """
    shown = [step for step in steps if step.kind != "value"]
    repeated = {name for name, n in Counter((s.branch, s.name) for s in shown).items() if n > 1}

    def node(step: StepHistory) -> StepNode:
        return _node(step, link, many=(step.branch, step.name) in repeated)

    blocks = _joined(
        [Lane(title, [node(step) for step in lane]) for title, lane in _lanes(block)]
        for block in _blocks(shown)
    )
    whole = everything and len(shown) <= MOST_AT_ONCE
    short = blocks if whole else _fewer_blocks([_fewer_lanes(block) for block in blocks])
    return Picture(
        blocks=short,
        total=len(shown),
        done=sum(step.status is StepStatus.SUCCEEDED for step in shown),
        shortened=short != blocks,
        has_more=short != blocks and len(shown) <= MOST_AT_ONCE,
        everything=whole,
    )


def duration_of(step: StepHistory) -> float | None:
    """Return how long an ended step took, in seconds; None while it runs, for that would age."""
    if step.ended_at is None or step.started_at is None:
        return None
    return max((step.ended_at - step.started_at).total_seconds(), 0.0)


def _blocks(steps: Sequence[StepHistory]) -> list[list[StepHistory]]:
    blocks: list[list[StepHistory]] = []
    open_until, branches = _NEVER, set[str]()
    for step in steps:
        if blocks and (open_until > step.created_at or _is_sibling(step, branches)):
            blocks[-1].append(step)
            open_until = max(open_until, _end(step))
        else:
            blocks.append([step])
            open_until, branches = _end(step), set()
        branches.add(_branch(step))
    return blocks


def _is_sibling(step: StepHistory, branches: set[str]) -> bool:
    """Tell whether a step is of a named branch beside others, or goes on with one of them."""
    return bool(step.branch) and step.kind != ROLLBACK and bool(branches - {""})


def _lanes(block: Sequence[StepHistory]) -> list[tuple[str, list[StepHistory]]]:
    lanes: list[tuple[str, list[StepHistory]]] = []
    named: dict[str, int] = {}
    free: list[tuple[datetime, int]] = []  # when a lane without a name ends, and which it is
    for step in block:
        branch = _branch(step)
        if branch in named:
            index = named[branch]
        elif not branch and free and free[0][0] <= step.created_at:
            _, index = heapq.heappop(free)
        else:
            index = len(lanes)
            lanes.append((branch, []))
        lanes[index][1].append(step)
        if branch:
            named[branch] = index
        else:
            heapq.heappush(free, (_end(step), index))
    return lanes


def _branch(step: StepHistory) -> str:
    """Return the branch of a step; what is undone is undone one after the other."""
    return ROLLBACK_BRANCH if step.kind == ROLLBACK else step.branch


def _end(step: StepHistory) -> datetime:
    return step.ended_at or _NEVER


def _joined(blocks: Iterable[Block]) -> list[Block]:
    """Put blocks of one lane together that follow each other."""
    joined: list[Block] = []
    for block in blocks:
        before: Block = joined[-1] if joined else []
        if len(block) == len(before) == 1 and block[0].title == before[0].title:
            joined[-1] = [replace(before[0], nodes=[*before[0].nodes, *block[0].nodes])]
        else:
            joined.append(block)
    return joined


def _node(step: StepHistory, link: Link, *, many: bool) -> StepNode:
    return StepNode(
        name=step.name,
        count=step.count,
        many=many,
        kind=step.kind,
        status=str(step.status),
        attempts=step.attempts,
        duration_s=duration_of(step),
        until=step.waiting_until,
        error_code=step.error_code,
        href=link(step),
    )


def _shorter(lane: Lane) -> Lane:
    """Put neighbours together that are alike, then leave out what is long and unremarkable."""
    nodes: list[StepNode] = []
    for alike in _stretches(lane.nodes, lambda n: (n.name, n.kind, n.status)):
        nodes.extend(alike if len(alike) < _ALIKE else [_group(alike)])
    short = _middle_left_out(nodes, MOST_NODES, lambda node: node.status in _CALM, _gap)
    return replace(lane, nodes=short)


def _fewer_blocks(blocks: Sequence[Block]) -> list[Block]:
    def gap(left_out: Sequence[Block]) -> Block:
        return [Lane("", [_gap(_nodes_of(left_out))])]

    def is_calm(block: Block) -> bool:
        return all(node.status in _CALM for node in _nodes_of([block]))

    return _middle_left_out(blocks, MOST_BLOCKS, is_calm, gap)


def _middle_left_out(
    items: Sequence[T], most: int, is_calm: Callable[[T], bool], gap: Callable[[Sequence[T]], T]
) -> list[T]:
    """Leave out calm stretches where there are too many items, whatever is calm if need be."""
    if len(items) <= most:
        return list(items)
    kept = list(items[:_EDGE])
    for stretch in _stretches(items[_EDGE:-_EDGE], is_calm):
        kept += [gap(stretch)] if is_calm(stretch[0]) and len(stretch) > 1 else stretch
    kept += items[-_EDGE:]
    if len(kept) > most:
        half = most // 2
        kept = [*kept[:half], gap(kept[half:-half]), *kept[-half:]]
    return kept


def _fewer_lanes(block: Block) -> Block:
    """Put lanes together that are alike, and the last ones where there are still too many."""
    lanes = [_shorter(lane) for lane in block]
    if len(lanes) <= MOST_LANES:
        return lanes
    alike: dict[object, list[Lane]] = {}
    for lane in lanes:
        shape = tuple((node.name, node.kind, node.status, node.size) for node in lane.nodes)
        alike.setdefault(shape, []).append(lane)
    kept = [
        replace(same[0], title=same[0].title if len(same) == 1 else "", size=len(same))
        for same in alike.values()
    ]
    if len(kept) <= MOST_LANES:
        return kept
    rest = kept[MOST_LANES - 1 :]
    return [
        *kept[: MOST_LANES - 1],
        Lane("", [_gap(_nodes_of([rest]))], sum(lane.size for lane in rest), counted=True),
    ]


def _nodes_of(blocks: Iterable[Block]) -> list[StepNode]:
    lanes = [lane for block in blocks for lane in block]
    return [node for lane in lanes for node in lane.nodes * (1 if lane.counted else lane.size)]


def _group(nodes: Sequence[StepNode]) -> StepNode:
    durations = [node.duration_s for node in nodes if node.duration_s is not None]
    return replace(
        nodes[0],
        size=sum(node.size for node in nodes),
        duration_s=sum(durations) if durations else None,
        attempts=max(node.attempts for node in nodes),
        until=min((node.until for node in nodes if node.until), default=None),
    )


def _gap(nodes: Sequence[StepNode]) -> StepNode:
    counts: Counter[str] = Counter()
    for node in nodes:
        for status, number in node.counts or ((node.status, node.size),):
            counts[status] += number
    return StepNode("", 1, False, "gap", "", sum(counts.values()), counts=counts.most_common())


def _stretches(items: Sequence[T], key: Callable[[T], object]) -> list[list[T]]:
    return [list(alike) for _, alike in itertools.groupby(items, key)]
