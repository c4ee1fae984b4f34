"""Whether a sentence and its evidence, or two sentences, deny each other."""

import pytest

from models.documents import PseudonymMap, Sentence, Severity
from models.quality import check_quality
from models.quality.negation import Polarity, clauses, polarity, stance, without_stutter
from tests.summaries import transcript, written


def negations(*said: str, text: str, language: str = "en") -> list[Severity]:
    cited = tuple(range(1, len(said) + 1))
    report = check_quality(
        summary=written(Sentence(text=text, citations=cited), language=language, headline="x"),
        redacted=transcript(*said, language=language),
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )
    return [f.severity for f in report.findings if f.check.startswith("facts.negat")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nobody cannot swim", Polarity.AFFIRMS),
        ("the motion was rejected", Polarity.NEGATES),
        ("the motion was not rejected", Polarity.AFFIRMS),
        ("住民の不安を聞いた", Polarity.AFFIRMS),
        ("動議を否決した", Polarity.NEGATES),
        ("動議を否決しなかった", Polarity.AFFIRMS),
        ("没有人不会游泳", Polarity.AFFIRMS),
        ("提案被否决", Polarity.NEGATES),
    ],
)
def test_polarity_when_negated_by_another_word_or_twice_then_told(
    text: str, expected: Polarity
) -> None:
    assert polarity(text) is expected


def test_stance_when_negated_then_words_beside_the_not_are_what_it_denies() -> None:
    assert stance("They do not happen to own a boat.").denied == {"happen"}
    assert stance("船は港に入らなかった").denied >= {"入"}
    assert "航行" in stance("渡轮冬天不航行").denied


def test_without_stutter_when_said_twice_in_a_row_then_once() -> None:
    assert without_stutter("we do not, not sail") == "we do not sail"
    assert clauses("I do, we do not.") == ("I do", "we do not.")


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "The parcel arrives.", "The parcel does not arrive."),
        ("en", "We sail only until the ice comes.", "We do not sail only until the ice comes."),
        ("en", "The council approved the bridge.", "The council rejected the bridge."),
        ("en", "The council did not approve the bridge.", "The council approved the bridge."),
        ("ja", "委員会は橋の計画を承認しました。", "委員会は橋の計画を却下した。"),
        ("ja", "橋の点検だけで九万円かかります。", "橋の点検には9万円かからない。"),
        ("ja", "橋の点検は必要です。", "橋の点検は不要。"),
        ("zh", "委员会通过提案，没有否决。", "委员会否决提案。"),
        ("zh", "渡轮冬天航行。", "渡轮冬天不航行。"),
    ],
)
def test_negation_when_the_words_are_the_same_then_blocks(
    language: str, said: str, text: str
) -> None:
    assert negations(said, text=text, language=language) == [Severity.BLOCK]


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", ("Does the ferry sail?", "No, it does not."), "The ferry sails."),
        ("ja", ("渡船は運航しますか。", "いいえ、運航はしません。"), "渡船は運航する。"),
        ("zh", ("渡轮要航行吗？", "不航行，风太大。"), "渡轮航行。"),
    ],
)
def test_negation_when_an_answer_denies_what_was_asked_then_found(
    language: str, said: tuple[str, ...], text: str
) -> None:
    assert negations(*said, text=text, language=language) == [Severity.WARN]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The bridge is narrow, so the council rejected it.", "The council rejected the bridge."),
        ("The council shut the old bridge.", "The council closed the old bridge."),
        ("The bridge carries 40 cars, against 20 before.", "The bridge carries 40 cars now."),
        ("People who do not happen to own a boat pay.", "People who own a boat pay."),
        ("Unless it rains we do not sail north.", "Unless it rains we do not sail north."),
        ("The council spoke of the bridge.", "The council did not reject every bridge, it says."),
        ("It is not, not safe to sail.", "It is not safe to sail."),
    ],
)
def test_negation_when_evidence_does_not_say_the_contrary_then_nothing(
    said: str, text: str
) -> None:
    assert negations(said, text=text) == []


@pytest.mark.parametrize(
    "said",
    [
        "We will not sail north, nobody asked us to.",
        "No ferry is late, but never say that it cannot be.",
        "Only if it does not rain, we do not stop.",
    ],
)
def test_negation_when_word_for_word_in_the_evidence_then_no_warning(said: str) -> None:
    assert negations("We sail north on Monday. It rains.", said, text=said) == []


def test_negation_when_denied_twice_in_free_words_then_warns() -> None:
    said = "The harbour master spoke about the winter."
    assert negations(said, text="Nobody could not understand her plan.") == [Severity.WARN]
