import re

import pytest

from models.documents import LANGUAGES
from models.fictional import generate
from models.redactor.patterns import Pattern, patterns
from models.redactor.scan import Scan
from models.redactor.types import Found

TEXT = "one\ntwo 22\nthree\nfour\nfive\nsix 66\nseven"


def test_near_when_sign_stands_in_a_line_then_that_line_and_its_neighbours() -> None:
    assert [TEXT[a:b] for a, b in Scan(TEXT).near(re.compile(r"\d+"))] == [
        "one\ntwo 22\nthree",
        "five\nsix 66\nseven",
    ]


def test_near_when_reach_is_wide_then_stretches_grow_together() -> None:
    assert Scan(TEXT).near(re.compile(r"\d+"), 12) == ((0, len(TEXT)),)


def test_near_when_sign_is_nowhere_then_nothing() -> None:
    assert Scan(TEXT).near(re.compile("zero")) == ()
    assert Scan("").near(re.compile("zero")) == ()


def test_near_when_text_is_one_line_then_all_of_it() -> None:
    assert Scan("call 415 now").near(re.compile("415")) == ((0, 12),)


@pytest.mark.parametrize("language", LANGUAGES)
def test_patterns_when_only_some_lines_are_looked_at_then_they_find_as_much(language: str) -> None:
    text = "\n".join(sentence.text for sentence in generate(language, 12, 5))
    scan = Scan(text)
    assert [(p.name, list(p.find(scan))) for p in patterns()] == [
        (p.name, _everywhere(p, text)) for p in patterns()
    ]


class _Everywhere(Scan):
    def near(self, sign: re.Pattern[str], reach: int = 0) -> tuple[tuple[int, int], ...]:
        del sign, reach
        return ((0, len(self.text)),)


def _everywhere(pattern: Pattern, text: str) -> list[Found]:
    return list(pattern.find(_Everywhere(text)))
