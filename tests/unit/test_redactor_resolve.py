import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.documents import RedactionSpan
from models.redactor.resolve import FORCED, resolve
from models.redactor.splice import Splice
from models.redactor.types import ALL_CLASSES, Found

TEXT = "My card is 4111 1111 1111 1111, ask Alice Bob in Paris, France 75001 today."

candidates = st.lists(
    st.builds(
        lambda start, length, kind, score: Found(
            start, min(len(TEXT), start + length), kind, score
        ),
        st.integers(0, len(TEXT) - 1),
        st.integers(1, 30),
        st.sampled_from(ALL_CLASSES),
        st.floats(0.5, 1.0),
    )
)


@given(candidates)
def test_resolve_when_anything_overlaps_then_result_does_not(found: list[Found]) -> None:
    chosen = resolve(TEXT, found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(chosen))
    assert all(0 <= f.start < f.end <= len(TEXT) for f in chosen)


@given(candidates)
def test_resolve_when_repeated_then_same(found: list[Found]) -> None:
    assert resolve(TEXT, found) == resolve(TEXT, list(reversed(found)))


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("佐藤（03-5550-0134、社用）まで", "03-5550-0134"),
        ("call (212) 555-0134 now", "(212) 555-0134"),
    ],
)
def test_resolve_when_a_bracket_closes_behind_the_finding_then_it_stays(
    text: str, surface: str
) -> None:
    start = min(text.find(char) for char in "（(" if char in text)
    found = Found(start, text.index("0134") + 4, "PHONE_NUMBER", 0.9)
    (chosen,) = resolve(text, [found])
    assert text[chosen.start : chosen.end] == surface


def test_resolve_when_my_number_inside_card_then_longer_wins() -> None:
    card = Found(11, 30, "CREDIT_CARD", 0.9)
    assert resolve(TEXT, [Found(11, 25, "JP_MY_NUMBER", 0.95), card]) == [card]


def test_resolve_when_forced_then_wins_over_longer() -> None:
    forced = Found(36, 41, "PERSON", FORCED)
    chosen = resolve(TEXT, [Found(30, 60, "ADDRESS", 0.9), forced])
    assert forced in chosen


def test_resolve_when_name_loses_partly_then_rest_is_kept() -> None:
    text = "bob@example.com Alice"
    mail = Found(0, 15, "EMAIL_ADDRESS", 0.9)
    chosen = resolve(text, [mail, Found(4, 21, "PERSON", 0.8)])
    assert [(f.start, f.end, f.entity_type) for f in chosen] == [
        (0, 15, "EMAIL_ADDRESS"),
        (16, 21, "PERSON"),
    ]


def test_resolve_when_postal_code_ends_address_then_both_stand() -> None:
    text = "12 Baker Street London 12345"
    found = [Found(0, 28, "ADDRESS", 0.8), Found(23, 28, "ZIP_CODE", 0.9)]
    assert [(f.end, f.entity_type) for f in resolve(text, found)] == [
        (22, "ADDRESS"),
        (28, "ZIP_CODE"),
    ]


def test_resolve_when_postal_code_runs_past_address_then_nothing_is_left() -> None:
    text = "221B Baker Street, London NW1 6XE."
    found = [Found(0, 28, "ADDRESS", 0.8), Found(26, 33, "ZIP_CODE", 0.7)]
    assert [(f.start, f.end) for f in resolve(text, found)] == [(0, 25), (26, 33)]


def test_resolve_when_identifier_loses_partly_then_rest_is_kept() -> None:
    text = "0901234567812345"
    found = [Found(0, 11, "PHONE_NUMBER", 0.8), Found(6, 16, "ID_NUMBER", 0.8)]
    assert [(f.start, f.end) for f in resolve(text, found)] == [(0, 11), (11, 16)]


def span(start: int, end: int, replacement: str) -> RedactionSpan:
    return RedactionSpan(
        start=start, end=end, entity_type="PERSON", score=0.9, replacement=replacement
    )


def test_splice_when_two_spans_then_cut_once_from_original() -> None:
    splice = Splice("😀 Alice met Bob.", (span(2, 7, "[PERSON_1]"), span(12, 15, "[PERSON_2]")))
    text, marks = splice.result()
    assert text == "😀 [PERSON_1] met [PERSON_2]."
    assert [text[m.start : m.end] for m in marks] == ["[PERSON_1]", "[PERSON_2]"]


def test_splice_when_spans_overlap_then_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        Splice("Alice Bob", (span(0, 6, "[PERSON_1]"), span(5, 9, "[PERSON_2]")))


@given(st.data())
def test_splice_when_any_spans_then_kept_text_is_unchanged(data: st.DataObject) -> None:
    text = data.draw(st.text(max_size=60))
    borders = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(borders[::2], borders[1::2], strict=False))
    splice = Splice(text, tuple(span(a, b, f"[PERSON_{i}]") for i, (a, b) in enumerate(pairs)))
    result, marks = splice.result()
    kept = "".join(
        result[a:b]
        for a, b in zip(
            [0, *(m.end for m in marks)], [*(m.start for m in marks), len(result)], strict=True
        )
    )
    removed = {i for a, b in pairs for i in range(a, b)}
    assert kept == "".join(c for i, c in enumerate(text) if i not in removed)
