"""Names that the end of a segment tears in two, with the real models of the three languages."""

import pytest

from models.redactor import Redactor


def persons(redactor: Redactor, text: str, language: str) -> list[str]:
    spans = redactor.detect(text, language)
    return [text[s.start : s.end] for s in spans if s.entity_type == "PERSON"]


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("en", "I spoke with Adwoa\nMensah yesterday about it.", "Adwoa\nMensah"),
        ("en", "please ask Kwame\nOwusu-Ansah to call", "Kwame\nOwusu-Ansah"),
        ("ja", "お名前は\n佐々\n木花子です", "佐々\n木花子"),
        ("zh", "我叫李青\n禾，请多关照", "李青\n禾"),
        ("zh", "昨天王\n建国来过", "王\n建国"),
    ],
)
def test_detect_when_a_name_is_torn_then_both_halves(
    redactor: Redactor, language: str, text: str, name: str
) -> None:
    assert persons(redactor, text, language) == [name]


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("en", "I spoke with Adwoa.\nMensah came later", ["Adwoa", "Mensah"]),
        ("en", "Participants\nAdwoa Mensah\nKofi Boateng", ["Adwoa Mensah", "Kofi Boateng"]),
        ("en", "Agenda\nAdwoa Mensah opens the meeting.", ["Adwoa Mensah"]),
        ("en", "Owner | Task\nAdwoa Mensah | Check stock", ["Adwoa Mensah"]),
        ("en", "we flew to New\nYork and then home", []),
        ("en", "this is Sarah\nI am calling about it", ["Sarah"]),
        ("ja", "今日は会議\n資料を確認", []),
        ("zh", "我们公司\n明天开会\n高度重视\n方案", []),
    ],
)
def test_detect_when_a_line_ends_between_words_then_nothing_runs_over_it(
    redactor: Redactor, language: str, text: str, names: list[str]
) -> None:
    assert persons(redactor, text, language) == names
