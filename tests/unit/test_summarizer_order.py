"""The order of the calls of a summary, whoever makes them."""

import asyncio
from collections.abc import Sequence

import pytest

from configs.errors import ModelError
from models.summarizer import Asked, Part, last_answer


class Told:
    """Calls that are only written down; an answer is the name of what it stands for."""

    def __init__(self, parts: int, *, too_long: Sequence[int] = (), broken: str = "") -> None:
        self.said: list[str] = []
        self._parts, self._too_long, self._broken = parts, too_long, broken

    async def parts(self) -> Sequence[Part]:
        return [Part(first_segment=10 * n, last_segment=10 * n + 9) for n in range(self._parts)]

    async def answer(self, part: Part) -> Asked[str]:
        first, last = part.first_segment, part.last_segment
        self.said.append(f"answer {first}-{last}")
        if first in self._too_long and last - first > 5:
            halves = ((first, first + 4), (first + 5, last))
            return Asked(None, tuple(Part(first_segment=a, last_segment=b) for a, b in halves))
        return Asked(f"{first}-{last}")

    async def groups(self, answers: Sequence[str]) -> Sequence[Sequence[int]]:
        return [tuple(range(len(answers)))[i : i + 2] for i in range(0, len(answers), 2)]

    async def combine(self, sources: Sequence[str]) -> str:
        self.said.append(f"combine {'+'.join(sources)}")
        return f"({'+'.join(sources)})"

    async def problems(self, answer: str, *, last: bool) -> tuple[str, ...]:
        self.said.append(f"read {answer}{' last' if last else ''}")
        return ("broken",) if answer == self._broken else ()

    async def repair(self, answer: str, problems: tuple[str, ...], sources: Sequence[str]) -> str:
        self.said.append(f"repair {answer} of {'+'.join(sources) or 'the text'}: {problems[0]}")
        return f"{answer}!"


def test_order_when_there_is_one_part_then_it_is_asked_for_and_read() -> None:
    calls = Told(1)
    assert asyncio.run(last_answer(calls)) == "0-9"
    assert calls.said == ["answer 0-9", "read 0-9"]


def test_order_when_an_answer_does_not_parse_then_it_is_repaired_once_and_combined() -> None:
    calls = Told(3, broken="10-19")
    assert asyncio.run(last_answer(calls)) == "((0-9+10-19!)+20-29)"
    assert calls.said == [
        "answer 0-9", "read 0-9",
        "answer 10-19", "read 10-19", "repair 10-19 of the text: broken", "read 10-19! last",
        "answer 20-29", "read 20-29",
        "combine 0-9+10-19!", "read (0-9+10-19!)",
        "combine (0-9+10-19!)+20-29", "read ((0-9+10-19!)+20-29)",
    ]  # fmt: skip


def test_order_when_a_combination_does_not_parse_then_its_sources_go_with_the_repair() -> None:
    calls = Told(2, broken="(0-9+10-19)")
    assert asyncio.run(last_answer(calls)) == "(0-9+10-19)!"
    assert "repair (0-9+10-19) of 0-9+10-19: broken" in calls.said


def test_order_when_a_part_is_too_long_then_its_halves_are_asked_for_instead() -> None:
    calls = Told(1, too_long=[0])
    assert asyncio.run(last_answer(calls)) == "(0-4+5-9)"
    assert calls.said[:3] == ["answer 0-9", "answer 0-4", "answer 5-9"]


def test_order_when_there_is_no_text_then_error() -> None:
    with pytest.raises(ModelError):
        asyncio.run(last_answer(Told(0)))
