"""Style rules that hide, in sheets made to keep a worker busy."""

import pytest

from models.extraction.style_sheets import hiding_selectors


@pytest.mark.timeout(60)  # what grows with the square of the length would take many minutes
@pytest.mark.parametrize(
    "sheet",
    ["/* " * 200_000, "@media screen{" * 20_000 + "x{" + "a{display:none}" * 20_000],
    ids=["open comments", "nested conditions"],
)
def test_selectors_when_the_sheet_is_hostile_then_it_is_read_to_its_end(sheet: str) -> None:
    assert hiding_selectors(sheet) == []


def test_selectors_when_on_a_screen_or_nowhere_then_told_apart() -> None:
    shown = "@media screen{@media all{.a{display:none}}}"
    sheet = shown + "@media print{.b{display:none}} .c{display:none}"
    assert hiding_selectors(sheet) == [".a", ".c"]
