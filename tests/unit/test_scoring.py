"""Error rates count what a person would call an error."""

import pytest

from models.scoring import ErrorRate, error_rate


@pytest.mark.parametrize(
    ("reference", "hypothesis", "language"),
    [
        ("And so, my fellow Americans!", "and so my fellow americans", "en"),
        ("It’s his; don’t, Mr. Quilter!", "it is his do not mister quilter", "en"),
        ("Press 1 to mute, 2 to lock.", "press one to mute two to lock", "en"),
        ("uh, twenty-five percent", "25%", "en"),
        ("L’été, ça va.", "l'été ça va", "fr"),
        ("１２３円です。", "123円です", "ja"),
        ("欢迎 大家", "欢迎大家。", "zh"),
    ],
)
def test_error_rate_when_only_writing_differs_then_zero(
    reference: str, hypothesis: str, language: str
) -> None:
    assert error_rate(reference, hypothesis, language).edits == 0


@pytest.mark.parametrize(
    ("reference", "hypothesis", "language", "edits"),
    [
        ("press 1", "press two", "en", 1),
        ("she can", "she can't", "en", 1),
        ("un garçon", "un garcon", "fr", 1),
        ("press 1", "press one", "de", 1),
    ],
)
def test_error_rate_when_what_was_said_differs_then_it_counts(
    reference: str, hypothesis: str, language: str, edits: int
) -> None:
    assert error_rate(reference, hypothesis, language).edits == edits


def test_error_rate_when_words_differ_then_each_edit_counts() -> None:
    assert error_rate("a b c d", "a x c d e", "en") == ErrorRate(edits=2, units=4)


def test_error_rate_when_japanese_then_characters_count() -> None:
    assert error_rate("会議です", "会談です", "ja") == ErrorRate(edits=1, units=4)


def test_error_rate_when_nothing_was_said_then_any_text_is_wrong() -> None:
    assert error_rate("", "you", "en").rate == 1.0
    assert error_rate("", "", "en").rate == 0.0


def test_error_rate_when_added_then_units_and_edits_add() -> None:
    assert ErrorRate(1, 4) + ErrorRate(2, 6) == ErrorRate(3, 10)
