import pytest

from models.evaluation_summary import rouge, tokens


def test_rouge_when_same_text_then_one_and_when_nothing_shared_then_zero() -> None:
    same = rouge("The tea is green.", "the tea is green")
    other = rouge("The tea is green.", "屋根から雨が漏れる")

    assert (same.rouge_1, same.rouge_2, same.rouge_l) == (1.0, 1.0, 1.0)
    assert (other.rouge_1, other.rouge_2, other.rouge_l) == (0.0, 0.0, 0.0)


def test_rouge_when_half_is_shared_then_f_of_precision_and_recall() -> None:
    found = rouge("green tea", "tea green and white")

    assert found.rouge_1 == pytest.approx(2 * 2 / 6)
    assert found.rouge_2 == 0.0
    assert found.rouge_l == pytest.approx(2 * 1 / 6)


def test_rouge_when_empty_then_zero() -> None:
    assert rouge("", "tea").rouge_l == 0.0


def test_tokens_when_scripts_mix_then_words_and_characters() -> None:
    assert tokens("Tea 25 はお茶、茶") == ["tea", "25", "は", "お", "茶", "茶"]
