from hypothesis import given
from hypothesis import strategies as st

from models.redactor.views import Edit, View, fold, glued, normalized


def test_normalized_when_full_width_then_maps_back() -> None:
    view = normalized("電話は０９０ー１２３４です")
    start = view.text.index("090-1234")
    assert view.base_span(start, start + 8) == (3, 11)


def test_normalized_when_zero_width_inside_number_then_digits_are_joined() -> None:
    text = "call 415\u200b-555-\u20600132"
    view = normalized(text)
    start = view.text.index("415-555-0132")
    assert view.base_span(start, start + 12) == (5, len(text))


def test_normalized_when_half_width_kana_then_voicing_joins() -> None:
    view = normalized("ﾔﾏﾀﾞ様")
    assert view.text == "ヤマダ様"
    assert view.base_span(0, 3) == (0, 4)


def test_normalized_when_emoji_before_then_offsets_are_code_points() -> None:
    view = normalized("😀👩‍👧 Alice")
    start = view.text.index("Alice")
    assert view.base_span(start, start + 5) == (5, 10)


def test_glued_when_number_runs_over_line_then_no_break() -> None:
    view = glued(normalized("call 415-555-\n0132 now"))
    start = view.text.index("415-555-0132")
    assert view.base_span(start, start + 12) == (5, 18)


def test_rewrite_when_stacked_then_maps_to_base() -> None:
    view = normalized("Ａ five Ｂ").rewrite([Edit(2, 6, "5")]).rewrite([Edit(1, 2, "")])
    assert view.text == "A5 B"
    assert view.base_span(1, 2) == (2, 6)


def test_fold_when_width_and_case_differ_then_equal() -> None:
    assert fold("ＴＡＲＯ\u200b Yamada") == fold("taro yamada")


@given(st.text())
def test_normalized_when_any_text_then_places_rise_and_lie_inside(text: str) -> None:
    view = normalized(text)
    assert len(view.text) == len(view.starts) == len(view.ends)
    assert all(0 <= s < e <= len(text) for s, e in zip(view.starts, view.ends, strict=True))
    assert list(view.starts) == sorted(view.starts)


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_normalized_when_printable_ascii_then_unchanged(text: str) -> None:
    assert normalized(text) == View.of(text)
