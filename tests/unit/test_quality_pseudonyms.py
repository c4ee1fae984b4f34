import pytest

from models.documents import Language, Sentence, Severity
from tests.summaries import transcript, written
from tests.unit.test_quality_checks import check

SAID: dict[Language, str] = {
    "en": "[PERSON_1] sends the offer to [PERSON_2].",
    "ja": "[PERSON_1]さんが見積書を[PERSON_2]さんに送ります。",
    "zh": "[PERSON_1]把报价单发给[PERSON_2]。",
}


def found(
    text: str, said: str, language: Language, speaker: str | None = None
) -> set[tuple[str, Severity]]:
    summary = written(Sentence(text=text, citations=(1,)), language=language, headline=text)
    source = transcript(said, language=language, speakers=(speaker,))
    return {(f.check, f.severity) for f in check(summary, source).findings}


@pytest.mark.parametrize(
    "name",
    [
        "[PERSON_9]",
        "PERSON_9",
        "【PERSON_9】",
        "［ＰＥＲＳＯＮ＿９］",
        "Person 9",
        "(person 9)",
        "[Person_9]",
        "人物9",
    ],
)
@pytest.mark.parametrize("language", SAID)
def test_pseudonym_when_unknown_in_any_writing_then_blocks(language: Language, name: str) -> None:
    text = SAID[language].replace("[PERSON_1]", name)

    assert ("facts.name", Severity.BLOCK) in found(text, SAID[language], language)


@pytest.mark.parametrize("name", ["PERSON_1", "【PERSON_1】", "［ＰＥＲＳＯＮ＿１］"])
@pytest.mark.parametrize("language", SAID)
def test_pseudonym_when_known_in_another_writing_then_passes(language: Language, name: str) -> None:
    text = SAID[language].replace("[PERSON_1]", name)

    assert found(text, SAID[language], language) == set()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The room holds one person, 9 years old, and 3 people."),
        ("ja", "登場人物3人が部屋に入る。"),
        ("zh", "人员9名在房间里。"),
    ],
)
def test_pseudonym_when_words_only_look_like_one_then_passes(language: Language, text: str) -> None:
    assert found(text, text, language) == set()


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", SAID["en"], "[PERSON_2] sends the offer to [PERSON_1]."),
        ("en", SAID["en"], "The offer is sent to [PERSON_1] by [PERSON_2]."),
        ("en", "[PERSON_1] will call [PERSON_2] on Monday.", "[PERSON_2] calls [PERSON_1] Monday."),
        ("ja", SAID["ja"], "[PERSON_2]さんが見積書を[PERSON_1]さんに送る。"),
        ("ja", SAID["ja"], "[PERSON_2]は見積書を[PERSON_1]へ送る。"),
        ("zh", SAID["zh"], "[PERSON_2]把报价单发给[PERSON_1]。"),
        ("zh", "由[PERSON_1]向[PERSON_2]汇报进度。", "由[PERSON_2]向[PERSON_1]汇报进度。"),
    ],
)
def test_roles_when_two_persons_change_places_then_found(
    language: Language, said: str, text: str
) -> None:
    assert "facts.roles" in {name for name, _ in found(text, said, language)}
    assert found(said, said, language) == set()


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", SAID["en"], "[PERSON_2] receives the offer from [PERSON_1]."),
        ("en", SAID["en"], "The offer is sent to [PERSON_2] by [PERSON_1]."),
        ("ja", SAID["ja"], "[PERSON_2]さんは見積書を[PERSON_1]さんに送ってもらう。"),
        ("zh", SAID["zh"], "[PERSON_2]收到[PERSON_1]的报价单。"),
    ],
)
def test_roles_when_told_from_the_other_side_then_passes(
    language: Language, said: str, text: str
) -> None:
    assert "facts.roles" not in {name for name, _ in found(text, said, language)}


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "I'll send the offer to [PERSON_2].", "[PERSON_2] sends the offer to [PERSON_1]."),
        ("ja", "私が見積書を[PERSON_2]さんに送ります。", "[PERSON_2]が見積書を[PERSON_1]に送る。"),
        ("zh", "我把报价单发给[PERSON_2]。", "[PERSON_2]把报价单发给[PERSON_1]。"),
    ],
)
def test_roles_when_the_speaker_says_i_then_compared_too(
    language: Language, said: str, text: str
) -> None:
    assert "facts.roles" in {name for name, _ in found(text, said, language, "[PERSON_1]")}
