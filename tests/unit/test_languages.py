"""The language is voted over the speech; a foreign intro does not lock it."""

import pytest

from models.languages import (
    assign_languages,
    candidates,
    han_language,
    language_of,
    language_of_document,
    sample_spans,
    sounds_otherwise,
    vote,
)


def test_vote_when_the_intro_is_foreign_then_the_rest_decides() -> None:
    heard = [((0.0, 5.0), {"en": 0.99}), ((30.0, 45.0), {"ja": 0.9}), ((60.0, 75.0), {"ja": 0.8})]
    assert vote(heard) == "ja"


def test_vote_when_equal_then_always_the_same() -> None:
    heard = [((0.0, 5.0), {"zh": 0.5, "ja": 0.5})]
    assert vote(heard) == "ja"


@pytest.mark.parametrize(
    ("heard", "other"),
    [
        ([{"zh": 0.97, "en": 0.01}, {"zh": 0.9}], "zh"),
        ([{"zh": 0.97, "en": 0.01}, {"en": 0.9}], None),
        ([{"zh": 0.7, "en": 0.2}], None),
        ([{"en": 0.97}], None),
        ([], None),
    ],
)
def test_sounds_otherwise_when_every_sample_is_surely_in_another_then_that(
    heard: list[dict[str, float]], other: str | None
) -> None:
    assert sounds_otherwise(heard, "en") == other


def test_candidates_when_samples_are_sure_of_one_then_only_that() -> None:
    heard = [((0.0, 9.0), {"en": 0.97, "cy": 0.03}), ((9.0, 18.0), {"en": 0.7, "nn": 0.2})]
    assert candidates(heard) == ["en"]


def test_candidates_when_undecided_between_ours_then_both() -> None:
    heard = [((0.0, 9.0), {"en": 0.45, "ja": 0.43, "ko": 0.1})]
    assert candidates(heard) == ["en", "ja"]


def test_assign_when_two_languages_then_neighbours_are_grouped() -> None:
    spans = [(0.0, 3.0), (4.0, 7.0), (8.0, 11.0), (12.0, 12.5)]
    heard = {0.0: {"en": 0.9}, 4.0: {"ja": 0.9}, 8.0: {"ja": 0.6, "en": 0.4}}
    groups = assign_languages(spans, ["en", "ja"], lambda span: heard[span[0]])
    assert groups == [("en", spans[:1]), ("ja", spans[1:])]


def test_assign_when_there_are_very_many_stretches_then_each_still_has_its_language() -> None:
    spans = [(2.0 * i, 2.0 * i + 1.5) for i in range(300)]
    listened = []

    def listen(span: tuple[float, float]) -> dict[str, float]:
        listened.append(span)
        return {"ja": 0.9} if span[0] < 120.0 else {"en": 0.9}

    groups = assign_languages(spans, ["en", "ja"], listen)
    assert [(code, len(group)) for code, group in groups] == [("ja", 60), ("en", 240)]
    assert len(listened) <= 80


def test_sample_spans_when_speech_is_long_then_six_short_samples_spread() -> None:
    samples = sample_spans([(i * 60.0, i * 60.0 + 50.0) for i in range(60)])
    assert len(samples) == 6
    assert all(end - start <= 15.0 for start, end in samples)
    assert samples[-1][0] > 2000.0


@pytest.mark.parametrize(
    ("text", "spoken", "language"),
    [
        ("What's the weather like today?", "zh", "en"),
        ("今天天气怎么样?", "en", "zh"),
        ("ちゃんと聞こえてるの", "en", "ja"),
        ("API を使います", "ja", "ja"),
        ("OK", "ja", "ja"),
        ("会議は東京で", "ja", "ja"),
        ("Guten Tag zusammen", "de", "de"),
    ],
)
def test_language_of_when_the_script_tells_then_it_counts(
    text: str, spoken: str, language: str
) -> None:
    assert language_of(text, spoken) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("定例会議の議事録です。出席者は三名。", "ja"),
        ("项目周例会纪要，参会人三名。", "zh"),
        ("Minutes of the weekly meeting, three people were present.", "en"),
        ("Protokoll der wöchentlichen Besprechung mit den Abteilungsleitern.", "de"),
        ("出席者 佐々木花子 青柳剛\n議事録担当 高橋", "ja"),
        ("會議記錄\n出席 王小明 地點 三樓", "zh"),
        ("Name: Kara Quillfeather\nTel: 212-555-0134", "en"),
        ("Adwoa Mensah\nTom Barrow\nKara Quillfeather", "en"),
        ("Invoice 2026-114\nPump 3 x 200.00\nTotal 600.00 EUR", "en"),
        ("12:30", "en"),
    ],
)
def test_language_of_document_then_by_script_or_statistics(text: str, language: str) -> None:
    assert language_of_document([text]) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("監査人 佐々木花子", "ja"),
        ("発送担当 高橋", "ja"),
        ("水泵已修好，由张晓明负责", "zh"),
        ("會議記錄 地點 三樓", "zh"),
        ("中山 高", None),
        ("minutes", None),
    ],
)
def test_han_language_when_characters_are_of_one_country_then_its_language(
    text: str, language: str | None
) -> None:
    assert han_language(text) == language
