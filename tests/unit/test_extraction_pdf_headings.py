"""PDF: what is set as a heading, and what pages repeat at head and foot."""

from pathlib import Path

import pytest

from models.extraction.content import Warned
from models.extractor import extract
from tests.pdf import pdf, show

BODY = [
    "The water committee met on Monday and looked at three offers for the pump.",
    "It chose the middle one, because its makers also mend what they have sold.",
    "The old pump goes to the school.",
]


def _body(top: int = 600) -> str:
    return "".join(show(50, top - 12 * n, line) for n, line in enumerate(BODY))


def _found(path: Path) -> list[tuple[str | None, str]]:
    return [(s.location, s.text) for s in extract(path).segments]


def test_extract_when_lines_are_larger_or_bolder_then_headings(tmp_path: Path) -> None:
    title = show(50, 700, "The new pump and what it", size=16) + show(50, 680, "costs", size=16)
    bold = show(50, 640, "What was decided", bold=True)
    assert _found(pdf(tmp_path / "a.pdf", title + bold + _body())) == [
        ("page 1, heading 1", "The new pump and what it costs"),
        ("page 1, heading 2", "What was decided"),
        ("page 1, paragraph 1", " ".join(BODY)),
    ]


def test_extract_when_type_is_enlarged_by_the_page_then_it_counts(tmp_path: Path) -> None:
    title = "q 2 0 0 2 0 0 cm BT /F1 10 Tf 1 0 0 1 25 350 Tm (The pump) Tj ET Q\n"
    assert _found(pdf(tmp_path / "a.pdf", title + _body()))[0] == ("page 1, heading 1", "The pump")


@pytest.mark.parametrize(
    "line",
    [
        show(50, 640, "This has to be paid by Friday.", bold=True),
        show(50, 640, "Owner:", bold=True) + show(120, 640, "the committee"),
        show(50, 640, "Item", bold=True) + show(200, 640, "Price", bold=True),
        show(50, 640, "12,500", size=16),
    ],
    ids=["sentence", "label", "row", "number"],
)
def test_extract_when_bold_or_large_is_no_heading_then_paragraph(tmp_path: Path, line: str) -> None:
    places = [str(place) for place, _ in _found(pdf(tmp_path / "a.pdf", line + _body()))]
    assert places
    assert [place for place in places if "heading" in place] == []


def test_extract_when_all_is_bold_then_no_heading(tmp_path: Path) -> None:
    lines = "".join(show(50, 600 - 12 * n, line, bold=True) for n, line in enumerate(BODY))
    assert _found(pdf(tmp_path / "a.pdf", lines)) == [("page 1, paragraph 1", " ".join(BODY))]


def test_extract_when_pages_repeat_head_and_foot_then_read_once_without_numbers(
    tmp_path: Path,
) -> None:
    pages = [
        show(50, 770, "Water committee") + show(50, 30, f"Page {n} of 4") + _body()
        for n in range(1, 5)
    ]
    path = pdf(tmp_path / "a.pdf", *pages)
    found = _found(path)
    assert found[0] == ("header", "Water committee")
    assert [place for place, _ in found[1:]] == [f"page {n}, paragraph 1" for n in range(1, 5)]
    assert extract(path).warnings == (Warned.REPEATED,)


def test_extract_when_left_and_right_pages_differ_then_each_head_is_read_once(
    tmp_path: Path,
) -> None:
    heads = ["The pump", "Minutes of the committee"]
    pages = [show(50, 770, f"{heads[n % 2]} {n + 7}") + _body() for n in range(6)]
    found = _found(pdf(tmp_path / "a.pdf", *pages))
    assert found[:2] == [("header", "The pump 7"), ("header", "Minutes of the committee 8")]
    assert len(found) == 2 + 6


def test_extract_when_a_line_within_the_pages_repeats_then_it_stays(tmp_path: Path) -> None:
    pages = [show(50, 500, "Nothing was decided.") + _body() for _ in range(3)]
    transcript = extract(pdf(tmp_path / "a.pdf", *pages))
    assert sum("Nothing was decided." in s.text for s in transcript.segments) == 3
    assert transcript.warnings == ()


def test_extract_when_lines_at_the_head_differ_by_more_than_the_page_then_they_stay(
    tmp_path: Path,
) -> None:
    pages = [show(50, 770, f"Invoice {number}") + _body() for number in (4711, 4750, 4698)]
    texts = [text for _, text in _found(pdf(tmp_path / "a.pdf", *pages))]
    assert {"Invoice 4711", "Invoice 4750", "Invoice 4698"} <= set(texts)
