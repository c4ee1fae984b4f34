"""The picture of an instance's steps: what ran beside what, and three hundred of them."""

from collections.abc import Sequence

from pipeline.engine import StepHistory, StepStatus
from review_ui.engine_contexts import Lane, Picture
from review_ui.queries.step_picture import MOST_BLOCKS, MOST_LANES, MOST_NODES, picture_of
from tests.web.engine_samples import at, many_steps, order_steps, source_steps, step


def drawn(steps: Sequence[StepHistory], *, everything: bool = False) -> Picture:
    return picture_of(steps, lambda s: f"#{s.name}", everything=everything)


def names(picture: Picture) -> list[list[list[str]]]:
    """Return blocks of lanes of names."""
    return [[[n.name for n in lane.nodes] for lane in block] for block in picture.blocks]


def lanes(picture: Picture) -> list[Lane]:
    return [lane for block in picture.blocks for lane in block]


def counted(picture: Picture) -> int:
    """Return how many steps the picture stands for."""
    return sum(
        node.size * (1 if lane.counted else lane.size)
        for lane in lanes(picture)
        for node in lane.nodes
    )


def test_steps_when_one_follows_the_other_are_one_lane() -> None:
    picture = drawn([step("a", 0, 1), step("b", 1, 2), step("c", 3, None, StepStatus.RUNNING)])
    assert names(picture) == [[["a", "b", "c"]]]
    assert (picture.done, picture.total) == (2, 3)


def test_steps_when_they_overlap_are_side_by_side_until_all_have_ended() -> None:
    steps = [step("a", 0, 1), step("b", 1.1, 5), step("c", 1.1, 2), step("d", 2.5, 4),
             step("e", 6, 7)]  # fmt: skip
    assert names(drawn(steps)) == [[["a"]], [["b"], ["c", "d"]], [["e"]]]


def test_steps_when_queued_for_one_slot_are_side_by_side_though_they_run_in_turn() -> None:
    steps = [step("a", 0, 10), step("b", 10, 20, created_at=at(0)),
             step("c", None, None, StepStatus.WAITING, created_at=at(0))]  # fmt: skip
    assert names(drawn(steps)) == [[["a"], ["b"], ["c"]]]


def test_steps_of_named_branches_when_quick_are_still_side_by_side() -> None:
    steps = [step("a", 0, 1, branch="left"), step("b", 2, 3, branch="right"),
             step("c", 4, 5, branch="left")]  # fmt: skip
    picture = drawn(steps)
    assert names(picture) == [[["a", "c"], ["b"]]]
    assert [lane.title for lane in lanes(picture)] == ["left", "right"]


def test_saga_when_it_rolls_back_shows_what_was_undone_after_all_else() -> None:
    current = [one for one in order_steps() if one.generation == 2]
    assert names(drawn(current)) == [
        [["reserve"]],
        [["charge", "receipt"], ["pick", "pack", "call_carrier"], ["cool off"]],
        [["charge", "reserve"]],
    ]


def test_steps_when_alike_are_put_together_with_their_number() -> None:
    picture = drawn(source_steps())
    (together,) = [node for lane in lanes(picture) for node in lane.nodes if node.size > 1]
    assert (together.name, together.size, together.status) == ("transcribe", 5, "succeeded")
    assert picture.shortened


def test_picture_of_three_hundred_steps_stays_small_and_keeps_what_failed() -> None:
    picture = drawn(many_steps(300))
    nodes = [node for lane in lanes(picture) for node in lane.nodes]
    assert len(nodes) < 50
    assert [node.name for node in nodes if node.status == "failed"] == ["index_09"]
    assert counted(picture) == 300


def test_picture_when_everything_is_wished_leaves_nothing_out() -> None:
    picture = drawn(many_steps(300), everything=True)
    assert sum(len(lane.nodes) for lane in lanes(picture)) == 300
    assert not picture.shortened


def test_picture_when_no_step_is_like_another_is_bounded_in_every_direction() -> None:
    states = (StepStatus.RUNNING, StepStatus.FAILED)
    row = [step(f"r{n}", n, n + 0.5, states[n % 2]) for n in range(100)]
    wide = [step(f"w{n}", 200, 300 + n, states[n % 2]) for n in range(100)]
    pairs = [
        one
        for n in range(60)
        for one in (step(f"p{n}", 500 + n, 500.5 + n, states[n % 2]),
                    step(f"q{n}", 500 + n, 500.6 + n, states[n % 2]))
    ]  # fmt: skip
    picture = drawn([*row, *wide, *pairs])
    assert len(picture.blocks) <= MOST_BLOCKS + 1
    for block in picture.blocks:
        assert len(block) <= MOST_LANES
        assert all(len(lane.nodes) <= MOST_NODES + 1 for lane in block)
    assert counted(picture) == 320


def test_recorded_values_are_not_drawn() -> None:
    assert names(drawn([step("now", 0, 0, kind="value"), step("a", 1, 2)])) == [[["a"]]]
