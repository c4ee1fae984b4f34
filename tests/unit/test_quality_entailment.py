"""What a model of entailment adds to the checks; the model follows a script."""

import re
from collections.abc import Sequence

import pytest

from models.documents import (
    ActionItem,
    PseudonymMap,
    QualityReport,
    Sentence,
    Severity,
    Summary,
    SummaryMethod,
)
from models.quality import CheckOptions, check_quality
from models.quality.entailment import Judgement, languages_missed
from tests.summaries import transcript, written

SAID = (
    "Mostly everybody thinks we had better stay with the old van, so we are not going to sell it."
)
SOURCE = transcript(SAID, "The roof was mended last week.", speakers=("[PERSON_1]", "[PERSON_2]"))
RIGHT = "The group keeps its vehicle and will not sell it."
WRONG = "The group keeps its vehicle and will sell it."
NOT = re.compile(r"\bnot\b|ません|不")


class Reader:
    """Compares "not" with "not", and knows nothing of what shares no segment; leaves a record."""

    name = "scripted"

    def __init__(self, sure: float = 0.95) -> None:
        self.asked: list[tuple[str, str]] = []
        self._sure = sure

    def judge(self, premise: str, sentence: str) -> Sequence[Judgement]:
        self.asked.append((premise, sentence))
        return [self._judged(line, sentence) for line in premise.splitlines()]

    def _judged(self, line: str, sentence: str) -> Judgement:
        if "roof" in line:
            return Judgement(0.01, 0.02)
        if bool(NOT.search(line)) is bool(NOT.search(sentence)):
            return Judgement(self._sure, 0.01)
        return Judgement(0.01, self._sure)


def report(summary: Summary, reader: Reader | None) -> QualityReport:
    return check_quality(
        summary=summary,
        redacted=SOURCE,
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
        options=CheckOptions(entailment=reader),
    )


def said(text: str, *cited: int, method: SummaryMethod = SummaryMethod.LLM) -> Summary:
    return written(Sentence(text=text, citations=cited), headline="The vehicle", method=method)


def found(summary: Summary, reader: Reader | None) -> list[tuple[str, str, Severity]]:
    return [
        (f.check, f.place, f.severity)
        for f in report(summary, reader).findings
        if f.check in {"facts.contradicted", "facts.not_entailed"}
    ]


def test_negation_when_it_is_dropped_in_free_words_then_only_entailment_finds_it() -> None:
    assert report(said(WRONG, 1, 2), None).findings == ()
    assert found(said(WRONG, 1, 2), Reader()) == [
        ("facts.contradicted", "abstract[0]", Severity.BLOCK)
    ]


def test_sentence_when_one_stretch_bears_it_out_then_nothing_is_found() -> None:
    reader = Reader()

    assert found(said(RIGHT, 1, 2), reader) == []
    assert reader.asked == [
        (f"[PERSON_1]: {SAID}\n[PERSON_2]: The roof was mended last week.", RIGHT)
    ]


def test_sentence_when_no_stretch_speaks_of_it_then_warns() -> None:
    assert found(said(RIGHT, 2), Reader()) == [("facts.not_entailed", "abstract[0]", Severity.WARN)]


@pytest.mark.parametrize(
    ("text", "severity"),
    [(WRONG, Severity.WARN), (f"{WRONG} It cost 12 euros.", Severity.BLOCK)],
)
def test_contradiction_when_the_model_is_not_sure_then_only_a_number_blocks(
    text: str, severity: Severity
) -> None:
    assert ("facts.contradicted", "abstract[0]", severity) in found(said(text, 1), Reader(0.6))


def test_contradiction_when_it_is_a_task_then_blocks_with_its_date() -> None:
    reader = Reader(0.6)
    task = ActionItem(text="Sell the vehicle.", citations=(1,), due="by Friday")
    summary = said(RIGHT, 1).model_copy(update={"action_items": (task,)})

    assert found(summary, reader) == [("facts.contradicted", "action_items[0]", Severity.BLOCK)]
    assert reader.asked[-1][1] == "Sell the vehicle. (by Friday)"


def test_sentence_when_it_is_quoted_then_no_model_is_asked() -> None:
    reader = Reader()
    quoted = said(SAID, 1, method=SummaryMethod.EXTRACTIVE)

    assert report(quoted, reader).entailment_model is None
    assert reader.asked == []


def test_sentence_when_it_cites_nothing_then_no_model_is_asked() -> None:
    reader = Reader()

    assert found(said(WRONG), reader) == []
    assert reader.asked == []


def test_report_when_a_model_has_read_the_sentences_then_names_it() -> None:
    assert report(said(RIGHT, 1), Reader()).entailment_model == "scripted"
    assert report(said(RIGHT, 1), None).entailment_model is None


def test_languages_missed_when_the_model_is_blind_in_one_then_named() -> None:
    class Blind(Reader):
        def judge(self, premise: str, sentence: str) -> Sequence[Judgement]:
            blind = "五" in premise and "不" in sentence
            return [Judgement(0.4, 0.3)] if blind else super().judge(premise, sentence)

    assert languages_missed(Reader()) == ()
    assert languages_missed(Blind()) == ("zh",)
